"""Texts of a rulebook that is being written, as data: by language, or plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts import language as accounts_language
from common.wording.texts import FIRST, OWN_KEY, is_text_in, needed, text_keys
from rules.editor.places import Data


def text_of(text: object) -> str:
    """Return a rulebook's text in the reader's language."""
    if isinstance(text, dict):
        keys = (*text_keys(accounts_language.language()), FIRST, *text)
        return str(next((text[key] for key in keys if text.get(key)), ""))
    return str(text)


def is_text(value: object) -> bool:
    """Whether a value is a text by language."""
    return is_text_in(value, dict(settings.LANGUAGES))


def in_each(text: Data | str, languages: Sequence[str]) -> Data:
    """Return a text by language; a plain one is the same in each language that a game in these
    ``languages`` has."""
    return dict.fromkeys(needed(languages), text.strip()) if isinstance(text, str) else text


def name_language(key: str) -> str:
    """Return the reader's name of the language of a text's key; "fr_own": of its abbreviations."""
    name = accounts_language.name_language(key.removesuffix(OWN_KEY))
    if key.endswith(OWN_KEY):
        return _("as players write in %(language)s") % {"language": name}
    return name


def say_in_each(languages: Sequence[str]) -> Callable[[str], Data]:
    """Return the function that makes a text of a rulebook in these ``languages`` from words of the
    site; where the site lacks a language, they are English."""

    def say(words: str) -> Data:
        found = {}
        for key in needed(languages):
            with override(key.removesuffix(OWN_KEY)):
                found[key] = _(words)
        return found

    return say
