"""One side's report of a game, and its player's answers in the post-game."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_serializer

from campaigns.engine.how import Manner, SidePay
from gangs.engine.entries import ONE_LINE, SOME, Amount, Costs, Id, Name, Reference
from rules.book.model import Rules
from rules.book.season import SideKind as SideKind
from rules.book.season import Tally
from rules.book.vocabulary import TAKEN_OUT as TAKEN_OUT
from rules.book.vocabulary import Frozen, Key, Text
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll

Per = Literal["member", "gang"]
MOST_ROLLS = 300
MOST_HIRES = 20
MOST_VALUE = Field(max_length=40)
MOST_TURNS = 99
Turn = Annotated[int, Field(ge=1, le=MOST_TURNS)]
# The key of a request for dice.
ThrowKey = Annotated[str, Field(max_length=400), ONE_LINE]


class Credit(Frozen):
    """The member of another gang in the game who put somebody out."""

    gang: Reference
    member: Id


class Capture(Frozen):
    """A holding that the winner captures. ``gang``: the loser; ``place``: the holding's number in
    that gang; ``holding``: its key in the rulebook; ``name``: the players' own name for it."""

    gang: Reference
    place: Id
    holding: Key
    name: Name = ""


class LostHolding(Frozen):
    """A holding that another side captures. ``place``: its number in the gang; ``by``: the name of
    the captor."""

    place: Id
    by: Name = ""


class Report(Frozen):
    """The report about one side of a game.

    ``marks``: how members ended; ``credits``: who put them out, and ``turns``: in which turn, if
    that is known; ``by_nonplayers``: those whom a non-player of the scenario put out, with its
    number; ``counts``: by tally, then by member; ``tallies``: counts of the gang; ``money``:
    the sum agreed on, for a result that leaves it open, or paid without a battle; ``rewards``: then
    also paid in other currencies; ``tracks``: the members' numbers of the
    trackers that last, at the end of the game, by tracker; ``captures``: holdings that the side
    took.
    """

    fielded: Annotated[tuple[Id, ...], SOME] = ()
    marks: Annotated[dict[Id, Key], SOME] = {}
    credits: Annotated[dict[Id, Credit], SOME] = {}
    turns: Annotated[dict[Id, Turn], SOME] = {}
    by_nonplayers: Annotated[
        dict[Id, Id], Field(max_length=300, exclude_if=lambda found: not found)
    ] = {}
    counts: Annotated[dict[Key, Annotated[dict[Id, Amount], SOME]], SOME] = {}
    tallies: Annotated[dict[Key, Amount], SOME] = {}
    money: Amount = 0
    rewards: Costs = {}
    tracks: Annotated[
        dict[Key, Annotated[dict[Id, Annotated[int, Field(ge=-999, le=999)]], SOME]],
        Field(max_length=300, exclude_if=lambda found: not found),
    ] = {}
    captures: Annotated[
        tuple[Capture, ...], Field(max_length=100, exclude_if=lambda captures: not captures)
    ] = ()

    def taken_out(self) -> int:
        """The number of enemies that the side put out of action."""
        return sum(self.counts.get(TAKEN_OUT, {}).values())


class About(Frozen):
    """The purpose of a throw, as values that a page puts into words for each reader.

    ``member``: a name, or the key of a rank; ``table``, ``scenario_table``: keys of the rulebook;
    ``asked``: a kind of question without a table; ``what``: a text of the rulebook; ``roles``: the
    scenario, if it decided the roles in this ``round``.
    """

    member: Name | None = None
    table: Key | None = None
    scenario_table: Key | None = None
    asked: Key | None = None
    what: Text | None = None
    roles: Key | None = None
    round: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @model_serializer
    def _leave_out_unset(self) -> dict[str, object]:
        """Leave out the fields that are not set."""
        said = {name: getattr(self, name) for name in sorted(self.model_fields_set)}
        return {
            name: value.model_dump() if isinstance(value, Text) else value
            for name, value in said.items()
        }


class GameReport(Frozen):
    """One side of a game with an agreed result.

    ``result``: "" if the rulebook has no such result; ``pay``: what the result brings the side, if
    it is not only the rulebook's.
    ``rating`` and ``opponents``: ratings on the day of the report; ``opponent_names``: in the same
    order as ``opponents``; ``opponent_gangs``: the gangs that still exist; ``names``: their names.
    ``lost_holdings``: what other sides captured from this one; ``held_elsewhere``: holdings of
    which there is only one, and which another gang of the campaign has.
    """

    game: str
    title: Name
    scenario: Key | None = None
    result: Key | Literal[""]
    how: Manner = "played"
    side: SideKind
    pay: SidePay | None = None
    report: Report
    rating: Points
    opponents: tuple[Points, ...]
    opponent_names: tuple[Name, ...] = ()
    opponent_gangs: tuple[Reference, ...] = ()
    lost_holdings: tuple[LostHolding, ...] = ()
    held_elsewhere: frozenset[Key] = frozenset()
    names: dict[Reference, Name] = {}

    def name_of(self, gang: str) -> str:
        """The name of an opponent's gang; "" if it was deleted."""
        return self.names.get(gang, "")


class Hire(Frozen):
    """Somebody to recruit; ``profession``: their choice, if their rank has any; ``owner``: the
    member whom they belong to."""

    rank: Key
    name: Name = ""
    origin: Key | None = None
    profession: Key | None = None
    owner: Annotated[Id | None, Field(exclude_if=lambda owner: owner is None)] = None


class PromotionAnswer(Frozen):
    """Somebody to promote, by one of the rulebook's promotions.

    ``how``: if all places are taken, whether the holder is sent away or dice decide who leaves.
    """

    promotion: Key
    member: Id
    how: Literal["", "sent_away", "dice"] = ""


class Answers(Frozen):
    """The draft of a post-game: the answers given so far.

    ``rolls``: by the key of the request; ``choices``: values of chosen options, by the key of the
    question; ``promotions`` and ``recruits``: in the order of the decisions; ``done``: the steps
    that the player has declared finished.
    """

    rolls: Annotated[dict[ThrowKey, DiceRoll], Field(max_length=MOST_ROLLS)] = {}
    choices: Annotated[
        dict[ThrowKey, Annotated[Name, MOST_VALUE]], Field(max_length=MOST_ROLLS)
    ] = {}
    promotions: Annotated[tuple[PromotionAnswer, ...], Field(max_length=MOST_HIRES)] = ()
    recruits: Annotated[tuple[Hire, ...], Field(max_length=MOST_HIRES)] = ()
    done: Annotated[tuple[Key, ...], SOME] = ()


def tallies(rules: Rules, per: Per, scenario: str = "") -> list[Tally]:
    """The tallies per member or per gang; with ``scenario`` only those that its report asks for."""
    rows = [row for row in rules.tallies if row.per == per]
    return [row for row in rows if not scenario or scenario in (row.scenarios or (scenario,))]
