"""Suggestions for unknown names: the nearest known ones, in both languages, with bounded work."""

from __future__ import annotations

import json

import pytest
from django.utils import translation

from common.wording.sentences import gettext_noop, pack, say, unpack
from common.wording.translating import translate
from rules.book.labels import unknown
from rules.book.suggesting import LONGEST_COMPARED, MOST_COMPARED, suggest
from rules.bounds.work import TooMuch, limit_work
from rules.engine.expressions import BadExpression, parse

MISTAKE = say(gettext_noop("unknown name “%(name)s”"), name="by.figth")


@pytest.mark.parametrize(
    ("known", "english", "french"),
    [
        (["by.fight", "gang.size"], "Did you mean “by.fight”?", "dire « by.fight » ?"),
        (
            ["by.fight", "by.figs"],
            "Did you mean “by.fight” or “by.figs”?",
            "dire « by.fight » ou « by.figs » ?",
        ),
        (
            ["by.fight", "at.fight", "by.figs", "by.right"],
            "Did you mean “by.fight”, “by.figs” or “by.right”?",
            "dire « by.fight », « by.figs » ou « by.right » ?",
        ),
    ],
)
def test_suggest_names_the_nearest_known_ones(known: list[str], english: str, french: str) -> None:
    found = suggest(MISTAKE, "by.figth", known)
    assert found == f"unknown name “by.figth”. {english}"
    sent = unpack(json.loads(json.dumps(pack(found))))
    with translation.override("fr"):
        assert translate(sent) == translate(found)
        words = translate(sent).replace("\N{NO-BREAK SPACE}", " ")
    assert words == f"nom inconnu : « by.figth ». Vouliez-vous {french}"


def test_suggest_leaves_the_mistake_alone_when_no_known_name_is_similar() -> None:
    assert suggest(MISTAKE, "by.figth", ["moon", "by"]) is MISTAKE
    assert suggest(MISTAKE, "", ["moon"]) is MISTAKE


def test_suggest_compares_neither_long_names_nor_too_many() -> None:
    name = "a" * (LONGEST_COMPARED + 1)
    assert suggest(MISTAKE, name, [name + "a"]) is MISTAKE
    before = [f"aaa{number:05}" for number in range(MOST_COMPARED)]
    assert suggest(MISTAKE, "zzzzzzzx", [*before, "zzzzzzzz"]) is MISTAKE


def test_suggest_counts_its_work() -> None:
    with pytest.raises(TooMuch), limit_work(100):
        suggest(MISTAKE, "by.figth", [f"by.f{number:03}" for number in range(200)])


def test_unknown_key_and_function_come_with_a_suggestion() -> None:
    found = unknown("pistols", gettext_noop("item"), {"pistol": None, "knife": None})
    assert found == "unknown item “pistols”. Did you mean “pistol”?"
    with pytest.raises(BadExpression, match="Did you mean “floor”"):
        parse("flor(1)")
