"""What is counted of figures and sides while they play, life, boxes, purses; what actions cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rules.book.evening import Track
from rules.book.model import Book, Rules
from rules.book.rolls import Action
from rules.book.schema import Tick
from rules.engine.expressions import Names, Value, parse
from rules.engine.figure import Figure, picks

COST = "cost"


def boxes(rules: Rules, figure: Figure) -> Iterator[tuple[Tick, int]]:
    """The boxes that a figure ticks off besides life, and how many of each it has."""
    for row in rules.ticks:
        number = row.boxes * _times(rules.book, row, figure)
        if number and picks(rules.book, row.of, figure):
            yield row, number


def _times(book: Book, row: Tick, figure: Figure) -> int:
    """How many of the items that it is about somebody carries; 1 if it is about none."""
    if not row.items and not row.groups:
        return 1
    carried = [book.item[key] for key in figure.items if key in book.item]
    return sum(
        item.key in row.items or (item.group in row.groups and item.key not in row.not_items)
        for item in carried
    )


def member_tracks(
    rules: Rules, scenario: str, figure: Figure, names: Mapping[str, Value]
) -> dict[str, int]:
    """What is counted of a figure at the table, each as it begins: its life, its boxes but for
    those that stand for a state, and what the rulebook counts besides.

    ``names``: what expressions may read of the figure as ``by``.
    """
    book = rules.book
    found: dict[str, int] = {}
    if book.life is not None:
        life = names.get("by.life", 0)
        assert not isinstance(life, str)
        found[book.life] = int(life)
    found |= {row.key: n for row, n in boxes(rules, figure) if row.key not in book.state}
    for row in _tracks(rules, scenario):
        if row.per == "member" and picks(book, row.whose, figure):
            found[row.key] = parse(row.start).number(names)
    return found


def side_tracks(rules: Rules, scenario: str, names: Names) -> dict[str, int]:
    """What is counted of a side, each as it begins."""
    rows = _tracks(rules, scenario)
    return {row.key: parse(row.start).number(names) for row in rows if row.per == "side"}


def _tracks(rules: Rules, scenario: str) -> list[Track]:
    return played_in(scenario, rules.tracks)


def played_in[R: Track | Action](scenario: str, rows: Iterable[R]) -> list[R]:
    """The rows that a game of this scenario has ("": of none)."""
    return [row for row in rows if not row.scenarios or scenario in row.scenarios]


def action_cost(rules: Rules, key: str, names: Names) -> int:
    """What the action of this key costs whom ``names`` are about, never less than nothing.

    Raises KeyError for no action of the book, Unknown for a name that nobody gives a value.
    """
    found = parse(rules.book.action[key].cost).number(names)
    for row in rules.modifiers:
        changes = row.on == COST and (not row.actions or key in row.actions)
        if changes and (row.given is None or parse(row.given).holds(names)):
            found += parse(row.amount).number(names)
    return max(0, found)
