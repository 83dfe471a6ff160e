"""Rolls at the table that count for the report, in the tests' own game."""

from __future__ import annotations

from typing import Any

import pytest
from django.forms import ChoiceField

from campaigns.engine.income import income
from campaigns.engine.report import TAKEN_OUT, Answers, Report
from campaigns.engine.script import play
from campaigns.table.report import report_sides
from gangs.engine import entries as kinds
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from rules.book.amounts import Each
from rules.book.fates import Earns
from rules.book.model import Book
from rules.book.season import Award, RollsStep
from rules.editor.places import take_apart
from rules.editor.row_form import RowForm
from rules.loading.reader import BadBook
from rules.reference_pages import campaign as pages
from rules.reference_pages.words import BookWording
from tests.rules.small import small, told
from tests.world.attempts import Bout, figure, table
from tests.world.campaigns import make_situation, rolled_out

NONE = Answers(done=("seats",))


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


def test_an_award_counts_enemies_taken_out_without_a_tally(circle: Book, terraces: Book) -> None:
    sitters = fold(
        circle,
        [
            (1, kinds.Founded(name="The Ninth", settings={})),
            (2, kinds.Recruited(rank="caller")),
            (3, kinds.Recruited(rank="sitter")),
        ],
    )
    report = Report(fielded=(2, 3), counts={TAKEN_OUT: {2: 1, 3: 5}})
    game = make_situation(sitters, "won", "winner", report=report)
    played = play(circle, sitters, 50, game, NONE)
    # One for taking part, and two at most for enemies.
    assert [who.experience for who in played.roster.members] == [2, 3]
    words = BookWording(terraces, "en")
    pieces = {row.anchor: row for part in pages.campaign(words) for row in part.pieces}
    facts = {one.label: one.values for one in pieces["award-brawled"].facts}
    assert [link.text for link in facts["For each"]] == ["Enemies taken out of action"]


def test_an_amount_for_each_can_count_enemies_taken_out(circle: Book) -> None:
    sitters = fold(circle, [(2, kinds.Recruited(rank="caller"))])
    each = Each(tally=TAKEN_OUT, most=3)
    outcome = Earns(kind="earns", amount="2", each=each)
    row = circle.table["frights"].rows[0]
    rows = (row.model_copy(update={"low": 1, "high": 6, "outcomes": (outcome,)}),)
    frights = circle.table["frights"].model_copy(update={"rows": rows})
    step = RollsStep(
        kind="rolls", key="s", name=row.name, text=row.name, table="frights", source="ledger"
    )
    income = tuple(one for one in circle.campaign.steps if one.kind == "income")
    campaign = circle.campaign.model_copy(update={"steps": (step, *income)})
    book = circle.changed(tables=(frights,), campaign=campaign)
    report = Report(fielded=(2,), counts={TAKEN_OUT: {2: 5}})
    game = make_situation(sitters, "won", "loser", report=report)
    played = rolled_out(book, sitters, game, NONE, "4")
    earned = [one for one in played.entries if isinstance(one, kinds.Earned)]
    assert [one.amount for one in earned if one.why == "roll"] == [6]


def test_the_form_of_an_award_offers_enemies_taken_out() -> None:
    written = take_apart(small(campaign__tallies=[MEMBERS]))
    form = RowForm("campaign.awards", Award, written, {"key": "x"}, None)
    field = form.fields["each"]
    assert isinstance(field, ChoiceField)
    assert ("taken_out", "Enemies taken out of action") in list(field.choices)
