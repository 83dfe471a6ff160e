"""The optimistic lock: a row is written only if it has not changed since it was read. And a lock
for what has no row yet."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet

from common.errors import Stale


def update_if[M: Model](
    rows: type[M] | QuerySet[M],
    pk: object,
    expected: int,
    *,
    counter: str = "version",
    **values: Any,
) -> None:
    """Write ``values`` to a row and increment its ``counter`` if that still equals ``expected``.

    The update is the lock: of two writers that read the same version, only one changes the row, on
    every database. ``rows`` is a model, or a query that must also match the row. One query; objects
    in memory do not change. Raises Stale if no row matches.
    """
    query = rows if isinstance(rows, QuerySet) else rows._default_manager.all()
    unchanged = query.filter(pk=pk, **{counter: expected})
    if not unchanged.update(**{counter: expected + 1}, **values):
        raise Stale


def take_turn(what: str) -> None:
    """Let all other transactions that take a turn at ``what`` wait until this one ends, where no
    row can be the lock. Call it in a transaction; one query at most."""
    # SQLite lets only one transaction write at a time, and all of ours may write.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [what])
