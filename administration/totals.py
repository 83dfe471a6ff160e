"""Totals of large tables, kept for a minute: counting them at each request takes longer the larger
the site is. The largest ones are the estimates of PostgreSQL, which counts nothing for them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from math import ceil
from time import monotonic
from typing import Any

from django.core.paginator import Page, Paginator
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
# Numbers of pages behind this one are mistakes, and too large for a database.
MOST_PAGES = 10**9

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
    explained = rows.values("pk").explain(format="json")
    if not explained:
        # Django knows that no row matches, and asks no database.
        return 0
    (plan,) = json.loads(explained)
    number = int(plan["Plan"]["Plan Rows"])
    return Estimate(round(number, 2 - len(str(number))))


class TotalsPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of a query with its total as by ``count``. ``key``: as there.

    The total may be an estimate, or older than the rows. So the rows decide whether a page has a
    next one, and a page behind the last one shows the last one.
    """

    def __init__(self, rows: QuerySet[Any], per_page: int, key: Hashable) -> None:
        super().__init__(rows, per_page)
        self._rows, self._key = rows, key

    @cached_property
    def count(self) -> int:
        """The number of rows on all pages, corrected by the pages that were read."""
        return count(self._rows, self._key)

    @property
    def num_pages(self) -> int:
        """The number of pages, at least 1."""
        return max(1, ceil(self.count / self.per_page))

    def validate_number(self, number: Any) -> int:
        """Return the number of a page, which may be behind the last one. Raises InvalidPage."""
        return self._validate_number(number, MOST_PAGES)  # type: ignore[attr-defined, no-any-return]

    def page(self, number: Any) -> Page[Any]:
        """Return a page, or the last one if it has no rows. One query; three where the total was
        too high. Raises InvalidPage."""
        number = self.validate_number(number)
        before = (number - 1) * self.per_page
        rows = list(self._rows[before : before + self.per_page + 1])
        known = before + len(rows)
        if not rows and number > 1:
            self.count = self._rows.order_by().count()
            return self.page(min(number - 1, self.num_pages))
        if len(rows) <= self.per_page:
            self.count = known
        elif self.count < known:
            self.count = type(self.count)(known)
        return self._get_page(rows[: self.per_page], number, self)  # type: ignore[attr-defined, no-any-return]

    def get_elided_page_range(self, number: Any = 1, **options: Any) -> Iterator[str | int]:
        """Return the numbers of the pages to link to, around ``number`` or the last page."""
        return super().get_elided_page_range(min(int(number), self.num_pages), **options)
