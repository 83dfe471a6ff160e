"""The log: one line for each request, and on every line which request it belongs to.

Whoever has the log can open nothing: keys and codes in addresses (of shared sheets, of links to
join or look on, of feeds, of mails) are masked in every line, whoever wrote it.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from common.origin import origin

GetResponse = Callable[[HttpRequest], HttpResponse]

HEADER = "X-Request-ID"
# What a proxy may call a request.
NAMED = re.compile(r"[\w.:+/=-]{8,128}", re.ASCII)
# What leads to a key, in the path of an address, and the key.
KEYS = re.compile(
    r"(/(?:s|code|campaigns/(?:tables/)?join|campaigns/watch|campaigns/feeds|confirm-email"
    r"|password/reset/key)/)"
    r"[^/\s?'\"]+"
)
MASK = "…"
# Answers that say what somebody did, not what went wrong: the line of the request tells of them.
EXPECTED = {404, 405, 409, 413, 422, 429}


@dataclass(frozen=True)
class Served:
    """A request that is being answered."""

    id: str
    client: str
    request: HttpRequest

    @property
    def path(self) -> str:
        """The path of its address, without keys and on one line."""
        return mask(on_one_line(self.request.path))

    @property
    def user(self) -> int | None:
        """Whose it is, if anything has asked: it is not worth a query."""
        user = getattr(self.request, "_cached_user", None)
        return None if user is None else user.pk


current: ContextVar[Served | None] = ContextVar("current", default=None)
access = logging.getLogger("skirmish.access")
# No line tells them, and looking them up takes a third of a line's time.
logging.logThreads = logging.logMultiprocessing = False
logging.logAsyncioTasks = False  # type: ignore[attr-defined]


def mask(text: str) -> str:
    """A text without the keys of the addresses in it."""
    return KEYS.sub(rf"\1{MASK}", text)


def on_one_line(text: str) -> str:
    """A text whose control characters are written as Python does."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def printable(text: str) -> str:
    """The same of a text of several lines, which it keeps."""
    return "\n".join(map(on_one_line, text.split("\n")))


def log_requests(get_response: GetResponse) -> GetResponse:
    """Middleware, before all others: every request has an id, which its answer bears, and one line
    in the log."""
    # Logging is set up before there are apps.
    from accounts.authentication.addresses import client_address

    def middleware(request: HttpRequest) -> HttpResponse:
        served = Served(_id(request), client_address(request), request)
        token, named = current.set(served), origin.set(served.id)
        started = time.perf_counter()
        try:
            response = get_response(request)
            took = (time.perf_counter() - started) * 1000
            _write(served, response.status_code, took)
        finally:
            current.reset(token)
            origin.reset(named)
        response[HEADER] = served.id
        return response

    return middleware


def _write(served: Served, status: int, took: float) -> None:
    """The line of a request that took so many milliseconds."""
    if not access.isEnabledFor(logging.INFO):
        return
    told = (served.request.method, served.path, status, took)
    # Not by ``access.info``, which would look for its caller first, for a fifth of the time.
    record = logging.LogRecord(
        access.name, logging.INFO, __file__, 0, "%s %s %d in %.1f ms", told, None
    )
    record.status, record.milliseconds = status, round(took, 1)
    access.handle(record)


def _id(request: HttpRequest) -> str:
    """What a proxy of ours calls the request; a name of our own for what comes from anybody."""
    named = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
    return named if NAMED.fullmatch(named) else secrets.token_hex(8)


class ExpectedAnswers(logging.Filter):
    """Leaves out Django's warnings of answers that are part of the site's work."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        status = getattr(record, "status_code", None)
        # 503 without an exception: a program is told when to ask again.
        return status not in EXPECTED and (status != 503 or bool(record.exc_info))


class LineFormatter(logging.Formatter):
    """A line for people: when, how bad, who says what, and in brackets for whom."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and a traceback below it, indented."""
        said = mask(on_one_line(record.getMessage()))
        line = f"{_time(record)} {record.levelname} {record.name}: {said}"
        served = current.get()
        if served is not None:
            user = "" if served.user is None else f" user {served.user}"
            line += f" [{served.id} {served.client}{user}]"
        elif origin.get():
            line += f" [{origin.get()}]"
        raised = self.raised(record)
        return f"{line}\n{raised}".rstrip().replace("\n", "\n  ")

    def raised(self, record: logging.LogRecord) -> str:
        """The traceback of what was raised, "" if nothing was. It quotes what anybody sent."""
        return mask(printable(self.formatException(record.exc_info))) if record.exc_info else ""


class JsonFormatter(LineFormatter):
    """A line for programs: one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The object; what is not known is left out."""
        served = current.get()
        line = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": mask(printable(record.getMessage())),
            "request": origin.get() or None,
            "user": served and served.user,
            "client": served and served.client,
            "method": served and served.request.method,
            "path": served and served.path,
            "status": getattr(record, "status", None),
            "milliseconds": getattr(record, "milliseconds", None),
            "traceback": self.raised(record) or None,
        }
        known = {name: value for name, value in line.items() if value is not None}
        return json.dumps(known, ensure_ascii=False)


def _time(record: logging.LogRecord) -> str:
    """When it was written, with its zone."""
    second = int(record.created)
    day_and_time, zone = _second(second)
    return f"{day_and_time}.{int((record.created - second) * 1000):03}{zone}"


@lru_cache(maxsize=2)
def _second(second: int) -> tuple[str, str]:
    """A second of the clock, and the zone of that time."""
    at = datetime.fromtimestamp(second, UTC).astimezone().isoformat()
    return at[:19], at[19:]
