"""Thresholds, rolled advances and knacks bought with experience, in the game of terraces."""

from __future__ import annotations

import pytest

from campaigns.engine.answers import choose
from campaigns.engine.credits import Losses, deeds
from campaigns.engine.report import TAKEN_OUT, Answers, Credit, Report
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.actions import take_trait
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import dump, parse
from gangs.engine.fold import apply, fold
from gangs.engine.offers import traits
from gangs.engine.plausibility import implausible
from gangs.engine.roster import Roster
from printing.members.ladder import ladder_of
from printing.members.parts import marks
from rules.book.advancement import AdvancementRow
from rules.book.model import Book
from rules.book.vocabulary import Selector
from tests.world.campaigns import make_situation, rolled_out

STEWARD, APPRENTICE, PRUNER = 2, 3, 4
FIRST = (
    kinds.Founded(name="The Lower Steps", settings={}),
    kinds.Recruited(rank="steward", name="Ada"),
    kinds.Recruited(rank="apprentice", name="Bo"),
    kinds.Recruited(rank="pruner", name="Cy"),
)


@pytest.fixture
def household(terraces: Book) -> Roster:
    """Return a steward, who starts with 4 experience, an apprentice and a pruner."""
    return fold(terraces, list(enumerate(FIRST, start=1)))


def learned(book: Book, roster: Roster, **amounts: int) -> Roster:
    """Return the household after these members earned experience."""
    whom = {"steward": STEWARD, "apprentice": APPRENTICE, "pruner": PRUNER}
    for rank, amount in amounts.items():
        roster = apply(book, roster, 50, kinds.Learned(member=whom[rank], amount=amount))
    return roster


def played(
    book: Book,
    roster: Roster,
    *rolls: str,
    baskets: int = 0,
    marks: dict[int, str] | None = None,
    answers: Answers | None = None,
) -> Playthrough:
    """Play the post-game of a game won, after a gleaning that found nothing."""
    everyone = tuple(one.id for one in roster.members)
    report = Report(fielded=everyone, marks=marks or {}, tallies={"baskets": baskets})
    game_report = make_situation(roster, "won", "winner", report=report)
    nothing = {f"cellars:{one}": "nothing" for one in everyone}
    done = answers or Answers()
    done = done.model_copy(update={"done": ("hiring",), "choices": nothing | done.choices})
    gleaned = () if marks else ("1 2 3",)
    return rolled_out(book, roster, game_report, done, *gleaned, *rolls)


def row_of(**values: object) -> AdvancementRow:
    """Return a row with these thresholds."""
    named = {"key": "x", "name": {"en": "X", "fr": "X"}, "source": "house"}
    return AdvancementRow.model_validate({**named, **values})


def test_thresholds_go_on_at_growing_distances() -> None:
    row = row_of(at=[2, 4, 6, 8, 11], every=4, grows=1)
    assert row.thresholds[:8] == (2, 4, 6, 8, 11, 15, 20, 26)
    assert [row.count(earned) for earned in (0, 1, 2, 10, 11, 15)] == [0, 0, 1, 4, 5, 6]


def test_thresholds_end_with_the_last_one_written() -> None:
    row = row_of(at=[2, 5])
    assert row.count(1000) == 2
    assert (row.threshold(1), row.threshold(2)) == (5, None)


def test_new_member_starts_with_experience_whose_advances_are_taken(household: Roster) -> None:
    steward = household.member(STEWARD)
    assert (steward.experience, steward.advances) == (4, 2)


def test_member_rolls_an_advance_at_the_threshold(terraces: Book, household: Roster) -> None:
    through = played(terraces, learned(terraces, household, steward=1), "3")
    assert through.roster.member(STEWARD).raised == {"arm": 1}
    assert through.roster.member(STEWARD).advances == 3
    (rolled,) = [one for one in through.step("lessons").entries if isinstance(one, kinds.Rolled)]
    assert rolled.advance


def test_member_rolls_every_advance_that_a_game_earned(terraces: Book, household: Roster) -> None:
    through = played(terraces, learned(terraces, household, apprentice=3), "3", "5", baskets=1)
    apprentice = through.roster.member(APPRENTICE)
    assert (apprentice.experience, apprentice.advances) == (5, 2)
    assert apprentice.raised == {"arm": 1, "wind": 1}


def test_rolled_advance_lets_the_player_choose_a_trait(terraces: Book, household: Roster) -> None:
    roster = learned(terraces, household, apprentice=1)
    through = played(terraces, roster, "1")
    (question,) = through.step("lessons").questions
    assert [choice.value for choice in question.choices] == ["surefooted", "counting"]
    answers = choose(through, Answers(), question.key, "counting")
    through = played(terraces, roster, "1", answers=answers)
    assert through.roster.member(APPRENTICE).traits == ("counting",)


def test_trait_can_be_had_as_often_as_it_says(terraces: Book, household: Roster) -> None:
    roster = learned(terraces, household, apprentice=5)
    # The third time would change nothing, and is rolled again.
    through = played(terraces, roster, "6", "6", "6", "3")
    assert through.roster.member(APPRENTICE).traits == ("surefooted", "surefooted")
    assert through.roster.member(APPRENTICE).advances == 3
    assert ComputedGang.of(terraces, through.roster).profiles[APPRENTICE].number("stride") == 7


def test_pruner_chooses_an_advance_and_gets_no_more_after_the_last(
    terraces: Book, household: Roster
) -> None:
    roster = learned(terraces, household, pruner=100)
    through = played(terraces, roster)
    (question,) = through.step("lessons").questions
    answers = choose(through, Answers(), question.key, "surefooted")
    through = played(terraces, roster, answers=answers)
    second = through.step("lessons").questions[1]
    answers = choose(through, answers, second.key, "surefooted")
    through = played(terraces, roster, answers=answers)
    assert through.step("lessons").status == "done"
    assert through.roster.member(PRUNER).advances == 2


def test_awards_of_one_game_stop_at_the_cap(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, baskets=9)
    assert through.roster.member(APPRENTICE).experience == 3


def test_promotion_to_other_thresholds_brings_no_old_advances(
    terraces: Book, household: Roster
) -> None:
    pruner = learned(terraces, household, pruner=9)
    risen = apply(terraces, pruner, 60, kinds.Promoted(member=PRUNER, rank="apprentice"))
    # Two advances were due before, at 2 and 5: of the four until 9, they are the last two.
    assert risen.member(PRUNER).advances == 2
    settled = pruner.changed(members=tuple(one.changed(advances=2) for one in pruner.members))
    risen = apply(terraces, settled, 60, kinds.Promoted(member=PRUNER, rank="apprentice"))
    assert risen.member(PRUNER).advances == 4


def test_same_rise_costs_more_experience_each_time(terraces: Book, household: Roster) -> None:
    roster = learned(terraces, household, apprentice=5)
    for price in (2, 3):
        (entry,) = take_trait(ComputedGang.of(terraces, roster), APPRENTICE, "practice")
        assert isinstance(entry, kinds.TraitTaken) and entry.experience == price
        roster = apply(terraces, roster, 70, parse(dump(entry)))
    assert roster.member(APPRENTICE).experience_left == 0
    assert roster.member(APPRENTICE).experience == 5, "thresholds count all that was earned"
    with pytest.raises(Refusal) as refused:
        take_trait(ComputedGang.of(terraces, roster), APPRENTICE, "practice")
    assert refused.value.code == "lacks_experience"
    assert refused.value.values["missing"] == 4


def test_trait_given_back_before_the_first_game_returns_its_experience(
    terraces: Book, household: Roster
) -> None:
    (entry,) = take_trait(ComputedGang.of(terraces, household), STEWARD, "practice")
    bought = apply(terraces, household, 70, entry)
    assert bought.member(STEWARD).experience_left == 2
    dropped = kinds.TraitDropped(member=STEWARD, trait="practice")
    assert apply(terraces, bought, 71, dropped).member(STEWARD).experience_left == 4
    started = bought.changed(played=("a-game",))
    assert apply(terraces, started, 71, dropped).member(STEWARD).experience_left == 2


def test_trait_without_a_price_in_experience_is_stored_as_before() -> None:
    stored = dump(kinds.TraitTaken(member=2, trait="counting"))
    assert stored.keys() == {"kind", "member", "trait", "paid", "advance"}


def test_rolled_advance_that_nothing_earned_is_implausible(
    terraces: Book, household: Roster
) -> None:
    roster = learned(terraces, household, steward=1)
    through = played(terraces, learned(terraces, household, steward=1), "3")
    (rolled,) = [one for one in through.step("lessons").entries if isinstance(one, kinds.Rolled)]
    codes = [reason.code for reason in implausible(terraces, household, rolled)]
    assert codes == ["unearned"]
    earned = learned(terraces, roster, steward=1)
    assert not [*implausible(terraces, earned, rolled)]


def test_spending_more_experience_than_was_left_is_implausible(
    terraces: Book, household: Roster
) -> None:
    entry = kinds.TraitTaken(member=PRUNER, trait="practice", experience=2)
    assert [one.code for one in implausible(terraces, household, entry)] == ["overspent"]


def test_offer_of_a_trait_names_its_price_in_experience(terraces: Book, household: Roster) -> None:
    computed = ComputedGang.of(terraces, household)
    (offer,) = traits(computed, household.member(STEWARD))
    assert (offer.row.key, offer.price, offer.experience) == ("practice", 0, 2)


def test_ladder_shows_the_next_thresholds(terraces: Book, household: Roster) -> None:
    roster = household.changed(played=("a-game",))
    ladder = ladder_of(ComputedGang.of(terraces, roster), roster.member(APPRENTICE), "en")
    assert ladder is not None
    assert [rung.at for rung in ladder.rungs] == [2, 4, 6, 8, 11, 15]


def test_ladder_is_left_out_for_a_member_who_never_earns(terraces: Book, household: Roster) -> None:
    (fought, carried, _brawled) = terraces.campaign.awards
    stewards = fought.model_copy(update={"of": Selector(ranks=("steward",))})
    campaign = terraces.campaign.model_copy(update={"awards": (stewards, carried)})
    book = terraces.changed(campaign=campaign)
    roster = household.changed(played=("a-game",))
    computed = ComputedGang.of(book, roster)
    assert ladder_of(computed, roster.member(PRUNER), "en") is None
    assert ladder_of(computed, roster.member(APPRENTICE), "en") is not None


def test_member_who_ran_rolls_no_bruises(terraces: Book, household: Roster) -> None:
    through = played(terraces, household, marks={PRUNER: "fled"})
    assert not through.step("bruises").rolls
    through = played(terraces, household, marks={PRUNER: "out"})
    assert len(through.step("bruises").rolls) == 1


def test_season_ends_with_exactly_these_lessons(terraces: Book, household: Roster) -> None:
    first = played(terraces, household, "4", baskets=1)
    assert first.complete
    second = played(terraces, first.roster, "5", "6", baskets=1)
    (question,) = second.step("lessons").questions
    answers = choose(second, Answers(), question.key, "counting")
    second = played(terraces, first.roster, "5", "6", baskets=1, answers=answers)
    assert second.complete
    found = {one.rank: one for one in second.roster.members}
    assert {rank: one.experience for rank, one in found.items()} == {
        "steward": 6, "apprentice": 4, "pruner": 2,
    }  # fmt: skip
    assert found["steward"].raised == {"wind": 1}
    assert found["apprentice"].raised == {"arm": 1}
    assert found["apprentice"].traits == ("surefooted",)
    assert found["pruner"].traits == ("counting",)


def test_circle_rolls_insights_further_and_further_apart(circle: Book) -> None:
    first = [
        kinds.Founded(name="The Round Table", settings={}),
        kinds.Recruited(rank="sitter", name="Eve"),
    ]
    roster = fold(circle, list(enumerate(first, start=1)))
    rolled = []
    for evening in range(1, 6):
        report = Report(fielded=(2,))
        game_report = make_situation(roster, "won", "winner", report=report)
        asked = rolled_out(circle, roster, game_report, Answers()).step("insights").rolls
        rolled += [evening] * len(asked)
        roster = rolled_out(circle, roster, game_report, Answers(), *(["2"] * len(asked))).roster
        roster = roster.changed(played=())
    assert rolled == [2, 5]
    assert roster.member(2).raised == {"will": 2}


def test_blank_form_marks_thresholds_that_all_members_share(terraces: Book, circle: Book) -> None:
    rows = tuple(row for row in circle.campaign.advancements if row.key == "seances")
    shared = circle.campaign.model_copy(update={"advancements": rows})
    book = circle.changed(campaign=shared)
    marked = [place for place, mark in enumerate(marks(book, 20), start=1) if mark]
    assert marked == [2, 5, 9, 14, 20]
    assert not any(marks(circle, 20)), "callers learn at other thresholds"
    assert not any(marks(terraces, 20)), "ranks with other thresholds share the same form"


def test_nobody_gets_the_credit_for_a_member_who_ran(terraces: Book, household: Roster) -> None:
    rules = terraces.under(household.settings)
    by = Credit(gang="theirs", member=9)
    losses = Losses(
        gang="ours",
        roster=household,
        members=household.members,
        marks={APPRENTICE: "out", PRUNER: "fled"},
        credits={APPRENTICE: by, PRUNER: by},
    )
    theirs = Losses(gang="theirs", roster=household, members=(), marks={}, credits={})
    done = deeds(rules, [losses, theirs])["theirs"]
    assert done.counts == {TAKEN_OUT: {9: 1}}


def test_usual_mark_is_that_of_members_who_went_down(terraces: Book) -> None:
    campaign = terraces.campaign.model_copy(update={"marks": terraces.campaign.marks[::-1]})
    book = terraces.changed(campaign=campaign)
    assert [row.key for row in campaign.marks] == ["fled", "out"]
    assert book.usual.usual_mark == "out"
