"""Texts to send: aligned, and escaped for chats."""

from __future__ import annotations

import pytest

from gangs.text.passages import Grid, Link, TextLine, Title, align, as_markdown, as_plain, escape

PASSAGES = [
    Title("The *Crows*"),
    TextLine("12 XP", strong="Aude_"),
    Title("Table", 2),
    Grid((("Gang", "Pts"), ("Crows", "9"), ("Ää`s", "10")), frozenset({1})),
    Link("https://example.org/s/1/"),
]


def test_plain_text_has_aligned_columns_and_no_signs() -> None:
    assert as_plain(PASSAGES) == (
        "The *Crows*\nAude_ · 12 XP\n\nTable\nGang   Pts\nCrows    9\nÄä`s    10\n\n"
        "https://example.org/s/1/\n"
    )


def test_markdown_shows_names_as_typed() -> None:
    assert as_markdown(PASSAGES) == (
        "## The \\*Crows\\*\n**Aude\\_** · 12 XP\n\n### Table\n```\nGang   Pts\nCrows    9\n"
        "Ää's    10\n```\n\n<https://example.org/s/1/>\n"
    )


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("# Loud", "\\# Loud"),
        ("- a\n1. b", "\\- a\n1\\. b"),
        ("[x](https://bad.example)", "\\[x\\](https://bad.example)"),
        ("@everyone <@1>", "@\u2060everyone \\<@\u20601\\>"),
        ("||secret||", "\\|\\|secret\\|\\|"),
    ],
)
def test_text_of_a_player_means_nothing_in_a_chat(typed: str, shown: str) -> None:
    assert escape(typed) == shown


def test_columns_allow_for_wide_and_combining_letters() -> None:
    assert align([("鸦帮", "1"), ("e\u0301te", "2")]) == "鸦帮  1\ne\u0301te   2"
