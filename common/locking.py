"""The optimistic lock: a row is written only if it is still as it was seen."""

from __future__ import annotations

from typing import Any

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
    """Write ``values`` to a row and count the change, if its ``counter`` still says ``expected``.

    The update is the lock: of two that saw the same, one changes the row and the other none, on
    every database. ``rows``: a model, or a query that the row must be found by as well. One query;
    objects that were read before are not changed. Raises Stale if there is no such row.
    """
    query = rows if isinstance(rows, QuerySet) else rows._default_manager.all()
    unchanged = query.filter(pk=pk, **{counter: expected})
    if not unchanged.update(**{counter: expected + 1}, **values):
        raise Stale
