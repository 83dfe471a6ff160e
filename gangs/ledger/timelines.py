"""Keeping stories: what a gang's entries tell is stored with its snapshot, in one transaction."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gangs.entries import Entry
from gangs.models import Gang, StoredEntry
from gangs.models import Story as StoredStory
from gangs.roster import Roster
from gangs.stored import read, stored_book
from gangs.story import Line, Story, story, tells


def keep(gang: Gang, roster: Roster, appended: Sequence[Entry] | None = None) -> None:
    """Bring the kept story up to date with the gang's entries, which fold to ``roster``.

    ``appended``: the entries that are new, if nothing but that has changed. A gang that has not
    played has nothing to tell, so building one costs nothing here, nor does a change between two
    games that nobody would tell of.
    """
    if appended is not None and not (roster.playing and any(map(tells, appended))):
        return
    if not roster.playing:
        StoredStory.objects.filter(gang=gang).delete()
        return
    StoredStory.objects.bulk_create(
        [StoredStory(gang=gang, data=dumped(told(gang)))],
        update_conflicts=True,
        unique_fields=["gang"],
        update_fields=["data"],
    )


def lines(gang: Gang) -> list[Line]:
    """The entries of the gang that stand, in order."""
    return [
        Line(row.place, row.number, read(row), at, str(batch))
        for row, at, batch in dated(gang, list(gang.entries.live()))
    ]


class Dated(NamedTuple):
    """An entry with when it happened, and along with what."""

    row: StoredEntry
    at: datetime.datetime
    batch: uuid.UUID


def dated(gang: Gang, rows: Sequence[StoredEntry]) -> list[Dated]:
    """These entries, each as if it had always been so: what stands in the place of something else
    happened when that did, and along with it, however much later somebody put it right."""
    moved = {row.place for row in rows if row.place != row.seq}
    first = {row.seq: row for row in gang.entries.filter(seq__in=moved)} if moved else {}
    found = ((row, first.get(row.place, row)) for row in rows)
    return [Dated(row, original.at, original.batch) for row, original in found]


def told(gang: Gang) -> Story:
    """The gang's story, worked out from its entries. Raises Misfit if they do not fold."""
    return story(gang.first_book, lines(gang), stored_book)


def kept(gangs: Iterable[Gang]) -> dict[uuid.UUID, Story]:
    """The stories of all these gangs as they are stored, by gang: one query, and no snapshots."""
    gangs = list(gangs)
    stories = {gang.pk: Story() for gang in gangs}
    rows = StoredStory.objects.filter(gang__in=gangs)
    stories.update((row.gang_id, Story.model_validate_json(row.data)) for row in rows)
    return stories


def dumped(told: Story) -> str:
    """A story as it is stored."""
    return told.model_dump_json(exclude_defaults=True)
