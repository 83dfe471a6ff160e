"""A table's log with what it folds to, read and worked out once in a process for everybody who
looks at it between two taps."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.models import Table
from campaigns.table import storage
from campaigns.table.fold import fold
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import Logged
from common.cache import Cache

# Whoever looks at a table comes within seconds of a tap, so a few tables are enough; a log that no
# evening brings together is not kept.
MOST_TABLES = 16
LONGEST = 1_000


@dataclass(frozen=True)
class Folded:
    """A table before the first tap, its log in the order of arrival, and as it stands."""

    start: Start
    log: tuple[Logged, ...]
    now: TableNow


_kept: Cache[Folded] = Cache(MOST_TABLES)


def folded(table: Table) -> Folded:
    """The log as it is, at least up to the tap that ``table`` knows of. One query if anything was
    told since this process looked last: rows of a log are never changed."""
    if table.seq > LONGEST:
        return _read(table)
    return _kept.get(table.pk, (table.seq, table.changed_at), lambda _before: _read(table))


def _read(table: Table) -> Folded:
    start, log = storage.start_of(table), tuple(storage.log_of(table))
    return Folded(start, log, fold(start, log))
