"""Totals of large tables, which are kept for a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from accounts.models import User
from administration import totals

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The seconds of the clock, with no totals kept."""
    now = [1000.0]
    monkeypatch.setattr(totals, "monotonic", lambda: now[0])
    totals._kept.clear()
    yield now
    totals._kept.clear()


def add(number: int) -> None:
    User.objects.bulk_create(User(username=f"{User.objects.count()}-{n}") for n in range(number))


def count() -> int:
    return totals.count(User.objects.all(), "accounts")


def test_small_total_is_counted_each_time(clock: list[float]) -> None:
    add(3)
    assert count() == 3
    add(1)
    assert count() == 4


def test_large_total_is_counted_once_in_a_minute(
    clock: list[float],
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Callable[..., object],
) -> None:
    monkeypatch.setattr(totals, "LARGE", 3)
    add(3)
    assert count() == 3
    add(2)
    clock[0] += totals.KEPT_FOR - 1
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        assert count() == 3
    clock[0] += 2
    assert count() == 5


def test_number_of_kept_totals_is_limited(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "LARGE", 0)
    for number in range(totals.MOST + 5):
        totals.count(User.objects.all(), number)
    assert len(totals._kept) == totals.MOST


def test_pages_of_a_list_use_the_kept_total(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "LARGE", 1)
    add(5)
    rows = User.objects.order_by("pk")
    assert totals.TotalsPaginator(rows, 2, "list").num_pages == 3
    add(4)
    assert totals.TotalsPaginator(rows, 2, "list").num_pages == 3
    assert totals.TotalsPaginator(rows, 2, "another list").num_pages == 5


def test_very_large_total_is_an_estimate_and_says_so(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        assert totals.estimate(User.objects.all()) == 0
        return
    monkeypatch.setattr(totals, "ESTIMATED", 1)
    add(123)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_user")
    assert count() == 120 and str(count()) == "about 120"
    assert str(totals.Estimate(200_000)) == "about 200,000"
    assert totals.TotalsPaginator(User.objects.order_by("pk"), 50, "list").num_pages == 3
