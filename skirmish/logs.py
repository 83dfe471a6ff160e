"""The log: one line for each request; every line names the request it belongs to.

Reading the log gives access to nothing: keys and codes in addresses (of shared sheets, invitations,
watch links, feeds and mails) are masked in every line, including other packages'.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections import Counter
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
# Acceptable request ids from a proxy.
NAMED = re.compile(r"[\w.:+/=-]{8,128}", re.ASCII)
# A path before a secret key, and the key.
KEYS = re.compile(
    r"(/(?:s|code|campaigns/(?:tables/)?join|campaigns/watch|campaigns/feeds|confirm-email"
    r"|password/reset/key|api/v1/shared|api/(?:v\d+/)?webhooks/\d+)/)"
    r"[^/\s?'\"]+"
)
MASK = "…"
# The most tracebacks from one place in an hour, in each process; a line says that more came.
MOST_ALIKE = 20
# Statuses that result from what users do, not from errors; the request's own line has them.
EXPECTED = {404, 405, 409, 413, 422, 429}


@dataclass(frozen=True)
class Served:
    """The request being answered."""

    id: str
    client: str
    request: HttpRequest

    @property
    def path(self) -> str:
        """The request's path on one line, with keys masked."""
        return mask(on_one_line(self.request.path))

    @property
    def user(self) -> int | None:
        """The user's key if the user has been loaded; None otherwise, to save a query."""
        user = getattr(self.request, "_cached_user", None)
        return None if user is None else user.pk


current: ContextVar[Served | None] = ContextVar("current", default=None)
access = logging.getLogger("skirmish.access")
# No log line uses these values, and collecting them takes a third of the time of a line.
logging.logThreads = logging.logMultiprocessing = False
logging.logAsyncioTasks = False  # type: ignore[attr-defined]


def mask(text: str) -> str:
    """Mask the secret keys of addresses in a text."""
    return KEYS.sub(rf"\1{MASK}", text)


def on_one_line(text: str) -> str:
    """Escape control characters as Python does."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def printable(text: str) -> str:
    """Escape control characters in each line of a text."""
    return "\n".join(map(on_one_line, text.split("\n")))


def log_requests(get_response: GetResponse) -> GetResponse:
    """Middleware, the outermost: give each request an id, send it with the answer, log a line."""
    # Imported late: logging is set up before the apps are loaded.
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
    """Log a request with its time in milliseconds."""
    if not access.isEnabledFor(logging.INFO):
        return
    told = (served.request.method, served.path, status, took)
    # Avoid ``access.info``, which spends a fifth of the time looking for its caller.
    record = logging.LogRecord(
        access.name, logging.INFO, __file__, 0, "%s %s %d in %.1f ms", told, None
    )
    record.status, record.milliseconds = status, round(took, 1)
    access.handle(record)


def _id(request: HttpRequest) -> str:
    """Return the id from a trusted proxy, or a new one."""
    named = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
    return named if NAMED.fullmatch(named) else secrets.token_hex(8)


class ExpectedAnswers(logging.Filter):
    """Filter that drops Django's warnings about expected answers."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        status = getattr(record, "status_code", None)
        # A 503 without an exception only asks a program to retry later.
        return status not in EXPECTED and (status != 503 or bool(record.exc_info))


class LineFormatter(logging.Formatter):
    """Formatter for people: time, level, logger, message, and the request in brackets.

    ``tracebacks``: their number by place in this ``hour``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hour = 0
        self.tracebacks: Counter[object] = Counter()

    def format(self, record: logging.LogRecord) -> str:
        """Format the line, with an indented traceback below it."""
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
        """Return the traceback, or "". It may quote input from anybody."""
        if not record.exc_info:
            return ""
        if self._is_repeated(record):
            return f"{record.exc_info[0].__name__}: as before" if record.exc_info[0] else ""
        return mask(printable(self.formatException(record.exc_info)))

    def _is_repeated(self, record: logging.LogRecord) -> bool:
        """Whether the place of an exception has had its tracebacks in this hour. One bug that
        somebody triggers again and again would otherwise fill the disk."""
        kind, _error, frame = record.exc_info or (None, None, None)
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        hour = int(record.created // 3600)
        if hour != self.hour:
            self.hour, self.tracebacks = hour, Counter()
        place = (kind, frame.tb_frame.f_code, frame.tb_lineno) if frame else kind
        self.tracebacks[place] += 1
        return self.tracebacks[place] > MOST_ALIKE


class JsonFormatter(LineFormatter):
    """Formatter for programs: one JSON object on each line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the object; unknown values are left out."""
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
    """Return the record's time, with its time zone."""
    second = int(record.created)
    day_and_time, zone = _second(second)
    return f"{day_and_time}.{int((record.created - second) * 1000):03}{zone}"


@lru_cache(maxsize=2)
def _second(second: int) -> tuple[str, str]:
    """Return a second as text and its time zone. Cached, since many lines share a second."""
    at = datetime.fromtimestamp(second, UTC).astimezone().isoformat()
    return at[:19], at[19:]
