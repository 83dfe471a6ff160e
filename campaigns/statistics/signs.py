"""Signs of gangs in all drawings of a season: a colour, dashes, a mark, independent of ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.statistics.season_facts import Season
from gangs.pictures.faces import colours_among

DASHES = ("", "9 5", "2 4", "12 4 2 4", "5 3", "14 6", "6 3 1 3 1 3", "1 7")
# SVG paths from the middle of a point, within a square of ten.
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
    """A gang's sign. ``colour``: a number, the gang's own unless another gang has it; ``dashes``:
    of its line; ``shape``: the path of its mark, starting in the middle."""

    colour: int
    dashes: str
    shape: str


def signs(gangs: Sequence[str]) -> dict[str, Sign]:
    """Assign a sign to each of the ``gangs``, given in the order in which they joined.

    The first eight have different dashes and different marks, the first twelve different colours,
    the first 64 different pairs of dashes and mark.
    """
    found, colours = {}, colours_among(gangs)
    for number, gang in enumerate(gangs):
        place, turn = number % len(DASHES), number // len(DASHES)
        shape = SHAPES[(place + turn) % len(SHAPES)]
        found[gang] = Sign(colours[gang], DASHES[place], shape)
    return found


def find_joined(season: Season) -> list[str]:
    """The keys of all gangs that play or ever played, in the order in which they joined."""
    return list(dict.fromkeys((*(gang.id for gang in season.gangs), *season.names)))


def assign_signs(season: Season) -> dict[str, Sign]:
    """The signs of a season's gangs."""
    return season.cached(season, "signs", lambda: signs(find_joined(season)))


def colours(season: Season) -> dict[str, int]:
    """The colour number of each gang's face and line."""
    return {gang: sign.colour for gang, sign in assign_signs(season).items()}
