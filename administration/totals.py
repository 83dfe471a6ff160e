"""Totals of large tables, kept for a minute: counting them at each request takes longer the larger
the site is. The largest ones are the estimates of PostgreSQL, which counts nothing for them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from time import monotonic
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

# Smaller totals are counted each time.
LARGE = 2_000
# Larger ones are estimated, to two digits, if the database can do that.
ESTIMATED = 100_000
# Seconds for which a process keeps a larger one, and how many of them.
KEPT_FOR = 60
MOST = 200

_kept: dict[Hashable, tuple[float, int]] = {}


class Estimate(int):
    """A number that is not exact, which pages show as such: “about 200,000”."""

    def __str__(self) -> str:
        return _("about %(number)s") % {
            "number": number_format(int(self), use_l10n=True, force_grouping=True)
        }


def count(rows: QuerySet[Any], key: Hashable) -> int:
    """Return the number of rows, at most a minute old if it is large, and an Estimate if it is very
    large. ``key``: identifies the query. At most two queries."""
    now, known = monotonic(), _kept.get(key)
    if known is not None and now - known[0] < KEPT_FOR:
        return known[1]
    plain = rows.order_by()
    found = estimate(plain)
    if found < ESTIMATED:
        found = plain.count()
    _kept.pop(key, None)
    if found >= LARGE:
        while len(_kept) >= MOST:
            _kept.pop(next(iter(_kept)), None)
        _kept[key] = now, found
    return found


def estimate(rows: QuerySet[Any]) -> int:
    """Return the number of rows that PostgreSQL expects, with two digits that count; 0 on SQLite,
    which expects none. One query."""
    if connection.vendor != "postgresql":
        return 0
    try:
        (plan,) = json.loads(rows.values("pk").explain(format="json"))
    except EmptyResultSet:
        return 0
    number = int(plan["Plan"]["Plan Rows"])
    return Estimate(round(number, 2 - len(str(number))))


class TotalsPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of a query with its total as by ``count``. ``key``: as there."""

    def __init__(self, rows: QuerySet[Any], per_page: int, key: Hashable) -> None:
        super().__init__(rows, per_page)
        self._rows, self._key = rows, key

    @cached_property
    def count(self) -> int:
        """The number of rows on all pages."""
        return count(self._rows, self._key)
