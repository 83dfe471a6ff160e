"""Builders for tests: users, gangs and rosters, made by the same functions that a click reaches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from accounts.models import User
from gangs import acts, ledger
from gangs import entries as kinds
from gangs.entries import Entry
from gangs.findings import Scene
from gangs.fold import fold
from gangs.models import Gang
from gangs.roster import Roster
from rules.book import Book
from rules.library import SHIPPED, load
from rules.models import BookVersion
from rules.reading import read_folder

POINTS = "blackwater-gulch"
GOLD = "du-sang-sur-la-lame"


@cache
def shipped(slug: str) -> Book:
    """A rulebook that comes with the project, read once."""
    return read_folder(SHIPPED / slug)


def make_version(slug: str = POINTS) -> BookVersion:
    """The rulebook, loaded into the database."""
    return load(shipped(slug))[0]


def make_gang(
    owner: User | None, slug: str = POINTS, sample: int | None = 0, name: str = "The Test Gang"
) -> Gang:
    """A gang of ``owner``: a ready-made one, or an empty one if ``sample`` is None."""
    book = shipped(slug)
    entries = (
        acts.found(book, name, {})
        if sample is None
        else acts.found_from_sample(book, book.samples[sample])
    )
    return ledger.found(make_version(slug), entries, owner=owner)


def make_big_gang(owner: User, members: int, slug: str = POINTS) -> Gang:
    """A gang of ``members`` henchmen, each with a name and three items."""
    gang = make_gang(owner, slug, None)
    book = shipped(slug)
    rank = book.ranks[-1] if slug == POINTS else book.rank["henchman"]
    weapons = [item.key for item in book.items if not item.innate][:3]
    entries: list[Entry] = []
    for number in range(members):
        entries.append(kinds.Recruited(rank=rank.key, name=f"Member number {number}"))
        member = gang.last_seq + len(entries)
        entries.extend(kinds.Bought(item=weapon, member=member) for weapon in weapons)
    ledger.append(gang, entries, seen=gang.version, actor=owner)
    return gang


def rostered(book: Book, entries: Iterable[Entry]) -> Roster:
    """The roster that ``entries`` fold to, without a database."""
    return fold(book, enumerate(entries, start=1))


def scene_of(gang: Gang) -> Scene:
    """The gang as it stands."""
    return Scene.of(gang.book, gang.roster)
