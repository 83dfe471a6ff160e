"""A small rulebook for tests of single words of the vocabulary: add the rows under test."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.book.model import Book
from rules.engine.figure import Figure
from rules.loading.reader import BadBook, RawBook, parse

Data = dict[str, Any]


def text(words: str) -> dict[str, str]:
    """Return the same words in both languages."""
    return {"en": words, "fr": words}


def row(key: str, **fields: Any) -> Data:
    """Return a row of a table, named after its key."""
    return {"key": key, "name": text(key.capitalize()), "source": "house", **fields}


def told(key: str, **fields: Any) -> Data:
    """Return a row that also has a text."""
    return row(key, text=text(f"About {key}."), **fields)


def choice(key: str, *choices: str, **fields: Any) -> Data:
    """Return a setting with these choices, the first of which is the default."""
    rows = [{"key": one, "name": text(one)} for one in choices]
    return told(key, kind="choice", choices=rows, default=choices[0], **fields)


def number(key: str, default: int, **fields: Any) -> Data:
    """Return a setting with a number."""
    bounds = {"minimum": 0, "maximum": 1000}
    return told(key, kind="number", default=default, **bounds, **fields)


def measured(kind: str, key: str, **fields: Any) -> Data:
    """Return a characteristic."""
    return told(key, kind=kind, short=text(key[:3].upper()), **fields)


def limit(kind: str, words: str = "No.", **fields: Any) -> Data:
    """Return a limit that is an error, with its kind as the default code."""
    given = {"severity": "error", "text": text(words), "source": "house", "code": kind, **fields}
    return {"kind": kind, **given}


def add(characteristic: str, amount: int, **fields: Any) -> Data:
    """Return an effect that adds to a characteristic."""
    return {"kind": "add", "characteristic": characteristic, "amount": amount, **fields}


def put(characteristic: str, value: int | str, **fields: Any) -> Data:
    """Return an effect that sets a characteristic."""
    return {"kind": "set", "characteristic": characteristic, "value": value, **fields}


BOXES = [
    {"letter": "W", "name": text("white")},
    {"letter": "R", "name": text("red"), "marked": True},
]
SMALL: Data = {
    "slug": "small",
    "name": text("Small"),
    "summary": text("A game for tests."),
    "edition": "1",
    "author": "Nobody",
    "rating": {"name": text("Worth"), "unit": text("points")},
    "money": {"name": text("Gold"), "unit": text("gold")},
    "sources": {"booklet": {"title": "A booklet", "text": text("Four pages.")}},
    "settings": [
        choice("people", "nobody", "hill", "river"),
        choice("halves", "up", "exact"),
        number("purse", 100),
    ],
    "origin_setting": "people",
    "origins": [told("hill"), told("river"), told("sea")],
    "characteristics": [
        measured("number", "might", minimum=1, maximum=6, start=3, bought_with_points=True),
        measured("number", "aim", minimum=2, maximum=6, start=5, better="low"),
        measured("pool", "quality", start="3k2"),
        measured("pair", "nerve", parts=[text("fit"), text("hurt")], maximum=5, start="3/1"),
        measured("track", "ammo", boxes=BOXES, start="WWR"),
        measured("die", "grit", sizes=["d6", "d8", "d10"], start="d6"),
    ],
    "ranks": [
        row("chief", price=10, worth=3, leads=True, values={"might": 5, "grit": "d10"}, points=4),
        row("fighter", price=5, worth=1),
        row("scout", price=3, worth=1, values={"aim": 3}),
    ],
    "professions": [told("smith"), told("cook")],
    "traits": [told("quick", price=2, worth=1), told("lucky", price=4)],
    "groups": [row("arms"), row("goods")],
    "items": [
        row("sword", group="arms", price=4, worth=2, hands=1, tags=["blade"]),
        row("axe", group="arms", price=7, hands=2, tags=["blade", "heavy"]),
        row("bow", group="arms", price=6, hands=2, tags=["ranged"]),
        row("rope", group="goods", price=1),
    ],
    "conditions": [told("lame"), told("gone", absent=True, uncounted=True)],
    "budgets": [{"setting": "purse"}],
    "campaign": {
        "text": text("One game after the other."),
        "results": [told("won", kind="decided", winner=5, loser=1)],
        "standings": ["wins"],
        "steps": [told("income", kind="income")],
    },
}


def small(**changes: Any) -> Book:
    """Return the small rulebook with other values for some tables, checked like any other.

    A name with two underscores reaches inside the campaign: ``campaign__growth``.
    """
    return parse(RawBook(changed(**changes), "small"))


def changed(**changes: Any) -> Data:
    """Return the data of the small rulebook with other values for some tables."""
    data = copy.deepcopy(SMALL)
    for name, value in changes.items():
        head, _, rest = name.partition("__")
        if rest:
            data[head][rest] = value
        else:
            data[name] = value
    return data


def with_more(**rows: Data | list[Data]) -> Book:
    """Return the small rulebook with more rows in some tables (other values for the rest)."""
    changes = {
        table: [*SMALL.get(table, []), *(more if isinstance(more, list) else [more])]
        for table, more in rows.items()
    }
    return small(**changes)


def mistakes(**changes: Any) -> dict[str, list[str]]:
    """Return the checker's sentences on the small rulebook with these changes, by path."""
    with pytest.raises(BadBook) as caught:
        small(**changes)
    found: dict[str, list[str]] = {}
    for mistake in caught.value.mistakes:
        found.setdefault(mistake.path, []).append(mistake.message)
    return found


def figure(rank: str = "fighter", **others: Any) -> Figure:
    """Return a member as the rules see them."""
    return Figure(rank=rank, **{"worth_rank": rank, **others})
