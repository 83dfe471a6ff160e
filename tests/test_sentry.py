"""Sentry reports: a mistake is sent without personal data."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from skirmish import sentry
from tests.faults.served import environment

# A site with a failing page, which a user with a name requests.
BROKEN = """
import os
import django
django.setup()
from django.test import RequestFactory
from django.urls import path
from skirmish import urls

def broken(request, key):
    private = request.POST["notes"]
    raise ZeroDivisionError(f"in {request.path}")

broken.login_required, broken.csrf_exempt = False, True
urls.urlpatterns.insert(0, path("s/<slug:key>/", broken))
key = os.environ["PRIVATE"]
asked = RequestFactory(REMOTE_ADDR=os.environ["CLIENT"]).post(
    f"/s/{key}/?next=/campaigns/join/{key}/",
    {"notes": key},
    headers={"Authorization": f"Bearer {key}", "Cookie": f"remembered={key}"},
)
asked.environ["wsgi.errors"] = open(os.devnull, "w")
told = {}
def start_response(status, headers, exc_info=None):
    assert status.startswith("500"), status
    told.update(headers)

from skirmish.wsgi import application
list(application(asked.environ, start_response))
print(told["X-Request-ID"])
import sentry_sdk
sentry_sdk.flush()
"""


def test_start_names_the_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match="requirements-extras.txt"):
        sentry.start("http://public@127.0.0.1:9/1")


def test_start_rejects_an_invalid_address() -> None:
    pytest.importorskip("sentry_sdk")
    with pytest.raises(ImproperlyConfigured, match="not the address of a Sentry server"):
        sentry.start("not an address")


def test_report_names_no_address_of_another_server() -> None:
    crumb = {"category": "httplib", "data": {"url": "https://hooks.example.org/a-secret-path"}}
    assert sentry.clean_breadcrumb(crumb, {}) is None
    assert sentry.clean_breadcrumb({"message": "GET /s/SECRETKEY/"}, {}) == {"message": "GET /s/…/"}


@pytest.mark.long
def test_report_contains_no_personal_data(tmp_path: Path) -> None:
    pytest.importorskip("sentry_sdk")
    bodies: list[bytes] = []

    class Server(BaseHTTPRequestHandler):
        """A server that keeps the reports it receives."""

        def do_POST(self) -> None:
            """Keep the report."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = {"br": brotli.decompress, "gzip": gzip.decompress}
            bodies.append(packed[self.headers["Content-Encoding"]](body))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            given = {
                "SENTRY_DSN": f"http://public@127.0.0.1:{server.server_port}/1",
                "ALLOWED_HOSTS": "testserver",
                "PERIODIC_JOBS": "0",
                "PRIVATE": "SECRETKEY",
                "CLIENT": "192.0.2.7",
            }
            done = subprocess.run(
                [sys.executable, "-c", BROKEN],
                cwd=settings.BASE_DIR,
                env=environment(tmp_path, **given),
                capture_output=True,
                text=True,
                check=True,
            )
        finally:
            server.shutdown()
            serving.join()
    told = "\n".join(body.decode() for body in bodies)
    [event] = [json.loads(line) for line in told.splitlines() if '"exception"' in line]
    assert event["exception"]["values"][-1]["type"] == "ZeroDivisionError"
    assert event["exception"]["values"][-1]["value"] == "in /s/…/"
    assert event["request"]["url"] == "http://testserver/s/…/"
    assert event["tags"]["request"] == done.stdout.split()[-1]
    assert "192.0.2.7" not in told and "SECRETKEY" not in told
