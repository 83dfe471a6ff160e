"""A small game without a campaign: crews of ferries quarrel over a river."""

from __future__ import annotations

from typing import Any

from rules.book.model import Book
from rules.loading.reader import RawBook, parse
from rules.skeletons.shipped import start_campaign

Data = dict[str, Any]


def text(words: str) -> dict[str, str]:
    """Return the same words in both languages."""
    return {"en": words, "fr": words}


def _row(key: str, **fields: Any) -> Data:
    return {"key": key, "name": text(key.capitalize()), "source": "own", **fields}


def _number(key: str, start: int, **fields: Any) -> Data:
    given = {"kind": "number", "short": text(key[:3]), "text": text("A number."), "start": start}
    return _row(key, **given, **fields)


def make_ferry() -> Data:
    """Return the data of the game, with the campaign of every new game."""
    limit = {"kind": "count", "code": "captain", "severity": "error", "source": "own"}
    return {
        **start_campaign(),
        "slug": "ferry",
        "name": text("Ferry"),
        "summary": text("Crews of ferries."),
        "edition": "1",
        "author": "Nobody",
        "money": {"name": text("Tolls"), "unit": text("tolls")},
        "rating": {"name": text("Weight"), "unit": text("tolls")},
        "sources": {"own": {"title": "Our own rules", "text": text("Ours.")}},
        "budgets": [{"amount": 200, "kept": True}],
        "limits": [{**limit, "of": {"ranks": ["captain"]}, "maximum": 1, "text": text("One.")}],
        "ranks": [
            _row("captain", price=40, leads=True),
            _row("rower", price=25),
            _row("dog", price=10),
        ],
        "characteristics": [
            _number("pace", 5, maximum=8),
            _number("brawl", 3, maximum=6),
            _number("aim", 4, minimum=2, maximum=6, better="low"),
            _number("might", 3, maximum=5),
            _number("resilience", 3, maximum=5),
            _number("health", 1, minimum=1, maximum=3),
            _number("courage", 6, maximum=9),
        ],
        "traits": [
            _row("swimmer", text=text("Swims."), price=10, tags=["talents"]),
            _row("climber", text=text("Climbs."), price=10, tags=["talents"]),
        ],
    }


def read(data: Data) -> Book:
    """Return the rulebook with this data. Raises BadBook."""
    return parse(RawBook(data, "ferry"))
