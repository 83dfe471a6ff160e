"""The options of a stage. Each format reads those that concern it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.book.vocabulary import Frozen

# The largest fields: every pair of a round robin is a row, and a draw takes a second for 64 gangs.
MOST_ENTRANTS = 64
MOST_IN_ROUND_ROBIN = 32
MOST_ROUNDS = 200
MOST_FIXTURES = 2_000

StagePoints = Annotated[int, Field(ge=-100, le=100)]


class StageOptions(Frozen):
    """The options of a stage.

    ``win``, ``draw``, ``loss``, ``bye``: points in its table; ``days``: how long a round lasts
    (0: it has no last day); ``legs``: how often each pair of a round robin meets; ``reach``: how
    many places above itself a gang of a ladder may challenge; ``climb``: whether the winner of a
    challenge takes the place of the loser, who moves down by one with everybody between, or the
    two change places; ``third``: whether the losers of a knock-out's semi-finals play for the third
    place; ``best``: the number of gangs that came from another table, 0 for none.
    """

    win: StagePoints = 3
    draw: StagePoints = 1
    loss: StagePoints = 0
    bye: StagePoints = 3
    days: Annotated[int, Field(ge=0, le=365)] = 14
    legs: Literal[1, 2] = 1
    reach: Annotated[int, Field(ge=1, le=MOST_ENTRANTS)] = 3
    climb: Literal["place", "swap"] = "place"
    third: bool = False
    best: Annotated[int, Field(ge=0, le=MOST_ENTRANTS)] = 0
