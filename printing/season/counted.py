"""Counters of a crew at the table other than life and boxes: purses, cards, nuggets carried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.models import Game
from campaigns.table.state import FigureStart, Start, TableFighter, begin
from gangs.cards.values import mark_house
from printing.members.ticks import Ticked
from rules.book.evening import Track
from rules.book.model import Book, Rules
from rules.book.rolls import State
from rules.book.vocabulary import applies
from rules.engine.evening import played_in
from rules.engine.expressions import parse

# A counter above this is not drawn as boxes.
MOST = 10


@dataclass(frozen=True)
class Count:
    """A counter of a side: ``start`` is its value in the first turn, if that is known."""

    name: str
    text: str
    start: int | None


@dataclass(frozen=True)
class TurnTrack:
    """The turns, from the first, and the counters that start again in each of them."""

    turns: range
    counted: tuple[Count, ...]


def start_of(book: Book, game: Game, fighters: Sequence[TableFighter]) -> Start:
    """Return the table before the first turn, with all fighters."""
    sides = sorted({fighter.side for fighter in fighters})
    return begin(game.campaign.rules, sides, fighters, game.scenario)


def turn_track(
    book: Book, game: Game, language: str, tracks: Mapping[str, int] | None = None
) -> TurnTrack | None:
    """Return the turns of a game, if its rulebook or its scenario counts them. ``tracks``: the
    starting values of the side.
    """
    scenario = book.scenario.get(game.scenario)
    usual = book.pace.turns if book.pace else 0
    turns = usual if scenario is None or scenario.turns is None else scenario.turns
    if not turns:
        return None
    counted = [
        Count(row.name.translated(language), row.text.translated(language), row.start)
        for row in (book.pace.counted if book.pace else ())
        if applies(row.when, game.campaign.settings)
    ]
    counted += _each_turn(book, game, language, tracks or {}, {row.name for row in counted})
    return TurnTrack(range(1, turns + 1), tuple(counted))


def find_counts(
    book: Book, game: Game, language: str, tracks: Mapping[str, int], turns: TurnTrack | None
) -> tuple[Count, ...]:
    """Return the counters of a side that are not in the track of turns."""
    known = {row.name for row in turns.counted} if turns else set()
    return tuple(
        _count(row, language, tracks[row.key])
        for row in _tracks(book, game)
        if row.per == "side" and row.key in tracks and row.name.translated(language) not in known
    )


def of_member(book: Book, game: Game, figure: FigureStart, language: str) -> tuple[Ticked, ...]:
    """Return the counters of a fighter, as boxes. Those that start again in every turn are left
    out: they are among the characteristics, or follow the turn.
    """
    return tuple(
        Ticked(label, boxes)
        for row in _tracks(book, game)
        if row.per == "member" and row.each_turn != "anew" and row.key in figure.tracks
        for label, boxes in [_boxes(row, figure, language)]
        if 0 < boxes <= MOST
    )


def states(rules: Rules, language: str) -> tuple[str, ...]:
    """Return the states that last until something ends them and have no boxes to tick, so that
    players write down the members who have them.
    """
    ticked = {row.key for row in rules.book.ticks}
    rows: list[State] = [
        row for row in rules.states if row.of == "figure" and row.lasts in ("ended", "game")
    ]
    return tuple(
        mark_house(row.name.translated(language), row.is_house)
        for row in rows
        if row.given is None and row.key not in ticked
    )


def _each_turn(
    book: Book, game: Game, language: str, tracks: Mapping[str, int], known: set[str]
) -> Iterator[Count]:
    for row in _tracks(book, game):
        name = row.name.translated(language)
        told = row.per == "side" and row.each_turn != "kept"
        if told and row.key in tracks and name not in known:
            yield _count(row, language, tracks[row.key])


def _tracks(book: Book, game: Game) -> list[Track]:
    return played_in(game.scenario, game.campaign.rules.tracks)


def _count(row: Track, language: str, start: int) -> Count:
    text = row.text.translated(language) if row.text else ""
    return Count(row.name.translated(language), text, start)


def _boxes(row: Track, figure: FigureStart, language: str) -> tuple[str, int]:
    start = figure.tracks[row.key]
    most = start if row.maximum is None else parse(row.maximum).number(figure.names)
    name = row.name.translated(language)
    return f"{name} {start}" if start else name, most
