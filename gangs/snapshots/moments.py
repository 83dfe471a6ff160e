"""The time machine: a gang as it was after any of its games, or at the end of any day.

A moment is a place in the ledger: the gang at that moment is the fold of the entries up to there. A
correction takes the place of the entries that it corrects, as if it had always been there.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.dates import date_format
from gangs.engine.entries import Founded, Played
from gangs.ledger.storage import dump_stored, roster_at
from gangs.ledger.timelines import lines
from gangs.models import Gang, GangView


@dataclass(frozen=True)
class Stop:
    """A moment with a name. ``game``: the number of the game; ``title``: the names of its sides."""

    place: int
    kind: Literal["founded", "before", "after", "today"]
    at: datetime.datetime
    game: int = 0
    title: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "founded":
                return _("When it was created")
            case "before":
                return _("Before game %(game)s, %(title)s") % vars(self)
            case "after":
                return _("After game %(game)s, %(title)s") % vars(self)
        return _("Today")

    @property
    def day(self) -> str:
        """The day of the moment, in the reader's language."""
        return date_format(timezone.localtime(self.at), "j N Y")


@dataclass(frozen=True)
class Gap:
    """A place in a gang's ledger, with the stops around it. ``at``: the time of the entry there."""

    place: int
    at: datetime.datetime
    here: Stop | None
    previous: Stop | None
    following: Stop | None

    def __str__(self) -> str:
        if self.here is None:
            when = date_format(timezone.localtime(self.at), "j N Y, H:i")
            return _("As it was on %(when)s") % {"when": when}
        return f"{self.here} ({self.here.day})"


def stops(gang: Gang) -> list[Stop]:
    """The named moments of a gang, in order; of several at one place only the first."""
    live = gang.entries.live()
    last = live.last()
    if last is None:
        return []
    marks = lines(gang, live.filter(kind__in=(Founded.kind, Played.kind)))
    together = live.filter(batch__in=[mark.batch for mark in marks]).order_by()
    by_batch = together.values_list("batch").annotate(end=Max("place"))
    ends = {str(batch): end for batch, end in by_batch}
    found = []
    game = 0
    for mark in marks:
        end = ends[mark.batch]
        if not isinstance(mark.entry, Played):
            found.append(Stop(end, "founded", mark.at))
            continue
        game += 1
        title = mark.entry.title
        found.append(Stop(mark.place - 1, "before", mark.at, game, title))
        found.append(Stop(end, "after", mark.at, game, title))
    found.append(Stop(last.place, "today", last.at))
    by_place = {stop.place: stop for stop in reversed(found)}
    return [by_place[place] for place in sorted(by_place)]


def gap(gang: Gang, place: int, named: list[Stop]) -> Gap | None:
    """The gap at ``place`` among ``named``, the stops of the gang; None if the gang did not exist
    yet, or if its ledger does not reach that far."""
    if place > gang.last_seq:
        return None
    reached = lines(gang, gang.entries.live().filter(place__lte=place).reverse()[:1])
    if not reached:
        return None
    last = reached[0].place
    return Gap(
        place=place,
        at=reached[0].at,
        here=next((stop for stop in named if stop.place == last), None),
        previous=next((stop for stop in reversed(named) if stop.place < last), None),
        following=next((stop for stop in named if stop.place > last), None),
    )


def place_on(gang: Gang, day: datetime.date) -> int | None:
    """The last place of the ledger at the end of a day; None if the gang was founded later.

    A later correction counts at its place in the ledger, not at the time when it was made.
    """
    if day >= timezone.localdate():
        return gang.last_seq
    night = datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time())
    written = gang.entries.filter(added_by=None, at__lt=timezone.make_aware(night))
    last = written.order_by("seq").last()
    return None if last is None else last.seq


def view_at(gang: Gang, place: int) -> GangView:
    """The gang as it was at ``place``, with its present pictures."""
    roster = roster_at(gang, place)
    version = roster.book or gang.founded_with_id
    return GangView(gang.pk, roster.name, version, dump_stored(roster), dict(gang.pictures))
