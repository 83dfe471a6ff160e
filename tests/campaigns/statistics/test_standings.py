"""Standings: places, ties and measures."""

from __future__ import annotations

from campaigns.engine.report import TAKEN_OUT, Report
from campaigns.statistics.standings import Row, standings
from gangs.engine.roster import Roster
from rules.book.model import Book
from tests.world.campaigns import make_situation
from tests.world.pasts import a_row


def line(book: Book, name: str, *games: tuple[str, str], rating: int = 10, out: int = 0) -> Row:
    report = Report(counts={TAKEN_OUT: {1: out}})
    game_reports = [make_situation(Roster(), result, side, report=report) for result, side in games]
    return a_row(book, book.default_settings(), name, name, rating, *game_reports)


def test_money_comes_first_when_the_rulebook_demands_it(gold: Book) -> None:
    rows = standings(
        gold,
        [
            line(gold, "poor", ("inglorious", "winner")),
            line(gold, "rich", ("crushing", "winner"), ("crushing", "loser")),
            line(gold, "new"),
        ],
    )
    assert [(row.name, row.place, row.money) for row in rows] == [
        ("rich", 1, 5),
        ("poor", 2, 2),
        ("new", 3, 0),
    ]
    assert (rows[0].played, rows[0].won, rows[0].lost) == (2, 1, 1)


def test_equal_gangs_share_a_place_and_the_next_place_is_skipped(points: Book) -> None:
    rows = standings(
        points,
        [
            line(points, "b", ("victory", "winner")),
            line(points, "A", ("victory", "winner")),
            line(points, "c", ("victory", "loser")),
        ],
    )
    assert [(row.name, row.place, row.shared) for row in rows] == [
        ("A", 1, True),
        ("b", 1, True),
        ("c", 3, False),
    ]


def test_standings_use_the_next_measure_to_break_a_tie(points: Book) -> None:
    rows = standings(
        points,
        [
            line(points, "calm", ("victory", "winner")),
            line(points, "fierce", ("victory", "winner"), out=3),
            line(points, "grand", ("victory", "winner"), rating=11),
        ],
    )
    assert [row.name for row in rows] == ["grand", "fierce", "calm"]


def test_standings_are_empty_without_gangs(gold: Book) -> None:
    assert standings(gold, []) == []
