"""Income: the money and the league points that a game brings a side, by the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.engine import underdog
from campaigns.engine.how import FOUGHT, find_rewards
from campaigns.engine.league.standings_rules import BY_THE_BOOK, SIDES, StandingsRules
from campaigns.engine.report import GameReport, Report
from gangs.engine import entries as kinds
from rules.book.model import Rules
from rules.book.season import ResultType, Tally
from rules.engine.costing import Points


def income(rules: Rules, game_report: GameReport) -> list[kinds.Earned]:
    """The money that a game brings a side: for the result, for each tally, for an underdog.

    Nothing if the settings leave money out of the script. Without a battle, the sum that the report
    names.
    """
    if not rules.pays:
        return []
    if game_report.how not in FOUGHT:
        return pay_unfought(game_report.report)
    earned = []
    if amount := _reward(rules, game_report):
        key = game_report.result or None
        earned.append(kinds.Earned(amount=amount, why="result", key=key))
    earned.extend(_rewards(rules, game_report))
    for tally, count in _counted(rules, game_report):
        times = 1 if tally.times is None else int(rules.settings.get(tally.times, 1))
        if money := count * tally.money * times:
            earned.append(
                kinds.Earned(amount=money, why="tally", key=tally.key, currency=tally.currency)
            )
    for row, amount in underdog.money(rules, game_report.rating, game_report.opponents):
        earned.append(
            kinds.Earned(amount=amount, why="underdog", key=row.key, currency=row.currency)
        )
    return earned


def pay_unfought(report: Report) -> list[kinds.Earned]:
    """Everything that a side gets for a game without a battle, by its report."""
    paid = [kinds.Earned(amount=report.money, why="unfought")] if report.money else []
    for key, amount in report.rewards.items():
        if amount:
            paid.append(kinds.Earned(amount=amount, why="unfought", currency=key))
    return paid


def points(rules: Rules, game_report: GameReport, table: StandingsRules = BY_THE_BOOK) -> int:
    """A side's points in the standings: the result's, by the club's rules, and each tally's."""
    total = sum(count * tally.points for tally, count in _counted(rules, game_report))
    if game_report.pay is not None and game_report.pay.points is not None:
        return total + game_report.pay.points
    of_result = table.points_of(rules.book, game_report.result)
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


def _rewards(rules: Rules, game_report: GameReport) -> Iterator[kinds.Earned]:
    """Amounts that the result brings in other currencies than money."""
    result = rules.book.campaign.result.get(game_report.result)
    if result is None:
        due = find_rewards(rules, game_report.how, game_report.side)
        for key, amount in due.items():
            yield kinds.Earned(amount=amount, why="result", currency=key)
        return
    for row in result.rewards:
        winner = game_report.side == "winner"
        amount = row.each if result.kind == "level" else row.winner if winner else row.loser
        if amount:
            yield kinds.Earned(
                amount=amount, why="result", key=game_report.result, currency=row.currency
            )


def _reward(rules: Rules, game_report: GameReport) -> Points:
    """The money for the result itself."""
    if game_report.pay is not None and game_report.pay.money is not None:
        return game_report.pay.money
    result = rules.book.campaign.result.get(game_report.result)
    return _by_book(result, game_report) if result is not None else 0


def _by_book(result: ResultType, game_report: GameReport) -> Points:
    match result.kind:
        case "level":
            return result.each
        case "decided" | "won" | "lost":
            return result.winner if game_report.side == "winner" else result.loser
        case "open":
            return game_report.report.money
