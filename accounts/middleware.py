"""What the pages of accounts have in common, ours and django-allauth's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from accounts.authentication import devices
from accounts.authentication.addresses import watch_for_proxies
from accounts.authentication.attempts import TOO_EARLY

INVALID = 422
TOO_MANY = 429
_SIGNED_OUT = "has_signed_out"


@receiver(user_logged_out)
def _note(request: HttpRequest | None, **_more: object) -> None:
    if request is not None:
        setattr(request, _SIGNED_OUT, True)


class AccountMiddleware:
    """A form that is refused says so by its status, a known device gets its cookie, and a proxy
    that nobody announced is noticed. Whoever signs out leaves nothing in the browser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        watch_for_proxies(request)
        response = self.get_response(request)
        devices.set_cookie(request, response)
        if hasattr(request, _SIGNED_OUT):
            # Pages and taps that it kept for them; cookies are the session's business.
            response["Clear-Site-Data"] = '"storage"'
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
