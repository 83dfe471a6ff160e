"""Nights that repeat: on which days. No query."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

Every = Literal["week", "fortnight", "month"]
# So many nights at once, no more.
MOST = 26


def days(first: date, every: Every, times: int) -> list[date]:
    """The days of so many nights, ``first`` among them. By the month: always on the same weekday of
    it, such as the second Friday; the fifth is the last where there are only four."""
    match every:
        case "week":
            return [first + timedelta(weeks=number) for number in range(times)]
        case "fortnight":
            return [first + timedelta(weeks=2 * number) for number in range(times)]
        case "month":
            return [_in_month(first, number) for number in range(times)]


def _in_month(first: date, number: int) -> date:
    """The day in the month ``number`` months later that stands where ``first`` does in its own."""
    months = first.year * 12 + first.month - 1 + number
    opening = date(months // 12, months % 12 + 1, 1)
    weekday = opening + timedelta((first.weekday() - opening.weekday()) % 7)
    found = weekday + timedelta(weeks=(first.day - 1) // 7)
    return found if found.month == opening.month else found - timedelta(weeks=1)


def after(last: date, today: date) -> date:
    """A good day for the next night: the weekday of the last, a week later or once that is to
    come."""
    weeks = max(1, -((last - today).days // 7)) if last < today else 1
    return last + timedelta(weeks=weeks)
