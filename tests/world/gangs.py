"""Builders of users, gangs and rosters, with the same functions that a click reaches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from gangs.access import GUEST
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Member, Roster
from gangs.ledger import writer
from gangs.models import Gang, Guest
from rules.book.model import Book
from rules.library import SHIPPED, load, shipped_folders
from rules.loading.reader import read_folder
from rules.models import BookVersion, Rulebook

POINTS = "blackwater-gulch"
GOLD = "du-sang-sur-la-lame"
# Every shipped rulebook.
SLUGS = [folder.name for folder in shipped_folders()]


@cache
def shipped(slug: str) -> Book:
    """Return a shipped rulebook, read once."""
    return read_folder(SHIPPED / slug)


@cache
def _canonical(slug: str) -> str:
    """Return the stored form of a rulebook, computed once."""
    return shipped(slug).canonical()


def make_version(slug: str = POINTS) -> BookVersion:
    """Load the rulebook into the database."""
    book = shipped(slug)
    if BookVersion.objects.filter(slug=slug).exists():
        return load(book).version
    Rulebook.objects.get_or_create(slug=slug)
    return BookVersion.objects.create(
        digest=book.digest, slug=slug, canonical=_canonical(slug), loaded_at=timezone.now()
    )


def make_gang(
    owner: User | None, slug: str = POINTS, sample: int | None = 0, name: str = "The Test Gang"
) -> Gang:
    """Return a gang of ``owner``: ready-made, or empty if ``sample`` is None."""
    book = shipped(slug)
    entries = (
        actions.found(book, name, {})
        if sample is None
        else actions.found_from_sample(book, book.samples[sample])
    )
    return writer.found(make_version(slug), entries, owner=owner)


def become_guest(client: Client, *gangs: Gang, key: str = "a-visitors-key") -> Guest:
    """Make the user of ``client`` the visitor who built these gangs."""
    guest, _created = Guest.objects.get_or_create(key=key)
    Gang.objects.filter(pk__in=[gang.pk for gang in gangs]).update(guest=guest)
    request, response = HttpRequest(), HttpResponse()
    request.user = AnonymousUser()
    GUEST.write(request, response, guest.key)
    client.cookies.update(response.cookies)
    return guest


def make_big_gang(owner: User, members: int, slug: str = POINTS) -> Gang:
    """Return a gang of ``members`` of the lowest rank, each with a name and three items."""
    gang = make_gang(owner, slug, None)
    computed = scene_of(gang)
    rank = offers.ranks(computed)[-1].row
    weapons = [offer.row.key for offer in offers.items(computed, None)][:3]
    entries: list[Entry] = []
    for number in range(members):
        entries.append(kinds.Recruited(rank=rank.key, name=f"Member number {number}"))
        member = gang.last_seq + len(entries)
        entries.extend(kinds.Bought(item=weapon, member=member) for weapon in weapons)
    writer.append(gang, entries, expected_version=gang.version, actor=owner)
    return gang


def entries_of(book: Book, *members: Member, **options: str | int) -> list[Entry]:
    """Return the entries of a gang of these members, as made by ``rosters.member``.

    ``options``: settings of the rulebook. A member's properties and items become entries, and so
    do their experience and conditions. A gang that has played also gets the entry of ``played``.
    """
    made: list[Entry] = actions.found(book, "The gang", dict(options))
    for one in members:
        made.append(kinds.Recruited(rank=one.rank, name=one.name, origin=one.origin))
        subject = len(made)
        if one.profession:
            made.append(kinds.ProfessionChosen(member=subject, profession=one.profession))
        if one.squad:
            made.append(kinds.SquadJoined(member=subject, squad=one.squad))
        for key, amount in one.points.items():
            made.append(kinds.PointsSpread(member=subject, characteristic=key, amount=amount))
        made.extend(kinds.TraitTaken(member=subject, trait=key) for key in one.traits)
        made.extend(kinds.Bought(item=owned.key, member=subject) for owned in one.items)
        if one.experience:
            made.append(kinds.Learned(member=subject, amount=one.experience))
        for suffered in one.afflictions:
            games = suffered.games_left
            made.append(kinds.Suffered(member=subject, condition=suffered.condition, games=games))
    return made


def played(book: Book, game: str = "g1", *fielded: int) -> kinds.Played:
    """Return the entry of a game that the gang played, with any result of the rulebook."""
    result = book.campaign.results[0]
    side: Literal["winner", "level"] = "winner" if result.kind == "decided" else "level"
    return kinds.Played(game=game, title="A game", result=result.key, side=side, fielded=fielded)


def make_gang_of(owner: User | None, slug: str, *members: Member, **options: str | int) -> Gang:
    """Return a stored gang of these members."""
    entries = entries_of(shipped(slug), *members, **options)
    return writer.found(make_version(slug), entries, owner=owner)


def rostered(book: Book, entries: Iterable[Entry]) -> Roster:
    """Fold ``entries`` to a roster, without a database."""
    return fold(book, enumerate(entries, start=1))


def scene_of(gang: Gang) -> ComputedGang:
    """Return the current scene of the gang."""
    return ComputedGang.of(gang.book, gang.roster)
