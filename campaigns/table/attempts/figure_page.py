"""The page of a figure at the table: who it is, what it carries, and what it may do now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from accounts.language import rules_language
from campaigns.table.attempts.effects import Who
from campaigns.table.attempts.options import Deed, Throw, options
from campaigns.table.attempts.responses import common
from campaigns.table.board import Board
from campaigns.table.pages import lines, waiting
from gangs.cards.render import bearer_of, item_line, render_member
from gangs.cards.values import Card, ItemLine
from gangs.engine.computed import ComputedGang
from gangs.text.formats import localized


@dataclass(frozen=True)
class ThrowLine:
    """A roll that may be made. ``query``: what the address of its form says."""

    roll: str
    name: str
    query: str


@dataclass(frozen=True)
class DeedLine:
    """An action that may be done. ``weapons``: to which, where it throws nothing."""

    key: str
    name: str
    text: str
    cost: int
    affordable: bool
    repeated: bool
    throws: tuple[ThrowLine, ...]
    weapons: tuple[tuple[str, str], ...]


def context(board: Board, figure: str) -> dict[str, Any]:
    """What the page shows. Raises KeyError for no figure of this table."""
    person, found = board.names.people[figure], options(board.start, board.now, figure)
    home, member = person.home, person.member
    computed = ComputedGang.of(board.book, home, member)
    card = render_member(computed, member, rules_language())
    return {
        **common(board),
        "card": card,
        "figure": lines.figure(board, figure),
        "weapons": _weapons(computed, card, board, figure),
        "dues": waiting.dues(board, found.due),
        "follow_ups": waiting.follow_ups(board, found.follow_ups),
        "deeds": [_deed(board, figure, deed) for deed in found.deeds],
        "others": [_throw(board, figure, throw) for throw in found.others],
        "left": next((deed.left for deed in found.deeds), None),
    }


def _weapons(
    computed: ComputedGang, card: Card, board: Board, figure: str
) -> list[tuple[ItemLine, bool, list[str]]]:
    """What somebody carries with its values, whether it is lost, and the states that it is in."""
    now, member = board.now.figures[figure], board.names.people[figure].member
    bearer = bearer_of(computed, member)
    own = [
        item_line(computed, row.key, rules_language(), bearer=bearer) for row in board.rules.innate
    ]
    left = dict(now.lost)
    found = []
    for line in (*card.items, *own):
        lost = left.get(line.key, 0) > 0
        if lost:
            left[line.key] -= 1
        states = [board.names.state(key) for key in now.item_states.get(line.key, ())]
        found.append((line, lost, states))
    return found


def _deed(board: Board, figure: str, deed: Deed) -> DeedLine:
    row = deed.action
    more = {"action": row.key} | ({"free": 1} if deed.repeated else {})
    return DeedLine(
        key=row.key,
        name=localized(row.name),
        text=localized(row.text) if row.text else "",
        cost=deed.cost,
        affordable=deed.affordable,
        repeated=deed.repeated,
        throws=tuple(_throw(board, figure, throw, **more) for throw in deed.throws),
        weapons=tuple((use.key, localized(use.name)) for use in deed.weapons),
    )


def _throw(board: Board, who: Who, throw: Throw, **more: str | int) -> ThrowLine:
    query = urlencode({"by": who, **more})
    return ThrowLine(throw.roll.key, localized(throw.roll.name), query)
