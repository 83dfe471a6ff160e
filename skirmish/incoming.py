"""Middleware that limits and cleans requests, and limits the work they may cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    QueryDict,
    UnreadablePostError,
)
from django.shortcuts import render
from django.template import loader
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.language import requested_language
from api.tokens import ROOT as API
from common.text import clean_text, is_fit
from rules.bounds.limits import REQUEST_WORK
from rules.bounds.work import Exhausted, limit_work
from rules.loading.apart import Busy
from skirmish.answers import GetResponse
from skirmish.faults import Fault, unavailable

TOO_LARGE = 413


class Incoming:
    """Reject bodies that are too large and addresses with unfit characters; clean the fields.

    Bodies are rejected without being read, and cookies with unfit characters are dropped. Each form
    also cleans its own texts as its fields require; this middleware covers everything read without
    a form and the forms of other packages. Passwords stay as typed.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Check and clean everything except the posted fields."""
        if _length(request) > settings.BIGGEST_BODY:
            return too_large(request)
        for name in [name for name, value in request.COOKIES.items() if not is_fit(value)]:
            del request.COOKIES[name]
        if request.META.get("QUERY_STRING"):
            request.GET = _clean(request.GET)  # type: ignore[assignment]
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *args: object
    ) -> HttpResponse | None:
        """Clean the posted fields; an interrupted upload is left to the view."""
        if not is_fit(request.path_info):
            raise Http404
        # Bodies of programs are no forms: the API reads them.
        if request.method != "POST" or request.path_info.startswith(API):
            return None
        try:
            request.POST = _clean(request.POST)  # type: ignore[assignment]
        except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent):
            return too_large(request)
        except UnreadablePostError:
            return None
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 413 if a view reads the body itself and finds it too large."""
        return too_large(request) if isinstance(error, RequestDataTooBig) else None


def too_large(request: HttpRequest) -> HttpResponse:
    """Answer 413: as JSON to a script that sends JSON, otherwise as a page."""
    with translation.override(requested_language(request)):
        if request.content_type == "application/json":
            words = _("That is too large. Send less at a time.")
            return JsonResponse({"error": words}, status=TOO_LARGE)
        return HttpResponse(loader.get_template("413.html").render(), status=TOO_LARGE)


def _length(request: HttpRequest) -> int:
    """Return the announced bytes of a body, 0 if there is no such number."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    return int(announced) if announced.isascii() and announced.isdigit() else 0


def _clean(fields: QueryDict) -> QueryDict:
    """Return the fields with clean values, without fields with unfit names."""
    if all(_is_plain(name, value) for name, values in fields.lists() for value in values):
        return fields
    clean = QueryDict(mutable=True, encoding=fields.encoding)
    for name, values in fields.lists():
        if is_fit(name):
            secret = "password" in name
            clean.setlist(name, values if secret else [clean_text(value) for value in values])
    clean._mutable = False
    return clean


def _is_plain(name: str, value: str) -> bool:
    return name.isascii() and name.isprintable() and value.isascii() and value.isprintable()


class LimitedWork:
    """Middleware: answer in words when a rulebook takes too much work or others are being read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with limit_work(REQUEST_WORK, Exhausted):
            return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """Answer a view that exceeded its work limit or found the parser busy."""
        if isinstance(exception, Busy):
            return unavailable(request, Fault.BUSY)
        if not isinstance(exception, Exhausted):
            return None
        if request.headers.get("HX-Request") == "true":
            words = _("This rulebook is too large: working this out would take too long.")
            return HttpResponse(words, content_type="text/plain; charset=utf-8", status=TOO_LARGE)
        return render(request, "too_large.html", status=TOO_LARGE)
