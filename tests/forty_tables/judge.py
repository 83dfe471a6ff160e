"""Compares the log of a table with the taps of its phones, and with all screens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import cast
from uuid import UUID

from campaigns.models import Table, TableEntry
from campaigns.table import people, storage
from campaigns.table.access import TableSeat
from campaigns.table.board import Board
from campaigns.table.fold import begin, fold
from campaigns.table.pages import table_page
from campaigns.table.people import Names
from campaigns.table.taps import TAPS
from tests.campaigns.table.nights import Row
from tests.forty_tables.served import Seated

# The mistakes, by kind.
Wrong = tuple[str, str]


def wrong(seated: Seated) -> Iterator[Wrong]:
    """Return taps that are lost, doubled, changed, without a phone, or different on a screen, with
    the table.
    """
    table = Table.objects.get(pk=seated.table.pk)
    rows = list(TableEntry.objects.filter(table=table).order_by("seq"))
    yield from _of_the_log(table, rows, seated)
    yield from _of_screens(table, seated)


def _of_the_log(table: Table, rows: list[TableEntry], seated: Seated) -> Iterator[Wrong]:
    refused = {name for phone in seated.phones for name in phone.refused}
    made: dict[tuple[str, int], Row] = {
        (phone.device, n): row for phone in seated.phones for n, row in phone.made.items()
    }
    there: dict[tuple[str, int], TableEntry] = {}
    for row in rows:
        key = (str(row.device), row.device_seq)
        if key in there:
            yield "doubled", f"{table.pk}: {key} is number {there[key].seq} and {row.seq}"
        there[key] = row
        if key not in made:
            yield "of nobody", f"{table.pk}: number {row.seq} is {key}"
        elif not _is_the_same(made[key], row):
            yield "changed", f"{table.pk}: {made[key]} is stored as {row.kind} {row.data}"
    for key in made.keys() - there.keys():
        if f"{key[0]} {key[1]}" not in refused:
            yield "lost", f"{table.pk}: {made[key]}"
    numbers = [row.seq for row in rows]
    if numbers != [*range(1, table.seq + 1)]:
        yield "of nobody", f"{table.pk}: the log has {len(numbers)} of {table.seq} numbers"


def _is_the_same(made: Row, row: TableEntry) -> bool:
    """Whether the log has a tap as the phone made it. The site may store more details than were
    sent.
    """
    stored = TAPS.validate_python({**row.data, "kind": row.kind}).model_dump(mode="json")
    said = TAPS.validate_python(made["tap"]).model_dump(mode="json", exclude_unset=True)
    return (
        said == {name: stored.get(name) for name in said}
        and UUID(made["act"]) == row.act
        and (made["after"], made["at"], made["turn"]) == (row.after, row.at, row.turn)
    )


def _of_screens(table: Table, seated: Seated) -> Iterator[Wrong]:
    """Check that every phone shows the fold of the log, in any order of arrival."""
    start, log = people.start_of(table), storage.log_of(table)
    folded = begin(start).go_on(log)
    mixed = list(log)
    Random(str(table.pk)).shuffle(mixed)
    if fold(start, mixed) != folded.now:
        yield "different screens", f"{table.pk}: the order of arrival makes a difference"
    seat = TableSeat(table, taps=False, device=UUID(int=0), user=None, guest="")
    board = Board(seat, folded, cast("Names", None), frozenset())
    state = json.loads(json.dumps(table_page.state(board)))
    for phone in seated.everybody:
        if phone.state != state:
            seq = phone.state["seq"]
            yield "different screens", f"{table.pk}: a phone at {seq} of {state['seq']} differs"
        if phone.outbox:
            yield "lost", f"{table.pk}: {len(phone.outbox)} taps are still in an outbox"
