"""A table's log with what it folds to, read and worked out once in a process for everybody who
looks at it between two taps, and folded on from there when there is another."""

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
    """The log as it is, at least up to the tap that ``table`` knows of. One query if anything was
    told since this process looked last: rows of a log are never changed."""
    found = _kept.get(table.pk, (table.seq, table.changed_at), lambda before: _read(table, before))
    _let_go()
    return found


def _read(table: Table, before: Folded | None) -> Folded:
    if before is not None and before.log:
        last = before.log[-1]
        rows = storage.log_of(table, since=last.seq - 1)
        # Of a database that somebody has put back, nothing is gone on from.
        if rows[:1] == [last]:
            return before.go_on(rows[1:])
    return begin(start_of(table)).go_on(storage.log_of(table))


def _let_go() -> None:
    """Keep no more taps than fit: the tables that nobody has asked for longest go first."""
    with _kept.lock:
        taps = sum(len(found.log) for _state, found in _kept.kept.values())
        while taps > MOST_KEPT and len(_kept.kept) > 1:
            _key, (_state, found) = _kept.kept.popitem(last=False)
            taps -= len(found.log)
