"""Careers as a campaign tells them: with its games, and with who met whom in them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from campaigns.engine.report import Credit
from campaigns.models import Campaign, Side
from gangs.engine.roster import name_or_rank
from gangs.engine.timeline import Timeline
from gangs.ledger import timelines
from gangs.models import Gang
from gangs.snapshots.career import Career, Chapter
from gangs.text.formats import spoken
from rules.book.model import Book

# A chapter, the address of its game if that is one of the campaign's, and what else is told.
Line = tuple[Chapter, str, tuple[str, ...]]


def lines(campaign: Campaign, gang: Gang, career: Career) -> list[Line]:
    """The chapters of a career, those of the campaign's games with what their reports tell."""
    games = _games(campaign, gang)
    gangs = {side.gang for sides in games.values() for side in sides if side.gang is not None}
    known = timelines.kept(gangs)
    return [
        (
            chapter,
            sides[0].game.get_absolute_url() if sides else "",
            tuple(_met(campaign.book, known, gang, career.member.id, sides)),
        )
        for chapter in career.chapters
        for sides in [games.get(chapter.game, ())]
    ]


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
    known: Mapping[uuid.UUID, Timeline],
    gang: Gang,
    member: int,
    sides: Sequence[Side],
) -> Iterator[str]:
    """Whom a member put out of the game, and by whom they were put out of it."""
    own = Credit(gang=str(gang.pk), member=member)
    for side in sides:
        for victim, credit in side.told.credits.items():
            if credit == own and side.gang_id is not None:
                name = _name(book, known.get(side.gang_id), victim)
                yield _("Put out %(name)s of %(gang)s.") % {"name": name, "gang": side.name}
            elif side.gang_id == gang.pk and victim == member:
                other = next((one for one in sides if str(one.gang_id) == credit.gang), None)
                if other is not None and other.gang_id is not None:
                    name = _name(book, known.get(other.gang_id), credit.member)
                    values = {"name": name, "gang": other.name}
                    yield _("Put out by %(name)s of %(gang)s.") % values


def _name(book: Book, timeline: Timeline | None, member: int) -> str:
    """What somebody who has played is called."""
    for person in timeline.people if timeline is not None else ():
        if person.id == member:
            return spoken(name_or_rank(book, person.name, person.rank))
    return _("somebody")
