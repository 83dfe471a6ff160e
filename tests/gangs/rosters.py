"""Rosters for tests, written down in a few words."""

from collections.abc import Sequence
from itertools import count

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Affliction, Member, OwnedItem, Roster
from gangs.engine.validation import Finding, findings
from rules.book.model import Book, Sample
from rules.book.vocabulary import Settings
from rules.engine.costing import Points

FIRST_ITEM = 1000


def member(
    rank: str,
    *,
    name: str = "Somebody",
    worth_rank: str = "",
    origin: str | None = None,
    squad: str = "",
    profession: str | None = None,
    points: dict[str, int] | None = None,
    traits: Sequence[str] = (),
    items: Sequence[str] = (),
    conditions: Sequence[str] = (),
    experience: int = 0,
) -> Member:
    """A member without an id; ``roster`` assigns it."""
    return Member(
        id=0,
        name=name,
        rank=rank,
        worth_rank=worth_rank or rank,
        origin=origin,
        squad=squad,
        profession=profession,
        points=points or {},
        traits=tuple(traits),
        items=tuple(OwnedItem(id=0, key=key) for key in items),
        experience=experience,
        afflictions=tuple(Affliction(condition=key) for key in conditions),
    )


def roster(
    book: Book,
    *members: Member,
    settings: Settings | None = None,
    stash: Sequence[str] = (),
    games: int = 0,
    earned: Points = 0,
    spent: Points = 0,
) -> Roster:
    """A gang of these members, numbered from 1 in their order."""
    ids = count(FIRST_ITEM)

    def owned(keys: Sequence[str]) -> tuple[OwnedItem, ...]:
        return tuple(OwnedItem(id=next(ids), key=key) for key in keys)

    numbered = tuple(
        one.model_copy(update={"id": number, "items": owned([item.key for item in one.items])})
        for number, one in enumerate(members, start=1)
    )
    return Roster(
        name="The gang",
        settings=book.default_settings() | (settings or {}),
        members=numbered,
        stash=owned(stash),
        played=tuple(f"game-{number}" for number in range(games)),
        earned=earned,
        spent=spent,
        first_size=len(members) if games else 0,
    )


def ready_made(book: Book, sample: Sample) -> Roster:
    """A sample of the rulebook as a gang."""
    members = [
        member(
            one.rank,
            name=one.name,
            origin=one.origin,
            squad=one.squad,
            profession=one.profession,
            points=one.points,
            traits=one.traits,
            items=one.items,
        )
        for one in sample.members
    ]
    return roster(book, *members, settings=sample.settings)


def codes(book: Book, gang: Roster) -> list[str]:
    """The code and severity of every finding about a gang."""
    return [f"{finding.code} {finding.severity}" for finding in findings(book, gang)]


def only(book: Book, gang: Roster, code: str) -> Finding:
    """The only finding with this code."""
    (finding,) = [finding for finding in findings(book, gang) if finding.code == code]
    return finding


def cost(book: Book, gang: Roster) -> Points:
    """The price of recruiting the gang as it is."""
    return ComputedGang.of(book, gang).price
