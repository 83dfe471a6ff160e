"""What a new gang still needs, as a list of tasks."""

from __future__ import annotations

from gangs.cards.task_lines import ACTS, TASKS
from gangs.engine.checklist import KINDS, tasks
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.world.gangs import shipped

POINTS, DICE, BLADES = "blackwater-gulch", "cran", "du-sang-sur-la-lame"


def listed(book: Book, gang: Roster) -> list[tuple[str, int, int]]:
    """Each task: its kind or, where the rulebook names it, that name; how far it is done."""
    found = tasks(ComputedGang.of(book, gang))
    return [
        (one.limit.task.en if one.limit.task else one.kind, one.have, one.need) for one in found
    ]


def test_an_empty_gang_needs_whom_the_rules_ask_for() -> None:
    assert listed(shipped(POINTS), roster(shipped(POINTS))) == [
        ("A leader", 0, 1),
        ("Members", 0, 5),
    ]
    assert listed(shipped(DICE), roster(shipped(DICE))) == [
        ("A veteran", 0, 1),
        ("Members", 0, 6),
        ("A boss", 0, 1),
    ]


def test_tasks_come_with_those_they_concern() -> None:
    book = shipped(POINTS)
    gang = roster(
        book,
        member("leader", name="", points={"str": 5}),
        member("professional", profession="doctor"),
        member("henchman", points=dict.fromkeys(("str", "qui", "sta", "int", "rc"), 2)),
    )
    assert listed(book, gang) == [
        ("A leader", 1, 1),
        ("Henchmen", 1, 1),
        ("Members", 3, 5),
        ("Professions", 1, 2),
        ("Attribute points", 15, 45),
        ("name", 2, 3),
    ]
    concerned = {one.kind: one.members for one in tasks(ComputedGang.of(book, gang))}
    assert concerned == {
        "recruit": (),
        "profession": (1,),
        "points": (1, 2),
        "name": (1,),
    }


def test_what_there_is_too_much_of_is_no_task() -> None:
    """Two leaders are a breach; the list only says that there is one."""
    book = shipped(POINTS)
    gang = roster(book, member("leader"), member("leader"))
    assert ("A leader", 1, 1) in listed(book, gang)
    found = {one.code: one.missing for one in findings(book, gang)}
    assert found["one_leader"] is False
    assert found["min_size"] and found["profession"] and found["attr_points"]


def test_too_little_is_missing_and_nothing_else_is() -> None:
    book = shipped(BLADES)
    gang = roster(book, *(member("leader") for _ in range(8)))
    missing = {one.code for one in findings(book, gang) if one.missing}
    assert missing == {"DS-E02", "DS-E03"}
    assert {"DS-E01", "DS-E04", "DS-E05"} <= {one.code for one in findings(book, gang)} - missing


def test_those_of_the_highest_rank_can_take_the_trait() -> None:
    """So that whoever is made the boss may be."""
    book = shipped(DICE)
    gang = roster(book, member("novice"), member("veteran"), member("novice"))
    (boss,) = [one for one in tasks(ComputedGang.of(book, gang)) if one.kind == "trait"]
    assert (boss.have, boss.need, boss.trait, boss.members) == (0, 1, "boss", (2,))
    with_one = roster(book, member("novice"), member("veteran", traits=["boss"]))
    (boss,) = [one for one in tasks(ComputedGang.of(book, with_one)) if one.kind == "trait"]
    assert (boss.have, boss.need, boss.members) == (1, 1, ())


def test_a_gang_that_plays_has_no_checklist() -> None:
    book = shipped(POINTS)
    assert tasks(ComputedGang.of(book, roster(book, member("henchman"), games=1))) == ()


def test_all_done_is_legal_and_the_other_way_round() -> None:
    """Every finding that is an error is either a breach, or a task that is not done."""
    for slug in (POINTS, DICE, BLADES, "au-un-pour-un", "zombstone"):
        book = shipped(slug)
        gang = roster(book)
        errors = [one for one in findings(book, gang) if one.severity == "error"]
        assert errors and all(one.missing for one in errors)
        unfinished = [one for one in tasks(ComputedGang.of(book, gang)) if one.have < one.need]
        open_tasks = {one.limit.code for one in unfinished}
        assert {one.code for one in errors} <= open_tasks


def test_every_kind_of_task_has_words() -> None:
    """Also one whose trait a variant took out of the rulebook."""
    assert set(TASKS) == set(ACTS) == set(KINDS)
