"""Income: the money that a side has from a game, by the rulebook's results and tallies."""

from __future__ import annotations

from campaigns.situation import Situation
from gangs import entries as kinds
from rules.book import Book
from rules.season import IncomeStep, ResultType
from rules.vocabulary import Settings


def income(book: Book, settings: Settings, situation: Situation) -> list[kinds.Earned]:
    """The money that a side has from a game: the result's, then each tally's.

    None at all where the settings leave money out of the script.
    """
    steps = book.in_force(book.campaign.steps, settings)
    if not any(isinstance(step, IncomeStep) for step in steps):
        return []
    report = situation.report
    earned = []
    for result in book.campaign.results:
        if result.key == situation.result and (amount := _reward(result, situation)):
            earned.append(kinds.Earned(amount=amount, why="result", key=result.key))
    for tally in book.in_force(book.campaign.tallies, settings):
        count = report.tallies.get(tally.key, 0)
        if tally.per == "member":
            count = sum(report.counts.get(tally.key, {}).values())
        if count and tally.money:
            earned.append(kinds.Earned(amount=count * tally.money, why="tally", key=tally.key))
    return earned


def _reward(result: ResultType, situation: Situation) -> int:
    """What the result itself brings a side."""
    match result.kind:
        case "level":
            return result.each
        case "decided":
            return result.winner if situation.side == "winner" else result.loser
        case "open":
            return situation.report.money
