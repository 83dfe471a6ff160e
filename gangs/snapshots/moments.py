"""The time machine: a gang as it stood after any of its games, or at the end of any day.

A moment is a place in the ledger: the gang as of it is what the entries up to there fold to. A
correction stands where what it corrects stood, so it is as if it had always been so.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from django.db.models import Max
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from gangs.journal import dumped, roster_at
from gangs.models import Gang
from gangs.stories import dated


@dataclass(frozen=True)
class Stop:
    """A moment that has a name. ``game``: the number of the game, ``title``: between whom."""

    place: int
    kind: Literal["founded", "before", "after", "today"]
    at: datetime.datetime
    game: int = 0
    title: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "founded":
                return _("When it was founded")
            case "before":
                return _("Before game %(game)s, %(title)s") % self._values()
            case "after":
                return _("After game %(game)s, %(title)s") % self._values()
        return _("Today")

    def _values(self) -> dict[str, object]:
        return {"game": self.game, "title": self.title}

    @property
    def day(self) -> str:
        """When it was, for the reader."""
        return _day(self.at)


@dataclass(frozen=True)
class Gap:
    """A place in a gang's ledger among its stops. ``at``: when what stands there was done."""

    place: int
    at: datetime.datetime
    here: Stop | None
    previous: Stop | None
    following: Stop | None

    def __str__(self) -> str:
        if self.here is None:
            when = date_format(timezone.localtime(self.at), "j N Y, H:i")
            return _("As it stood from %(when)s") % {"when": when}
        return f"{self.here} ({self.here.day})"


def _day(at: datetime.datetime) -> str:
    return date_format(timezone.localtime(at), "j N Y")


def stops(gang: Gang) -> list[Stop]:
    """The moments of a gang that have a name, in order; one that is another's, too, only once."""
    live = gang.entries.live()
    marks = list(live.filter(kind__in=("founded", "played")))
    ends = dict(
        live.filter(batch__in=[mark.batch for mark in marks])
        .order_by()
        .values_list("batch")
        .annotate(end=Max("place"))
    )
    last = live.last()
    if last is None:
        return []
    found = []
    game = 0
    for mark, at, _batch in dated(gang, marks):
        if mark.kind == "founded":
            found.append(Stop(ends[mark.batch], "founded", at))
            continue
        game += 1
        title = mark.data["title"]
        found.append(Stop(mark.place - 1, "before", at, game, title))
        found.append(Stop(ends[mark.batch], "after", at, game, title))
    found.append(Stop(last.place, "today", last.at))
    by_place: dict[int, Stop] = {}
    for stop in found:
        by_place.setdefault(stop.place, stop)
    return sorted(by_place.values(), key=lambda stop: stop.place)


def gap(gang: Gang, place: int, named: list[Stop]) -> Gap | None:
    """Where ``place`` is among ``named``, the stops of the gang; None if there was no gang yet, or
    if nothing has been written that far."""
    if place > gang.last_seq:
        return None
    reached = gang.entries.live().filter(place__lte=place).last()
    if reached is None:
        return None
    return Gap(
        place=place,
        at=dated(gang, [reached])[0].at,
        here=next((stop for stop in named if stop.place == reached.place), None),
        previous=next((stop for stop in reversed(named) if stop.place < reached.place), None),
        following=next((stop for stop in named if stop.place > reached.place), None),
    )


def place_on(gang: Gang, day: datetime.date) -> int | None:
    """How far the ledger had come at the end of a day; None if the gang was not founded by then.

    What was corrected since counts where it stands, not when it was corrected.
    """
    if day >= timezone.localdate():
        return gang.last_seq
    night = datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time())
    written = gang.entries.filter(added_by=None, at__lt=timezone.make_aware(night))
    last = written.order_by("seq").last()
    return None if last is None else last.seq


def stood(gang: Gang, place: int) -> Gang:
    """The gang as it stood at ``place``: to be looked at, never to be saved."""
    roster = roster_at(gang, place)
    return Gang(
        pk=gang.pk,
        owner_id=gang.owner_id,
        founded_with_id=gang.founded_with_id,
        book_version_id=roster.book or gang.founded_with_id,
        name=roster.name,
        size=len(roster.members),
        snapshot=dumped(roster),
        version=gang.version,
        last_seq=gang.last_seq,
        share_key=None,
        pictures=gang.pictures,
    )
