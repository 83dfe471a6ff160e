"""How much one request may ask of the engine, and what is answered where it asks for more."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from rules.bounds.limits import REQUEST_WORK
from rules.bounds.work import Exhausted, limited
from rules.loading.apart import Busy
from skirmish.faults import Fault, unavailable

TOO_LARGE = 413


class LimitedWork:
    """Middleware: a request ends in words when its rulebook takes too much work, or when others
    have theirs read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with limited(REQUEST_WORK, Exhausted):
            return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """The answer to a request whose view has asked for too much."""
        if isinstance(exception, Busy):
            return unavailable(request, Fault.BUSY)
        if not isinstance(exception, Exhausted):
            return None
        if request.headers.get("HX-Request") == "true":
            words = _("This rulebook is too large: working this out would take too long.")
            return HttpResponse(words, content_type="text/plain; charset=utf-8", status=TOO_LARGE)
        return render(request, "too_large.html", status=TOO_LARGE)
