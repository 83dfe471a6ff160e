"""The turns of a game on paper: to be ticked off, with what each side counts in every one."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.models import Game
from rules.book.model import Book
from rules.book.reference import Counted
from rules.book.vocabulary import applies


@dataclass(frozen=True)
class TurnTrack:
    """The turns, from the first, and what is counted in them."""

    turns: range
    counted: tuple[Counted, ...]

    @property
    def rows(self) -> int:
        """How many rows it takes, its head among them, and the texts below it."""
        return 1 + (2 * len(self.counted) or 1)


def turn_track(book: Book, game: Game) -> TurnTrack | None:
    """The turns of a game, if its rulebook or its scenario counts them."""
    scenario = book.scenario.get(game.scenario)
    usual = book.pace.turns if book.pace else 0
    turns = usual if scenario is None or scenario.turns is None else scenario.turns
    if not turns:
        return None
    counted = tuple(
        row
        for row in (book.pace.counted if book.pace else ())
        if applies(row.when, game.campaign.settings)
    )
    return TurnTrack(range(1, turns + 1), counted)
