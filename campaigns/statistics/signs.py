"""What gangs are known by wherever a season is drawn, whoever leads: a colour, dashes, a mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.statistics.season_facts import Season
from gangs.pictures.faces import colours_among

DASHES = ("", "9 5", "2 4", "12 4 2 4", "5 3", "14 6", "6 3 1 3 1 3", "1 7")
# What is drawn from the middle of a point, within a square of ten.
SHAPES = (
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "m-4-4h8v8h-8z",
    "m0-5l5 9h-10z",
    "m0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "m0 5l5-9h-10z",
    "m-5-1.7h3.3v-3.3h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3z",
    "m-5-3l2-2l3 3l3-3l2 2l-3 3l3 3l-2 2l-3-3l-3 3l-2-2l3-3z",
    "m0-5.5l1.6 3.7l3.9 .1l-3.1 2.5l1.1 3.9l-3.5-2.3l-3.5 2.3l1.1-3.9l-3.1-2.5l3.9-.1z",
)


@dataclass(frozen=True)
class Sign:
    """``colour``: its number, the gang's own unless another has that; ``dashes`` of its line;
    ``shape``: its mark, as a path from the middle on."""

    colour: int
    dashes: str
    shape: str


def signs(gangs: Sequence[str]) -> dict[str, Sign]:
    """What each of the ``gangs`` is known by, in the order in which they joined: of the first eight
    no two have dashes or a mark in common, of the first twelve no two a colour, of the first 64 no
    two both dashes and mark."""
    found, colours = {}, colours_among(gangs)
    for number, gang in enumerate(gangs):
        place, turn = number % len(DASHES), number // len(DASHES)
        shape = SHAPES[(place + turn) % len(SHAPES)]
        found[gang] = Sign(colours[gang], DASHES[place], shape)
    return found


def find_joined(season: Season) -> list[str]:
    """All that ever played, or are there to, in the order in which they came."""
    return list(dict.fromkeys((*(gang.id for gang in season.gangs), *season.names)))


def assign_signs(season: Season) -> dict[str, Sign]:
    """What each gang is known by in all that is drawn of the season."""
    return season.cached(season, "signs", lambda: signs(find_joined(season)))


def colours(season: Season) -> dict[str, int]:
    """The colour of each gang's face, as of its line."""
    return {gang: sign.colour for gang, sign in assign_signs(season).items()}
