"""Deeds: what is told of a gang's members in a few words, out of its story and its games."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs import entries as kinds
from gangs import stories
from gangs.cards import Card
from gangs.models import Gang
from gangs.roster import Member
from gangs.stored import read
from gangs.story import Happening, Story
from gangs.wording import spoken
from rules.book import Book
from rules.season import CaptivesStep
from rules.vocabulary import Row

# Names in one sentence, before the rest is only counted.
MOST_NAMES = 7
# Enemies in one game that make it one to be told.
MANY = 2


@dataclass(frozen=True)
class Fight:
    """A game that the gang played, and when."""

    at: datetime.datetime
    played: kinds.Played


@dataclass(frozen=True)
class Past:
    """What a gang has behind it: its games, and what befell its members, in order."""

    book: Book
    fights: tuple[Fight, ...] = ()
    story: Story = Story()

    @classmethod
    def of(cls, gang: Gang) -> Past:
        """The past of a gang, in as few queries whoever it is."""
        rows = list(gang.entries.live().filter(kind="played"))
        fights = []
        for row, at, _batch in stories.dated(gang, rows):
            entry = read(row)
            assert isinstance(entry, kinds.Played)
            fights.append(Fight(at, entry))
        return cls(gang.book, tuple(fights), stories.kept([gang])[gang.pk])

    def feared(self) -> int | None:
        """Who has put more enemies out of action than anybody else of the gang, if somebody has."""
        counts = sorted(((one.taken_out, one.id) for one in self.story.people), reverse=True)
        if not counts or not counts[0][0]:
            return None
        alone = len(counts) == 1 or counts[1][0] < counts[0][0]
        return counts[0][1] if alone else None

    def happened(self, member: int, *kinds: str) -> list[Happening]:
        """What befell a member, of these kinds."""
        return [one for one in self.story.happenings if one.member == member and one.kind in kinds]


def captivities(book: Book) -> frozenset[str]:
    """The conditions of those who are held by somebody."""
    steps = book.campaign.steps
    return frozenset(step.condition for step in steps if isinstance(step, CaptivesStep))


def deeds(past: Past, member: Member, card: Card, gang: str) -> list[str]:
    """What is told of a member, the greatest first. ``gang``: the name of his."""
    return [
        *_games(past, member),
        *_victims(past, member, gang),
        *_wounds(past, member.id),
        *_rise(past, member.id),
        *_known_for(card),
        *_last_seen(past, member.id),
    ]


def _games(past: Past, member: Member) -> Iterator[str]:
    if not member.games:
        yield _("Nothing is proven against him. Yet.")
        return
    won = sum(
        member.id in fight.played.fielded and fight.played.side == "winner" for fight in past.fights
    )
    games = ngettext("Fought in %(count)s game", "Fought in %(count)s games", member.games) % {
        "count": member.games
    }
    if won:
        won_said = ngettext("%(count)s of them won", "%(count)s of them won", won)
        games = f"{games}, {won_said % {'count': won}}"
    yield f"{games}."


def _victims(past: Past, member: Member, gang: str) -> Iterator[str]:
    if not member.taken_out:
        return
    yield ngettext(
        "Put %(count)s enemy out of action.",
        "Put %(count)s enemies out of action.",
        member.taken_out,
    ) % {"count": member.taken_out}
    if past.feared() == member.id:
        yield _("The most feared of %(gang)s.") % {"gang": gang}
    count, best = max(
        ((fight.played.taken_out.get(member.id, 0), place) for place, fight in _placed(past)),
        default=(0, 0),
    )
    if count >= MANY:
        fight = past.fights[best]
        yield _("The worst day, %(day)s: %(count)s at once, in the game %(game)s.") % {
            "day": day(fight.at),
            "count": count,
            "game": fight.played.title,
        }


def _placed(past: Past) -> Iterable[tuple[int, Fight]]:
    return enumerate(past.fights)


def _wounds(past: Past, member: int) -> Iterator[str]:
    held = captivities(past.book)
    suffered = past.happened(member, "suffered")
    wounds = Counter(one.key for one in suffered if one.key not in held)
    if wounds:
        named = _counted(past.book.condition.get(key) or key for key in wounds.elements())
        yield _("Survived: %(names)s.") % {"names": named}
    freed = [one for one in past.happened(member, "recovered") if one.key in held]
    if freed:
        yield ngettext(
            "Was caught, and got away.",
            "Was caught, and got away %(count)s times.",
            len(freed),
        ) % {"count": len(freed)}


def _rise(past: Past, member: int) -> Iterator[str]:
    risen = past.happened(member, "promoted")
    if risen:
        rank = past.book.rank.get(risen[-1].key)
        yield _("Rose to %(rank)s.") % {"rank": spoken(rank.name) if rank else risen[-1].key}


def _known_for(card: Card) -> Iterator[str]:
    skills = [words.name for words in [*card.traits, *card.gained]]
    if skills:
        yield _("Known for: %(names)s.") % {"names": _counted(skills)}
    items = [item.name for item in card.items]
    if items:
        yield _("Carries: %(names)s.") % {"names": _counted(items)}


def _last_seen(past: Past, member: int) -> Iterator[str]:
    seen = [fight for fight in past.fights if member in fight.played.fielded]
    if seen:
        yield _("Last seen on %(day)s, in the game %(game)s.") % {
            "day": day(seen[-1].at),
            "game": seen[-1].played.title,
        }


def day(at: datetime.datetime) -> str:
    """A day in full, for the reader."""
    return date_format(timezone.localtime(at), "j F Y")


def _counted(names: Iterable[Row | str]) -> str:
    """Names in one line, those that are there several times once, with how often; of many the
    first ones, and how many more there are."""
    said = Counter(name if isinstance(name, str) else spoken(name.name) for name in names)
    listed = [f"{name}\u00a0× {count}" if count > 1 else name for name, count in said.items()]
    more = len(listed) - MOST_NAMES
    if more > 1:
        listed = [
            *listed[:MOST_NAMES],
            ngettext("and %(more)s more", "and %(more)s more", more) % {"more": more},
        ]
    return _joined(listed)


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names)
