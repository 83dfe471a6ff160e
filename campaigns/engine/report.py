"""The situation after a game: what one side reported, and what its players answer afterwards."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_serializer

from gangs.engine.entries import ONE_LINE, SOME, Amount, Id, Name, Reference
from rules.book.model import Rules
from rules.book.season import SideKind as SideKind
from rules.book.season import Tally
from rules.book.vocabulary import Frozen, Key, Text
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll

# Of whom something is counted.
Per = Literal["member", "gang"]
# The member's tally that every game has, whether or not the rulebook rewards it.
TAKEN_OUT = "taken_out"
MOST_ROLLS = 300
MOST_HIRES = 20
MOST_VALUE = Field(max_length=40)
MOST_TURNS = 99
Turn = Annotated[int, Field(ge=1, le=MOST_TURNS)]
# What dice were thrown for.
ThrowKey = Annotated[str, Field(max_length=400), ONE_LINE]


class Credit(Frozen):
    """Who put somebody out: a member of another gang in the game."""

    gang: Reference
    member: Id


class Report(Frozen):
    """What is told about one side of a game.

    ``marks``: how members ended, and where that is known ``credits`` who put them out, and
    ``turns`` in which turn; ``counts``: what was counted per member, by tally; ``tallies``: what
    was counted per gang; ``money``: agreed on, for a result that leaves it open.
    """

    fielded: Annotated[tuple[Id, ...], SOME] = ()
    marks: Annotated[dict[Id, Key], SOME] = {}
    credits: Annotated[dict[Id, Credit], SOME] = {}
    turns: Annotated[dict[Id, Turn], SOME] = {}
    counts: Annotated[dict[Key, Annotated[dict[Id, Amount], SOME]], SOME] = {}
    tallies: Annotated[dict[Key, Amount], SOME] = {}
    money: Amount = 0

    def taken_out(self) -> int:
        """How many enemies the side put out of action."""
        return sum(self.counts.get(TAKEN_OUT, {}).values())


class About(Frozen):
    """What a throw was for, as values that are put into words for each reader.

    ``member``: a name, or the key of a rank; ``table``, ``scenario_table``: keys of the rulebook;
    ``asked``: which of the questions that are no table's; ``what``: a text of the rulebook;
    ``roles``: the scenario whose roles it was for, in which ``round``.
    """

    member: Name | None = None
    table: Key | None = None
    scenario_table: Key | None = None
    asked: Key | None = None
    what: Text | None = None
    roles: Key | None = None
    round: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @model_serializer
    def _said(self) -> dict[str, object]:
        """What is said of it, and nothing of the rest."""
        said = {name: getattr(self, name) for name in sorted(self.model_fields_set)}
        return {
            name: value.model_dump() if isinstance(value, Text) else value
            for name, value in said.items()
        }


class GameReport(Frozen):
    """One side of a game whose result is agreed on. Ratings are those of the day of the report;
    ``opponents`` and ``opponent_names`` go together; ``opponent_gangs``: those still there."""

    game: str
    title: Name
    scenario: Key | None = None
    result: Key
    side: SideKind
    report: Report
    rating: Points
    opponents: tuple[Points, ...]
    opponent_names: tuple[Name, ...] = ()
    opponent_gangs: tuple[Reference, ...] = ()


class Hire(Frozen):
    """Somebody to recruit; ``profession``: the one they choose, if their rank has any."""

    rank: Key
    name: Name = ""
    origin: Key | None = None
    profession: Key | None = None


class PromotionAnswer(Frozen):
    """Somebody to promote, by one of the rulebook's promotions.

    ``how``: where the place is taken, whether its holder is sent away or dice decide who leaves.
    """

    promotion: Key
    member: Id
    how: Literal["", "sent_away", "dice"] = ""


class Answers(Frozen):
    """What has been answered so far: the draft of a post-game.

    ``rolls`` and ``choices`` (which of several things, by its value) by the key of what asked for
    them; ``promotions`` and ``recruits`` in the order in which they were decided; ``done``: the
    steps that the player has declared finished.
    """

    rolls: Annotated[dict[ThrowKey, DiceRoll], Field(max_length=MOST_ROLLS)] = {}
    choices: Annotated[
        dict[ThrowKey, Annotated[Name, MOST_VALUE]], Field(max_length=MOST_ROLLS)
    ] = {}
    promotions: Annotated[tuple[PromotionAnswer, ...], Field(max_length=MOST_HIRES)] = ()
    recruits: Annotated[tuple[Hire, ...], Field(max_length=MOST_HIRES)] = ()
    done: Annotated[tuple[Key, ...], SOME] = ()


def tallies(rules: Rules, per: Per, scenario: str = "") -> list[Tally]:
    """What is counted per member, or per gang; with ``scenario`` only what is asked after it."""
    rows = [row for row in rules.tallies if row.per == per]
    return [row for row in rows if not scenario or scenario in (row.scenarios or (scenario,))]
