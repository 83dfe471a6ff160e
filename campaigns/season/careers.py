"""Careers as a campaign tells them: with its games, and with who met whom in them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Campaign, Membership, Side
from campaigns.situation import Hand
from gangs import stories
from gangs.career import Career, Chapter
from gangs.models import Gang
from gangs.story import Story
from gangs.wording import spoken
from rules.book import Book

# A chapter, the address of its game if that is one of the campaign's, and what else is told.
Line = tuple[Chapter, str, tuple[str, ...]]


def may_read(user: User, gang: Gang) -> bool:
    """Whether the user takes part in a campaign that the gang is or was in."""
    return Membership.objects.filter(gang=gang, campaign__participants__user=user).exists()


def lines(campaign: Campaign, gang: Gang, career: Career) -> list[Line]:
    """The chapters of a career, those of the campaign's games with what their reports tell."""
    games = _games(campaign, gang)
    gangs = {side.gang for sides in games.values() for side in sides if side.gang is not None}
    known = stories.kept(gangs)
    told = []
    for chapter in career.chapters:
        sides = games.get(chapter.game, ())
        more = _met(campaign.book, known, gang, career.member.id, sides)
        url = sides[0].game.get_absolute_url() if sides else ""
        told.append((chapter, url, tuple(more)))
    return told


def _games(campaign: Campaign, gang: Gang) -> dict[str, list[Side]]:
    """All sides of the games that the gang played in the campaign, by game."""
    own = gang.sides.filter(game__campaign=campaign).values("game")
    games: dict[str, list[Side]] = {}
    sides = Side.objects.filter(game__in=own).select_related("game", "gang")
    for side in sides.defer("gang__snapshot"):
        games.setdefault(str(side.game_id), []).append(side)
    return games


def _met(
    book: Book,
    known: Mapping[uuid.UUID, Story],
    gang: Gang,
    member: int,
    sides: Sequence[Side],
) -> Iterator[str]:
    """Whom he put out of the game, and who put him out of it."""
    himself = Hand(gang=str(gang.pk), member=member)
    for side in sides:
        for victim, hand in side.told.hands.items():
            if hand == himself and side.gang_id is not None:
                name = _name(book, known.get(side.gang_id), victim)
                yield _("Put out %(name)s of %(gang)s.") % {"name": name, "gang": side.name}
            elif side.gang_id == gang.pk and victim == member:
                other = next((one for one in sides if str(one.gang_id) == hand.gang), None)
                if other is not None and other.gang_id is not None:
                    name = _name(book, known.get(other.gang_id), hand.member)
                    values = {"name": name, "gang": other.name}
                    yield _("Put out by %(name)s of %(gang)s.") % values


def _name(book: Book, story: Story | None, member: int) -> str:
    """What somebody who has played is called."""
    for person in story.people if story is not None else ():
        if person.id == member:
            row = book.rank.get(person.rank)
            return person.name or (spoken(row.name) if row else person.rank)
    return _("somebody")
