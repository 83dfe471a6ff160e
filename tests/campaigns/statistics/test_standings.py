"""Standings: places, ties and what counts."""

from __future__ import annotations

from campaigns.situation import TAKEN_OUT, Report
from campaigns.standings import Record, standings
from gangs.roster import Roster
from rules.book import Book
from tests.campaigns.making import make_situation


def record(name: str, *games: tuple[str, str], rating: int = 10, out: int = 0) -> Record:
    report = Report(counts={TAKEN_OUT: {1: out}})
    situations = [make_situation(Roster(), result, side, report=report) for result, side in games]
    return Record(name, name, rating, tuple(situations))


def test_money_comes_first_where_the_rulebook_says_so(gold: Book) -> None:
    rows = standings(
        gold,
        gold.default_settings(),
        [
            record("poor", ("inglorious", "winner")),
            record("rich", ("crushing", "winner"), ("crushing", "loser")),
            record("new"),
        ],
    )
    assert [(row.name, row.place, row.money) for row in rows] == [
        ("rich", 1, 5),
        ("poor", 2, 2),
        ("new", 3, 0),
    ]
    assert (rows[0].played, rows[0].won, rows[0].lost) == (2, 1, 1)


def test_equals_share_a_place_and_the_next_is_left_out(points: Book) -> None:
    rows = standings(
        points,
        points.default_settings(),
        [
            record("b", ("victory", "winner")),
            record("A", ("victory", "winner")),
            record("c", ("victory", "loser")),
        ],
    )
    assert [(row.name, row.place, row.shared) for row in rows] == [
        ("A", 1, True),
        ("b", 1, True),
        ("c", 3, False),
    ]


def test_the_next_measure_decides(points: Book) -> None:
    rows = standings(
        points,
        points.default_settings(),
        [
            record("calm", ("victory", "winner")),
            record("fierce", ("victory", "winner"), out=3),
            record("grand", ("victory", "winner"), rating=11),
        ],
    )
    assert [row.name for row in rows] == ["grand", "fierce", "calm"]


def test_nobody(gold: Book) -> None:
    assert standings(gold, gold.default_settings(), []) == []
