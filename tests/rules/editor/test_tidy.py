"""How texts of a fixed form are written: an example for every pattern, and what people mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from common.wording.sentences import Label
from rules.book.annotations import markers
from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.editor.forms import tidy
from rules.loading.library_words import EXAMPLES, explain_pattern

DICE = r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$"
AMOUNT = r"^(\d{1,4}|[1-9]\d?d[1-9]\d?(x[1-9]\d{0,2})?([+-][1-9]\d{0,2})?)$"
KEY = r"^[a-z][a-z0-9_-]{0,39}$"


def _models(model: type[Frozen]) -> Iterator[type[Frozen]]:
    for inner in model.__subclasses__():
        yield inner
        yield from _models(inner)


def test_every_pattern_of_the_vocabulary_has_an_example_that_fits() -> None:
    assert issubclass(Book, Frozen)
    patterns = {
        str(pattern)
        for model in _models(Frozen)
        if model.__module__.startswith("rules.book.")
        for field in model.model_fields.values()
        for mark in markers(field)
        if isinstance(pattern := getattr(mark, "pattern", None), str)
    }
    assert len(patterns) > 8
    assert patterns <= EXAMPLES.keys()
    for pattern, example in EXAMPLES.items():
        assert isinstance(example, Label) or re.match(pattern, example)


@pytest.mark.parametrize(
    ("pattern", "typed", "meant"),
    [
        (DICE, "2D6", "2d6"),
        (DICE, "D6", "1d6"),
        (DICE, "d66", "d66"),
        (DICE, " 3 d 6 ", "3d6"),
        (AMOUNT, "D6", "1d6"),
        (AMOUNT, "2D6 × 10 + 5", "2d6x10+5"),
        (AMOUNT, "15", "15"),
        (r"^[1-9]\d?d[1-9]\d? [<>]= \d{1,4}$", "2D6≥9", "2d6 >= 9"),
        (KEY, "Out of action", "out-of-action"),
        (KEY, "out_of_action", "out_of_action"),
        (r"^[a-z][a-z0-9_]{0,39}$", "To hit", "to_hit"),
        (r"^[A-Z]$", "b", "B"),
    ],
)
def test_tidy_understands_what_people_type(pattern: str, typed: str, meant: str) -> None:
    assert tidy(pattern, typed) == meant


@pytest.mark.parametrize("typed", ["half", "", "2k6 dice"])
def test_tidy_leaves_what_it_does_not_understand(typed: str) -> None:
    assert tidy(DICE, typed) == typed


def test_an_unknown_pattern_explains_itself() -> None:
    assert explain_pattern("^x$") == ("^x$", True)
