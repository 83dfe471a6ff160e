"""How a game came to its result, played or without a battle, and what each result counts and pays.

A walk-over, a no-show, a concession, a void and an abandoned game have no participants, experience,
injuries or post-game. By default the side that came has won, and nothing else changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules
from rules.book.model import Rules
from rules.book.season import SideKind
from rules.book.vocabulary import Frozen
from rules.engine.costing import Points

# ``recorded``: the gangs fought, and the rulebook has no such result (a draw, a shared win).
Manner = Literal["played", "walk-over", "no-show", "conceded", "void", "abandoned", "recorded"]
FOUGHT: frozenset[Manner] = frozenset({"played", "recorded"})
# Results without a battle in which somebody wins because another did not play.
FORFEITS: tuple[Manner, ...] = ("no-show", "walk-over", "conceded")
# Results without a battle and without a winner.
CALLED_OFF: tuple[Manner, ...] = ("void", "abandoned")

StandingPoints = Annotated[int, Field(ge=-1_000, le=1_000)]
Payment = Annotated[int, Field(ge=0, le=100_000)]


class ResultRules(Frozen):
    """The gains of a result of one kind: points in the standings, and money.

    ``winner_points``: None for the rulebook's points for a win; ``each_points``, ``each_money``:
    for every side if nobody won; ``counts_loss``: the side that did not come, or conceded, has lost
    a game; ``counts_draw``: a result without a winner is a drawn game.
    """

    winner_points: StandingPoints | None = None
    loser_points: StandingPoints = 0
    each_points: StandingPoints = 0
    winner_money: Payment = 0
    loser_money: Payment = 0
    each_money: Payment = 0
    counts_loss: bool = False
    counts_draw: bool = False


class ClubResults(Frozen):
    """A club's rules for results that its rulebook does not have.

    ``results``: by kind, for the kinds that differ from the rulebook; ``place_points``,
    ``place_money``: for the first, second … of a fought game with three or more sides, in place of
    the rulebook's. Places beyond the end of a list get nothing.
    """

    results: dict[Manner, ResultRules] = {}
    place_points: Annotated[tuple[StandingPoints, ...], Field(max_length=20)] = ()
    place_money: Annotated[tuple[Payment, ...], Field(max_length=20)] = ()


def result_rules(rules: Rules, club: ClubResults, how: Manner) -> ResultRules:
    """The rules for results of one kind: the club's, or else the rulebook's."""
    return club.results.get(how) or by_the_book(rules, how)


def unfought_rules(rules: Rules, club: ClubResults) -> dict[Manner, ResultRules]:
    """The rules for every kind of result without a battle. A void game brings nothing."""
    return {
        how: ResultRules() if how == "void" else result_rules(rules, club, how)
        for how in (*FORFEITS, *CALLED_OFF)
    }


def by_the_book(rules: Rules, how: Manner) -> ResultRules:
    """The rulebook's rules for results of one kind, or else the default."""
    for row in rules.unfought:
        if row.how == how:
            winner, loser, each = row.points
            return ResultRules(
                winner_points=winner if any(row.points) else None,
                loser_points=loser,
                each_points=each,
                winner_money=row.winner,
                loser_money=row.loser,
                each_money=row.each,
                counts_loss=row.loss or how == "recorded",
                counts_draw=row.draw or how == "recorded",
            )
    return DEFAULTS[how]


def find_rewards(rules: Rules, how: Manner, kind: SideKind) -> dict[str, int]:
    """The amounts of other currencies that a game that ended like this brings a side of this
    ``kind``, by the rulebook; a club has rules of its own for points and money only."""
    found: Counter[str] = Counter()
    row = next((row for row in rules.unfought if row.how == how), None)
    for reward in row.rewards if row is not None else ():
        found[reward.currency] += reward.of(kind)
    return {key: amount for key, amount in found.items() if amount}


DEFAULTS: Mapping[Manner, ResultRules] = {
    "played": ResultRules(),
    "walk-over": ResultRules(),
    "no-show": ResultRules(),
    "conceded": ResultRules(),
    "void": ResultRules(),
    "abandoned": ResultRules(),
    "recorded": ResultRules(counts_loss=True, counts_draw=True),
}


@dataclass(frozen=True)
class SidePay:
    """The gains of one side from a game. ``counts``: as a game won, lost or drawn, None as no game;
    ``points``, ``money``: None for what the rulebook says about the result."""

    counts: SideKind | None
    points: int | None = None
    money: Points | None = None


def pay_side(
    rules: Rules,
    club: ClubResults,
    how: Manner,
    kind: SideKind,
    place: int | None,
    sides: int,
    table: StandingsRules = BY_THE_BOOK,
) -> SidePay:
    """Return what a game with this many ``sides`` brings a side of this ``kind`` and ``place``."""
    if how == "void":
        return SidePay(None, 0, 0)
    pay = SidePay(kind)
    if how != "played":
        win = points_for_a_win(rules, table)
        pay = pay_special(result_rules(rules, club, how), kind, win)
    if how in FOUGHT and place is not None and sides > 2:
        points = _at(club.place_points, place, pay.points)
        pay = SidePay(pay.counts, points, _at(club.place_money, place, pay.money))
    return pay


def pay_special(terms: ResultRules, kind: SideKind, win: int) -> SidePay:
    """Return what a result by these ``terms`` brings a side of this ``kind``. ``win``: the points
    for a win, where the terms do not say otherwise."""
    match kind:
        case "winner":
            points = terms.winner_points
            return SidePay(kind, win if points is None else points, terms.winner_money)
        case "loser":
            lost: SideKind | None = "loser" if terms.counts_loss else None
            return SidePay(lost, terms.loser_points, terms.loser_money)
        case "level":
            drawn: SideKind | None = "level" if terms.counts_draw else None
            return SidePay(drawn, terms.each_points, terms.each_money)


def _at[T](values: tuple[T, ...], place: int, otherwise: T | None) -> T | int | None:
    """The value for a place; 0 beyond the end, ``otherwise`` if there are no values."""
    if not values:
        return otherwise
    return values[place - 1] if place <= len(values) else 0


def points_for_a_win(rules: Rules, table: StandingsRules = BY_THE_BOOK) -> int:
    """The fewest points that the rulebook, or the club in its place, gives for a win."""
    wins = [row.key for row in rules.results if row.kind not in ("level", "lost")]
    return min((table.points_of(rules.book, key)[0] for key in wins), default=0)
