"""The situation after a game: what one side reported, and what its players answer afterwards."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gangs.entries import Amount, Id, Name, Reference, Sum
from rules.book import Book
from rules.costing import Points
from rules.dice import Roll
from rules.season import Mark, ResultType, Tally
from rules.season import SideKind as SideKind
from rules.vocabulary import Frozen, Key, Settings

# Of whom something is counted.
Per = Literal["member", "gang"]
# Freed: rescued in a game. A ransom stands in drafts of old only: it takes two gangs now.
Captivity = Literal["stay", "ransom", "freed", "lost"]
# The member's tally that every game has, whether or not the rulebook rewards it.
TAKEN_OUT = "taken_out"
MOST_ROLLS = 300
MOST_HIRES = 20


class Hand(Frozen):
    """By whose hand somebody ended the game as he did: a member of another gang in it."""

    gang: Reference
    member: Id


class Report(Frozen):
    """What is told about one side of a game.

    ``marks``: how members ended, and ``hands`` by whose hand, where that is known; ``counts``: what
    was counted per member, by tally; ``tallies``: what was counted per gang; ``money``: agreed on,
    for a result that leaves it open.
    """

    fielded: tuple[Id, ...] = ()
    marks: dict[Id, Key] = {}
    hands: dict[Id, Hand] = {}
    counts: dict[Key, dict[Id, Amount]] = {}
    tallies: dict[Key, Amount] = {}
    money: Amount = 0

    def taken_out(self) -> int:
        """How many enemies the side put out of action."""
        return sum(self.counts.get(TAKEN_OUT, {}).values())


class Situation(Frozen):
    """One side of a game whose result is agreed on. Ratings are those of the day of the report;
    ``opponents`` and ``opponent_names`` go together."""

    game: str
    title: Name
    scenario: Key | None = None
    result: Key
    side: SideKind
    report: Report
    rating: Points
    opponents: tuple[Points, ...]
    opponent_names: tuple[Name, ...] = ()


class Hire(Frozen):
    """Somebody to recruit."""

    rank: Key
    name: Name = ""
    origin: Key | None = None


class Ascent(Frozen):
    """Somebody to promote, by one of the rulebook's promotions.

    ``how``: where the place is taken, whether its holder is sent away or dice decide who leaves.
    """

    promotion: Key
    member: Id
    how: Literal["", "sent_away", "dice"] = ""


class Answers(Frozen):
    """What has been answered so far: the draft of a post-game.

    ``rolls``, ``choices`` (which option, from 0) and ``advances`` (which trait) by the key of what
    asked for them; ``promotions`` and ``recruits`` in the order in which they were decided;
    ``ransoms``: of drafts of old; ``successors``: who takes over, by the succession; ``done``:
    the steps that the player has declared finished.
    """

    rolls: Annotated[dict[str, Roll], Field(max_length=MOST_ROLLS)] = {}
    choices: Annotated[dict[str, Annotated[int, Field(ge=0)]], Field(max_length=MOST_ROLLS)] = {}
    advances: Annotated[dict[str, Key], Field(max_length=MOST_ROLLS)] = {}
    successors: Annotated[dict[Key, Id], Field(max_length=MOST_HIRES)] = {}
    ransoms: dict[Id, Sum] = {}
    promotions: Annotated[tuple[Ascent, ...], Field(max_length=MOST_HIRES)] = ()
    captives: dict[Id, Captivity] = {}
    recruits: Annotated[tuple[Hire, ...], Field(max_length=MOST_HIRES)] = ()
    done: tuple[Key, ...] = ()


def results(book: Book, settings: Settings) -> dict[str, ResultType]:
    """The ways a game can end, by key."""
    return {row.key: row for row in book.in_force(book.campaign.results, settings)}


def marks(book: Book, settings: Settings) -> dict[str, Mark]:
    """The ways a member can end a game, by key."""
    return {row.key: row for row in book.in_force(book.campaign.marks, settings)}


def tallies(book: Book, settings: Settings, per: Per, scenario: str = "") -> list[Tally]:
    """What is counted per member, or per gang; with ``scenario`` only what is asked after it."""
    rows = [row for row in book.in_force(book.campaign.tallies, settings) if row.per == per]
    return [row for row in rows if not scenario or scenario in (row.scenarios or (scenario,))]


def cannot_play(book: Book, conditions: list[str]) -> bool:
    """Whether any of these conditions keeps a member away from a game."""
    return any(key in book.condition and book.condition[key].absent for key in conditions)
