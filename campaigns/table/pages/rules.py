"""Rules to look up during play: phases, scenario, starting places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from accounts.language import rules_language
from campaigns.table.board import Board
from campaigns.text import find_rolled_row
from gangs.text.formats import localize
from rules.book.evening import Phase
from rules.engine.evening import played_in
from rules.reference_pages.pieces import Piece
from rules.reference_pages.play import starting_places
from rules.reference_pages.words import BookWording


@dataclass(frozen=True)
class SideRoll:
    """A roll of a side. ``query``: the parameters of its form's address."""

    roll: str
    name: str
    query: str


@dataclass(frozen=True)
class PhaseRules:
    """The rules of a phase. ``is_current``: it is the current one."""

    key: str
    name: str
    texts: tuple[str, ...]
    rolls: tuple[SideRoll, ...]
    is_current: bool


@dataclass(frozen=True)
class ScenarioRules:
    """The scenario. ``victory``: the rulebook's condition of victory; ``places``: where everybody
    starts."""

    name: str
    text: str
    victory: str
    house: bool
    places: tuple[Piece, ...]


def phases(board: Board) -> list[PhaseRules]:
    """Return the rules of each phase, in the turn's order. The phase of acting is current if nobody
    has begun one."""
    rows = board.rules.phases
    acting = board.book.acting_phase
    now = board.now.phase or (acting.key if acting else None)
    return [
        PhaseRules(
            key=row.key,
            name=localize(row.name),
            texts=tuple(_texts(board, row)),
            rolls=tuple(_rolls(board, row)),
            is_current=row.key == now,
        )
        for row in rows
    ]


def _texts(board: Board, row: Phase) -> Iterator[str]:
    activation = board.book.activation
    if row.text is not None:
        yield localize(row.text)
    if row.acts and activation is not None and activation.text is not None:
        yield localize(activation.text)


def _rolls(board: Board, row: Phase) -> Iterator[SideRoll]:
    """Yield the rolls of sides in a phase; rolls of members are alarms or options."""
    numbers = board.gangs
    rolls = played_in(board.start.scenario, (board.book.roll[key] for key in row.rolls))
    for roll in rolls:
        if board.rules.has(roll) and roll.by == "side" and (roll.at != "side" or len(numbers) > 1):
            yield SideRoll(roll.key, localize(roll.name), urlencode({"by": numbers[0]}))


def scenario(board: Board) -> ScenarioRules | None:
    """Return the scenario, if the game has one."""
    book, table = board.book, board.table
    row = book.scenario.get(table.scenario)
    if row is None:
        rolled = find_rolled_row(book, table.game) if table.game is not None else None
        if rolled is None:
            return None
        text = localize(rolled.text) if rolled.text else ""
        return ScenarioRules(localize(rolled.name), text, "", house=False, places=())
    words = BookWording(book, rules_language())
    return ScenarioRules(
        name=localize(row.name),
        text=localize(row.text),
        victory=localize(row.victory),
        house=row.is_house,
        places=starting_places(words, board.rules, row, len(board.gangs)),
    )
