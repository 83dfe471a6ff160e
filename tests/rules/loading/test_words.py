"""The checker's words: all of them can be translated, those for libraries' mistakes, too."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from pydantic_core import core_schema

from common.wording.sentences import Label, Sentence
from rules.loading.library_words import FORM, OTHER, explain_toml
from rules.loading.reader import BadBook, Mistake, RawBook, parse
from tests.rules.loading.documents import whole_game

RULES = Path(__file__).parents[3] / "rules"
ERRORS = {"BadCell", "BadExpression", "BadRoll", "TooMuch", "ValueError"}


def _plain(node: ast.expr) -> bool:
    """Whether an expression is a text that cannot be translated."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _said(tree: ast.Module, *, checks: bool) -> list[ast.expr]:
    """Return the sentences that code raises and, if it ``checks`` books, yields."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = node.exc.func.id if isinstance(node.exc.func, ast.Name) else ""
            found += node.exc.args[:1] if name in ERRORS else []
        elif checks and isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            found += node.value.elts[1:2]
    return found


def test_every_sentence_of_the_checker_can_be_translated() -> None:
    paths = [(path, True) for path in (RULES / "loading").glob("*.py")]
    paths += [(path, False) for room in ("book", "engine") for path in (RULES / room).glob("*.py")]
    said = [
        (path.name, node.lineno, node)
        for path, checks in paths
        for node in _said(ast.parse(path.read_text("utf-8")), checks=checks)
    ]
    assert len(said) > 200
    assert not [(name, line) for name, line, node in said if _plain(node)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 1", "“=” is missing after a key (line 1, column 3)"),
        ("a = 1\na = 2", "a key or a table is defined twice (at the end of the file)"),
        ("a = 'b", "a text is not closed, or has a line break in it (at the end of the file)"),
        ('a = "b\n"', "a text is not closed, or has a line break in it (line 1, column 7)"),
        ("a = [1", "a list is not closed (at the end of the file)"),
        ("a = { b = 1", "a table in braces is not closed (at the end of the file)"),
        ("a = b", "a value is missing or cannot be read: texts need quotes (line 1, column 5)"),
        ("a = 1 2", "something follows a value on the same line (line 1, column 7)"),
        ("[a", "a heading in brackets is not closed (at the end of the file)"),
        ('a = "\\z"', "a “\\” in a text must be written as “\\\\” (line 1, column 8)"),
        ("= 1", "a key or a heading is expected here (line 1, column 1)"),
        ("a = 2000-02-30", "a date is wrong (line 1, column 5)"),
    ],
)
def test_a_file_that_is_not_toml_gets_words_of_ours(text: str, words: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert explain_toml(caught.value) == f"is not TOML: {words}"


def test_an_unknown_fault_of_toml_shows_no_words_of_the_library() -> None:
    assert explain_toml(ValueError("Something new")) == f"is not TOML: {OTHER}"


def test_words_are_only_for_kinds_of_mistakes_that_pydantic_knows() -> None:
    assert FORM.keys() <= {*get_args(core_schema.ErrorType)}


def _mistakes(**values: object) -> list[Mistake]:
    with pytest.raises(BadBook) as caught:
        parse(RawBook({**whole_game(), **values}, "a.toml"))
    return caught.value.mistakes


@pytest.mark.parametrize(
    "wrong", [{"ranks": [{"key": 1, "price": "x", "more": True}]}, {"ranks": 3}, {"life": "none"}]
)
def test_every_mistake_of_a_book_survives_the_way_from_the_other_process(
    wrong: dict[str, object],
) -> None:
    for mistake in _mistakes(**wrong):
        assert isinstance(mistake.message, Label | Sentence)
        again = Mistake.unpack(mistake.pack())
        assert again == mistake
        assert type(again.message) is type(mistake.message)
