"""Income: the money and the league points that a game brings a side, by the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.engine import underdog
from campaigns.engine.report import GameReport
from campaigns.engine.standings_rules import BY_THE_BOOK, SIDES, StandingsRules
from gangs.engine import entries as kinds
from rules.book.model import Rules
from rules.book.season import ResultType, Tally
from rules.engine.costing import Points


def income(rules: Rules, game_report: GameReport) -> list[kinds.Earned]:
    """The money that a game brings a side: for the result, for each tally, for an underdog.

    Nothing if the settings leave money out of the script.
    """
    if not rules.pays:
        return []
    earned = []
    result = rules.book.campaign.result.get(game_report.result)
    if result is not None and (amount := _reward(result, game_report)):
        earned.append(kinds.Earned(amount=amount, why="result", key=result.key))
    for tally, count in _counted(rules, game_report):
        times = 1 if tally.times is None else int(rules.settings.get(tally.times, 1))
        if money := count * tally.money * times:
            earned.append(kinds.Earned(amount=money, why="tally", key=tally.key))
    for row, amount in underdog.money(rules, game_report.rating, game_report.opponents):
        earned.append(kinds.Earned(amount=amount, why="underdog", key=row.key))
    return earned


def points(rules: Rules, game_report: GameReport, club: StandingsRules = BY_THE_BOOK) -> int:
    """A side's points in the standings: the result's, by the club's rules, and each tally's."""
    total = sum(count * tally.points for tally, count in _counted(rules, game_report))
    of_result = club.points_of(rules.book, game_report.result)
    return total + of_result[SIDES.index(game_report.side)]


def _counted(rules: Rules, game_report: GameReport) -> Iterator[tuple[Tally, int]]:
    """Every tally with the side's count, if it is not 0."""
    report = game_report.report
    for tally in rules.tallies:
        count = report.tallies.get(tally.key, 0)
        if tally.per == "member":
            count = sum(report.counts.get(tally.key, {}).values())
        if count:
            yield tally, count


def _reward(result: ResultType, game_report: GameReport) -> Points:
    """The money for the result itself."""
    match result.kind:
        case "level":
            return result.each
        case "decided":
            return result.winner if game_report.side == "winner" else result.loser
        case "open":
            return game_report.report.money
