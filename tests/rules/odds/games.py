"""A small game with an attack for tests of odds."""

from __future__ import annotations

from rules.book.model import Book
from tests.rules.small import SMALL, Data, changed, row, small, text

ATTACK: Data = row(
    "attack",
    by="member",
    at="member",
    using="item",
    usable="item.in_group('arms')",
    steps=[
        {"count": "hits", "dice": "by.might", "target": "4 + cover"},
        {"let": "hurt", "be": "max(0, hits - at.grit.step)"},
    ],
    outcomes=[
        {"key": "out", "name": text("Felled"), "given": "hurt >= 2", "grave": True},
        {"key": "nothing", "name": text("Nothing")},
    ],
    numbers=[{"of": "hurt", "name": text("Wounds")}],
)
MORALE: Data = row(
    "morale",
    by="side",
    steps=[{"sum": "total", "dice": "2", "plus": "gang.lost"}],
    outcomes=[
        {"key": "holds", "name": text("Holds"), "given": "total >= 7"},
        {"key": "runs", "name": text("Runs")},
    ],
)
POKER: Data = row(
    "poker",
    steps=[
        {"throw_hand": "mine", "of": "poker", "dice": "3", "again": "2"},
        {"let": "rank", "be": "mine.rank"},
    ],
    numbers=[{"of": "rank", "name": text("Rank")}],
)
ROLLS: Data = {
    "circumstances": [row("cover", kind="number", maximum=2)],
    "states": [
        row("asleep"),
        row("blunt", of="item"),
        row("routed", of="side"),
        row("weak", effects=[{"kind": "add", "characteristic": "might", "amount": -1}]),
    ],
    "modifiers": [
        row("heavy", on="hits.dice", given="item.tagged('heavy')"),
        row("asleep", on="hits.target", amount=-1, given="at.in_state('asleep')"),
        row("blunt", on="hits.dice", amount=-1, given="item.in_state('blunt')"),
        row("routed", on="total.plus", amount=-1, given="gang.in_state('routed')"),
    ],
    "spends": [row("luck", on="hits.again_failed", rolls=["attack"])],
    "hands": [
        row(
            "poker",
            faces=[text("Nine"), text("Ten"), text("Ace")],
            size=3,
            combinations=[
                {"key": "nothing", "name": text("Nothing")},
                {"key": "pair", "name": text("Pair"), "groups": [2]},
            ],
        )
    ],
    "rolls": [MORALE, ATTACK, POKER],
}
for modifier in ROLLS["modifiers"]:
    modifier.setdefault("amount", 1)


def game(**more: object) -> Book:
    """Return the small rulebook with an attack, a test of morale and a hand of dice."""
    return small(**{**ROLLS, **more})


__all__ = ["ATTACK", "MORALE", "POKER", "ROLLS", "SMALL", "changed", "game"]
