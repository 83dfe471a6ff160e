"""Folded logs of tables, kept in each process.

All readers between two taps share one fold; the next tap is folded on the last state. ``Folded``
goes back by itself if a tap belongs to an earlier place or changes what is struck.
"""

from __future__ import annotations

from campaigns.models import Table
from campaigns.table import storage
from campaigns.table.fold import Folded, begin
from campaigns.table.people import start_of
from common.cache import Cache

# Without the cache, a tap at a long table costs every process 100 ms for each 1,000 taps before it.
# All tables together keep this many taps, of about 1 KB each: forty tables with 1,200 taps, and
# 50 MB at most.
MOST_TABLES = 64
MOST_KEPT = 50_000


_kept: Cache[Folded] = Cache(MOST_TABLES)


def fold_table(table: Table) -> Folded:
    """Return the log with its fold, at least up to the last tap that ``table`` knows. One query if
    there are new taps: the rows of a log never change."""
    found = _kept.get(table.pk, (table.seq, table.changed_at), lambda before: _read(table, before))
    _let_go()
    return found


def _read(table: Table, before: Folded | None) -> Folded:
    if before is not None and before.log:
        last = before.log[-1]
        rows = storage.log_of(table, since=last.seq - 1)
        # A restored database has other taps: then the whole log is folded.
        if rows[:1] == [last]:
            return before.go_on(rows[1:])
    return begin(start_of(table)).go_on(storage.log_of(table))


def _let_go() -> None:
    """Drop the least recently used tables until the taps of the others fit."""
    with _kept.lock:
        taps = sum(len(found.log) for _state, found in _kept.kept.values())
        while taps > MOST_KEPT and len(_kept.kept) > 1:
            _key, (_state, found) = _kept.kept.popitem(last=False)
            taps -= len(found.log)
