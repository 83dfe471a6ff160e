"""The results of a night's games on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import User
from campaigns.models import Game, Night, Side
from campaigns.text import GameLine, disambiguate, game_lines, side_label, side_names


@dataclass(frozen=True)
class SideResult:
    """One side of a game. ``outcome``: the result for it in words, "" if there is none yet;
    ``taken_out``: the enemies that it took out of action; None without a battle."""

    side: Side
    name: str
    outcome: str
    taken_out: int | None


@dataclass(frozen=True)
class GameResult:
    """A game of the night with the results of its sides, as far as they are known."""

    line: GameLine
    sides: Sequence[SideResult]


def results_of(night: Night, user: User) -> list[GameResult]:
    """The night's games as the user sees them, in the order in which they were planned; games that
    were taken back are left out. Makes two queries."""
    games = night.games.exclude(status=Game.Status.STRUCK).order_by("created_at")
    lines = disambiguate(game_lines(games, user, night.campaign))
    return [GameResult(line, _sides(line)) for line in lines]


def _sides(line: GameLine) -> list[SideResult]:
    names, game, found = side_names(line.sides), line.game, []
    for side in line.sides:
        side.game = game
        outcome = side_label(side) if game.has_result else ""
        fought = game.has_result and game.is_fought
        taken_out = side.parsed_report.taken_out() if fought else None
        found.append(SideResult(side, names[side.pk], outcome, taken_out))
    return found
