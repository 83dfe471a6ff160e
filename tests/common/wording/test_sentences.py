"""Sentences: their English, their copies, their way to another process, their translation."""

from __future__ import annotations

import copy
import json

import pytest
from django.utils import translation

from common.wording.sentences import (
    Label,
    gettext_noop,
    ngettext,
    pack,
    pgettext,
    say,
    sentence_of,
    unpack,
)
from common.wording.texts import Text
from common.wording.translating import translate

NONE = pgettext("no such thing", "none")
SENTENCES = [
    "as a rulebook has it",
    gettext_noop("is missing"),
    NONE,
    Text({"en": "No bows.", "fr": "Pas d’arcs."}),
    say(
        ngettext("Spend %(name)s’s point", "Spend %(name)s’s %(count)s points"), name="Al", count=2
    ),
    say(gettext_noop("must be at most %(most)s"), most=3),
    say(
        gettext_noop("unknown %(what)s “%(key)s”"),
        key="100 %",
        what=gettext_noop("rank"),
    ),
    say(
        gettext_noop("cannot be worked out: %(error)s"),
        error=ValueError(say(gettext_noop("must have at most %(most)s characters"), most=9)),
    ),
]


def test_a_sentence_is_its_english_text() -> None:
    *_others, unknown, nested = SENTENCES
    assert unknown == "unknown rank “100 %”"
    assert nested == "cannot be worked out: must have at most 9 characters"
    assert say(gettext_noop("needs at least %(min_length)s"), min_length=NONE).endswith(" none")


@pytest.mark.parametrize("text", SENTENCES)
def test_a_text_stays_translatable_when_it_is_copied_or_sent(text: str | Text) -> None:
    with translation.override("fr"):
        french = translate(text)
        for other in (copy.deepcopy(text), unpack(json.loads(json.dumps(pack(text))))):
            assert (other, type(other)) == (text, type(text))
            assert translate(other) == french


def test_translate_says_a_sentence_with_its_values_in_french() -> None:
    with translation.override("fr"):
        plain, missing, none, bows, points, most, unknown, nested = map(translate, SENTENCES)
    assert plain == "as a rulebook has it"
    assert missing == "manque"
    assert none == "aucune"
    assert bows == "Pas d’arcs."
    assert points == "Al\u00a0: 2 points à dépenser"
    assert most == "doit valoir au plus 3"
    assert unknown == "rang introuvable\u00a0: «\u00a0100 %\u00a0»"
    assert nested == "calcul impossible\u00a0: doit avoir au plus 9 caractères"


def test_translate_renames_words_of_the_message_but_not_of_its_values() -> None:
    message = say(gettext_noop("“%(key)s” already gives “%(item)s”"), key="every", item="at")
    assert translate(message, str.upper) == "“every” already gives “at”"
    advance = gettext_noop("give “at” or “every”: without them this row brings no advance")
    assert translate(advance, str.upper) == (
        "give “AT” or “EVERY”: without them this row brings no advance"
    )
    with translation.override("fr"):
        assert "«\u00a0AT\u00a0»" in translate(advance, str.upper)


def test_sentence_of_an_error_keeps_what_it_was_raised_with() -> None:
    message = Label("is missing")
    assert sentence_of(ValueError(message)) is message
    assert sentence_of(ValueError(3)) == "3"
    assert sentence_of(ValueError()) == ""
