"""script/english finds sentences that are not plain; quotations, code and questions pass."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "script" / "english"


@pytest.fixture(scope="module")
def english() -> ModuleType:
    """The script as a module."""
    loader = importlib.machinery.SourceFileLoader("english", str(SCRIPT))
    spec = importlib.util.spec_from_loader("english", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "passage",
    [
        "What a member carries.",
        "Return a price. Whoever buys it pays.",
        "A price: what it costs. Those of the gang count.",
        "The members that befall nobody.",
        "The owner is told why.",
        "Start anew.",
    ],
)
def test_english_finds_sentences_that_are_not_plain(english: ModuleType, passage: str) -> None:
    assert english.find_fault(passage)


@pytest.mark.parametrize(
    "passage",
    [
        "Return a member's price.",
        "What does it cost? Nothing.",
        "The key ``anew`` starts a track again.",
        'The page says "What happens", and “Who won”.',
        "The price that a member pays.",
    ],
)
def test_english_accepts_plain_sentences(english: ModuleType, passage: str) -> None:
    assert english.find_fault(passage) == ""


@pytest.mark.parametrize(
    "message",
    [
        "“%(key)s” is no column of its group",
        "only + and - reckon",
        "none of them holds always",
        "changes nothing: no trait has a value",
        "What gangs pay with.",
        "is told to nobody",
    ],
)
def test_english_finds_messages_that_do_not_help_authors(english: ModuleType, message: str) -> None:
    assert english.find_fault_of_message(message)


@pytest.mark.parametrize(
    "message",
    ["unknown column “is no” in this group", "Who rolls", "nothing", "is no longer on offer"],
)
def test_english_accepts_plain_messages_and_labels(english: ModuleType, message: str) -> None:
    assert english.find_fault_of_message(message) == ""


def test_english_reads_the_messages_of_a_program(english: ModuleType) -> None:
    source = '_("one " "whole")\nsay(_("two"), key="no")\npgettext("three", "four")\nprint("no")\n'
    found = [text for _line, text in english.read_messages(source)]
    assert sorted(found) == ["four", "one whole", "three", "two"]


def test_english_reads_docstrings_comments_and_documents(
    english: ModuleType, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text('"""A module."""\n\nX = 1  # One.\n# Two,\n# and three.\n', "utf-8")
    passages = [text for _line, text in english.read_passages(program) if text]
    assert passages == ["A module.", "One. Two, and three."]
    document = tmp_path / "page.md"
    document.write_text("# Title\n\nA paragraph.\n\n```toml\nWhat = 1\n```\n", "utf-8")
    assert [text for _line, text in english.read_passages(document)] == ["Title", "A paragraph."]
    sheet = tmp_path / "sheet.css"
    sheet.write_text("/* A colour. */\na { color: red; }\n", "utf-8")
    assert [text.strip() for _line, text in english.read_passages(sheet)] == ["A colour."]
