"""The log: a line for each request, an id on every line, and no secret that opens anything."""

from __future__ import annotations

import json
import logging
import re
import threading
import uuid
from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import get_resolver, path, reverse

from accounts.models import User
from common import background
from common.models import Job
from skirmish import logs
from skirmish.logs import ExpectedAnswers, JsonFormatter, LineFormatter, mask
from skirmish.urls import urlpatterns as real
from tests.world.addresses import arguments_of, patterns
from tests.world.gangs import make_gang

KEY = "Zm9vYmFyLW5vdC1h-key_1"


class Written(logging.Handler):
    """A handler that keeps the lines a formatter makes."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line."""
        self.lines.append(self.format(record))


@pytest.fixture
def written() -> Iterator[Written]:
    """Return the log's lines, formatted as JSON."""
    handler = Written(JsonFormatter())
    logging.getLogger().addHandler(handler)
    level = logging.getLogger().level
    logging.getLogger().setLevel("INFO")
    yield handler
    logging.getLogger().removeHandler(handler)
    logging.getLogger().setLevel(level)


def test_every_request_has_one_line_with_all_details(
    client: Client, alice: User, written: Written
) -> None:
    gang = make_gang(owner=alice)
    client.force_login(alice)
    answer = client.get(reverse("gangs:builder", args=[gang.pk]), REMOTE_ADDR="192.0.2.7")
    [line] = map(json.loads, written.lines)
    assert line["request"] == answer["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{16}", line["request"])
    assert (line["user"], line["client"]) == (alice.pk, "192.0.2.7")
    assert (line["method"], line["path"]) == ("GET", f"/gangs/{gang.pk}/")
    assert line["status"] == 200 and line["milliseconds"] > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]{12}[+-]\d\d:\d\d", line["time"])
    assert line["level"] == "INFO" and line["logger"] == "skirmish.access"


def test_refusals_are_logged_as_information(client: Client, alice: User, written: Written) -> None:
    gang = make_gang(owner=alice)
    client.force_login(alice)
    for address, typed in (("/no/such/page/", None), (f"/gangs/{gang.pk}/about/", {"name": ""})):
        answer = client.get(address) if typed is None else client.post(address, typed)
        assert answer.status_code in (404, 422)
    lines = [json.loads(line) for line in written.lines]
    assert [line["level"] for line in lines] == ["INFO", "INFO"]
    assert [line["status"] for line in lines] == [404, 422]


@pytest.fixture
def broken(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a page of alice's that raises ZeroDivisionError."""
    gang = make_gang(owner=alice)
    client.force_login(alice)
    client.raise_request_exception = False
    monkeypatch.setattr("gangs.builder.views.AboutForm", lambda *_: 1 / 0)
    return f"/gangs/{gang.pk}/about/"


def test_exception_is_logged_as_an_error_with_its_traceback(
    client: Client, alice: User, written: Written, broken: str
) -> None:
    answer = client.get(broken)
    error, line = map(json.loads, written.lines)
    assert error["level"] == "ERROR" and error["status"] if "status" in error else True
    assert "ZeroDivisionError" in error["traceback"]
    # The same request, the same person.
    assert error["request"] == line["request"] == answer["X-Request-ID"]
    assert error["user"] == alice.pk and line["status"] == 500


def test_repeated_exception_is_logged_without_its_traceback(
    client: Client, written: Written, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skirmish.logs.MOST_ALIKE", 2)
    for _time in range(4):
        client.get(broken)
    errors = [line for line in map(json.loads, written.lines) if line["level"] == "ERROR"]
    lengths = [len(error["traceback"].splitlines()) for error in errors]
    assert len(errors) == 4 and min(lengths[:2]) > 5 and lengths[2:] == [1, 1]
    # Another place still has its own.
    monkeypatch.setattr("gangs.builder.views.AboutForm", lambda *_: int("x"))
    client.get(broken)
    errors = [line for line in map(json.loads, written.lines) if line["level"] == "ERROR"]
    assert len(errors[-1]["traceback"].splitlines()) > 5


@pytest.mark.parametrize(("proxies", "believed"), [(0, False), (1, True)])
def test_request_id_of_a_proxy_counts_only_when_one_is_configured(
    client: Client, settings: object, proxies: int, believed: bool
) -> None:
    settings.TRUSTED_PROXIES = proxies  # type: ignore[attr-defined]
    answer = client.get("/health/", headers={"X-Request-ID": "front-0123456789"})
    assert (answer["X-Request-ID"] == "front-0123456789") is believed
    forged = client.get("/health/", headers={"X-Request-ID": 'a b"><script>'})
    assert re.fullmatch(r"[0-9a-f]{16}", forged["X-Request-ID"])


def test_no_line_contains_a_key(client: Client, db: None, written: Written) -> None:
    """For every address that contains a key, and for other programs' lines about it."""
    opened = 0
    for name, pattern in patterns(get_resolver()):
        # A rulebook's pages have keys too, but everybody knows them; so have administrators' pages,
        # by keys that open nothing, and the pages about the site.
        names = arguments_of(name) or tuple(pattern.pattern.regex.groupindex)
        if "key" not in names or name.startswith(("rules:", "administration:", "edit-site-page")):
            continue
        given = {"key": KEY, "uidb36": "1", "name": "badge", "size": 64, "stage_id": uuid.uuid4()}
        given["shape"] = "wide"
        address = reverse(name, kwargs={argument: given[argument] for argument in names})
        client.get(address)
        opened += 1
        assert KEY not in mask(f"Not Found: {address}?page=1"), name
        assert KEY not in mask(f'"http://example.org{address}"'), name
    assert opened >= 7
    assert len(written.lines) >= opened
    assert not [line for line in written.lines if KEY in line]


# Set when the job of the next test is done.
_done = threading.Event()


def speak(_job: Job) -> None:
    """Write a line, later and in another thread."""
    logging.getLogger("elsewhere").warning("Said")
    _done.set()


def asking(request: HttpRequest) -> HttpResponse:
    """A page that starts a job."""
    background.add_jobs([background.make_job("speaking")])
    return HttpResponse("Asked")


asking.login_required = False  # type: ignore[attr-defined]
urlpatterns = [path("asking/", asking), *real]


@override_settings(ROOT_URLCONF=__name__)
def test_job_logs_the_id_of_its_request(
    client: Client, written: Written, in_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_works", {})
    background.carries_out("speaking")(speak)
    answer = client.get("/asking/")
    assert _done.wait(120)
    said = [json.loads(line) for line in written.lines if '"elsewhere"' in line]
    assert [line["request"] for line in said] == [answer["X-Request-ID"]]


def record(message: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord("a", logging.INFO, "", 0, message, arguments, None)


def test_request_cannot_forge_a_line(client: Client, written: Written) -> None:
    line = LineFormatter().format(record("Not Found: %s", "/x\n2026 ERROR forged\u202e"))
    assert "\n" not in line and "/x\\n2026 ERROR forged\\u202e" in line
    client.get("/nowhere%0a2026%20forged/")
    assert all("\n" not in json.loads(written)["path"] for written in written.lines)


def test_line_format_is_readable_by_people(client: Client, db: None) -> None:
    handler = Written(LineFormatter())
    logs.access.addHandler(handler)
    logs.access.setLevel("INFO")
    try:
        answer = client.get("/health/")
    finally:
        logs.access.removeHandler(handler)
        logs.access.setLevel("NOTSET")
    [line] = handler.lines
    told = r"\S+ INFO skirmish.access: GET /health/ 200 in [\d.]+ ms \[(\w+) 127.0.0.1\]"
    found = re.fullmatch(told, line)
    assert found and found[1] == answer["X-Request-ID"]


@pytest.mark.parametrize(
    ("status", "raised", "kept"),
    [
        (404, None, False),
        (422, None, False),
        (503, None, False),
        (503, True, True),
        (500, True, True),
        (400, None, True),
    ],
)
def test_filter_drops_expected_answers(status: int, raised: bool | None, kept: bool) -> None:
    told = record("Answered")
    told.status_code = status
    if raised:
        error = OSError()
        told.exc_info = (OSError, error, None)
    assert ExpectedAnswers().filter(told) is kept
