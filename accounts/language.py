"""The language a signed-in person chose, on every device; and abbreviations of that language, for
whoever wants them where a rulebook prints another's.

The second is a part of the language that rulebook texts are asked for in and pages are kept by
("fr-x-own"). Django's own translations and ``lang`` know nothing of it.
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

# At the end of the language of rulebook texts, as rules.book.vocabulary has it.
OWN = "-x-own"
COOKIE = "abbreviated"
declare(
    COOKIE,
    gettext_lazy("Remembers which names and abbreviations you chose."),
    settings.LANGUAGE_COOKIE_AGE,
)
# As the book prints them, or those of the reader's language.
ABBREVIATIONS = ("book", "own")
_own: ContextVar[bool] = ContextVar("own abbreviations", default=False)


def preferred_language(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Let what is stored with the account win over this browser's cookies and wishes.

    Runs after LocaleMiddleware, which has chosen the language for everybody else.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        language = request.user.language if request.user.is_authenticated else ""
        if language and language != translation.get_language():
            translation.activate(language)
            request.LANGUAGE_CODE = language
        with own_abbreviations(wanted=_chosen(request) == "own"):
            return get_response(request)

    return middleware


def _chosen(request: HttpRequest) -> str:
    """Which abbreviations the reader chose; "" if they never did."""
    stored = request.user.abbreviations if request.user.is_authenticated else ""
    return stored or request.COOKIES.get(COOKIE, "")


@contextmanager
def own_abbreviations(*, wanted: bool) -> Iterator[None]:
    """Meanwhile rulebook texts have abbreviations of their language, or those of the book."""
    token = _own.set(wanted)
    try:
        yield
    finally:
        _own.reset(token)


def language() -> str:
    """The reader's language."""
    return get_language() or "en"


def rules_language() -> str:
    """The language in which the reader has texts of rulebooks, and by which is kept what is made
    with them."""
    return language() + OWN if _own.get() else language()


def plain(language: str) -> str:
    """The language that a language of rulebook texts is, for all that is none."""
    return language.removesuffix(OWN)


@login_not_required
@require_POST
def set_abbreviations(request: HttpRequest) -> HttpResponse:
    """Choose the abbreviations of rulebooks, return to the same page, and remember it in this
    browser and with the account."""
    response = back(request)
    chosen = request.POST.get("abbreviations", "")
    if chosen not in ABBREVIATIONS:
        return response
    if request.user.is_authenticated:
        request.user.abbreviations = chosen
        request.user.save(update_fields=["abbreviations"])
    remember_choice(response, COOKIE, chosen)
    return response
