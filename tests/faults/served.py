"""A site with separate processes, as script/server starts them, for faults that only show there."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings

SECRET = "a-key-for-the-tests-only-" + "x" * 40


@dataclass(frozen=True)
class Answer:
    """An answer, and the seconds until it came."""

    status: int
    headers: dict[str, str]
    text: str
    seconds: float


@dataclass(frozen=True)
class Site:
    """A site that answers at ``port``. ``places``: the addresses printed by ``seed``."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes]
    places: dict[str, str]

    def ask(
        self,
        address: str,
        typed: dict[str, str] | None = None,
        *,
        signed_in: bool = True,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """GET an address, or send a form there as a page of the site does."""
        token = "c" * 32
        sent = {"Cookie": f"csrftoken={token}", "Host": f"127.0.0.1:{self.port}", **(headers or {})}
        if signed_in:
            sent["Cookie"] += f"; sessionid={self.places['session']}"
        body = None
        if typed is not None:
            body = urlencode({**typed, "csrfmiddlewaretoken": token})
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        started = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request("GET" if body is None else "POST", address, body, sent)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
        finally:
            connection.close()
        seconds = time.monotonic() - started
        return Answer(answer.status, dict(answer.getheaders()), text, seconds)

    def rename(self, name: str) -> Answer:
        """Rename the gang, as its owner sees it now."""
        about = f"{self.places['gang']}about/"
        page = self.ask(about).text
        typed = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
        return self.ask(about, {**typed, "name": name})

    def workers(self) -> list[int]:
        """Return the processes that answer."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the variables of a site that writes into ``folder``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    given = {"DATA_DIR": str(folder), "SECRET_KEY": SECRET, "HTTPS": "0", "LOG_LEVEL": "INFO"}
    return {**kept, **given, "DJANGO_SETTINGS_MODULE": "tests.faults.settings", **more}


def seed(folder: Path) -> dict[str, str]:
    """Make the site's database in ``folder``; return the addresses of its objects."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.faults.seed"],
        cwd=settings.BASE_DIR,
        env=environment(folder),
        capture_output=True,
        check=True,
    )
    places: dict[str, str] = json.loads(told.stdout)
    return places


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def log_of(folder: Path) -> Path:
    """Return the path of the log of the site in ``folder``: on a disk that no test fills."""
    return Path(tempfile.gettempdir()) / f"skirmish-{sha256(bytes(folder)).hexdigest()[:16]}.log"


@contextmanager
def served(folder: Path, places: dict[str, str], **more: str) -> Iterator[Site]:
    """Serve the site in ``folder`` until the test is over."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"]
    with log_of(folder).open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=environment(folder, **more),
            stdout=log,
            stderr=log,
        )
        try:
            site = Site(port, folder, process, places)
            _until_it_answers(site)
            yield site
        finally:
            process.terminate()
            try:
                process.wait(120)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log_of(folder).unlink()


def _until_it_answers(site: Site) -> None:
    for _ in range(1200):
        try:
            if site.ask("/health/", signed_in=False).status == 200:
                return
        except OSError:
            time.sleep(0.1)
        assert site.process.poll() is None, log_of(site.folder).read_text()
    raise AssertionError("The site does not answer")


def copied(made: Path, folder: Path) -> Path:
    """Return a copy of a site's folder."""
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder
