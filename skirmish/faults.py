"""Answers when the site cannot write or cannot reach its database.

The program is not at fault, so the answer is a 503 in words with the time of the next try.
Everything that can still be read is served.
"""

from __future__ import annotations

import errno
import logging
import sys
from enum import Enum
from typing import Any

from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import SuspiciousOperation
from django.db import Error, OperationalError
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
    QueryDict,
    UnreadablePostError,
)
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views import defaults

from accounts.language import requested_language

logger = logging.getLogger(__name__)

UNAVAILABLE = 503
# The largest form, in characters, that the 503 page offers to send again.
MOST_TYPED = 100_000


class Fault(Enum):
    """The site's trouble; the value is the number of seconds until a client should retry."""

    BUSY = 5  # Somebody else holds a lock for far too long.
    UNREACHABLE = 30  # The database does not answer.
    UNWRITABLE = 120  # The disk is full or read-only.


SENTENCES: dict[Fault, Promise] = {
    Fault.BUSY: gettext_lazy("The site is very busy. Try again in a few seconds."),
    Fault.UNREACHABLE: gettext_lazy(
        "The site cannot reach its database at the moment. Try again in a minute."
    ),
    Fault.UNWRITABLE: gettext_lazy(
        "The site cannot store anything at the moment. You can still read everything; try saving "
        "again later."
    ),
}

# SQLite's primary result codes (sqlite.org/rescode.html), as numbers: Python names them only if the
# linked library knows them.
_SQLITE = {
    5: Fault.BUSY,  # SQLITE_BUSY
    6: Fault.BUSY,  # SQLITE_LOCKED
    8: Fault.UNWRITABLE,  # SQLITE_READONLY
    10: Fault.UNWRITABLE,  # SQLITE_IOERR
    13: Fault.UNWRITABLE,  # SQLITE_FULL
    14: Fault.UNREACHABLE,  # SQLITE_CANTOPEN
}
# PostgreSQL's error codes (appendix A of its manual): whole codes, then classes.
_POSTGRESQL = {
    "25006": Fault.UNWRITABLE,  # read_only_sql_transaction
    "40001": Fault.BUSY,  # serialization_failure
    "40P01": Fault.BUSY,  # deadlock_detected
    "53100": Fault.UNWRITABLE,  # disk_full
    "53300": Fault.BUSY,  # too_many_connections
    "55P03": Fault.BUSY,  # lock_not_available
    "57014": Fault.BUSY,  # query_canceled: a timeout
    "08": Fault.UNREACHABLE,  # connection exceptions
    "53": Fault.BUSY,  # insufficient resources
    "57P": Fault.UNREACHABLE,  # shutdown, startup
    "58": Fault.UNWRITABLE,  # system errors, such as of the disk
}
_FILES = {
    errno.ENOSPC: Fault.UNWRITABLE,
    errno.EDQUOT: Fault.UNWRITABLE,
    errno.EROFS: Fault.UNWRITABLE,
    errno.EIO: Fault.UNWRITABLE,
    # The site has no permission for a folder.
    errno.EACCES: Fault.UNWRITABLE,
    errno.EPERM: Fault.UNWRITABLE,
    errno.EMFILE: Fault.BUSY,
    errno.ENFILE: Fault.BUSY,
}


def fault_of(error: BaseException | None) -> Fault | None:
    """Return the fault behind an exception or one of its causes; None if it is a bug."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        fault = None
        if isinstance(error, Error):
            fault = _of_database(error)
        elif isinstance(error, OSError):
            fault = _FILES.get(error.errno or 0)
        if fault is not None:
            return fault
        error = error.__cause__ or error.__context__
    return None


def _of_database(error: Error) -> Fault | None:
    """Return the fault of Django's exception. Its cause is the driver's exception, with a code."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        # The upper bits hold the extended code.
        return _SQLITE.get(code & 0xFF)
    state = getattr(cause, "sqlstate", None)
    if state is None:
        # psycopg has no code for a server that is down or has closed the connection.
        gone = isinstance(error, OperationalError) and hasattr(cause, "sqlstate")
        return Fault.UNREACHABLE if gone else None
    return next((_POSTGRESQL[s] for s in (state, state[:3], state[:2]) if s in _POSTGRESQL), None)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 404 with Django's page (``handler404``).

    That page looks for a CSRF token in the fields, so replace fields that cannot be parsed.
    """
    try:
        _ = request.POST
    except (MultiPartParserError, SuspiciousOperation, UnreadablePostError):
        request.POST = QueryDict()
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 (``handler400``) with a page that reads nothing from the request.

    Even the request's host may be forged.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer an unhandled exception (``handler500``): 503 for a fault, else the page for bugs."""
    fault = fault_of(sys.exception())
    if fault is None:
        return defaults.server_error(request)
    return unavailable(request, fault)


def unavailable(request: HttpRequest, fault: Fault) -> HttpResponse:
    """Answer 503 in the reader's language, without a query.

    htmx gets a sentence that the page shows beside the form; others get a page that keeps the typed
    text and offers to send it again.
    """
    with translation.override(requested_language(request)):
        if request.headers.get("HX-Request") == "true":
            words, kind = str(SENTENCES[fault]), "text/plain; charset=utf-8"
        else:
            words, kind = render_to_string("503.html", _page(request, fault)), "text/html"
    response = HttpResponse(words, content_type=kind, status=UNAVAILABLE)
    response["Retry-After"] = str(fault.value)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _page(request: HttpRequest, fault: Fault) -> dict[str, Any]:
    typed = _typed(request)
    return {
        "language": translation.get_language(),
        "sentence": SENTENCES[fault],
        "is_reading": request.method in ("GET", "HEAD"),
        "address": request.get_full_path(),
        "typed": typed,
        "csrf_token": get_token(request) if typed is not None else "",
    }


def _typed(request: HttpRequest) -> list[tuple[str, str]] | None:
    """Return the fields of a form that can be sent again unchanged; None if there is none.

    Excluded are forms from other sites, which we would vouch for; forms with files, which are not
    kept; and passwords, which must not be on a page.
    """
    if request.method != "POST" or not getattr(request, "csrf_processing_done", False):
        return None
    # Do not parse fields now: parsing them may have failed.
    sent = getattr(request, "_post", None)
    if not isinstance(sent, QueryDict) or getattr(request, "_files", None):
        return None
    fields = [
        (name, value)
        for name, values in sent.lists()
        if name != "csrfmiddlewaretoken"
        for value in values
    ]
    if any("password" in name for name, _ in fields):
        return None
    return fields if sum(len(name) + len(value) for name, value in fields) <= MOST_TYPED else None


class ReadableSessionMiddleware(SessionMiddleware):
    """Django's session middleware, except that reading works when a session cannot be stored.

    Losing the session's changes is harmless for a page that only reads.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Store the session if it has changed; answer 503 to a change if that fails."""
        try:
            return super().process_response(request, response)
        except (Error, SessionInterrupted) as error:
            # Django reports a session that cannot be stored as one that has been deleted.
            fault = fault_of(error)
            if fault is None:
                raise
            logger.warning("A session could not be stored: %s", error)
            reading = request.method in ("GET", "HEAD")
            return response if reading else unavailable(request, fault)
