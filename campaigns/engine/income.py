"""Income: the money and the points that a side has from a game, by the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns import underdog
from campaigns.situation import Situation
from gangs import entries as kinds
from rules.book import Book
from rules.costing import Points
from rules.season import ResultType, Tally
from rules.vocabulary import Settings


def income(book: Book, settings: Settings, situation: Situation) -> list[kinds.Earned]:
    """The money that a side has from a game: the result's, each tally's, an underdog's.

    None at all where the settings leave money out of the script.
    """
    if not book.pays(settings):
        return []
    earned = []
    for result in book.campaign.results:
        if result.key == situation.result and (amount := _reward(result, situation)):
            earned.append(kinds.Earned(amount=amount, why="result", key=result.key))
    for tally, count in _counted(book, settings, situation):
        times = 1 if tally.times is None else int(settings.get(tally.times, 1))
        if money := count * tally.money * times:
            earned.append(kinds.Earned(amount=money, why="tally", key=tally.key))
    for row, amount in underdog.money(book, settings, situation.rating, situation.opponents):
        earned.append(kinds.Earned(amount=amount, why="underdog", key=row.key))
    return earned


def points(book: Book, settings: Settings, situation: Situation) -> int:
    """What the game counts for a side in the standings: the result's points, and each tally's."""
    total = 0
    for result in book.campaign.results:
        if result.key == situation.result:
            places = {"winner": 0, "loser": 1, "level": 2}
            total += result.points[places[situation.side]]
    for tally, count in _counted(book, settings, situation):
        total += count * tally.points
    return total


def _counted(book: Book, settings: Settings, situation: Situation) -> Iterator[tuple[Tally, int]]:
    """Every tally with what the side counted of it."""
    report = situation.report
    for tally in book.in_force(book.campaign.tallies, settings):
        count = report.tallies.get(tally.key, 0)
        if tally.per == "member":
            count = sum(report.counts.get(tally.key, {}).values())
        if count:
            yield tally, count


def _reward(result: ResultType, situation: Situation) -> Points:
    """What the result itself brings a side."""
    match result.kind:
        case "level":
            return result.each
        case "decided":
            return result.winner if situation.side == "winner" else result.loser
        case "open":
            return situation.report.money
