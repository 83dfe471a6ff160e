"""Simulated fights: what they claim, what they leave open, and that they are the same each time."""

from __future__ import annotations

from random import Random

import pytest

from rules.book.model import Book
from rules.engine.duels import Arena, Share
from rules.engine.fairness import equal_sums, fairness, spread_points, typical_rank
from rules.engine.fairness_report import lines
from rules.engine.figure import Figure
from tests.make import shipped
from tests.rules.small import row, small


@pytest.fixture(scope="module")
def cran() -> Book:
    return shipped("cran")


def figure(rank: str, *items: str) -> Figure:
    return Figure(rank, rank, items=items)


def test_a_share_says_nothing_of_few_fights_or_of_even_ones() -> None:
    assert not Share(100, 90, 0).says_something
    assert not Share(1000, 500, 0).says_something
    assert not Share(1000, 480, 40).says_something
    assert Share(1000, 600, 0).says_something
    low, high = Share(1000, 600, 0).within
    # Wilson's interval for 600 of 1,000.
    assert (round(low, 3), round(high, 3)) == (0.569, 0.63)
    assert Share(10, 0, 0).within[0] == 0
    assert float(Share(10, 4, 2).share) == 0.5


def test_two_of_a_kind_win_as_often_as_each_other(cran: Book) -> None:
    arena = Arena(cran, cran.default_settings(), Random(3))
    one = figure("novice", "revolver")
    low, high = arena.fights([one], [one], 600).within
    assert low < 0.5 < high


def test_the_better_side_wins_more_often(cran: Book) -> None:
    arena = Arena(cran, cran.default_settings(), Random(3))
    hero, novice = figure("hero", "revolver"), figure("novice", "revolver")
    assert arena.fights([hero], [novice], 300).within[0] > 0.5
    assert arena.fights([novice] * 3, [hero], 300).within[0] > 0.5


@pytest.mark.parametrize(
    ("cost", "other", "sizes"),
    [(5, 5, (1, 1)), (10, 5, (1, 2)), (6, 4, (2, 3)), (0, 5, None), (5, 0, None), (90, 1, (1, 6))],
)
def test_sides_of_equal_sums(cost: int, other: int, sizes: tuple[int, int] | None) -> None:
    assert equal_sums(cost, other) == sizes


def test_points_are_spread_evenly() -> None:
    book = shipped("blackwater-gulch")
    leader = book.rank["leader"]
    points = spread_points(book, leader)
    assert sum(points.values()) == leader.points == 20
    assert max(points.values()) - min(points.values()) == 1


def test_the_typical_member_is_the_lowest_of_the_cheapest() -> None:
    book = shipped("zombstone")
    assert typical_rank(book, book.default_settings()).key == "figurant"
    book = shipped("blackwater-gulch")
    assert typical_rank(book, book.default_settings()).key == "henchman"


def test_the_same_seed_fights_the_same_fights(cran: Book) -> None:
    first, second = (fairness(cran, cran.default_settings(), 5, 7) for _ in range(2))
    assert first == second
    other = fairness(cran, cran.default_settings(), 5, 8)
    assert first != other


def test_the_report_claims_nothing_of_few_fights(cran: Book) -> None:
    told = [*lines(fairness(cran, cran.default_settings(), 5, 7), "cran")]
    assert told[0] == "cran: 5 fights each against Novice with Shotgun"
    assert told[-1] == "Nothing is claimed of fewer than 1000 fights."
    assert "Left out: movement, ranges, terrain" in told[1]
    assert [line.split()[0] for line in told if line.startswith(("Hero", "Veteran", "Novice"))] == [
        "Hero",
        "Veteran",
        "Novice",
    ]


def test_a_game_without_prices_or_without_fights_says_so() -> None:
    zombstone = shipped("zombstone")
    report = fairness(zombstone, zombstone.default_settings(), 1, 1)
    assert report is not None
    assert not report.has_prices
    assert "This game sells nothing" in "\n".join(lines(report, "zombstone"))
    peaceful = small(rolls=[], ranks=[row("fighter", price=5)])
    assert fairness(peaceful, {}, 1, 1) is None
    assert [*lines(None, "peace")] == ["peace: nothing in this rulebook can be fought with"]
