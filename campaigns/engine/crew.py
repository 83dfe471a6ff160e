"""The crew of a game: who can play, who is picked, and what they are worth together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from campaigns.engine.report import MOST_ROLLS, ThrowKey
from campaigns.engine.rolls import DiceRequest
from gangs.engine.roster import HiredHand, Member, Roster
from gangs.engine.valuation import hire_price, member_rating
from rules.book.fates import Condition
from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.engine.costing import Points, whole
from rules.engine.dice import DiceRoll

# Away: a condition keeps them out; waits: dice will decide; sits_out: the dice decided against it.
Standing = Literal["fit", "waits", "sits_out", "away"]
# As stored: a member by id, a hired hand by their old gang and their id in it.
Whom = tuple[str, int]
Crew = Sequence[int | Whom]


class PregameRolls(Frozen):
    """The rolls made before a game, by the key of the request."""

    rolls: Annotated[dict[ThrowKey, DiceRoll], Field(max_length=MOST_ROLLS)] = {}


@dataclass(frozen=True)
class Absence:
    """A condition that keeps a member out: for ``games`` more (0: until something ends it).
    ``against``: the gang that holds them, if one does."""

    condition: Condition
    games: int
    against: str

    @property
    def held(self) -> bool:
        """Whether the gang ``against`` holds the member captive."""
        return self.condition.holds


@dataclass(frozen=True)
class Chance(DiceRequest):
    """Dice that decide whether a member plays: one throw for each time they have a condition."""

    key: str
    member: Member
    condition: Condition
    dice: str
    absent: tuple[int, ...]
    roll: DiceRoll | None = None

    @property
    def sits_out(self) -> bool:
        """Whether the dice decided that the member does not play."""
        return self.roll is not None and self.roll.total in self.absent


@dataclass(frozen=True)
class CrewCandidate:
    """Somebody who may play tonight: a member, or a ``hired`` hand.

    ``worth``: their rating in the crew; ``own``: the same without the gang's share; ``brought``:
    the conditions that keep them out of games of other scenarios: they play only if they are
    picked.
    """

    key: str
    member: Member
    worth: Points
    own: Points
    absences: tuple[Absence, ...] = ()
    chances: tuple[Chance, ...] = ()
    hired: HiredHand | None = None
    brought: tuple[Absence, ...] = ()

    @property
    def standing(self) -> Standing:
        """Whether the member can play."""
        if self.absences:
            return "away"
        if any(chance.sits_out for chance in self.chances):
            return "sits_out"
        if any(chance.roll is None for chance in self.chances):
            return "waits"
        return "fit"


def hired_key(gang: str, member: int) -> str:
    """The key of a hired hand among the candidates."""
    return f"{gang}-{member}"


def candidates(
    book: Book, roster: Roster, rolls: Mapping[str, DiceRoll], scenario: str = ""
) -> tuple[CrewCandidate, ...]:
    """Every member of a gang, with the conditions that may keep them out of a game of this
    scenario."""
    found = []
    for member in roster.members:
        key, worth = str(member.id), member_rating(book, roster, member)
        usually = tuple(
            Absence(book.condition[absence.condition], absence.games_left, absence.against)
            for absence in roster.absences(book, member)
        )
        away = usually if roster.absences(book, member, scenario) else ()
        # A member who is away anyway need not roll.
        chances = () if away else tuple(_chances(book, key, member, rolls))
        brought = () if away else usually
        candidate = CrewCandidate(
            key, member, worth.total, worth.own, away, chances, brought=brought
        )
        found.append(candidate)
    return tuple(found)


def find_hired(
    book: Book, home: Roster, hire: HiredHand, rolls: Mapping[str, DiceRoll]
) -> CrewCandidate | None:
    """A hired hand, found in the gang that they left; None if they are not for hire after all.

    They are never away: the games that they had to miss have passed since.
    """
    for departed in home.departed:
        worth = hire_price(book, home, departed)
        if departed.member.id == hire.member and worth is not None:
            key = hired_key(hire.gang, hire.member)
            chances = tuple(_chances(book, key, departed.member, rolls))
            return CrewCandidate(key, departed.member, worth, worth, chances=chances, hired=hire)
    return None


def waiting(candidates: Iterable[CrewCandidate]) -> tuple[Chance, ...]:
    """The dice that are still to be thrown before the game."""
    return tuple(
        chance
        for candidate in candidates
        if candidate.standing == "waits"
        for chance in candidate.chances
        if chance.roll is None
    )


def find_fit(candidates: Iterable[CrewCandidate]) -> tuple[CrewCandidate, ...]:
    """The candidates who can play."""
    return tuple(candidate for candidate in candidates if candidate.standing == "fit")


def pick_crew(candidates: Iterable[CrewCandidate], crew: Crew | None) -> tuple[CrewCandidate, ...]:
    """The candidates who play: the picked ones. If ``crew`` is None, all who can, except for those
    whom only the scenario brings."""
    fit = find_fit(candidates)
    if crew is None:
        return tuple(candidate for candidate in fit if not candidate.brought)
    keys = {str(who) if isinstance(who, int) else hired_key(*who) for who in crew}
    return tuple(candidate for candidate in fit if candidate.key in keys)


def store_choice(candidates: Iterable[CrewCandidate], keys: Collection[str]) -> list[int | Whom]:
    """A crew in its stored form: the candidates with these keys who can play."""
    return [
        (candidate.hired.gang, candidate.hired.member) if candidate.hired else candidate.member.id
        for candidate in candidates
        if candidate.standing == "fit" and candidate.key in keys
    ]


def worth_of(candidates: Iterable[CrewCandidate]) -> Points:
    """The rating of a crew."""
    return whole(sum(candidate.worth for candidate in candidates))


def expect_fielded(
    book: Book, roster: Roster, before: PregameRolls, crew: Crew | None, scenario: str = ""
) -> frozenset[int]:
    """The ids of the members who are expected to take part, before the report."""
    members = candidates(book, roster, before.rolls, scenario)
    return frozenset(candidate.member.id for candidate in pick_crew(members, crew))


def _chances(
    book: Book, who: str, member: Member, rolls: Mapping[str, DiceRoll]
) -> Iterator[Chance]:
    had: dict[str, int] = {}
    for affliction in member.afflictions:
        condition = book.condition.get(affliction.condition)
        if condition is None or condition.before is None:
            continue
        had[condition.key] = number = had.get(condition.key, 0) + 1
        key = f"before:{who}:{condition.key}:{number}"
        chance = Chance(key, member, condition, condition.before.dice, condition.before.absent)
        yield replace(chance, roll=chance.answer(rolls))
