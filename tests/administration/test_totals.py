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


def test_total_of_a_query_that_matches_nothing_is_0(clock: list[float]) -> None:
    """Django finds that out itself, so PostgreSQL explains nothing."""
    add(3)
    for rows in (User.objects.none(), User.objects.filter(pk__in=[])):
        assert totals.count(rows, "nothing") == 0


def kept_pages(total: int, key: str = "list") -> totals.TotalsPaginator:
    """Pages of all accounts, 2 on each, with this wrong total."""
    totals._kept[key] = totals.monotonic(), totals.Estimate(total)
    return totals.TotalsPaginator(User.objects.order_by("pk"), 2, key)


def test_pages_lead_to_all_rows_when_the_total_is_too_low(clock: list[float]) -> None:
    add(7)
    found, number, has_next = [], 0, True
    while has_next:
        number += 1
        page = kept_pages(2).get_page(number)
        found += [user.pk for user in page]
        has_next = page.has_next()
    assert found == list(User.objects.order_by("pk").values_list("pk", flat=True))
    assert [*kept_pages(2).get_elided_page_range(1)] == [1]
    pages = kept_pages(2)
    pages.page(3)
    assert [*pages.get_elided_page_range(3)] == [1, 2, 3, 4]


@pytest.mark.parametrize("number", ["3", "40", "-1", str(10**30)])
def test_page_behind_the_last_one_is_the_last_one_when_the_total_is_too_high(
    clock: list[float], number: str
) -> None:
    add(5)
    pages = kept_pages(5_000)
    page = pages.get_page(number)
    assert (page.number, len(page), page.has_next(), pages.count) == (3, 1, False, 5)
    assert [*pages.get_elided_page_range(abs(int(number)))] == [1, 2, 3]


def test_page_without_any_rows_is_the_first_one(clock: list[float]) -> None:
    pages = kept_pages(5_000)
    page = pages.get_page(7)
    assert (page.number, len(page), page.has_next(), pages.count) == (1, 0, False, 0)


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
