"""The reader's language, stored with their account, and how they read rulebooks: the languages, and
the abbreviations, as printed in the rulebook or in their own language.

``language`` is the language of pages. ``rules_language`` is a tag (``common.wording.texts``) that
has everything: it is part of keys of caches and prints, but not of Django's translations and of the
attribute ``lang``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language, get_language_info, gettext_lazy
from django.views.decorators.http import require_POST

from accounts.http import back
from common.cookies import declare, remember_choice
from common.wording.texts import (
    CODE_PATTERN,
    OWN,
    page_language,
    read_languages_of,
    tag_reader,
    text_keys,
)

COOKIE = "abbreviated"
declare(
    COOKIE,
    gettext_lazy("Remembers which names and abbreviations you chose."),
    settings.LANGUAGE_COOKIE_AGE,
)
READS_COOKIE = "reads"
declare(
    READS_COOKIE,
    gettext_lazy("Remembers the languages in which you read rulebooks."),
    settings.LANGUAGE_COOKIE_AGE,
)
# The abbreviations printed in the book, or the abbreviations of the reader's language.
ABBREVIATIONS = ("book", "own")
# Languages of rulebooks that a reader can choose, the best first.
MOST_READ = 3
LONGEST_CHOICE = 40
# None: the reader has chosen neither.
_own: ContextVar[bool | None] = ContextVar("own abbreviations", default=None)
# Empty: the language of pages.
_reads: ContextVar[tuple[str, ...]] = ContextVar("languages of rulebooks", default=())


def _untranslated(languages: Sequence[str]) -> str:
    return ""


_find_state: Callable[[Sequence[str]], str] = _untranslated


def install(find_state: Callable[[Sequence[str]], str]) -> None:
    """From now on, take the state of the rulebooks' translations into these languages from
    ``find_state``: "" if there are none. It makes no query."""
    global _find_state  # noqa: PLW0603 - There is one, for the whole process.
    _find_state = find_state


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
        with reading(*_chosen(request)):
            return get_response(request)

    return middleware


def _chosen(request: HttpRequest) -> tuple[bool | None, tuple[str, ...]]:
    """The reader's choices: their own abbreviations, and the languages of rulebooks."""
    user = request.user
    abbreviations = user.abbreviations if user.is_authenticated else ""
    abbreviations = abbreviations or request.COOKIES.get(COOKIE, "")
    reads = user.rulebook_languages if user.is_authenticated else ""
    wanted = abbreviations == "own" if abbreviations in ABBREVIATIONS else None
    return wanted, read_choice(reads or request.COOKIES.get(READS_COOKIE, ""))


def read_choice(text: str) -> tuple[str, ...]:
    """Return the languages of rulebooks in a stored choice ("fr en"), each once."""
    found = dict.fromkeys(text.split(" ")[:MOST_READ]) if len(text) <= LONGEST_CHOICE else {}
    return tuple(code for code in found if re.fullmatch(CODE_PATTERN, code))


@contextmanager
def reading(own: bool | None = None, reads: Sequence[str] = ()) -> Iterator[None]:
    """In this context, rulebooks are read in these languages, the best first; with none, in that of
    pages. ``own``: with the abbreviations of the language, or else the book's; None: the usual
    ones."""
    tokens = _own.set(own), _reads.set(tuple(reads))
    try:
        yield
    finally:
        _own.reset(tokens[0])
        _reads.reset(tokens[1])


@contextmanager
def reading_as(language: str) -> Iterator[None]:
    """In this context, read as the reader with this tag, pages included."""
    page = page_language(language)
    reads = read_languages_of(language)
    with (
        translation.override(page),
        reading(language.endswith(OWN), () if reads == (page,) else reads),
    ):
        yield


def requested_language(request: HttpRequest) -> str:
    """The language of a request, also where the middleware that chooses it has not run, or has left
    another request's language active. Makes no query."""
    chosen: str = getattr(request, "LANGUAGE_CODE", "")
    return chosen or translation.get_language_from_request(request)


def language() -> str:
    """The reader's language."""
    return get_language() or "en"


def name_language(code: str) -> str:
    """Return the reader's name of a language, or its code if Django does not know it."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


def rules_language() -> str:
    """The tag of the reader, for rulebook texts and for keys of caches of such texts. Unless they
    chose, readers of a translation get the names and abbreviations of their language."""
    reads = _reads.get() or (language(),)
    wanted = _own.get()
    if wanted is None:
        wanted = reads[0] != settings.LANGUAGE_CODE
    # The same languages, in which texts look for words.
    state = _find_state(text_keys(tag_reader(language(), reads)))
    tag = tag_reader(language(), reads, state)
    return tag + OWN if wanted else tag


def chosen_reads() -> tuple[str, ...]:
    """The languages that the reader chose for rulebooks, the best first; empty if none."""
    return _reads.get()


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


@login_not_required
@require_POST
def set_rulebook_languages(request: HttpRequest) -> HttpResponse:
    """Choose the languages of rulebooks, the best first, store the choice in this browser and with
    the account, and return to the same page. Without a valid one, they are those of pages."""
    response = back(request)
    first, *others = [*request.POST.getlist("reads")[:MOST_READ], ""]
    codes = [code for code in (first, *others) if code]
    if codes and not first:
        codes = [language(), *codes]
    chosen = " ".join(read_choice(" ".join(codes)))
    if request.user.is_authenticated:
        request.user.rulebook_languages = chosen
        request.user.save(update_fields=["rulebook_languages"])
    remember_choice(response, READS_COOKIE, chosen)
    return response
