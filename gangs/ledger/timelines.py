"""Timelines: what a gang's entries tell is stored with its snapshot, in one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from gangs.engine.entries import Entry
from gangs.engine.roster import Roster
from gangs.engine.timeline import GangTimeline, LedgerLine, replay, tells
from gangs.ledger.storage import dump_stored, read_entries, stored_book
from gangs.models import Gang, StoredEntry, Timeline


def keep(gang: Gang, roster: Roster, appended: Sequence[Entry] | None = None) -> None:
    """Bring the stored timeline up to date with the gang's entries, which fold to ``roster``.

    ``appended``: the entries that are new, if nothing but that has changed. A gang that has not
    played has nothing to tell, so building one costs nothing here, nor does a change between two
    games that nobody would tell of.
    """
    if appended is not None and not (roster.playing and any(map(tells, appended))):
        return
    if not roster.playing:
        Timeline.objects.filter(gang=gang).delete()
        return
    Timeline.objects.bulk_create(
        [Timeline(gang=gang, data=dump_stored(replay_timeline(gang)[1]))],
        update_conflicts=True,
        unique_fields=["gang"],
        update_fields=["data"],
    )


def lines(gang: Gang, entries: QuerySet[StoredEntry]) -> list[LedgerLine]:
    """Some of the gang's entries, each as if it had always been so: what stands in the place of
    something else happened when that did, and along with it, however much later somebody put it
    right. Two queries at most."""
    found = [
        (seq, LedgerLine(place, number, entry, at, str(batch)))
        for entry, seq, place, number, at, batch in read_entries(
            entries, "seq", "place", "number", "at", "batch"
        )
    ]
    moved = {line.place for seq, line in found if line.place != seq}
    rows = gang.entries.filter(seq__in=moved) if moved else StoredEntry.objects.none()
    first = {seq: (at, str(batch)) for seq, at, batch in rows.values_list("seq", "at", "batch")}
    return [
        line._replace(at=first[line.place][0], batch=first[line.place][1])
        if line.place in first
        else line
        for _seq, line in found
    ]


def replay_timeline(gang: Gang) -> tuple[Roster, GangTimeline]:
    """The gang's roster and its timeline, worked out from its entries. Raises Misfit if they do not
    fold."""
    return replay(gang.first_book, lines(gang, gang.entries.live()), stored_book)


def load_timelines(gangs: Iterable[Gang]) -> dict[uuid.UUID, GangTimeline]:
    """The timelines of all these gangs as they are stored, by gang: one query, and no snapshots."""
    gangs = list(gangs)
    timelines = {gang.pk: GangTimeline() for gang in gangs}
    rows = Timeline.objects.filter(gang__in=gangs)
    timelines.update((row.gang_id, GangTimeline.model_validate_json(row.data)) for row in rows)
    return timelines
