"""Shows the texts of ``common.wording`` in the reader's language, by Django's catalogues."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.utils import formats, translation

from common.wording.sentences import CONTEXT, Label, Sentence
from common.wording.texts import Text, page_language

# A word of the vocabulary of rulebooks that a message names, in quotes of any language: a pair of
# marks, which may have blanks inside.
QUOTED = re.compile("(?<=[“„«»])(\N{NO-BREAK SPACE}?)([a-z_.]+)(?=\N{NO-BREAK SPACE}?[”“»«])")


class DjangoCatalogue:
    """Translations and formats from Django. A language may be a reader's tag."""

    def gettext(self, message: str, language: str) -> str:
        """Return a message in a language; in English if the catalogue lacks it."""
        context, _mark, words = message.rpartition(CONTEXT)
        with translation.override(page_language(language)):
            return translation.pgettext(context, words) if context else translation.gettext(words)

    def ngettext(self, one: str, many: str, count: int, language: str) -> str:
        """Return the form of a message for a number of things."""
        with translation.override(page_language(language)):
            return translation.ngettext(one, many, count)

    def number(self, value: float, language: str) -> str:
        """Return a number with the decimal separator of a language."""
        with translation.override(page_language(language)):
            return formats.number_format(value)


def translate(text: str | Text, name: Callable[[str], str] | None = None) -> str:
    """Return a text, label or sentence in the reader's language; any other text as it is.

    ``name``: returns the name that the reader knows for a quoted word of the message. Values keep
    theirs.
    """

    def adapt(message: str) -> str:
        return QUOTED.sub(lambda found: found[1] + name(found[2]), message) if name else message

    language = translation.get_language() or "en"
    if isinstance(text, Sentence):
        return text.translated(language, adapt)
    if isinstance(text, Label):
        return adapt(text.translated(language))
    return text.translated(language) if isinstance(text, Text) else text
