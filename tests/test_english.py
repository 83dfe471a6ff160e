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
