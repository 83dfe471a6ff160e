"""Effects of attempts in each game, as taps: from dice, or from a reported outcome."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from django.http import QueryDict

from campaigns.table.attempts import entering
from campaigns.table.attempts.actions import (
    begin_attempt,
    find_caution,
    find_options,
    pay_action,
    target_weapons,
)
from campaigns.table.attempts.attempt import Attempt, figure_now
from campaigns.table.attempts.forms import read_form
from campaigns.table.attempts.roll import find_free_end, play_faces, throw
from campaigns.table.attempts.text import describe_free_end
from campaigns.table.people import Names
from campaigns.table.report import report_sides
from campaigns.table.state import TableFighter, begin
from campaigns.table.taps import Dealt
from gangs.engine.own_items import extend_book
from gangs.engine.roster import OwnItem, Roster
from rules.book.model import Book
from rules.bounds.work import TooMuch
from rules.engine.dice import BadFaces
from rules.engine.playing import Missing, Wanted
from tests.world.attempts import Bout, figure, table

Taps = list[dict[str, Any]]


def did(who: str, action: str) -> dict[str, Any]:
    return {"kind": "did", "figure": who, "action": action}


def acted(who: str) -> dict[str, Any]:
    return {"kind": "acted", "figure": who}


def counted(who: str | int, track: str, by: int) -> dict[str, Any]:
    whose = "side" if isinstance(who, int) else "figure"
    return {"kind": "counted", whose: who, "track": track, "by": by}


def began(who: str, state: str, item: str | None = None) -> dict[str, Any]:
    of_item = {"item": item} if item else {}
    return {"kind": "began", "figure": who, **of_item, "state": state}


def out(who: str, by: str, mark: str) -> dict[str, Any]:
    return {"kind": "out", "figure": who, "by": by, "mark": mark}


def follows(roll: str, who: str | int, **more: Any) -> dict[str, Any]:
    return {"kind": "follows", "roll": roll, "who": who, **more}


def ordered(who: str, roll: str, outcome: str, place: int, distance: int) -> dict[str, Any]:
    rule = {"roll": roll, "outcome": outcome, "place": place}
    return {"kind": "ordered", "figure": who, **rule, "distance": distance}


def dealt(who: str | int, **what: str) -> dict[str, Any]:
    return {"kind": "dealt", **what, "who": who}


# The western, with two pistoleers.


@pytest.fixture
def western(blackwater: Book) -> Bout:
    gambler = figure("leader", "remington_army", "bowie_knife", profession="gambler")
    gunslinger = figure("leader", "navy_revolver", profession="gunslinger")
    return Bout(
        table(
            blackwater,
            [gambler, figure("henchman", "winchester")],
            [figure("henchman", "knife"), gunslinger],
        )
    )


def test_shot_takes_life_and_the_last_point_puts_out(western: Bout) -> None:
    shot = western.attempt("shot", "1.1", "2.1", "remington_army", action="shoot")
    assert western.told(shot, ((6,), (1,))) == [
        did("1.1", "shoot"),
        counted("2.1", "hp", -1),
        out("2.1", "1.1", "out"),
    ]
    assert western.now.figures["2.1"].out is not None


def test_two_actions_end_an_activation(western: Bout) -> None:
    shot = western.attempt("shot", "1.1", "2.1", "remington_army", action="shoot")
    assert western.told(shot, ((1,),)) == [did("1.1", "shoot")]
    assert western.told(shot, ((1,),)) == [did("1.1", "shoot"), acted("1.1")]
    run = western.attempt("run", "1.2", action="run")
    assert western.told(run, ((4,),)) == [did("1.2", "run"), acted("1.2")]


def test_attempt_knows_runners_and_leaders(western: Bout) -> None:
    western.told(western.attempt("run", "1.2", action="run"), ((4,),))
    shot = western.attempt("shot", "1.1", "2.2", "remington_army")
    asked = shot.question(western.start, western.now)
    assert (asked.said["ran"], asked.said["leader"], asked.said["enemy_leader"]) == (
        0,
        "gambler",
        "other",
    )
    at_runner = western.attempt("shot", "2.2", "1.2", "navy_revolver")
    asked = at_runner.question(western.start, western.now)
    assert (asked.said["target_fast"], asked.said["enemy_leader"]) == (1, "gambler")
    western.tap("turn")
    assert at_runner.question(western.start, western.now).said["target_fast"] == 1
    western.tap("out", figure="1.1")
    assert at_runner.question(western.start, western.now).said["enemy_leader"] == "other"


def test_aiming_is_remembered_within_the_turn(western: Bout) -> None:
    shot = western.attempt("shot", "2.2", "1.2", "navy_revolver")
    assert shot.question(western.start, western.now).said["aims"] == 0
    western.tap("did", figure="2.2", action="aim")
    assert shot.question(western.start, western.now).said["aims"] == 1
    western.tap("turn")
    assert shot.question(western.start, western.now).said["aims"] == 0


def test_second_of_two_pistols_is_known_after_the_first(western: Bout) -> None:
    """Each is rolled by itself if the first hits somebody else; both have the same penalty."""
    shot = western.attempt("shot", "2.2", "1.2", "navy_revolver", action="shoot_twice")
    assert shot.question(western.start, western.now).said["two_weapons"] == 1
    western.tap("did", figure="2.2", action="shoot_twice")
    shot = western.attempt("shot", "2.2", "1.2", "navy_revolver")
    assert shot.question(western.start, western.now).said["two_weapons"] == 1
    western.tap("turn")
    assert shot.question(western.start, western.now).said["two_weapons"] == 0


def test_gang_goes_on_testing_morale_until_the_turn_ends(blackwater: Book) -> None:
    """Whether a gang has to test is decided when the turn begins, and not again in it."""
    four = [figure("henchman") for _number in range(4)]
    bout = Bout(table(blackwater, four, four[1:]))
    for key in ("1.3", "1.4"):
        bout.tap("out", figure=key)
    bout.tap("turn")
    assert [one.who for one in bout.now.due if one.alarm == "morale"] == ["1.1", "1.2"]
    bout.tap("out", figure="2.1")
    test = replace(bout.attempt("morale", "1.1"), alarm="morale")
    assert find_free_end(test.question(bout.start, bout.now)) is None
    # Without the reminder of this turn, nobody would have to.
    end = find_free_end(bout.attempt("morale", "1.1").question(bout.start, bout.now))
    assert end is not None and end.outcome.key == "steady"


def test_fleeing_figure_leaves_the_table_unhurt(western: Bout) -> None:
    leave = western.attempt("", "1.2", action="leave")
    assert not is_offered(western, "1.2", "leave")
    western.tap("began", figure="1.2", state="fleeing")
    assert is_offered(western, "1.2", "leave")
    taps = pay_action(western.start, western.now, leave)
    assert [tap.model_dump(exclude_defaults=True) for tap in taps if tap.kind == "out"] == [
        {"figure": "1.2", "unhurt": True}
    ]


def is_offered(bout: Bout, who: str, action: str) -> bool:
    """Whether the table offers a figure this action."""
    return action in {one.action.key for one in find_options(bout.start, bout.now, who).deeds}


def test_luck_is_lost_with_the_leader(western: Bout) -> None:
    shot = western.attempt("shot", "2.2", "1.1", "navy_revolver")
    assert western.said(shot, "out", lost=3) == [
        counted("1.1", "hp", -3),
        out("1.1", "2.2", "out"),
        {"kind": "set", "figure": "1.1", "track": "luck", "to": 0},
        {"kind": "set", "figure": "1.1", "track": "gamblers_luck", "to": 0},
    ]


def test_nuggets_are_counted_for_their_carrier(blackwater: Book) -> None:
    """In their scenario, a figure carries as many as its strength, and picks up one per action."""
    people = [figure("henchman")], [figure("henchman")]
    rush = Bout(table(blackwater, *people, scenario="gold_rush"))
    strength = rush.start.figures[0].names["by.str"]
    assert isinstance(strength, int)
    deeds = {deed.action.key for deed in find_options(rush.start, rush.now, "1.1").deeds}
    assert "pick_up" in deeds and "free" not in deeds
    for carried in [*range(1, strength + 1), strength]:
        rush.tell(pay_action(rush.start, rush.now, Attempt("1.1", action="pick_up")))
        assert rush.now.figures["1.1"].tracks["carried_nuggets"] == carried
    # A figure that is put out drops them; one that leaves the table takes them off, for the gang.
    rush.tell(pay_action(rush.start, rush.now, Attempt("2.1", action="pick_up")))
    rush.tell(pay_action(rush.start, rush.now, Attempt("2.1", action="leave")))
    rush.tap("out", figure="1.1", by="2.1", mark="out")
    assert rush.now.figures["1.1"].tracks["carried_nuggets"] == 0
    assert rush.now.tallies == {"nuggets": {2: 1}}
    plain = Bout(table(blackwater, *people))
    assert "carried_nuggets" not in plain.now.figures["1.1"].tracks
    assert "pick_up" not in {
        deed.action.key for deed in find_options(plain.start, plain.now, "1.1").deeds
    }


def test_stray_shot_asks_for_its_victim(western: Bout) -> None:
    shot = western.attempt("shot", "1.2", "2.1", "winchester")
    assert western.said(shot, "stray") == [
        # At somebody else than the target.
        follows("stray_hit", "1.2", but="2.1", item="winchester"),
    ]
    [follow_up] = western.now.follow_ups
    assert (follow_up.roll, follow_up.who, follow_up.item) == ("stray_hit", "1.2", "winchester")
    stray = western.attempt("stray_hit", "1.2", "2.2", "winchester")
    assert western.said(stray, "saved") == [dealt("1.2", roll="stray_hit")]
    assert western.now.follow_ups == ()


def test_a_doctor_brings_somebody_back(blackwater: Book) -> None:
    doctor = figure("professional", profession="doctor")
    bout = Bout(table(blackwater, [doctor, figure("henchman")], [figure("henchman")]))
    bout.tap("out", figure="1.2", by="2.1")
    revive = bout.attempt("revive", "1.1", "1.2")
    taps = bout.said(revive, "revived")
    assert {tap["kind"] for tap in taps} >= {"began", "set"}
    assert bout.now.figures["1.2"].out is None


# Soldiers of fortune.


@pytest.fixture
def fortune(cran: Book) -> Bout:
    boss = figure("veteran", "revolver", "sword", traits=("boss",))
    return Bout(
        table(
            cran,
            [boss, figure("novice", "rifle")],
            [figure("novice", "carbine"), figure("veteran", "sword")],
        )
    )


def test_two_unsaved_hits_take_a_figure_out(fortune: Bout) -> None:
    shot = fortune.attempt("shot", "1.1", "2.1", "revolver", action="shoot", distance=6)
    assert fortune.told(shot, ((2, 8, 5), (1,))) == [
        did("1.1", "shoot"),
        out("2.1", "1.1", "casualty"),
    ]


def test_a_weapon_jams_and_is_cleared(fortune: Bout) -> None:
    shot = fortune.attempt("shot", "1.1", "2.1", "revolver", action="shoot", distance=6)
    assert fortune.told(shot, ((5, 6, 1), (4,), (4,))) == [
        did("1.1", "shoot"),
        began("2.1", "shaken"),
        began("1.1", "jammed", "revolver"),
    ]
    again = shot.question(fortune.start, fortune.now)
    assert not again.usable
    assert fortune.now.figures["1.1"].item_states == {"revolver": {"jammed": "ended"}}


def test_attacker_who_loses_is_taken_out_by_the_target(fortune: Bout) -> None:
    fight = fortune.attempt("combat", "1.1", "2.2", "sword", at_item="sword", charged=1)
    assert fortune.said(fight, "own_casualty") == [out("1.1", "2.2", "casualty")]


def test_boss_is_able_until_they_are_down(fortune: Bout) -> None:
    cards = fortune.attempt("cards", 1)
    assert cards.question(fortune.start, fortune.now).said["boss_able"] == 1
    fortune.tap("began", figure="1.1", state="down")
    assert cards.question(fortune.start, fortune.now).said["boss_able"] == 0


# Swords and a purse of action points.


@pytest.fixture
def duellists(du_sang: Book) -> Bout:
    return Bout(
        table(
            du_sang,
            [figure("leader", "pistol", "sabre"), figure("henchman", "sabre")],
            [figure("second", "sabre"), figure("henchman", "sabre")],
        )
    )


@pytest.mark.parametrize(("players", "purse"), [("two", 12), ("more", 6)])
def test_purse_depends_on_the_number_of_players(du_sang: Book, players: str, purse: int) -> None:
    sides = [[figure("second"), figure("henchman")] for _side in range(3)]
    bout = Bout(table(du_sang, *sides, players=players))
    assert [side.tracks["purse"] for side in bout.now.sides.values()] == [purse] * 3
    bout.tap("counted", side=1, track="purse", by=-2)
    bout.tap("turn")
    bout.tap("said", text="The next turn.")
    assert bout.now.sides[1].tracks["purse"] == purse


def test_duel_is_paid_from_the_sides_purse(duellists: Bout) -> None:
    duel = duellists.attempt("duel", "1.2", "2.2", "sabre", at_item="sabre", action="duel")
    assert duellists.told(duel, ((2, 5), (1, 3))) == [
        did("1.2", "duel"),
        counted(1, "purse", -1),
        counted("2.2", "wounds", -1),
        began("2.2", "engaged"),
        began("1.2", "engaged"),
    ]
    assert duellists.now.sides[1].tracks["purse"] == 11


def test_a_charge_that_arrives_is_followed_by_a_duel(duellists: Bout) -> None:
    charge = duellists.attempt("charge", "1.2", "2.1", action="charge", distance=3)
    assert duellists.told(charge, ((1,),)) == [
        did("1.2", "charge"),
        counted(1, "purse", -2),
        began("1.2", "charging"),
        follows("duel", "1.2", at="2.1"),
    ]
    duel = duellists.attempt("duel", "1.2", "2.1", "sabre", at_item="sabre")
    assert duel.question(duellists.start, duellists.now).said["charges"] == 1
    assert duellists.told(duel, ((1, 1), (1, 3, 2))) == [
        dealt("1.2", roll="duel"),
        counted("1.2", "wounds", -1),
        began("2.1", "engaged"),
        began("1.2", "engaged"),
        {"kind": "ended", "figure": "1.2", "state": "charging"},
    ]
    again = duellists.attempt("duel", "1.2", "2.1", "sabre", at_item="sabre", action="duel")
    assert again.question(duellists.start, duellists.now).said["charges"] == 0


def test_failed_climb_ends_the_activation(duellists: Bout) -> None:
    climb = duellists.attempt("climb", "1.1", action="climb")
    assert duellists.told(climb, ((1, 1, 1, 3),)) == [
        did("1.1", "climb"),
        counted(1, "purse", -2),
        acted("1.1"),
    ]


def test_reported_duel_may_hurt_both_figures(duellists: Bout) -> None:
    duel = duellists.attempt("duel", "1.1", "2.2", "sabre", at_item="sabre")
    assert duellists.said(duel, "both_hurt", dealt=1, taken=1) == [
        counted("2.2", "wounds", -1),
        counted("1.1", "wounds", -1),
        began("2.2", "engaged"),
        began("1.1", "engaged"),
    ]


# Bands whose figures have action points.


@pytest.fixture
def bands(au_un: Book) -> Bout:
    return Bout(
        table(
            au_un,
            [figure("chef", "epee", "arc_court"), figure("sous_fifre", "lance")],
            [figure("sous_chef", "arbalete", "couteau"), figure("sous_fifre", "couteau")],
        )
    )


def test_a_wound_makes_a_test_due(bands: Bout) -> None:
    shot = bands.attempt("shot", "1.1", "2.2", "arc_court", action="shoot")
    assert bands.told(shot, ((2,), (5,))) == [
        did("1.1", "shoot"),
        counted("1.1", "action_points", -2),
        counted("2.2", "pv", -1),
        follows("fire_test", "2.2", at="1.1", at_item="arc_court"),
    ]
    test = bands.attempt("fire_test", "2.2", "1.1", at_item="arc_court")
    assert bands.said(test, "passed") == [dealt("2.2", roll="fire_test")]


def test_figure_out_of_action_has_no_more_tests(bands: Bout) -> None:
    shot = bands.attempt("shot", "1.1", "2.2", "arc_court")
    bands.told(shot, ((2,), (5,)))
    bands.tap("out", figure="2.2")
    assert bands.now.follow_ups == ()


def test_the_last_point_ends_the_activation(bands: Bout) -> None:
    strike = bands.attempt("strike", "2.1", "1.2", "couteau", action="strike")
    assert bands.told(strike, ((2,),)) == [
        did("2.1", "strike"),
        counted("2.1", "action_points", -1),
    ]
    assert bands.told(strike, ((1,),)) == [
        did("2.1", "strike"),
        counted("2.1", "action_points", -1),
        acted("2.1"),
    ]


def test_free_strike_is_not_paid_again(bands: Bout) -> None:
    strike = bands.attempt("strike", "2.1", "1.2", "couteau", action="strike", free=True)
    assert bands.told(strike, ((2,),)) == []


def test_a_burst_weapon_is_lost_for_good(bands: Bout) -> None:
    shot = bands.attempt("shot", "2.1", "1.2", "arbalete")
    assert bands.said(shot, "jammed") == [
        {"kind": "lost_weapon", "figure": "2.1", "item": "arbalete", "lasting": True}
    ]
    archer = next(one for one in bands.start.figures if one.key == "2.1")
    assert figure_now(archer, bands.now.figures["2.1"]).items == ("couteau",)


# Poker dice and barrels of cartridges.


@pytest.fixture
def cast(zombstone: Book) -> Bout:
    hero = figure("vedette", "colt_lourd", "sabre", profession="heros")
    young = figure("vedette", "winchester", profession="jeune_premier")
    return Bout(
        table(
            zombstone,
            [hero, figure("second_role", "fusil_chasse")],
            [young, figure("figurant")],
        )
    )


WOUNDING = ((1, 1, 1, 3, 2), (6, 6), (3, 3, 5, 2, 5), (1,))


def waits(bout: Bout, roll: str) -> list[str | int]:
    """The figures that a roll waits for, for any reason."""
    now, alarms = bout.now, bout.start.book.alarm
    due = [one.who for one in now.due if alarms[one.alarm].roll == roll]
    return [*due, *(one.who for one in now.follow_ups if one.roll == roll)]


def test_better_hand_wounds_and_requires_guts_once(cast: Bout) -> None:
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd", action="shoot", distance=6)
    assert cast.told(shot, WOUNDING) == [
        did("1.1", "shoot"),
        counted("2.1", "barrel", -4),
        began("2.1", "wounded"),
        ordered("2.1", "shot", "wounded", 3, 2),
        follows("guts", "2.1"),
    ]
    assert waits(cast, "guts") == ["2.1"]
    assert cast.said(cast.attempt("guts", "2.1"), "holds") == [dealt("2.1", alarm="wounded")]
    assert waits(cast, "guts") == []
    # A figure that is already Wounded is not asked again.
    cast.tap("counted", figure="2.1", track="barrel", by=-1)
    assert waits(cast, "guts") == []


def test_whole_side_tests_guts_when_its_star_is_lost(cast: Bout) -> None:
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd", distance=6)
    assert cast.said(shot, "out", lost=6) == [
        counted("2.1", "barrel", -6),
        out("2.1", "1.1", "hs"),
        follows("guts", 2),
    ]
    assert waits(cast, "guts") == ["2.2"]
    assert cast.said(cast.attempt("guts", "2.2"), "holds") == [dealt("2.2", alarm="star_out")]
    assert waits(cast, "guts") == []


@pytest.mark.parametrize("was_wounded", [False, True])
def test_report_knows_facts_that_do_not_depend_on_dice(cast: Bout, was_wounded: bool) -> None:
    if was_wounded:
        cast.tap("began", figure="2.1", state="wounded")
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd", distance=6)
    expected = [
        {"kind": "set", "figure": "2.1", "track": "barrel", "to": 1},
        began("2.1", "wounded"),
        ordered("2.1", "shot", "last_cartridge", 3, 2),
    ]
    if not was_wounded:
        expected.append(follows("guts", "2.1"))
    assert cast.said(shot, "last_cartridge") == expected


@pytest.mark.parametrize("happened", [(), (2,)])
def test_report_asks_for_facts_that_only_dice_know(
    cast: Bout, happened: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise TooMuch("too many dice")

    monkeypatch.setattr(entering, "endings", refuse)
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd", distance=6)
    expected = [
        {"kind": "set", "figure": "2.1", "track": "barrel", "to": 1},
        began("2.1", "wounded"),
        ordered("2.1", "shot", "last_cartridge", 3, 2),
    ]
    if happened:
        expected.append(follows("guts", "2.1"))
    assert cast.said(shot, "last_cartridge", happened) == expected


def test_whole_side_may_leave(cran: Book) -> None:
    """All remaining figures leave without an attacker; the report records how. Figures that went
    out earlier keep their record."""
    three = [figure("veteran"), figure("novice"), figure("novice")]
    bout = Bout(table(cran, [figure("veteran", "revolver")], three))
    bout.tap("out", figure="2.2", by="1.1", mark="casualty")
    assert bout.said(bout.attempt("nerve", "2.1"), "flees") == [
        {"kind": "out", "figure": "2.1", "mark": "fled", "unhurt": True},
        {"kind": "out", "figure": "2.3", "mark": "fled", "unhurt": True},
    ]
    assert [side.standing for side in bout.now.sides.values()] == [1, 0]
    told = report_sides(bout.start, bout.now, {1: "gang-1", 2: "gang-2"})
    assert told[1].marks == {}
    assert told[2].marks == {1: "fled", 2: "casualty", 3: "fled"}
    assert {*told[2].credits} == {2}


def test_attempt_knows_moves_and_cards(cast: Bout) -> None:
    stride = cast.attempt("stride", "1.1", action="move")
    asked = stride.question(cast.start, cast.now)
    assert (asked.said["cards_held"], asked.said["star_left"], asked.said["old_chap"]) == (5, 1, 0)
    cast.tap("did", figure="1.1", action="move")
    cast.tap("counted", side=1, track="cards", by=-2)
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd")
    asked = shot.question(cast.start, cast.now)
    assert (asked.said["moves_taken"], asked.said["cards_held"]) == (1, 3)


def test_played_cards_leave_the_hand(cast: Bout) -> None:
    guts = cast.attempt("guts", "1.1", first_card="ace")
    cast.said(guts, "holds")
    assert cards_left(cast) == {1: 4, 2: 5}
    first = cast.attempt("initiative", 1, 2, initiative_card="ace", their_initiative_card="nine")
    cast.told(first, ())
    assert cards_left(cast) == {1: 3, 2: 4}
    # A card that nobody holds cannot be played.
    cast.tap("counted", side=1, track="cards", by=-3)
    assert cast.attempt("guts", "1.1").question(cast.start, cast.now).said["hand_left"] == 0
    cast.said(cast.attempt("guts", "1.1", first_card="ace"), "holds")
    assert cards_left(cast) == {1: 0, 2: 4}


def cards_left(bout: Bout) -> dict[int, int]:
    """Return the cards that each side holds."""
    return {number: side.tracks["cards"] for number, side in bout.now.sides.items()}


def test_damage_is_passed_on_only_to_a_figure_that_can_take_it(zombstone: Book) -> None:
    villain = figure("vedette", "colt", profession="grand_mechant")
    bout = Bout(table(zombstone, [figure("vedette", "colt")], [villain, figure("second_role")]))
    shot = bout.attempt("shot", "1.1", "2.1", "colt")
    assert shot.question(bout.start, bout.now).said["stand_ins"] == 1
    bout.tap("began", figure="2.2", state="wounded")
    assert shot.question(bout.start, bout.now).said["stand_ins"] == 0
    bout.tap("ended", figure="2.2", state="wounded")
    bout.tap("out", figure="2.2")
    assert shot.question(bout.start, bout.now).said["stand_ins"] == 0


# A gang's own items.


@pytest.fixture
def inventors(blackwater: Book) -> Bout:
    """Two gangs, each with its own item; both items have the same key."""
    sides = []
    for number, (name, level) in enumerate((("Long Tom", 1), ("Old Faithful", 3)), start=1):
        own = OwnItem(
            key="own-1", name=name, group="longarm", price=1, level=level, hands=2,
            columns={"short": "10", "long": "20"},
        )  # fmt: skip
        book = extend_book(blackwater, Roster(own_items=(own,)))
        sides.append(TableFighter(book, number, "1", f"g{number}", 1, figure("leader", "own-1")))
    settings = blackwater.default_settings()
    return Bout(begin(blackwater.under(settings), (1, 2), sides))


def test_every_gang_uses_its_own_items(inventors: Bout) -> None:
    start, now = inventors.start, inventors.now
    read = {}
    for by, at in (("1.1", "2.1"), ("2.1", "1.1")):
        shot = inventors.attempt("shot", by, at, "own-1", at_item="own-1")
        asked = shot.question(start, now)
        assert asked.use is not None
        read[by] = asked.use.name["en"], asked.names["item.level"], asked.names["at_item.level"]
        assert [use.name["en"] for use in target_weapons(asked) if use.item.key == "own-1"] == [
            {"1.1": "Old Faithful", "2.1": "Long Tom"}[by]
        ]
    assert read == {"1.1": ("Long Tom", 1, 3), "2.1": ("Old Faithful", 3, 1)}


# Dice of any game.


def test_dice_of_the_table_are_requested_throw_by_throw(fortune: Bout) -> None:
    shot = fortune.attempt("shot", "1.1", "2.1", "revolver", distance=6)
    wanted: list[Wanted] = []
    faces: tuple[tuple[int, ...], ...] = ()
    for answer in ((5, 6, 1), (4,), (4,)):
        with pytest.raises(Missing) as missing:
            fortune.told(shot, faces)
        wanted.append(missing.value.wanted)
        faces = (*faces, answer)
    assert [(one.dice, one.sides) for one in wanted] == [(3, 8), (1, 6), (1, 10)]
    with pytest.raises(BadFaces):
        fortune.told(shot, ((9, 6, 1),))
    assert began("2.1", "shaken") in fortune.told(shot, faces)


def test_dice_of_the_application_have_the_same_effect_as_typed_dice(fortune: Bout) -> None:
    shot = fortune.attempt("shot", "1.1", "2.1", "revolver", action="shoot", distance=6)
    fair = iter([2, 8, 5, 1])
    played = throw(shot.question(fortune.start, fortune.now), lambda sides: next(fair))
    assert fortune.came(shot, played) == [did("1.1", "shoot"), out("2.1", "1.1", "casualty")]


def test_an_unknown_outcome_is_refused(fortune: Bout) -> None:
    with pytest.raises(KeyError):
        fortune.said(fortune.attempt("shot", "1.1", "2.1", "revolver"), "triumph")


# Reminders, rolls that follow, and actions that a game allows seldom.


def test_reminder_of_a_side_is_settled_when_one_of_its_figures_rolls(cran: Book) -> None:
    bout = Bout(
        table(cran, [figure("hero", traits=("boss",))], [figure("veteran"), figure("novice")])
    )
    bout.tap("out", figure="2.1")
    assert [(due.alarm, due.who) for due in bout.now.due] == [("nerve", 2)]
    assert [due.who for due in find_options(bout.start, bout.now, "2.2").due] == [2]
    assert find_options(bout.start, bout.now, "1.1").due == ()
    assert bout.told(bout.attempt("nerve", "2.2"), ((6,),)) == [dealt(2, alarm="nerve")]
    assert bout.now.due == ()


def test_figure_settles_its_own_roll_before_one_of_its_side(cast: Bout) -> None:
    cast.tap("follows", roll="guts", who=1)
    cast.tap("follows", roll="guts", who="1.1")
    guts = cast.attempt("guts", "1.1")
    assert dealt("1.1", roll="guts") in [
        tap.model_dump(exclude_defaults=True, exclude={"act"}) | {"kind": tap.kind}
        for tap in begin_attempt(cast.start, cast.now, guts)
    ]


def test_blast_is_still_rolled_when_its_thrower_falls(western: Bout) -> None:
    western.tap("follows", roll="radius", who="1.1", item="dynamite")
    western.tap("out", figure="1.1")
    assert waits(western, "radius") == ["1.1"]
    assert [one.roll for one in find_options(western.start, western.now, "1.1").follow_ups] == [
        "radius"
    ]


def test_blast_catches_figures_after_its_thrower_has_fallen(blackwater: Book) -> None:
    bout = Bout(table(blackwater, [figure("leader", "dynamite")], [figure("henchman")]))
    bout.tap("out", figure="1.1")
    found = find_options(bout.start, bout.now, "1.1")
    assert {one.roll.key for one in found.others} >= {"radius", "blast"}
    assert found.deeds == ()


def test_roll_of_a_figure_that_falls_is_dropped_where_the_game_says_so(cast: Bout) -> None:
    cast.tap("follows", roll="guts", who="2.2")
    cast.tap("out", figure="2.2")
    cast.tap("back", figure="2.2")
    assert waits(cast, "guts") == []
    cast.tap("out", figure="2.2")
    cast.tap("follows", roll="guts", who="2.2")
    cast.tap("back", figure="2.2")
    assert waits(cast, "guts") == []


def test_roll_waits_for_a_figure_that_is_out_by_default(western: Bout) -> None:
    western.tap("follows", roll="shot", who="1.1")
    western.tap("out", figure="1.1")
    assert waits(western, "shot") == []
    western.tap("back", figure="1.1")
    assert waits(western, "shot") == ["1.1"]


def test_impossible_attempt_ends_without_dice_and_names_its_reason(bands: Bout) -> None:
    shot = bands.attempt("shot", "1.2", "2.1", "arc_court", range="long", height="below")
    needed = shot.question(bands.start, bands.now).names["by.ct"]
    assert isinstance(needed, int) and needed + 2 > 6
    end = find_free_end(shot.question(bands.start, bands.now))
    assert end is not None and end.outcome.key == "impossible"
    assert describe_free_end(end) == f"No shot possible: {needed + 2}+ needed"
    near = bands.attempt("shot", "1.2", "2.1", "arc_court", range="short")
    assert find_free_end(near.question(bands.start, bands.now)) is None


@pytest.mark.parametrize(
    ("first", "then", "caution"),
    [
        ("shoot", "fight", "second_attack"),
        ("shoot", "revive", "second_attack"),
        ("shoot", "move", None),
        ("run", "shoot", "after_running"),
        ("move", "run", None),
    ],
)
def test_second_attack_is_questioned_and_not_refused(
    blackwater: Book, first: str, then: str, caution: str | None
) -> None:
    doctor = figure("leader", "navy_revolver", "knife", profession="doctor")
    bout = Bout(table(blackwater, [doctor, figure("henchman")], [figure("henchman")]))
    bout.tap("out", figure="1.2")
    deeds = {one.action.key: one for one in find_options(bout.start, bout.now, "1.1").deeds}
    assert deeds[then].caution is None
    bout.tap("did", figure="1.1", action=first)
    deeds = {one.action.key: one for one in find_options(bout.start, bout.now, "1.1").deeds}
    found = deeds[then].caution
    assert (found and found.key) == caution
    bout.tap("turn")
    deeds = {one.action.key: one for one in find_options(bout.start, bout.now, "1.1").deeds}
    assert deeds[then].caution is None


def test_further_rolls_of_an_action_are_not_questioned(duellists: Bout) -> None:
    start = duellists.start
    move, duel = start.book.action["move"], start.book.action["duel"]
    for action in ("turn_round", "move"):
        duellists.tap("did", figure="1.1", action=action)
    duellists.tap("rolled", roll="move", by="1.1")
    assert find_caution(start, duellists.now, "1.1", move, "jump") is None
    found = find_caution(start, duellists.now, "1.1", move, "move")
    assert found is not None and found.key == "third_action"
    duellists.tap("turn")
    duellists.tap("did", figure="1.1", action="charge")
    duellists.tap("rolled", roll="charge", by="1.1")
    assert find_caution(start, duellists.now, "1.1", duel, "duel") is None
    duellists.tap("did", figure="1.1", action="duel")
    found = find_caution(start, duellists.now, "1.1", start.book.action["shoot"], "shot")
    assert found is not None and found.key == "second_attack"


def test_initiative_is_due_once_for_both_sides_in_every_turn(duellists: Bout) -> None:
    def due() -> list[tuple[str, Any, int]]:
        return [(one.alarm, one.who, one.turn) for one in duellists.now.due]

    assert due() == [("initiative", 1, 1)]
    roll = duellists.attempt("initiative", 2, 1)
    assert begin_attempt(duellists.start, duellists.now, roll) == [Dealt(alarm="initiative", who=1)]
    duellists.tap("dealt", alarm="initiative", who=1)
    assert due() == []
    duellists.tap("turn")
    assert due() == [("initiative", 1, 2)]


def test_dice_after_a_tie_say_so(duellists: Bout) -> None:
    asked = duellists.attempt("initiative", 1, 2).question(duellists.start, duellists.now)
    played = play_faces(asked, ((3, 4), (2, 5), (1, 1), (6, 6)))
    assert played.outcome == "last"
    assert [one.wanted.tied for one in played.throws] == [False, False, True, False]


def test_one_roll_settles_only_the_alarm_that_asked_for_it(cast: Bout) -> None:
    """Two alarms ask a figure for the same roll; without a name the first one is settled."""
    cast.tap("counted", figure="1.2", track="barrel", by=-4)
    cast.tap("out", figure="1.1", by="2.1", mark="hs")
    assert [one.alarm for one in cast.now.due if one.who == "1.2"] == ["wounded", "star_out"]
    test = replace(cast.attempt("guts", "1.2"), alarm="star_out")
    assert cast.said(test, "holds") == [dealt("1.2", alarm="star_out")]
    assert [one.alarm for one in cast.now.due if one.who == "1.2"] == ["wounded"]
    # An alarm that is not due settles nothing.
    assert cast.said(test, "holds") == []
    assert cast.said(cast.attempt("guts", "1.2"), "holds") == [dealt("1.2", alarm="wounded")]


@pytest.mark.parametrize("named", [True, False])
def test_fleeing_figure_flees_for_good_only_in_its_own_test(cast: Bout, *, named: bool) -> None:
    """Being Wounded by a shot asks for a test, too, by an alarm and as the roll that follows: it
    settles neither its flight nor the test for it, whether or not its form names the alarm."""
    cast.tap("began", figure="1.2", state="fleeing")
    shot = cast.attempt("shot", "2.1", "1.2", "winchester", distance=6)
    cast.said(shot, "wounded", lost=4)
    assert waits(cast, "guts") == ["1.2"] and waits(cast, "come_round") == ["1.2"]
    test = replace(cast.attempt("guts", "1.2"), alarm="wounded" if named else None)
    own = cast.attempt("come_round", "1.2")
    ends = {"guts": ("holds", "runs"), "come_round": ("recovers", "removed")}
    for attempt in (test, own):
        asked = attempt.question(cast.start, cast.now)
        throws = zip(((1, 1, 2, 2, 3), (1, 2, 3, 4, 6)), ends[attempt.roll], strict=True)
        for faces, outcome in throws:
            dice = cycle(faces)
            assert throw(asked, lambda _sides: next(dice)).outcome == outcome  # noqa: B023
    cast.said(test, "holds")
    assert waits(cast, "guts") == [] and waits(cast, "come_round") == ["1.2"]
    cast.said(own, "removed")
    assert waits(cast, "come_round") == []


# Everything to which an act led.


def test_blast_stays_due_until_nobody_else_is_caught(blackwater: Book) -> None:
    thrower = [figure("leader", "dynamite")]
    bout = Bout(table(blackwater, thrower, [figure("henchman") for _number in range(3)]))
    bout.said(bout.attempt("explosive", "1.1", "2.1", "dynamite"), "hurt", hits=1, lost=1)
    thrown = bout.log[-1].act
    assert waits(bout, "radius") == waits(bout, "blast") == ["1.1"]
    bout.said(bout.attempt("radius", "1.1", item="dynamite"), None, inches=3)
    assert waits(bout, "radius") == []
    for victim in ("2.2", "2.3"):
        caught = bout.attempt("blast", "1.1", victim, "dynamite")
        told = bout.said(caught, "out", hits=3, lost=3)
        assert dealt("1.1", roll="blast") | {"stays": True} in told
        assert waits(bout, "blast") == ["1.1"] and bout.now.figures[victim].out
    # All of it followed from the throw.
    acts = {one.act for one in bout.folded.following.of(thrown)}
    assert acts == {one.act for one in bout.log} - {thrown}
    bout.put(Dealt(roll="blast", who="1.1", act=thrown))
    assert waits(bout, "blast") == []


def test_rolls_of_one_blast_follow_from_that_blast(blackwater: Book) -> None:
    """Two are due, and each has its own victims."""
    thrower = [figure("leader", "dynamite", "dynamite")]
    bout = Bout(table(blackwater, thrower, [figure("henchman") for _number in range(3)]))
    throws = []
    for target in ("2.1", "2.2"):
        bout.said(bout.attempt("explosive", "1.1", target, "dynamite"), "saved", hits=1, lost=0)
        throws.append(bout.log[-1].act)
    caught = replace(bout.attempt("blast", "1.1", "2.3", "dynamite"), cause=throws[1])
    bout.said(caught, "out", hits=3, lost=3)
    assert {*bout.folded.following.of(throws[0])} == set()
    assert {one.act for one in bout.folded.following.of(throws[1])} == {bout.log[-1].act}


def test_explosion_of_artillery_is_for_everybody_near(au_un: Book) -> None:
    roll = au_un.roll["shot"]
    [exploded] = [one for one in roll.outcomes if one.key == "exploded"]
    rolls = [(one.roll, one.whom, one.many) for one in exploded.effects if one.kind == "then"]
    assert rolls == [("explosion", "by", False), ("blast", "by", True)]


def test_roll_that_follows_uses_the_weapon_lost_since(au_un: Book) -> None:
    chief = figure("chef", "mousquet", "pistolet_poudre")
    bout = Bout(table(au_un, [chief], [figure("sous_fifre")]))
    bout.told(bout.attempt("shot", "1.1", "2.1", "mousquet", range="short"), ((1,), (1,)))
    assert bout.now.figures["1.1"].lost == {"mousquet": 1}
    names = Names(au_un, {}, {"1.1": "Chief", "2.1": "Underling"}, {1: "1", 2: "2"})
    address = QueryDict("by=1.1&item=mousquet")
    form = read_form(address, bout.start, bout.now, names, "explosion")
    assert (form.attempt.item, form.asked.names["item.force"]) == ("mousquet", 5)
    # Once it is made, only the pistol is left.
    bout.told(form.attempt, ((1,),))
    form = read_form(address, bout.start, bout.now, names, "explosion")
    assert form.attempt.item == "pistolet_poudre"


def test_roll_that_follows_an_action_knows_it(bands: Bout) -> None:
    charge = bands.attempt("charge", "1.1", "2.1", action="charge")
    assert bands.told(charge, ()) == [
        did("1.1", "charge"),
        counted("1.1", "action_points", -1),
        follows("charged_test", "2.1", at="1.1"),
        follows("contact", "1.1", at="2.1"),
    ]
    contact = bands.attempt("contact", "1.1", "2.1")
    assert bands.said(contact, "reached") == [
        dealt("1.1", roll="contact"),
        began("1.1", "charging"),
    ]


def test_test_that_an_alarm_asked_for_followed_from_the_act_that_raised_it(cast: Bout) -> None:
    shot = cast.attempt("shot", "1.1", "2.1", "colt_lourd", distance=6)
    cast.said(shot, "out", lost=6)
    cause = cast.log[-1].act
    cast.said(cast.attempt("guts", "2.2"), "runs")
    test = cast.log[-1].act
    assert {one.act for one in cast.folded.following.of(cause)} == {test}
    # Somebody undoes only the shot: the players are asked about the test.
    cast.undo(next(one for one in cast.log if one.act == cause), "b")
    [question] = cast.now.contested
    assert {cast.folded.by_key[key].act for key in question.resting} == {test}
