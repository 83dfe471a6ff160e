"""The reader's language, stored with their account, and their choice of abbreviations: as printed
in the rulebook, or in their own language.

The second choice is part of the language of rulebook texts and of keys of caches ("fr-x-own"), but
not of Django's translations and of the attribute ``lang``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.http import require_POST

from accounts.http import back
from common.cookies import declare, remember_choice
from common.wording.texts import OWN

COOKIE = "abbreviated"
declare(
    COOKIE,
    gettext_lazy("Remembers which names and abbreviations you chose."),
    settings.LANGUAGE_COOKIE_AGE,
)
# The abbreviations printed in the book, or the abbreviations of the reader's language.
ABBREVIATIONS = ("book", "own")
# None: the reader has chosen neither.
_own: ContextVar[bool | None] = ContextVar("own abbreviations", default=None)


def preferred_language(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that uses the language of the account, if there is one.

    Runs after LocaleMiddleware, which chooses the language by the browser's cookies and settings.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        language = request.user.language if request.user.is_authenticated else ""
        if language and language != translation.get_language():
            translation.activate(language)
            request.LANGUAGE_CODE = language
        chosen = _chosen(request)
        with own_abbreviations(wanted=chosen == "own" if chosen in ABBREVIATIONS else None):
            return get_response(request)

    return middleware


def _chosen(request: HttpRequest) -> str:
    """The reader's choice of abbreviations; "" if they have made none."""
    stored = request.user.abbreviations if request.user.is_authenticated else ""
    return stored or request.COOKIES.get(COOKIE, "")


@contextmanager
def own_abbreviations(*, wanted: bool | None) -> Iterator[None]:
    """In this context, use the abbreviations of the language if ``wanted``, or else the book's;
    None: the usual ones."""
    token = _own.set(wanted)
    try:
        yield
    finally:
        _own.reset(token)


def requested_language(request: HttpRequest) -> str:
    """The language of a request, also where the middleware that chooses it has not run, or has left
    another request's language active. Makes no query."""
    chosen: str = getattr(request, "LANGUAGE_CODE", "")
    return chosen or translation.get_language_from_request(request)


def language() -> str:
    """The reader's language."""
    return get_language() or "en"


def rules_language() -> str:
    """The language of the reader's rulebook texts, also for keys of caches of such texts. Unless
    they chose, readers of a translation get the names and abbreviations of their language."""
    wanted = _own.get()
    if wanted is None:
        wanted = language() != settings.LANGUAGE_CODE
    return language() + OWN if wanted else language()


def plain(language: str) -> str:
    """A language of rulebook texts without the choice of abbreviations."""
    return language.removesuffix(OWN)


@login_not_required
@require_POST
def set_abbreviations(request: HttpRequest) -> HttpResponse:
    """Choose the abbreviations, store the choice in this browser and with the account, and return
    to the same page."""
    response = back(request)
    chosen = request.POST.get("abbreviations", "")
    if chosen not in ABBREVIATIONS:
        return response
    if request.user.is_authenticated:
        request.user.abbreviations = chosen
        request.user.save(update_fields=["abbreviations"])
    remember_choice(response, COOKIE, chosen)
    return response
