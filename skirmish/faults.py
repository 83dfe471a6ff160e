"""What is answered when the site cannot store anything, or cannot reach its database.

Nothing is broken in the program then: the answer is 503, in words, with the time after which it is
worth another try. Whatever can still be read is read.
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

logger = logging.getLogger(__name__)

UNAVAILABLE = 503
# What was typed is put into the page that offers to send it again, up to so many letters.
MOST_TYPED = 100_000


class Fault(Enum):
    """What the site is kept from; the value is the seconds after which a client may ask again."""

    BUSY = 5  # Somebody else holds what is needed, for longer than anybody should.
    UNREACHABLE = 30  # The database does not answer.
    UNWRITABLE = 120  # The disk is full, or may only be read.


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

# SQLite's primary result codes (sqlite.org/rescode.html), by number: Python names them only where
# the library at hand knows them.
_SQLITE = {
    5: Fault.BUSY,  # SQLITE_BUSY
    6: Fault.BUSY,  # SQLITE_LOCKED
    8: Fault.UNWRITABLE,  # SQLITE_READONLY
    10: Fault.UNWRITABLE,  # SQLITE_IOERR
    13: Fault.UNWRITABLE,  # SQLITE_FULL
    14: Fault.UNREACHABLE,  # SQLITE_CANTOPEN
}
# PostgreSQL's conditions (appendix A of its manual): whole ones before their classes.
_POSTGRESQL = {
    "25006": Fault.UNWRITABLE,  # read_only_sql_transaction
    "40001": Fault.BUSY,  # serialization_failure
    "40P01": Fault.BUSY,  # deadlock_detected
    "53100": Fault.UNWRITABLE,  # disk_full
    "53300": Fault.BUSY,  # too_many_connections
    "55P03": Fault.BUSY,  # lock_not_available
    "57014": Fault.BUSY,  # query_canceled, which is what a timeout is
    "08": Fault.UNREACHABLE,  # connection exceptions
    "53": Fault.BUSY,  # insufficient resources
    "57P": Fault.UNREACHABLE,  # shut down, starting up
    "58": Fault.UNWRITABLE,  # errors of the system, such as of its disk
}
_FILES = {
    errno.ENOSPC: Fault.UNWRITABLE,
    errno.EDQUOT: Fault.UNWRITABLE,
    errno.EROFS: Fault.UNWRITABLE,
    errno.EIO: Fault.UNWRITABLE,
    # A folder that the site was not given.
    errno.EACCES: Fault.UNWRITABLE,
    errno.EPERM: Fault.UNWRITABLE,
    errno.EMFILE: Fault.BUSY,
    errno.ENFILE: Fault.BUSY,
}


def fault_of(error: BaseException | None) -> Fault | None:
    """What an exception, or one that it was raised from, says the site is kept from; None if it is
    about something else: a mistake of ours."""
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
    """What Django's exception stands for: its cause, which is the driver's own, has a code."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        # The rest of the number says what exactly.
        return _SQLITE.get(code & 0xFF)
    state = getattr(cause, "sqlstate", None)
    if state is None:
        # psycopg has no code for a server that does not answer, or is no longer there.
        gone = isinstance(error, OperationalError) and hasattr(cause, "sqlstate")
        return Fault.UNREACHABLE if gone else None
    return next((_POSTGRESQL[s] for s in (state, state[:3], state[:2]) if s in _POSTGRESQL), None)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer what is not there (``handler404``) with Django's page, which looks for a token among
    the fields: there are none where what was sent cannot be read as such."""
    try:
        _ = request.POST
    except (MultiPartParserError, SuspiciousOperation, UnreadablePostError):
        request.POST = QueryDict()
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what makes no sense (``handler400``) with a page that asks the request nothing more:
    even its host may be a lie."""
    return HttpResponseBadRequest(render_to_string("400.html"))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer what an exception of a view or of a middleware has ended (``handler500``):
    a fault with 503, anything else with the page of a mistake of ours."""
    fault = fault_of(sys.exception())
    if fault is None:
        return defaults.server_error(request)
    return unavailable(request, fault)


def unavailable(request: HttpRequest, fault: Fault) -> HttpResponse:
    """503 in the reader's language, without a query: for htmx a sentence, which the page shows
    beside what was typed; otherwise a page, which keeps what was typed and sends it again."""
    language = getattr(request, "LANGUAGE_CODE", "") or translation.get_language_from_request(
        request
    )
    with translation.override(language):
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
        "reading": request.method in ("GET", "HEAD"),
        "address": request.get_full_path(),
        "typed": typed,
        "csrf_token": get_token(request) if typed is not None else "",
    }


def _typed(request: HttpRequest) -> list[tuple[str, str]] | None:
    """The fields of a form that may be sent again as it is; None if there is none.

    Not one from elsewhere, which would be ours then; no files, which are not kept; no passwords,
    which belong into no page.
    """
    if request.method != "POST" or not getattr(request, "csrf_processing_done", False):
        return None
    # What has not been read yet is left alone: reading it may be what failed.
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
    """Django's, but that a page which only reads is shown even if its session cannot be stored:
    what it would have remembered is a comfort."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Store the session if it has changed."""
        try:
            return super().process_response(request, response)
        except (Error, SessionInterrupted) as error:
            # Django takes a session that it cannot store for one that was deleted meanwhile.
            fault = fault_of(error)
            if fault is None:
                raise
            logger.warning("A session could not be stored: %s", error)
            reading = request.method in ("GET", "HEAD")
            return response if reading else unavailable(request, fault)
