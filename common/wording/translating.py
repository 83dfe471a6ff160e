"""Shows the texts of ``common.wording.sentences`` in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.utils.translation import get_language, gettext, pgettext

from common.wording.sentences import InLanguages, Label, Sentence

# A word of the vocabulary of rulebooks that a message names, in quotes of either language.
QUOTED = re.compile("(?<=“)[a-z_.]+(?=”)|(?<=«\N{NO-BREAK SPACE})[a-z_.]+(?=\N{NO-BREAK SPACE}»)")


def translate(text: str, name: Callable[[str], str] | None = None) -> str:
    """Return a label or a sentence in the reader's language; any other text as it is.

    ``name``: returns the name that the reader knows for a quoted word of the message. Values keep
    theirs.
    """
    if isinstance(text, Sentence):
        values = {
            key: translate(one, name) if isinstance(one, str) else one
            for key, one in text.values.items()
        }
        return _translate(text.message, name) % values
    if isinstance(text, InLanguages):
        return text.texts.get((get_language() or "en")[:2], text)
    return _translate(text, name) if isinstance(text, Label) else text


def _translate(message: str, name: Callable[[str], str] | None) -> str:
    context, _mark, words = message.rpartition("\x04")
    found = pgettext(context, words) if context else gettext(words)
    return QUOTED.sub(lambda word: name(word[0]), found) if name else found
