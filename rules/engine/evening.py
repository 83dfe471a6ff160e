"""Counts kept for figures and sides during a game (life, boxes, purses), and costs of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rules.book.evening import Alarm, Track
from rules.book.model import Book, Rules
from rules.book.outfits import NonPlayer
from rules.book.rolls import Action, Roll, State
from rules.book.schema import Tick
from rules.engine.expressions import BadExpression, Names, Value, parse
from rules.engine.figure import Figure, picks

COST = "cost"
# The most non-players of one row, and the names that their number may read: of all gangs together.
MOST_NONPLAYERS = 20
COMPANY = ("table.sides", "table.members", "table.worth")
# The turn, which a number of later arrivals may read, too, and the last turn in which it grows.
TURN = "table.turn"
LAST_TURN = 20


def boxes(rules: Rules, figure: Figure) -> Iterator[tuple[Tick, int]]:
    """Yield the rows of boxes that a figure ticks off, apart from life, each with its number."""
    for row in rules.ticks:
        number = row.boxes * _times(rules.book, row, figure)
        if number and picks(rules.book, row.of, figure):
            yield row, number


def _times(book: Book, row: Tick, figure: Figure) -> int:
    """The number of items carried that the row is about; 1 if it is about no items."""
    if not row.items and not row.groups:
        return 1
    carried = [book.item[key] for key in figure.items if key in book.item]
    return sum(
        item.row_key in row.items
        or (item.group in row.groups and item.row_key not in row.not_items)
        for item in carried
    )


def member_tracks(
    rules: Rules, scenario: str, figure: Figure, names: Mapping[str, Value]
) -> dict[str, int]:
    """The starting value of each count of a figure, by key: life, boxes (except those that mean a
    state), and the tracks of the rulebook; those that last begin as the last game left them.

    ``names``: the names that expressions may read of the figure as ``by``.
    """
    book = rules.book
    found: dict[str, int] = {}
    if book.life is not None:
        life = names.get("by.life", 0)
        assert not isinstance(life, str)
        found[book.life] = int(life)
    found |= {row.key: n for row, n in boxes(rules, figure) if row.key not in book.state}
    for row in played_in(scenario, rules.tracks):
        if row.per == "member" and picks(book, row.whose, figure):
            kept = figure.tracks.get(row.key) if row.lasts else None
            found[row.key] = parse(row.start).number(names) if kept is None else kept
    return found


def side_tracks(rules: Rules, scenario: str, names: Names) -> dict[str, int]:
    """The starting value of each count of a side, by key."""
    rows = played_in(scenario, rules.tracks)
    return {row.key: parse(row.start).number(names) for row in rows if row.per == "side"}


def played_in[R: Alarm | Track | Roll | Action | State](
    scenario: str, rows: Iterable[R]
) -> list[R]:
    """The rows that are used in a game of this scenario ("" for no scenario)."""
    return [row for row in rows if not row.scenarios or scenario in row.scenarios]


def is_by_turn(row: NonPlayer) -> bool:
    """Whether the number of non-players of a row depends on the turn."""
    return TURN in parse(row.number).names


def count_nonplayers(row: NonPlayer, company: Mapping[str, Value], turn: int = 1) -> int:
    """Return how many non-players of a row there are; those that arrive by turns, up to this one.
    ``company``: the values of COMPANY, and the options. 0 if the number cannot be worked out, such
    as a division by 0."""
    names = {**company, TURN: min(turn, LAST_TURN)}
    try:
        number = parse(row.number).number(names)
    except BadExpression:
        return 0
    return max(0, min(number, MOST_NONPLAYERS))


def count_most_nonplayers(row: NonPlayer, company: Mapping[str, Value]) -> int:
    """Return how many non-players of a row there can be, in any turn."""
    turns = range(1, LAST_TURN + 1) if is_by_turn(row) else (1,)
    return max(count_nonplayers(row, company, turn) for turn in turns)


def action_cost(rules: Rules, key: str, names: Names) -> int:
    """Return the cost of an action for the figure that ``names`` describe, at least 0.

    Raises KeyError if the book has no such action, Unknown for a name without a value.
    """
    found = parse(rules.book.action[key].cost).number(names)
    for row in rules.modifiers:
        changes = row.on == COST and (not row.actions or key in row.actions)
        if changes and (row.given is None or parse(row.given).holds(names)):
            found += parse(row.amount).number(names)
    return max(0, found)
