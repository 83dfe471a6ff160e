"""The checklist of a new gang: the tasks that remain."""

from __future__ import annotations

from gangs.cards.task_lines import ACTS, TASKS, lines, of_member
from gangs.engine.checklist import KINDS, tasks
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import HeldPlace, OwnedItem, Roster
from gangs.engine.validation import findings
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.rules.small import limit, row, small, text, told
from tests.world.gangs import shipped

POINTS, DICE, BLADES = "blackwater-gulch", "cran", "du-sang-sur-la-lame"


def list_tasks(book: Book, gang: Roster) -> list[tuple[str, int, int]]:
    """Each task: its kind or, where the rulebook names it, that name; how far it is done."""
    found = tasks(ComputedGang.of(book, gang))
    return [
        (one.limit.task["en"] if one.limit.task else one.kind, one.have, one.need) for one in found
    ]


def test_empty_gang_lists_required_members() -> None:
    assert list_tasks(shipped(POINTS), roster(shipped(POINTS))) == [
        ("A leader", 0, 1),
        ("Members", 0, 5),
    ]
    assert list_tasks(shipped(DICE), roster(shipped(DICE))) == [
        ("A veteran", 0, 1),
        ("Members", 0, 6),
        ("A boss", 0, 1),
    ]


BOWS = limit(
    "items",
    "{count} bows, at least {minimum}.",
    code="bows",
    item_tags=["ranged"],
    per="gang",
    minimum=2,
    task=text("Bows"),
    act=text("Buy a bow"),
)


def test_a_minimum_of_items_in_the_gang_is_one_task_with_a_button() -> None:
    book = small(limits=[BOWS])
    gang = roster(book, member("fighter", items=["sword"]), member("scout", items=["bow"]))
    (line,) = lines(tasks(ComputedGang.of(book, gang)), book, gang, "en")
    assert (line.text, line.have, line.need, line.act) == ("Bows", 1, 2, "Buy a bow")
    assert line.doable
    assert [number for number, _name in line.members] == [1, 2]
    # It is about the gang: no member has to have one.
    assert not of_member([line], 1, "en")
    (finding,) = findings(book, gang)
    assert finding.missing, "the checklist names it, so that the findings do not"


def test_a_minimum_of_items_in_the_gang_names_who_may_hold_them() -> None:
    book = small(limits=[{**BOWS, "of": {"ranks": ["scout"]}}])
    gang = roster(book, member("fighter", items=["bow", "bow"]), member("scout"))
    (task,) = tasks(ComputedGang.of(book, gang))
    assert (task.have, task.members) == (0, (2,))
    alone = roster(book, member("fighter"))
    (task,) = tasks(ComputedGang.of(book, alone))
    assert (task.have, task.members) == (0, ())


def test_a_minimum_of_items_in_the_gang_counts_the_stash() -> None:
    book = small(limits=[BOWS])
    gang = roster(book, member("scout", items=["bow"])).changed(
        stash=(OwnedItem(id=90, key="bow"),)
    )
    (task,) = tasks(ComputedGang.of(book, gang))
    assert (task.have, task.need, task.members) == (2, 2, ())


def test_tasks_list_the_members_they_concern() -> None:
    book = shipped(POINTS)
    gang = roster(
        book,
        member("leader", name="", points={"str": 5}),
        member("professional", profession="doctor"),
        member("henchman", points=dict.fromkeys(("str", "qui", "sta", "int", "rc"), 2)),
    )
    assert list_tasks(book, gang) == [
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


def test_too_many_leaders_are_not_a_task() -> None:
    """Two leaders are a breach; the list only shows that there is a leader."""
    book = shipped(POINTS)
    gang = roster(book, member("leader"), member("leader"))
    assert ("A leader", 1, 1) in list_tasks(book, gang)
    found = {one.code: one.missing for one in findings(book, gang)}
    assert found["one_leader"] is False
    assert found["min_size"] and found["profession"] and found["attr_points"]


def test_only_shortages_count_as_missing() -> None:
    book = shipped(BLADES)
    gang = roster(book, *(member("leader") for _ in range(8)))
    missing = {one.code for one in findings(book, gang) if one.missing}
    assert missing == {"DS-E02", "DS-E03"}
    assert {"DS-E01", "DS-E04", "DS-E05"} <= {one.code for one in findings(book, gang)} - missing


def test_highest_rank_is_offered_the_boss_trait() -> None:
    """A boss must have the highest rank, so only its members are offered the trait."""
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


def test_checklist_is_done_exactly_when_the_gang_is_legal() -> None:
    """Every finding that is an error is either a breach, or a task that is not done."""
    for slug in (POINTS, DICE, BLADES, "au-un-pour-un", "zombstone"):
        book = shipped(slug)
        gang = roster(book)
        errors = [one for one in findings(book, gang) if one.severity == "error"]
        assert errors and all(one.missing for one in errors)
        unfinished = [one for one in tasks(ComputedGang.of(book, gang)) if one.have < one.need]
        open_tasks = {one.limit.code for one in unfinished}
        assert {one.code for one in errors} <= open_tasks


def test_every_kind_of_task_has_a_label() -> None:
    """Also a task about a trait that a variant removed from the rulebook."""
    assert set(TASKS) == set(ACTS) == set(KINDS)


def test_a_minimum_of_traits_is_a_task_of_each_member() -> None:
    learned = limit("trait_count", of={"ranks": ["scout"]}, minimum=1, task=text("Skills"))
    book = small(limits=[learned])
    gang = roster(book, member("fighter"), member("scout"), member("scout", traits=["quick"]))
    (task,) = tasks(ComputedGang.of(book, gang))
    assert (task.kind, task.have, task.need, task.members) == ("learn", 1, 2, (2,))
    assert of_member(lines([task], book, gang, "en"), 2, "en") == ("Choose one",)
    (finding,) = findings(book, gang)
    assert finding.missing, "the checklist names it, so that the findings do not"
    assert tasks(ComputedGang.of(book, roster(book, member("fighter")))) == ()


def test_a_minimum_of_traits_in_the_gang_names_who_could_learn() -> None:
    rare = [told("quick", price=2, tags=["craft"], ranks=["scout"]), told("lucky", price=4)]
    wanted = limit("trait_count", trait_tags=["craft"], per="gang", minimum=2)
    book = small(traits=rare, limits=[wanted])
    gang = roster(
        book, member("fighter"), member("scout", traits=["quick"]), member("scout"), member("scout")
    )
    (task,) = tasks(ComputedGang.of(book, gang))
    assert (task.kind, task.have, task.need, task.members) == ("skills", 1, 2, (3, 4))
    (line,) = lines([task], book, gang, "en")
    assert line.doable and not of_member([line], 3, "en")


def test_a_minimum_of_holdings_is_a_task_with_a_button() -> None:
    places = [row("camp", price=3), row("mill", price=500), row("shrine", price=1)]
    wanted = limit("holdings", holdings=["camp", "mill"], minimum=1)
    book = small(holdings=places, limits=[wanted])
    gang = roster(book, member("scout"))
    (task,) = tasks(ComputedGang.of(book, gang))
    (line,) = lines([task], book, gang, "en")
    assert (line.kind, line.text, line.have, line.need) == ("holding", "Camp", 0, 1)
    assert line.doable and not line.is_stuck
    held = gang.changed(holdings=(HeldPlace(id=50, key="shrine"),))
    assert [one.have for one in tasks(ComputedGang.of(book, held))] == [0]
    held = gang.changed(holdings=(HeldPlace(id=50, key="camp"),))
    assert [one.have for one in tasks(ComputedGang.of(book, held))] == [1]
    poor = small(
        holdings=[row("camp", price=500), places[2]], limits=[{**wanted, "holdings": ["camp"]}]
    )
    (task,) = tasks(ComputedGang.of(poor, roster(poor, member("scout"))))
    assert task.is_stuck
