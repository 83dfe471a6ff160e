"""Describe the deeds of a gang's members in short sentences, from its history and its games."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from gangs.engine.timeline import Event, GangTimeline, Person
from gangs.ledger import timelines
from gangs.models import Gang
from gangs.text.formats import count_names, localize
from rules.book.model import Book
from rules.book.season import CaptivesStep
from rules.book.vocabulary import Row

# Names listed in one sentence; the rest are only counted.
MOST_NAMES = 7
# Enemies taken out in one game that make the game worth mentioning.
MANY = 2
# Deeds that a poster has room for.
MOST = 3


@dataclass(frozen=True)
class Fight:
    """A game that the gang played, and its date."""

    at: datetime.datetime
    played: kinds.Played


@dataclass(frozen=True)
class Season:
    """The past of a gang: its games, and the events of its members, in order."""

    book: Book
    fights: tuple[Fight, ...] = ()
    timeline: GangTimeline = GangTimeline()

    @classmethod
    def of(cls, gang: Gang) -> Season:
        """Load the past of a gang. The number of queries does not depend on the gang."""
        lines = timelines.lines(gang, gang.entries.live().filter(kind="played"))
        fights = tuple(
            Fight(line.at, line.entry) for line in lines if isinstance(line.entry, kinds.Played)
        )
        return cls(gang.book, fights, timelines.load_timelines([gang])[gang.pk])

    def feared(self) -> int | None:
        """Return the member who took more enemies out of action than any other, or None."""
        most = max((person.taken_out for person in self.timeline.people), default=0)
        feared = [person.id for person in self.timeline.people if person.taken_out == most]
        return feared[0] if most and len(feared) == 1 else None

    def happened(self, member: int, *kinds: str) -> list[Event]:
        """Return the events of a member that have one of these kinds."""
        return [row for row in self.timeline.events if row.member == member and row.kind in kinds]


def captivities(book: Book) -> frozenset[str]:
    """Return the conditions of captives."""
    steps = book.campaign.steps
    return frozenset(step.condition for step in steps if isinstance(step, CaptivesStep))


@dataclass(frozen=True)
class Deed:
    """A sentence about a member, and its weight in the choice of sentences."""

    weight: int
    said: str


def deeds(season: Season, member: Member | Person, name: str, gang: str) -> list[str]:
    """Return a member's greatest deeds, the greatest first. ``gang``: their gang's name."""
    told = [
        *_victims(season, member, gang),
        *_escapes(season, member.id),
        *_rise(season, member),
        *_marks(season, member.id),
        *_games(season, member, gang),
    ]
    greatest = sorted(told, key=lambda deed: -deed.weight)[:MOST]
    return [deed.said for deed in greatest] or _nothing(name if member.name else "", gang)


def _victims(season: Season, member: Member | Person, gang: str) -> Iterator[Deed]:
    """Yield the enemies put out of action: in all, and in the best game."""

    def taken_out(fight: Fight) -> int:
        return fight.played.taken_out.get(member.id, 0)

    number = member.taken_out
    if not number:
        return
    if season.feared() == member.id:
        said = ngettext(
            "Took %(count)s enemy out of action, more than anybody else in %(gang)s.",
            "Took %(count)s enemies out of action, more than anybody else in %(gang)s.",
            number,
        )
    else:
        said = ngettext(
            "Took %(count)s enemy out of action.", "Took %(count)s enemies out of action.", number
        )
    yield Deed(16 + 5 * number, said % {"count": number, "gang": gang})
    best = max(reversed(season.fights), key=taken_out, default=None)
    most = taken_out(best) if best is not None else 0
    if best is not None and most >= MANY:
        if most == number:
            said = _("All in a single game, on %(day)s.")
        else:
            said = _("Took out %(count)s of them in a single game, on %(day)s.")
        yield Deed(15 + 5 * most, said % {"count": most, "day": day(best.at)})


def _escapes(season: Season, member: int) -> Iterator[Deed]:
    """Yield the member's captures and escapes."""
    held = captivities(season.book)
    freed = [event for event in season.happened(member, "recovered") if event.key in held]
    caught = [event for event in season.happened(member, "suffered") if event.key in held]
    if not freed:
        return
    captors = list(dict.fromkeys(event.against for event in caught if event.against))
    if len(captors) == len(freed) == 1:
        yield Deed(17, _("Was caught by %(gang)s, and got away.") % {"gang": captors[0]})
        return
    said = ngettext(
        "Was caught, and got away.", "Was caught, and got away %(count)s times.", len(freed)
    )
    yield Deed(15 + 2 * len(freed), said % {"count": len(freed)})


def _rise(season: Season, member: Member | Person) -> Iterator[Deed]:
    """Yield the rise from the first rank to the last."""
    risen = season.happened(member.id, "promoted")
    if risen:
        first, last = _rank(season.book, risen[0].rank), _rank(season.book, risen[-1].key)
        said = _("Joined as %(first)s and rose to %(last)s.") % {"first": first, "last": last}
        yield Deed(12 + 2 * len(risen), said)


def _marks(season: Season, member: int) -> Iterator[Deed]:
    """Yield the lasting injuries."""
    held = captivities(season.book)
    suffered = season.happened(member, "suffered")
    lasting = [event.key for event in suffered if event.key not in held and not event.amount]
    if lasting:
        names = _counted(season.book.condition.get(key) or key for key in lasting)
        said = _("Came back from it marked for life: %(names)s.") % {"names": names}
        yield Deed(8 + 4 * len(lasting), said)


def _games(season: Season, member: Member | Person, gang: str) -> Iterator[Deed]:
    """Yield the games played."""
    own = [fight for fight in season.fights if member.id in fight.played.fielded]
    if not member.games:
        return
    games = ngettext("Fought in %(count)s game", "Fought in %(count)s games", member.games) % {
        "count": member.games
    }
    won = sum(fight.played.side == "winner" for fight in own)
    if won:
        won_text = ngettext("%(count)s of them won", "%(count)s of them won", won)
        games = f"{games}, {won_text % {'count': won}}"
    yield Deed(4 + member.games + won, f"{games}.")
    if own and own[0] is season.fights[0] and len(own) > 1:
        yield Deed(5, _("With %(gang)s from the very first game.") % {"gang": gang})
    if own:
        yield Deed(2, _("Last seen on %(day)s.") % {"day": day(own[-1].at)})


def _nothing(name: str, gang: str) -> list[str]:
    """Return the sentences for a member without deeds."""
    if name:
        innocent = _("Nothing is proven against %(name)s. Yet.") % {"name": name}
    else:
        innocent = _("Nothing is proven. Yet.")
    return [innocent, _("Runs with %(gang)s.") % {"gang": gang}]


def _rank(book: Book, key: str) -> str:
    row = book.rank.get(key)
    return localize(row.name) if row else key


def day(at: datetime.datetime) -> str:
    """Format a day in full, for the reader."""
    return date_format(timezone.localtime(at), "j F Y")


def _counted(names: Iterable[Row | str]) -> str:
    """Join names in one line: repeated names once with their number, and after the first few only
    how many more there are.
    """
    listed = count_names(name if isinstance(name, str) else localize(name.name) for name in names)
    more = len(listed) - MOST_NAMES
    if more > 1:
        listed = [
            *listed[:MOST_NAMES],
            ngettext("and %(more)s more", "and %(more)s more", more) % {"more": more},
        ]
    return ", ".join(listed)
