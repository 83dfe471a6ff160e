"""The language a signed-in person chose, on every device."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language


def preferred_language(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Let the language stored with the account win over this browser's cookie and wishes.

    Runs after LocaleMiddleware, which has chosen for everybody else.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        language = request.user.language if request.user.is_authenticated else ""
        if language and language != translation.get_language():
            translation.activate(language)
            request.LANGUAGE_CODE = language
        return get_response(request)

    return middleware


def language() -> str:
    """The reader's language."""
    return get_language() or "en"
