"""Rolls at the table that count for the report, in the tests' own game."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine.income import income
from campaigns.table.report import report_sides
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.loading.reader import BadBook
from tests.rules.small import small, told
from tests.world.attempts import Bout, figure, table
from tests.world.campaigns import make_situation


@pytest.fixture
def house(circle: Book) -> Bout:
    """Return an evening of a caller of the mist and a sitter against another caller."""
    vera = figure("caller", traits=("mist", "mist"))
    return Bout(table(circle, [vera, figure("sitter")], [figure("caller")]))


def test_a_roll_counts_for_the_one_who_throws(house: Bout) -> None:
    # Will 4, value 2, target 12.
    assert house.told(house.attempt("call", "1.1", item="mist"), ((6,),)) == [
        {"kind": "tallied", "figure": "1.1", "tally": "signs", "by": 1}
    ]


def test_a_roll_counts_an_amount_for_the_side(house: Bout) -> None:
    assert house.told(house.attempt("call", "1.1", item="mist"), ((2,),)) == [
        {"kind": "tallied", "side": 1, "tally": "noise", "by": 4}
    ]


def test_the_report_has_the_counts_of_all_rolls(circle: Book, house: Bout) -> None:
    for face in (6, 2, 20, 5):
        house.told(house.attempt("call", "1.1", item="mist"), ((face,),))
    reports = report_sides(house.start, house.now, {1: "gang-1", 2: "gang-2"})
    assert (reports[1].counts, reports[1].tallies) == ({"signs": {1: 2}}, {"noise": 5})
    assert (reports[2].counts, reports[2].tallies) == ({}, {})
    game = make_situation(Roster(), "won", "loser", report=reports[1])
    # Three for the loser, two for each sign.
    assert [entry.amount for entry in income(circle.usual, game)] == [3, 4]


def test_an_entered_outcome_asks_for_the_number_and_counts_it(house: Bout) -> None:
    made = house.attempt("call", "1.1", item="mist")
    assert house.said(made, "silence", heard=9) == [
        {"kind": "tallied", "side": 1, "tally": "noise", "by": 3}
    ]


def test_undoing_a_roll_takes_its_count_back(house: Bout) -> None:
    house.told(house.attempt("call", "1.1", item="mist"), ((6,),))
    assert house.now.tallies == {"signs": {"1.1": 1}}
    for tap in tuple(house.log):
        house.strike(tap)
    assert house.now.tallies == {}


MEMBERS, GANGS = told("found", per="member"), told("heard", per="gang")
OUT = told("downed", per="member", takes_out=True)


@pytest.mark.parametrize(
    ("effect", "path", "words"),
    [
        ({"tally": "luck"}, "tally", "unknown tally “luck”"),
        ({"tally": "found", "whom": "by_side"}, "whom", "must be by or at"),
        ({"tally": "heard"}, "whom", "must be by_side or at_side"),
        ({"tally": "downed"}, "tally", "already counts enemies taken out"),
        ({"tally": "found", "amount": "luck"}, "amount", "unknown name “luck”"),
    ],
)
def test_the_checker_finds_a_mistake_in_a_count(
    effect: dict[str, Any], path: str, words: str
) -> None:
    outcome = {"key": "one", "name": {"en": "One", "fr": "Un"}}
    roll = told(
        "look",
        steps=[{"sum": "seen", "dice": 1}],
        outcomes=[outcome | {"effects": [{"kind": "counts", **effect}]}],
    )
    with pytest.raises(BadBook) as caught:
        small(campaign__tallies=[MEMBERS, GANGS, OUT], rolls=[roll])
    [mistake] = caught.value.mistakes
    assert mistake.path == f"rolls.0.outcomes.0.effects.0.{path}" and words in mistake.message
