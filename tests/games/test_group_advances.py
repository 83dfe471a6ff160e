"""Advances that a group takes together, in the tests' own games."""

from __future__ import annotations

import pytest

from campaigns import models
from campaigns.engine.answers import choose
from campaigns.engine.report import Answers, Report
from campaigns.engine.script_state import Playthrough
from campaigns.postgames.drafts import Postgame, PostgameBase
from campaigns.postgames.text import step_lines
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.plausibility import implausible
from gangs.engine.roster import Roster
from gangs.models import Gang
from rules.book.model import Book
from rules.book.season import AdvancesStep
from rules.loading.check_building import check
from rules.reference_pages import campaign as pages
from rules.reference_pages.words import BookWording
from tests.world.campaigns import make_situation, rolled_out

FIRST, SECOND, THIRD, OTHER = 3, 4, 5, 6
MEMBERS = (FIRST, SECOND, THIRD, OTHER)


def gang_of(book: Book, leader: str, rank: str, *more: Entry, experience: int = 12) -> Roster:
    """Return a leader, a group of three and one member of another group, who learned as much."""
    founding: list[Entry] = [
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank=leader),
        *(kinds.Recruited(rank=rank, name=f"Row {number}") for number in (1, 2, 3)),
        kinds.Recruited(rank=rank, name="Col 1"),
        *(kinds.SquadJoined(member=one, squad="Row") for one in (FIRST, SECOND, THIRD)),
        kinds.SquadJoined(member=OTHER, squad="Col"),
        *(kinds.Learned(member=one, amount=experience) for one in MEMBERS),
        *more,
    ]
    return fold(book, enumerate(founding, start=1))


def advanced(
    book: Book, roster: Roster, *rolls: str, answers: Answers | None = None
) -> Playthrough:
    """Play the step of advances."""
    steps = tuple(one for one in book.campaign.steps if isinstance(one, AdvancesStep))
    book = book.changed(campaign=book.campaign.model_copy(update={"steps": steps}))
    game = make_situation(roster, "won", "winner", report=Report())
    return rolled_out(book, roster, game, answers or Answers(), *rolls)


def test_group_rolls_once_and_everybody_rises(terraces: Book) -> None:
    roster = gang_of(terraces, "elder", "picker")
    waiting = advanced(terraces, roster)
    assert [one.member and one.member.id for one in waiting.requests.values()] == [FIRST, OTHER]
    through = advanced(terraces, roster, "3", "5")
    assert through.complete
    after = through.roster
    assert [after.member(one).raised for one in MEMBERS] == [*[{"arm": 1}] * 3, {"wind": 1}]
    assert [after.member(one).advances for one in MEMBERS] == [1] * 4
    for played in through.played:
        assert not list(implausible(terraces, played.before, played.entry))


def test_page_names_everybody_whom_a_roll_is_for(terraces: Book) -> None:
    roster = gang_of(terraces, "elder", "picker")
    base = PostgameBase(Gang(), terraces, roster)
    game = make_situation(roster, "won", "winner")
    [line] = step_lines(Postgame(models.Side(), base, game, advanced(terraces, roster)))
    assert [one.who for one in line.rolls] == ["Row 1, Row 2, Row 3", "Col 1"]


def test_member_with_other_experience_takes_an_advance_alone(terraces: Book) -> None:
    late = kinds.Learned(member=THIRD, amount=1)
    roster = gang_of(terraces, "elder", "picker", late)
    through = advanced(terraces, roster, "3", "3", "5")
    assert [one.mates and len(one.mates) for one in through.requests.values()] == [1, (), ()]
    assert through.roster.member(THIRD).raised == {"arm": 1}


def test_group_chooses_one_trait_for_all(circle: Book) -> None:
    roster = gang_of(circle, "caller", "chorister", experience=3)
    waiting = advanced(circle, roster)
    # The others of a group are not asked while it waits.
    first, other = waiting.questions.values()
    assert (first.member and first.member.id, len(first.mates)) == (FIRST, 2)
    answers = choose(waiting, Answers(), first.key, "mist")
    answers = choose(waiting, answers, other.key, "knocking")
    through = advanced(circle, roster, answers=answers)
    assert through.complete
    traits = [through.roster.member(one).traits for one in MEMBERS]
    assert traits == [("mist",)] * 3 + [("knocking",)]
    assert [through.roster.member(one).advances for one in MEMBERS] == [1] * 4


def test_choice_inside_a_rolled_advance_is_made_once(terraces: Book) -> None:
    roster = gang_of(terraces, "elder", "picker")
    waiting = advanced(terraces, roster, "1", "3")
    [question] = waiting.questions.values()
    answers = choose(waiting, Answers(), question.key, "counting")
    through = advanced(terraces, roster, "1", "3", answers=answers)
    assert through.complete
    assert [through.roster.member(one).traits for one in MEMBERS[:3]] == [("counting",)] * 3


def test_promotion_is_for_one_and_the_others_roll_again(terraces: Book) -> None:
    table = terraces.table["lessons"]
    promotes = {"kind": "promotes", "rank": "steward"}
    first = table.rows[0].model_validate({**table.rows[0].model_dump(), "outcomes": [promotes]})
    rows = (first, *table.rows[1:])
    lessons = table.model_copy(update={"rows": rows})
    tables = tuple(lessons if one.key == "lessons" else one for one in terraces.tables)
    book = terraces.changed(tables=tables)
    roster = gang_of(book, "elder", "picker")
    through = advanced(book, roster, "1", "3", "5")
    ranks = [through.roster.member(one).rank for one in MEMBERS]
    assert ranks == ["steward", "picker", "picker", "picker"]
    assert [through.roster.member(one).raised for one in MEMBERS[1:]] == [
        {"arm": 1},
        {"arm": 1},
        {"wind": 1},
    ]


@pytest.mark.parametrize("together", [True, False])
def test_checker_needs_groups_for_their_advances(circle: Book, together: bool) -> None:
    rank = circle.rank["chorister"]
    assert rank.squad is not None
    squad = rank.squad.model_copy(update={"together": together})
    changed = rank.model_copy(update={"squad": squad})
    ranks = tuple(changed if one.key == rank.key else one for one in circle.ranks)
    found = [words for _path, words in check(circle.changed(ranks=ranks))]
    wanted = "needs a rank with groups: give its “squad” the field “together”"
    assert found == ([] if together else [wanted])


def test_rules_say_that_groups_advance_together(circle: Book) -> None:
    words = BookWording(circle, "en")
    pieces = {row.anchor: row for part in pages.campaign(words) for row in part.pieces}
    facts = {one.label: one.values[0].text for one in pieces["advancements-choirs"].facts}
    assert facts["Groups"] == "take each advance together"
