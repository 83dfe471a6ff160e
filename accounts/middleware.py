"""Middleware for pages of accounts, including django-allauth's."""

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
    """Sets the status of invalid forms and the cookie of known devices, detects unknown proxies,
    and clears the browser's storage after a sign-out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        watch_for_proxies(request)
        response = self.get_response(request)
        devices.set_cookie(request, response)
        if hasattr(request, _SIGNED_OUT):
            # Stored pages and taps; the session takes care of its cookies.
            response["Clear-Site-Data"] = '"storage"'
        return response

    def process_template_response(
        self, request: HttpRequest, response: TemplateResponse
    ) -> TemplateResponse:
        """Correct the status of a form with errors, which django-allauth answers with 200."""
        form = (response.context_data or {}).get("form")
        if response.status_code == 200 and isinstance(form, BaseForm) and form.errors:
            response.status_code = INVALID
            for error in chain.from_iterable(form.errors.as_data().values()):
                if error.code == TOO_EARLY and error.params:
                    response.status_code = TOO_MANY
                    response["Retry-After"] = str(error.params["seconds"])
        return response
