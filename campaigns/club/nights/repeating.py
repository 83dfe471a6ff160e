"""The days of nights that repeat. Makes no query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

Every = Literal["week", "fortnight", "month"]
# Schedule at most this many nights in one go.
MOST = 26


def days(first: date, every: Every, times: int) -> list[date]:
    """The days of ``times`` nights, starting with ``first``. Monthly nights keep their weekday,
    such as the second Friday; a fifth Friday becomes the last where a month has only four."""
    if every == "month":
        return [_in_month(first, number) for number in range(times)]
    step = timedelta(weeks=1 if every == "week" else 2)
    return [first + number * step for number in range(times)]


def _in_month(first: date, number: int) -> date:
    """The same weekday of the month as ``first``, ``number`` months later."""
    months = first.year * 12 + first.month - 1 + number
    opening = date(months // 12, months % 12 + 1, 1)
    weekday = opening + timedelta((first.weekday() - opening.weekday()) % 7)
    found = weekday + timedelta(weeks=(first.day - 1) // 7)
    return found if found.month == opening.month else found - timedelta(weeks=1)


def find_rhythm(held: Sequence[date]) -> Every | None:
    """How nights on these days, given in order, usually repeat; None if they do not."""
    gaps = Counter(_name_gap((later - day).days) for day, later in pairwise(held))
    usual, times = max(gaps.items(), key=lambda gap: gap[1], default=(None, 0))
    return usual if 2 * times >= gaps.total() else None


def _name_gap(days: int) -> Every | None:
    """The rhythm of two nights that are this many days apart."""
    rhythms: dict[Every, range] = {
        "week": range(6, 9),
        "fortnight": range(12, 17),
        "month": range(26, 37),
    }
    return next((every for every, gaps in rhythms.items() if days in gaps), None)


def after(last: date, today: date) -> date:
    """A good day for the next night: the weekday of the ``last``, at least a week later and not
    before ``today``."""
    return last + timedelta(weeks=max(1, -((last - today).days // 7)))
