"""The options of a stage. Each format reads those that concern it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from campaigns.engine.league.standings_rules import CRITERIA, NOW, Criterion, Edition
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

    ``edition``: 1 in a stage that began by those rules: there a game without a battle counts as a
    fought one, a bye counts at once, and a gang's opponents are the sum of their points.
    ``ranking``: the criteria that break ties of points, the first before the second; ``seed``:
    draws the lots; ``bonus``: whether the campaign's bonuses and penalties count; ``first``: who
    meets in the first round of a Swiss: the top half the bottom half, neighbours, or by lot.
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
    edition: Edition = NOW
    ranking: Annotated[tuple[Criterion, ...], Field(max_length=len(CRITERIA))] = (
        "strength",
        "wins",
    )
    seed: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")] = ""
    bonus: bool = False
    first: Literal["halves", "neighbours", "lots"] = "halves"

    @model_validator(mode="after")
    def _check_ranking(self) -> Self:
        if len(set(self.ranking)) < len(self.ranking) or "points" in self.ranking:
            raise ValueError("names something twice")
        if "lots" in self.ranking and not self.seed:
            raise ValueError("lots need a seed")
        return self
