"""Outcomes that give, and rolls of the whole household, in the game of terraces."""

from __future__ import annotations

import pytest

from campaigns.engine.answers import choose
from campaigns.engine.report import Answers, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough, Question
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import dump, parse
from gangs.engine.fold import apply, fold
from gangs.engine.plausibility import implausible_entries
from gangs.engine.roster import Roster
from gangs.engine.version_change import carry_over
from rules.book.model import Book
from tests.world.campaigns import make_situation, rolled_out

# The purse of a household after a victory and the wages of three pickers; without baskets.
PAID = 65 - 3 * 2
ELDER, COUSIN, PICKER = 2, 3, 4
FIRST = (
    kinds.Founded(name="The Upper Steps", settings={}),
    kinds.Recruited(rank="elder", name="Ada"),
    kinds.Recruited(rank="cousin", name="Bo"),
    kinds.Recruited(rank="picker", name="Cy"),
    kinds.Recruited(rank="picker", name="Di"),
    kinds.Recruited(rank="picker", name="Ed"),
)


@pytest.fixture
def household(terraces: Book) -> Roster:
    """Return an elder, a cousin and three pickers: 55 grapes left, and 10 more after a victory."""
    return fold(terraces, list(enumerate(FIRST, start=1)))


def played(
    book: Book,
    household: Roster,
    *rolls: str,
    side: str = "winner",
    baskets: int = 0,
    answers: Answers | None = None,
    marks: dict[int, str] | None = None,
) -> Playthrough:
    """Play the post-game of a game in which everybody took part."""
    everyone = tuple(one.id for one in household.members)
    report = Report(fielded=everyone, marks=marks or {}, tallies={"baskets": baskets})
    game_report = make_situation(household, "won", side, report=report)
    nothing = {f"cellars:{one}": "nothing" for one in everyone}
    done = answers or Answers()
    done = done.model_copy(update={"done": ("hiring",), "choices": nothing | done.choices})
    return rolled_out(book, household, game_report, done, *rolls)


def open_question(through: Playthrough) -> Question:
    """Return the only question that waits for an answer: wages are paid without one."""
    (question,) = [one for one in through.questions.values() if one.chosen is None]
    return question


def treasury(through: Playthrough) -> object:
    return through.roster.treasury


def test_gleaning_rolls_a_die_for_each_member_picked(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, marks={PICKER: "out"})
    dice = [one.dice for one in through.requests.values()]
    assert dice == ["1d6"], "the member who is out rolls first"
    through = played(terraces, household, "2", marks={PICKER: "out"})
    assert through.requests["gleaning:gleanings:3d6"].member is None


def test_gleaning_finds_nothing_without_matching_dice(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "1 2 3 4")
    assert through.complete
    assert treasury(through) == PAID
    assert [type(entry) for entry in through.step("gleaning").entries] == [kinds.Rolled]


def test_matching_dice_bring_every_face_that_enough_dice_show(
    terraces: Book, household: Roster
) -> None:
    through = played(terraces, household, "2 4 2 4", "3 5")
    assert through.complete
    assert treasury(through) == PAID + (3 + 5) * 2 + 1
    assert [one.rank for one in through.roster.members][-1] == "picker"
    assert through.roster.recruits_since_game == 0, "a gift is no recruit"


def test_three_matching_dice_replace_the_result_of_two(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "6 6 1 6", baskets=3)
    assert treasury(through) == PAID + 5 + 10 * 3


def test_find_goes_to_the_stash_as_often_as_the_dice_say(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "3 3 1 2", "2")
    assert [owned.key for owned in through.roster.stash] == ["billhook", "billhook"]
    assert treasury(through) == PAID


def test_player_chooses_the_member_whose_characteristic_rises(
    terraces: Book, household: Roster
) -> None:
    through = played(terraces, household, "5 5 1 2")
    question = open_question(through)
    assert [choice.value for choice in question.choices] == ["3", "4", "5", "6"]
    answers = choose(through, Answers(), question.key, str(COUSIN))
    through = played(terraces, household, "5 5 1 2", answers=answers)
    assert through.complete
    cousin = through.roster.member(COUSIN)
    assert (cousin.raised, cousin.experience) == ({"arm": 1}, 2)


def test_rise_stops_at_the_maximum(terraces: Book, household: Roster) -> None:
    strong = household.changed(
        members=tuple(one.changed(raised={"arm": 4}) for one in household.members)
    )
    through = played(terraces, strong, "5 5 1 2")
    question = open_question(through)
    answers = choose(through, Answers(), question.key, str(COUSIN))
    through = played(terraces, strong, "5 5 1 2", answers=answers)
    assert through.roster.member(COUSIN).raised == {"arm": 4}


def test_die_names_the_member_who_is_promoted_and_finds_a_stave(
    terraces: Book, household: Roster
) -> None:
    through = played(terraces, household, "6 6 1 2", "2")
    lucky = through.roster.member(PICKER + 1)
    assert (lucky.rank, [owned.key for owned in lucky.items]) == ("cousin", ["stave"])


def test_gang_pays_for_each_point_of_a_tally(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "1 1 2 3", baskets=4)
    assert treasury(through) == PAID + 5 - 4
    assert kinds.Fined(paid=4) in through.entries


def test_only_the_losers_roll_once_for_each_basket(terraces: Book, household: Roster) -> None:
    assert not played(terraces, household, "1 2 3 4", baskets=2).step("weather").rolls
    through = played(terraces, household, "1 2 3 4", side="loser", baskets=5)
    assert [one.dice for one in through.step("weather").rolls] == ["1d6"] * 3


def test_choice_of_the_gang_can_fall_to_all(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "1 2 3 4", "1", side="loser", baskets=1)
    question = open_question(through)
    assert question.member is None
    answers = choose(through, Answers(), question.key, "1")
    through = played(terraces, household, "1 2 3 4", "1", side="loser", baskets=1, answers=answers)
    assert through.complete
    assert [one.experience for one in through.roster.members] == [2] * 5


def test_season_ends_with_exactly_these_gifts(terraces: Book, household: Roster) -> None:
    first = played(terraces, household, "2 2 3 3", "6 6", "1", baskets=1).roster
    second = played(terraces, first, "4 4 6 6", "1", side="loser").roster
    assert [one.rank for one in second.members] == [
        "elder", "cousin", "cousin", "picker", "picker", "picker",
    ]  # fmt: skip
    # The basket sold for 3, the billhook in the stash brought 1, and wages were due twice.
    assert second.treasury == PAID + 3 + 25 + 4 + 1 - 3 * 2
    assert [owned.key for owned in second.stash] == ["billhook"]
    assert [owned.key for owned in second.member(PICKER).items] == ["stave"]


def test_new_entries_survive_storage(terraces: Book, household: Roster) -> None:
    for entry in played(terraces, household, "2 4 2 4", "3 5").entries:
        assert parse(dump(entry)) == entry


def test_bought_item_is_stored_as_before() -> None:
    assert dump(kinds.Bought(item="stave")).keys() == {"kind", "item", "member", "paid"}


def test_found_item_keeps_its_number_when_a_post_game_is_played_again(
    terraces: Book, household: Roster
) -> None:
    report = Report(fielded=(COUSIN, PICKER))
    game_report = make_situation(household, "won", "winner", report=report)
    answers = Answers(choices={f"cellars:{COUSIN}": "nothing"})
    through = rolled_out(terraces, household, game_report, answers, "3 3", "1")
    rolls = {key: one.roll for key, one in through.requests.items() if one.roll}
    again = play(
        terraces,
        household,
        200,
        game_report,
        answers.model_copy(update={"rolls": rolls}),
        (("billhook", 107),),
    )
    assert [owned.id for owned in again.roster.stash] == [107]


def test_new_entries_of_a_dice_table_are_never_in_doubt(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, "4 4 6 6", "1")
    entries = [*FIRST, *through.entries]
    found = implausible_entries(terraces, list(enumerate(entries, start=1)))
    assert found == []


def test_rise_is_lost_with_its_characteristic(terraces: Book, household: Roster) -> None:
    strong = household.changed(
        members=tuple(one.changed(raised={"arm": 1, "wind": 1}) for one in household.members)
    )
    kept = tuple(row for row in terraces.characteristics if row.key != "wind")
    carried, losses = carry_over(terraces, terraces.changed(characteristics=kept), strong)
    assert carried.member(COUSIN).raised == {"arm": 1}
    assert {loss.kind for loss in losses} == {"characteristic"}


def test_rise_is_in_the_profile(terraces: Book, household: Roster) -> None:
    entry = kinds.Rose(member=COUSIN, characteristic="arm", amount=1)
    after = apply(terraces, household, 90, entry)
    score = ComputedGang.of(terraces, after).profiles[COUSIN].scores["arm"]
    assert (score.value, score.changes[-1].amount) == (3, 1)
