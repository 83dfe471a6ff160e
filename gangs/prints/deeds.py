"""Deeds: what is said of a gang's members in a few words, out of its story and its games."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards.values import Card
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from gangs.engine.timeline import Event, Timeline
from gangs.ledger import timelines
from gangs.models import Gang
from gangs.text.formats import counted, localized
from rules.book.model import Book
from rules.book.season import CaptivesStep
from rules.book.vocabulary import Row

# Names in one sentence, before the rest is only counted.
MOST_NAMES = 7
# Enemies in one game that make it one worth mentioning.
MANY = 2


@dataclass(frozen=True)
class Fight:
    """A game that the gang played, and when."""

    at: datetime.datetime
    played: kinds.Played


@dataclass(frozen=True)
class Season:
    """What a gang has behind it: its games, and what befell its members, in order."""

    book: Book
    fights: tuple[Fight, ...] = ()
    timeline: Timeline = Timeline()

    @classmethod
    def of(cls, gang: Gang) -> Season:
        """The past of a gang, in as few queries whoever it is."""
        lines = timelines.lines(gang, gang.entries.live().filter(kind="played"))
        fights = tuple(
            Fight(line.at, line.entry) for line in lines if isinstance(line.entry, kinds.Played)
        )
        return cls(gang.book, fights, timelines.kept([gang])[gang.pk])

    def feared(self) -> int | None:
        """Who has put more enemies out of action than anybody else of the gang, if somebody has."""
        most = max((person.taken_out for person in self.timeline.people), default=0)
        feared = [person.id for person in self.timeline.people if person.taken_out == most]
        return feared[0] if most and len(feared) == 1 else None

    def happened(self, member: int, *kinds: str) -> list[Event]:
        """What befell a member, of these kinds."""
        return [row for row in self.timeline.events if row.member == member and row.kind in kinds]


def captivities(book: Book) -> frozenset[str]:
    """The conditions of those who are held by somebody."""
    steps = book.campaign.steps
    return frozenset(step.condition for step in steps if isinstance(step, CaptivesStep))


def deeds(season: Season, member: Member, card: Card, gang: str) -> list[str]:
    """What is said of a member, the greatest first. ``gang``: the name of theirs."""
    return [
        *_games(season, member),
        *_victims(season, member, gang),
        *_wounds(season, member.id),
        *_rise(season, member.id),
        *_known_for(card),
        *_last_seen(season, member.id),
    ]


def _games(season: Season, member: Member) -> Iterator[str]:
    if not member.games:
        yield _("Nothing is proven against him. Yet.")
        return
    won = sum(
        member.id in fight.played.fielded and fight.played.side == "winner"
        for fight in season.fights
    )
    games = ngettext("Fought in %(count)s game", "Fought in %(count)s games", member.games) % {
        "count": member.games
    }
    if won:
        won_text = ngettext("%(count)s of them won", "%(count)s of them won", won)
        games = f"{games}, {won_text % {'count': won}}"
    yield f"{games}."


def _victims(season: Season, member: Member, gang: str) -> Iterator[str]:
    if not member.taken_out:
        return
    yield ngettext(
        "Put %(count)s enemy out of action.",
        "Put %(count)s enemies out of action.",
        member.taken_out,
    ) % {"count": member.taken_out}
    if season.feared() == member.id:
        yield _("The most feared of %(gang)s.") % {"gang": gang}

    def taken_out(fight: Fight) -> int:
        return fight.played.taken_out.get(member.id, 0)

    best = max(reversed(season.fights), key=taken_out, default=None)
    if best is not None and taken_out(best) >= MANY:
        yield _("The worst day, %(day)s: %(count)s at once, in the game %(game)s.") % {
            "day": day(best.at),
            "count": taken_out(best),
            "game": best.played.title,
        }


def _wounds(season: Season, member: int) -> Iterator[str]:
    held = captivities(season.book)
    suffered = season.happened(member, "suffered")
    wounds = Counter(event.key for event in suffered if event.key not in held)
    if wounds:
        named = _counted(season.book.condition.get(key) or key for key in wounds.elements())
        yield _("Survived: %(names)s.") % {"names": named}
    freed = [event for event in season.happened(member, "recovered") if event.key in held]
    if freed:
        yield ngettext(
            "Was caught, and got away.",
            "Was caught, and got away %(count)s times.",
            len(freed),
        ) % {"count": len(freed)}


def _rise(season: Season, member: int) -> Iterator[str]:
    risen = season.happened(member, "promoted")
    if risen:
        rank = season.book.rank.get(risen[-1].key)
        yield _("Rose to %(rank)s.") % {"rank": localized(rank.name) if rank else risen[-1].key}


def _known_for(card: Card) -> Iterator[str]:
    skills = [words.name for words in [*card.traits, *card.gained]]
    if skills:
        yield _("Known for: %(names)s.") % {"names": _counted(skills)}
    items = [item.name for item in card.items]
    if items:
        yield _("Carries: %(names)s.") % {"names": _counted(items)}


def _last_seen(season: Season, member: int) -> Iterator[str]:
    fights = [fight for fight in season.fights if member in fight.played.fielded]
    if fights:
        yield _("Last seen on %(day)s, in the game %(game)s.") % {
            "day": day(fights[-1].at),
            "game": fights[-1].played.title,
        }


def day(at: datetime.datetime) -> str:
    """A day in full, for the reader."""
    return date_format(timezone.localtime(at), "j F Y")


def _counted(names: Iterable[Row | str]) -> str:
    """Names in one line, those that are there several times once, with how often; of many the
    first ones, and how many more there are."""
    listed = counted(name if isinstance(name, str) else localized(name.name) for name in names)
    more = len(listed) - MOST_NAMES
    if more > 1:
        listed = [
            *listed[:MOST_NAMES],
            ngettext("and %(more)s more", "and %(more)s more", more) % {"more": more},
        ]
    return ", ".join(listed)
