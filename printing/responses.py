"""Answer requests for a print: with the PDF, or with a page that says how long it will take."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import content_disposition_header, quote_etag
from django.utils.text import slugify

from printing import queue
from printing.press.jobs import Job
from printing.press.worker import Died, Failed

# Seconds after which a page that waits for a print asks again. If the request itself waits, the
# page asks immediately: the reader sees the page meanwhile, and gets the print the moment it is
# made.
AGAIN, AT_ONCE = 1, 0
# Seconds after which it makes sense to ask again when the database accepts no jobs, and when
# presses died while printing a sheet.
MENDED, REPLACED = 60, 10


class About(NamedTuple):
    """Words for the page that waits for a book, which may take minutes: the thing being made, and
    the name and address of the page to go back to.
    """

    what: str
    origin: str
    back: str


def answer(
    request: HttpRequest,
    key: str,
    job: Callable[[], Job],
    name: str,
    about: About | None = None,
) -> HttpResponseBase:
    """Return the print under ``key``, or 304 if the reader has it already.

    A browser that would wait for long gets a page that says so and asks again by itself; any other
    client gets 503 and the time to come back. ``name``: the file's name, in words.
    """
    etag = quote_etag(key)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        try:
            printed = queue.ask(
                key,
                job,
                "sheet" if about is None else "book",
                for_visitor=not request.user.is_authenticated,
            )
        except queue.Waiting as waiting:
            again = AT_ONCE if waiting.waited and about is None else AGAIN
            told = {"before": waiting.before, "pages": waiting.pages, "again": again}
            return _not_yet(request, {"about": about, **told})
        except queue.Busy:
            return _not_yet(request, {"about": about, "busy": True})
        except queue.Unavailable:
            # A repair may take long, so no page waits for it.
            return _unavailable(request, {"about": about, "unavailable": True}, MENDED)
        except Died:
            seconds = REPLACED if about is None else queue.FAILED_BOOK
            return _unavailable(request, {"about": about, "died": True}, seconds)
        except Failed:
            if settings.DEBUG:
                raise
            return _waiting_page(request, {"about": about, "failed": True}, 500)
        response = HttpResponse(printed, content_type="application/pdf")
        file = f"{slugify(name, allow_unicode=True) or 'print'}.pdf"
        response["Content-Disposition"] = content_disposition_header(False, file) or ""
        response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _not_yet(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    # A browser waits on a page; a program gets the time to come back.
    status = 202 if request.accepts("text/html") else 503
    response = _waiting_page(request, context, status)
    response["Retry-After"] = str(AGAIN)
    return response


def _unavailable(request: HttpRequest, context: dict[str, object], seconds: int) -> HttpResponse:
    response = _waiting_page(request, {**context, "failed": True}, 503)
    response["Retry-After"] = str(seconds)
    return response


def _waiting_page(request: HttpRequest, context: dict[str, object], status: int) -> HttpResponse:
    response = render(request, "printing/waiting.html", {"again": AGAIN, **context}, status=status)
    patch_cache_control(response, private=True, no_store=True)
    return response
