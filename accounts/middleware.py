"""What the pages of accounts have in common, ours and django-allauth's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from accounts.authentication import devices
from accounts.authentication.addresses import watch_for_proxies
from accounts.authentication.attempts import TOO_EARLY

INVALID = 422
TOO_MANY = 429


class AccountMiddleware:
    """A form that is refused says so by its status, a known device gets its cookie, and a proxy
    that nobody announced is noticed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        watch_for_proxies(request)
        response = self.get_response(request)
        devices.set_cookie(request, response)
        return response

    def process_template_response(
        self, request: HttpRequest, response: TemplateResponse
    ) -> TemplateResponse:
        """Whatever the view thinks of it: django-allauth answers 200 to a form with mistakes."""
        form = (response.context_data or {}).get("form")
        if response.status_code == 200 and isinstance(form, BaseForm) and form.errors:
            response.status_code = INVALID
            for error in chain.from_iterable(form.errors.as_data().values()):
                if error.code == TOO_EARLY and error.params:
                    response.status_code = TOO_MANY
                    response["Retry-After"] = str(error.params["seconds"])
        return response
