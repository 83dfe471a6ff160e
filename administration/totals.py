"""Totals of large tables, kept for a minute: counting them at each request takes longer the larger
the site is.
"""

from __future__ import annotations

from collections.abc import Hashable
from time import monotonic
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

# Smaller totals are counted each time.
LARGE = 2_000
# Seconds for which a process keeps a larger one, and how many of them.
KEPT_FOR = 60
MOST = 200

_kept: dict[Hashable, tuple[float, int]] = {}


def count(rows: QuerySet[Any], key: Hashable) -> int:
    """Return the number of rows, at most a minute old if it is large. ``key``: identifies the
    query. At most one query."""
    now, known = monotonic(), _kept.get(key)
    if known is not None and now - known[0] < KEPT_FOR:
        return known[1]
    found = rows.order_by().count()
    _kept.pop(key, None)
    if found >= LARGE:
        while len(_kept) >= MOST:
            _kept.pop(next(iter(_kept)), None)
        _kept[key] = now, found
    return found


class TotalsPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of a query with its total kept for a minute. ``key``: as in ``count``."""

    def __init__(self, rows: QuerySet[Any], per_page: int, key: Hashable) -> None:
        super().__init__(rows, per_page)
        self._rows, self._key = rows, key

    @cached_property
    def count(self) -> int:
        """The number of rows on all pages."""
        return count(self._rows, self._key)
