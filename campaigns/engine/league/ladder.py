"""Ladders: the order of the gangs after their challenges, and who may challenge whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from campaigns.engine.league.facts import Entered, Match
from campaigns.engine.league.options import StageOptions


def ladder_order(
    entrants: Sequence[Entered], matches: Iterable[Match], options: StageOptions
) -> list[str]:
    """The gangs that play on, from the top down.

    It starts with the seeds, and each game won by the gang further down moves it up, in the order
    of the days on which they were played. A corrected result therefore corrects the order.
    """
    order = [one.gang for one in sorted(entrants, key=lambda one: one.seed)]
    played = [match for match in matches if match.outcome in ("home", "away")]
    for match in sorted(played, key=lambda match: (match.day or date.min, match.round, match.key)):
        winner, loser = match.winner, match.loser
        if winner not in order or loser not in order:
            continue
        low, high = order.index(winner), order.index(loser)
        if low < high:
            continue  # The gang above has defended its place.
        if options.climb == "swap":
            order[low], order[high] = loser, winner
        else:
            order.insert(high, order.pop(low))
    left = {one.gang for one in entrants if one.has_left}
    return [gang for gang in order if gang not in left]


def open_challenges(
    gang: str, order: Sequence[str], matches: Iterable[Match], reach: int
) -> list[str]:
    """The gangs that ``gang`` may challenge now, the nearest first: at most ``reach`` places above
    it, and neither of the two in a challenge that is not played yet."""
    busy = {side for match in matches if match.outcome == "open" for side in match.sides}
    if gang not in order or gang in busy:
        return []
    place = order.index(gang)
    above = order[max(0, place - reach) : place]
    return [other for other in reversed(above) if other not in busy]
