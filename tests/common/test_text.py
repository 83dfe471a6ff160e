"""Cleaning of texts from users, the same at every entrance."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.text import clean_data, clean_text, is_fit, lines, one_line
from tests.common.nasty import NASTY


@given(st.text(st.characters() | st.sampled_from("\ud800\x00\u202e\u200b\ufffe \n")))
def test_cleaning_twice_equals_cleaning_once(text: str) -> None:
    for clean in (clean_text, one_line, lines):
        once = clean(text)
        assert clean(once) == once
        assert is_fit(once)
        assert unicodedata.is_normalized("NFC", once)
        once.encode()


@pytest.mark.long
def test_cleaning_removes_everything_but_characters() -> None:
    for number in range(0x110000):
        if is_fit(sign := chr(number)):
            assert unicodedata.category(sign) != "Cs"
            assert number & 0xFFFE != 0xFFFE
            assert unicodedata.bidirectional(sign) not in {
                "LRE",
                "RLE",
                "LRO",
                "RLO",
                "PDF",
                "LRI",
                "RLI",
                "FSI",
                "PDI",
            }


@pytest.mark.parametrize(
    ("text", "name", "notes"),
    [
        ("Rusty", "Rusty", "Rusty"),
        ("  two \t words ", "two words", "two \t words"),
        ("one\r\ntwo\rthree\u2028four", "one two three four", "one\ntwo\nthree\nfour"),
        ("Zoe\u0301", "Zoé", "Zoé"),
        ("abc\u202edef\u2066g", "abcdefg", "abcdefg"),
        ("a\x00b\x1bc\x9fd\ufffee\ud800f", "abcdef", "abcdef"),
        ("\u200b \u200d\u2060", "", ""),
        ("e\u200b\u0301", "é", "é"),
        # Inside an emoji or a Persian word they have a meaning.
        ("👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"),
        # Characters of private fonts are shown as their code.
        ("\ue000 7\ue001", "\ue000 7\ue001", "\ue000 7\ue001"),
    ],
)
def test_text_is_cleaned_as_expected(text: str, name: str, notes: str) -> None:
    assert (one_line(text), lines(text)) == (name, notes)


def test_texts_inside_data_are_cleaned() -> None:
    spoiled = {"a\x00": ["b\u202e", {"c": 1, "d": None}], "e": True}
    assert clean_data(spoiled) == {"a": ["b", {"c": 1, "d": None}], "e": True}


def test_nasty_texts_are_nasty() -> None:
    assert sum(clean_text(text) != text for text in NASTY.values()) > len(NASTY) // 2
