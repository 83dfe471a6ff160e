"""The table is the fold of its taps, in any order of arrival."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any
from uuid import uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.table.fold import fold
from campaigns.table.report import mark_of, report_sides
from campaigns.table.state import Departure, Due
from campaigns.table.taps import Logged
from rules.bounds.work import Exhausted, limit_work
from tests.rules.small import row, text, told
from tests.world.attempts import figure, table
from tests.world.tables import NAMESPACE, Evening, game, person, start


@pytest.fixture
def evening() -> Evening:
    return Evening(start(game()))


def test_every_figure_is_in_play_before_the_first_tap(evening: Evening) -> None:
    now = evening.now
    assert (now.turn, now.phase, now.over) == (1, None, None)
    assert [*now.figures] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    assert {figure.tracks["wounds"] for figure in now.figures.values()} == {3}
    assert now.sides[1].tracks == {"purse": 3, "points": 0}
    assert (now.sides[1].standing, now.sides[1].start, now.due) == (3, 3, ())


@pytest.mark.long
def test_alarms_do_a_limited_amount_of_work_per_tap() -> None:
    """Evenings may be long, but the expressions of a rulebook may not."""
    long = " and ".join(["by.life < 9"] * 30)
    alarms = [row(f"a{number}", given=long, asks="member", once="time") for number in range(40)]
    evening = Evening(start(game(alarms=alarms), 20, 20))
    for _tap in range(40):
        evening.tap("counted", figure="1.2", track="wounds", by=-1)
    with pytest.raises(Exhausted):
        evening.now  # noqa: B018 (it is folded)
    # A long evening of a usual game needs more work than the limit for one page, which is allowed.
    usual = Evening(start(game(), 20, 20))
    for _tap in range(400):
        usual.tap("counted", figure="1.2", track="wounds", by=-1)
    with limit_work(1_000, Exhausted):
        assert usual.now.figures["1.2"].tracks["wounds"] == 3 - 400


def test_losses_add_up_and_may_go_below_zero(evening: Evening) -> None:
    evening.tap("counted", "a", figure="1.2", track="wounds", by=-1)
    evening.tap("counted", "b", figure="1.2", track="wounds", by=-3)
    assert evening.now.figures["1.2"].tracks["wounds"] == -1


def test_purse_is_never_overdrawn_and_is_refilled_each_turn(evening: Evening) -> None:
    evening.tap("counted", side=1, track="purse", by=-5)
    assert evening.now.sides[1].tracks["purse"] == 0
    evening.tap("turn")
    assert evening.now.sides[1].tracks["purse"] == 3


def test_state_ends_when_the_rulebook_ends_it(evening: Evening) -> None:
    for state in ("down", "shaken", "aiming", "burning"):
        evening.tap("began", figure="1.1", state=state)
    evening.tap("began", figure="1.1", item="gun", state="jammed")
    assert evening.now.figures["1.1"].item_states == {"gun": {"jammed": "ended"}}
    evening.tap("acted", figure="1.1")
    assert {*evening.now.figures["1.1"].states} == {"down", "shaken", "burning"}
    evening.tap("turn")
    assert {*evening.now.figures["1.1"].states} == {"down", "burning"}
    evening.tap("phase", phase="upkeep")
    assert {*evening.now.figures["1.1"].states} == {"down", "burning"}
    evening.tap("phase", phase="actions")
    assert {*evening.now.figures["1.1"].states} == {"down"}
    evening.tap("ended", figure="1.1", state="down")
    evening.tap("ended", figure="1.1", item="gun", state="jammed")
    figure = evening.now.figures["1.1"]
    assert (figure.states, figure.item_states) == ({}, {})


def test_figure_that_has_acted_acts_again_in_the_next_turn(evening: Evening) -> None:
    evening.tap("acted", "a", figure="1.1")
    evening.tap("acted", "b", figure="1.1")
    figure = evening.now.figures["1.1"]
    assert (figure.acted, figure.may_act) == (1, False)
    evening.tap("turn")
    figure = evening.now.figures["1.1"]
    assert (figure.acted, figure.may_act) == (0, True)
    evening.tap("began", figure="1.1", state="fleeing")
    assert not evening.now.figures["1.1"].may_act


def test_turn_ended_twice_ends_once(evening: Evening) -> None:
    evening.tap("turn", "a")
    evening.turn = 1
    evening.tap("turn", "b")
    assert evening.now.turn == 2


@pytest.mark.parametrize(("last", "turn"), [(True, 1), (False, 2)])
def test_turn_ends_after_all_that_happened_in_it(evening: Evening, last: bool, turn: int) -> None:
    """Phone b shoots before it knows that phone a has ended the turn. In logs without ``last``, the
    shot counts in the next turn, as it did when they were written."""
    evening.asleep("b")
    evening.tap("turn", "a", last=last)
    evening.turn = 1
    evening.tap("out", "b", figure="2.1")
    out = evening.now.figures["2.1"].out
    assert evening.now.turn == 2 and out is not None and out.turn == turn


def test_figure_goes_out_once_with_the_most_detailed_report(evening: Evening) -> None:
    evening.tap("out", "a", figure="2.3")
    evening.tap("out", "b", figure="2.3", by="1.1", mark="casualty")
    assert evening.now.figures["2.3"].out == Departure(1, "1.1", "casualty")
    evening.tap("back", figure="2.3")
    assert evening.now.figures["2.3"].out is None


def test_alarm_falls_due_once_and_is_dealt_with(evening: Evening) -> None:
    evening.tap("out", figure="2.3", by="1.1")
    assert evening.now.due == (Due("lost", 2, 1),)
    evening.tap("dealt", alarm="lost", who=2)
    assert evening.now.due == ()
    evening.tap("turn")
    evening.tap("out", figure="2.2", by="1.1")
    assert set(evening.now.due) == {Due("half", 2, 2), Due("lost", 2, 2)}
    evening.tap("back", figure="2.2")
    evening.tap("out", figure="2.2", by="1.1")
    assert set(evening.now.due) == {Due("half", 2, 2), Due("lost", 2, 2)}


def test_alarm_of_a_figure_ends_when_the_figure_goes_out(evening: Evening) -> None:
    hurt = evening.tap("counted", figure="1.2", track="wounds", by=-2)
    assert evening.now.due == (Due("hurt", "1.2", 1),)
    evening.tap("dealt", alarm="hurt", who="1.2")
    evening.tap("counted", figure="1.2", track="wounds", by=1)
    evening.tap("counted", figure="1.2", track="wounds", by=-1)
    assert evening.now.due == (Due("hurt", "1.2", 1),)
    evening.tap("out", figure="1.2")
    assert [due for due in evening.now.due if due.alarm == "hurt"] == []
    evening.strike(hurt)
    assert evening.now.figures["1.2"].tracks["wounds"] == 3


def test_strike_removes_a_tap_and_another_restores_it(evening: Evening) -> None:
    out = evening.tap("out", figure="2.1")
    strike = evening.strike(out, "b")
    assert evening.now.figures["2.1"].out is None
    back = evening.strike(strike)
    assert evening.now.figures["2.1"].out is not None
    evening.strike(back, "b")
    assert evening.now.figures["2.1"].out is None


def shot(evening: Evening, act: str = "shot") -> tuple[Logged, Logged]:
    """Dice of the site that take a figure out of action."""
    thrown = {"roll": "shot", "by": "1.1", "at": "2.1", "faces": ((6,),), "thrown": True}
    rolled = evening.tap("rolled", "site", act, **thrown)
    return rolled, evening.tap("out", "site", act, figure="2.1", by="1.1")


def test_dice_of_the_site_count_until_somebody_else_agrees(evening: Evening) -> None:
    _rolled, out = shot(evening)
    strike = evening.strike(out, "a", asks=True)
    [asked] = evening.now.asked
    assert (asked.act, asked.strikes, asked.by) == (
        strike.act,
        {strike.key: out.key},
        person("a"),
    )
    assert out.key not in evening.now.struck
    # Nobody agrees to their own request, not even by a forged tap.
    evening.answer(strike, "a", agreed=True)
    assert len(evening.now.asked) == 1
    # Meanwhile other taps are undone as usual.
    wound = evening.tap("counted", figure="1.2", track="wounds", by=-1)
    evening.strike(wound, "a", asks=True)
    assert wound.key in evening.now.struck
    evening.answer(strike, "b", agreed=True)
    now = evening.now
    assert (now.asked, now.figures["2.1"].out) == ((), None)
    # The first answer counts, and cannot be undone.
    last = evening.answer(strike, "b", agreed=False)
    evening.strike(evening.log[-2], "a", asks=True)
    assert evening.now.struck >= {out.key} and last.key not in evening.now.struck


def test_an_undo_that_is_declined_or_withdrawn_leaves_the_dice(evening: Evening) -> None:
    _rolled, out = shot(evening)
    for phone in "ba":
        strike = evening.strike(out, "a", asks=True)
        evening.answer(strike, phone, agreed=False)
        assert evening.now.asked == () and out.key not in evening.now.struck
        evening.answer(strike, "b", agreed=True)
        assert out.key not in evening.now.struck


def test_answer_does_not_agree_to_later_requests(evening: Evening) -> None:
    rolled, out = shot(evening)
    strike = evening.tap("struck", "a", "x", **target(rolled), asked_by=person("a"))
    evening.answer(strike, "b", agreed=True)
    evening.tap("struck", "a", "x", **target(out), asked_by=person("a"))
    now = evening.now
    assert (rolled.key in now.struck, out.key in now.struck) == (True, False)
    assert [one.strikes for one in now.asked] == [{evening.log[-1].key: out.key}]


def test_restoring_dice_of_the_site_requires_agreement_too(evening: Evening) -> None:
    _rolled, out = shot(evening)
    strike = evening.strike(out, "a", asks=True)
    evening.answer(strike, "b", agreed=True)
    back = evening.strike(strike, "a", asks=True)
    assert out.key in evening.now.struck and len(evening.now.asked) == 1
    evening.answer(back, "b", agreed=True)
    assert out.key not in evening.now.struck


def test_strike_does_not_undo_future_dice(evening: Evening) -> None:
    """A forger who predicts the number of the next tap still has to ask."""
    evening.tap("struck", device=uuid5(NAMESPACE, "site"), device_seq=1, asked_by=person("a"))
    rolled, _out = shot(evening)
    assert rolled.key not in evening.now.struck


def test_strike_undoes_dice_immediately_in_an_older_log(evening: Evening) -> None:
    _rolled, out = shot(evening)
    evening.strike(out, "a")
    now = evening.now
    assert (now.asked, now.figures["2.1"].out, now.struck) == ((), None, {out.key})


def target(logged: Logged) -> dict[str, Any]:
    return {"device": logged.device, "device_seq": logged.device_seq}


def test_tap_about_unknown_things_changes_nothing(evening: Evening) -> None:
    before = evening.now
    taps = [
        evening.tap("out", figure="7.1"),
        evening.tap("counted", figure="1.1", track="luck", by=1),
        evening.tap("counted", side=9, track="purse", by=1),
        evening.tap("began", figure="1.1", state="asleep"),
        evening.tap("phase", phase="night"),
    ]
    now = evening.now
    assert now.unknown == {tap.key for tap in taps}
    assert (now.figures, now.sides, now.phase) == (before.figures, before.sides, before.phase)


def test_same_attack_from_two_phones_is_questioned(evening: Evening) -> None:
    evening.asleep("a")
    evening.asleep("b")
    shot = {"roll": "shot", "by": "1.1", "at": "2.1"}
    evening.tap("rolled", "a", act="one", **shot)
    wound = {"figure": "2.1", "track": "wounds", "by": -1}
    evening.tap("counted", "a", act="one", **wound)
    other = [evening.tap("rolled", "b", act="two", **shot)]
    other.append(evening.tap("counted", "b", act="two", **wound))
    [question] = evening.now.doubles
    assert (question.by, question.at, question.taps) == (
        "1.1",
        "2.1",
        tuple(tap.key for tap in other),
    )
    # Both count until somebody strikes one.
    assert evening.now.figures["2.1"].tracks["wounds"] == 1
    for phone in "ab":
        evening.awake(phone)
    twice = evening.tap("settled", acts=question.acts)
    assert evening.now.doubles == ()
    evening.strike(twice)
    for tap in other:
        evening.strike(tap)
    assert evening.now.doubles == ()
    assert evening.now.figures["2.1"].tracks["wounds"] == 2


def test_two_attacks_that_both_phones_saw_are_not_questioned(evening: Evening) -> None:
    shot = {"roll": "shot", "by": "1.1", "at": "2.1"}
    evening.tap("rolled", "a", **shot)
    evening.tap("rolled", "b", **shot)
    assert evening.now.doubles == ()


def test_strike_of_a_tap_under_another_is_contested(evening: Evening) -> None:
    out = evening.tap("out", "a", figure="2.1", by="1.1")
    back = evening.tap("back", "b", figure="2.1")
    strike = evening.strike(out, "a")
    [contested] = evening.now.contested
    assert (contested.struck, contested.by, contested.resting) == (
        out.key,
        strike.key,
        (back.key,),
    )
    evening.tap("settled", acts=(strike.act, out.act))
    assert evening.now.contested == ()


def test_answer_is_not_contested(evening: Evening) -> None:
    ended = evening.tap("turn", "a")
    loss = evening.tap("counted", "b", figure="1.1", track="wounds", by=-1)
    evening.strike(ended, "a")
    assert [one.resting for one in evening.now.contested] == [(loss.key,)]
    evening.strike(loss, "b")
    assert evening.now.contested == ()


def test_late_taps_are_folded_at_their_moment_and_listed(evening: Evening) -> None:
    evening.asleep("b")
    evening.tap("out", "a", figure="2.2")
    evening.tap("turn", "a")
    evening.turn = 1
    for _time in range(2):
        evening.tap("counted", "b", figure="1.1", track="wounds", by=-1)
    now = evening.now
    assert now.turn == 2
    assert [(late.turn, late.number) for late in now.late] == [(1, 2)]
    assert now.figures["1.1"].tracks["wounds"] == 1


def test_play_ends_with_the_given_result(evening: Evening) -> None:
    evening.tap("over")
    assert evening.now.over == ""
    result = evening.start.book.campaign.results[0].key
    evening.tap("over", "b", result=result, winner=2)
    assert (evening.now.over, evening.now.winner) == (result, 2)
    unknown = [
        evening.tap("over", result=result, winner=3),
        evening.tap("over", result="nothing", winner=1),
    ]
    evening.tap("over")
    assert (evening.now.over, evening.now.winner) == (result, 2)
    assert evening.now.unknown == {tap.key for tap in unknown}


FIGURES = [f"{side}.{member}" for side in (1, 2) for member in (1, 2, 3)]


def random_evening(seed: int, taps: int = 60) -> Evening:
    dice = Random(seed)
    evening = Evening(start(game()))
    for _tap in range(taps):
        phone = dice.choice("abc")
        evening.turn = dice.randint(1, 4)
        if dice.random() < 0.1:
            evening.asleep(phone)
        if dice.random() < 0.2:
            evening.awake(phone)
        figure, other = dice.sample(FIGURES, 2)
        state = dice.choice(["down", "shaken", "fleeing", "aiming", "burning"])
        kind, data = dice.choice(
            [
                ("counted", {"figure": figure, "track": "wounds", "by": dice.randint(-2, 1)}),
                ("counted", {"side": dice.randint(1, 2), "track": "purse", "by": -1}),
                ("set", {"figure": figure, "track": "wounds", "to": dice.randint(0, 3)}),
                ("began", {"figure": figure, "state": state}),
                ("ended", {"figure": figure, "state": state}),
                ("out", {"figure": figure, "by": other}),
                ("back", {"figure": figure}),
                ("acted", {"figure": figure}),
                ("rolled", {"roll": "shot", "by": figure, "at": other}),
                ("rolled", {"roll": "shot", "by": figure, "thrown": True}),
                ("answer", {}),
                ("turn", {}),
                ("phase", {"phase": dice.choice(["upkeep", "actions"])}),
                ("dealt", {"alarm": "lost", "who": dice.randint(1, 2)}),
                ("tallied", {"figure": figure, "tally": "shots", "by": 1}),
                ("struck", {}),
            ]
        )
        if kind == "struck":
            if evening.log:
                evening.strike(dice.choice(evening.log), phone, asks=dice.random() < 0.7)
        elif kind == "answer":
            strikes = [one for one in evening.log if one.tap.kind == "struck"]
            if strikes:
                strike = dice.choice(strikes)
                evening.answer(strike, phone, agreed=dice.random() < 0.7)
        else:
            evening.tap(kind, phone, **data)
    return evening


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_order_of_arrival_never_matters(seed: int, arrival: int) -> None:
    evening, chance = random_evening(seed), Random(arrival)
    mixed = [*evening.log, *chance.sample(evening.log, len(evening.log) // 3)]
    chance.shuffle(mixed)
    assert fold(evening.start, mixed) == evening.now


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(0, 59))
def test_striking_a_strike_changes_nothing(seed: int, place: int) -> None:
    evening = random_evening(seed)
    before = evening.now
    evening.awake("a")
    evening.turn = 4
    strike = evening.strike(evening.log[place % len(evening.log)])
    evening.strike(strike)
    after = evening.now
    assert after.figures == before.figures
    assert after.sides == before.sides
    assert after.tallies == before.tallies
    assert after.due == before.due


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(0, 59))
def test_striking_a_tap_removes_all_its_effects(seed: int, place: int) -> None:
    evening = random_evening(seed)
    gone = evening.now.struck
    target = evening.log[place % len(evening.log)]
    if target.key in gone or target.tap.kind in ("struck", "turn"):
        return
    without = fold(evening.start, [tap for tap in evening.log if tap.key != target.key])
    evening.turn = target.turn
    evening.strike(target)
    with_strike = evening.now
    if target.turn == max(tap.turn for tap in evening.log):
        return
    assert with_strike.figures == without.figures
    assert with_strike.tallies == without.tallies


def own(**more: Any) -> Evening:
    return Evening(start(game(**more)))


def test_refill_never_lowers_a_track() -> None:
    cards = row("cards", start="3 if gang.lost_members('by.leads()') else 5", each_turn="filled")
    evening = own(tracks=[cards])
    evening.tap("counted", side=1, track="cards", by=-2)
    evening.tap("counted", side=2, track="cards", by=-1)
    evening.tap("out", figure="2.1")
    evening.tap("turn")
    assert [side.tracks["cards"] for side in evening.now.sides.values()] == [5, 4]
    evening.tap("counted", side=2, track="cards", by=-3)
    evening.tap("turn")
    assert evening.now.sides[2].tracks["cards"] == 3


def test_purse_shrinks_by_the_price_of_figures_out_of_action() -> None:
    purse = row("purse", start="max(0, 12 - gang.lost_worth)", each_turn="anew")
    evening = own(tracks=[purse])
    cost = next(one.worth for one in evening.start.figures if one.key == "1.1")
    evening.tap("out", figure="1.1")
    assert evening.now.sides[1].tracks["purse"] == 12
    evening.tap("turn")
    assert evening.now.sides[1].tracks["purse"] == 12 - cost


def test_counted_track_stays_within_its_bounds(evening: Evening) -> None:
    evening.tap("counted", side=1, track="points", by=30)
    assert evening.now.sides[1].tracks["points"] == 20
    evening.tap("set", side=1, track="points", to=-3)
    assert evening.now.sides[1].tracks["points"] == 0


LOADS = [
    row("load", per="member", minimum=1, start=1, maximum=4, when_out="lost"),
    row("breath", per="member", start=2),
]


def test_figure_that_leaves_unhurt_keeps_what_it_carries() -> None:
    evening = own(tracks=LOADS)
    evening.tap("counted", figure="1.2", track="load", by=2)
    evening.tap("out", figure="1.2", unhurt=True)
    assert (evening.now.figures["1.2"].tracks["load"], evening.now.dropped) == (3, {})
    # It was a mistake.
    evening.tap("out", figure="1.2")
    assert evening.now.figures["1.2"].tracks["load"] == 1


def test_figure_that_goes_out_loses_what_its_tracks_say() -> None:
    evening = own(tracks=LOADS)
    evening.tap("counted", figure="1.2", track="load", by=2)
    gone = evening.tap("out", figure="1.2")
    assert evening.now.figures["1.2"].tracks == {"wounds": 3, "load": 1, "breath": 2}
    assert evening.now.figures["1.1"].tracks["load"] == 1
    # A second tap takes nothing more.
    evening.tap("out", figure="1.2")
    assert evening.now.dropped == {gone.key: {"load": 2}}
    evening.tap("back", figure="1.2")
    assert evening.now.figures["1.2"].tracks["load"] == 1


def test_departure_that_is_undone_gives_back_what_was_lost() -> None:
    evening = own(tracks=LOADS)
    evening.tap("counted", figure="1.2", track="load", by=2)
    gone = evening.tap("out", figure="1.2")
    evening.undo(gone)
    assert (evening.now.figures["1.2"].tracks["load"], evening.now.dropped) == (3, {})


@pytest.mark.parametrize(("scenario", "due"), [("raid", ["stars"]), ("", []), ("duel", [])])
def test_alarm_of_a_scenario_is_due_only_in_it(scenario: str, due: list[str]) -> None:
    rows = [told(key, victory=text("All.")) for key in ("raid", "duel")]
    alarms = [row("stars", given="1", asks="table", once="game", scenarios=["raid"])]
    book = game(scenarios=rows, alarms=alarms)
    evening = Evening(start(book, 2, 2, scenario=scenario))
    assert [one.alarm for one in evening.now.due] == due


def test_member_whom_the_scenario_brings_begins_in_its_state() -> None:
    brings = [{"condition": "gone", "state": "tied"}, {"condition": "ill"}]
    book = game(
        states=[row("tied", stops=True, lasts="game")],
        conditions=[told("gone", absent=True), told("ill", absent=True), told("lame")],
        scenarios=[told("rescue", victory=text("."), brings=brings)],
        alarms=[],
    )
    captive = figure("chief", conditions=("gone", "lame"))
    people = [captive, figure("scout", conditions=("ill",))], [figure("scout")]
    evening = Evening(table(book, *people, scenario="rescue"))
    now = evening.now
    assert [one.states for one in now.figures.values()] == [{"tied": "game"}, {}, {}]
    assert [one.may_act for one in now.figures.values()] == [False, True, True]
    evening.tap("ended", figure="1.1", state="tied")
    assert evening.now.figures["1.1"].states == {}
    assert Evening(table(book, *people)).now.figures["1.1"].states == {}


def test_state_may_follow_from_a_condition() -> None:
    evening = own(states=[row("bleeding", given="by.life <= 1", stops=True)])
    evening.tap("counted", figure="1.2", track="wounds", by=-2)
    figure = evening.now.figures["1.2"]
    assert (figure.states, figure.may_act) == ({"bleeding": "ended"}, False)
    evening.tap("counted", figure="1.2", track="wounds", by=1)
    assert evening.now.figures["1.2"].states == {}


def test_upkeep_alarm_falls_due_when_the_turn_begins() -> None:
    evening = own(alarms=[row("morale", given="gang.lost * 2 >= gang.start", phase="upkeep")])
    evening.tap("out", figure="1.2")
    evening.tap("out", figure="1.3")
    assert evening.now.due == ()
    evening.tap("turn")
    assert evening.now.due == (Due("morale", 1, 2),)
    # Nobody dealt with it, but it is due only once.
    evening.tap("turn")
    assert evening.now.due == (Due("morale", 1, 3),)
    evening.tap("dealt", alarm="morale", who=1)
    evening.tap("back", figure="1.2")
    evening.tap("turn")
    assert evening.now.due == ()


def test_alarm_is_not_due_when_its_condition_has_ended() -> None:
    evening = own(alarms=[row("won", given="enemy.standing < enemy.start", phase="end")])
    evening.tap("out", figure="2.2")
    assert evening.now.due == (Due("won", 1, 1),)
    evening.tap("back", figure="2.2")
    assert evening.now.due == ()
    evening.tap("out", figure="2.2")
    evening.tap("phase", phase="end")
    evening.tap("back", figure="2.2")
    assert evening.now.due == (Due("won", 1, 1),)


def test_alarm_raised_twice_before_its_phase_is_dropped_with_its_condition() -> None:
    evening = own(alarms=[row("shock", given="gang.lost", once="time", phase="end")])
    for kind in ("out", "back"):
        evening.tap(kind, figure="1.2")
        evening.tap(kind, figure="1.3")
    assert evening.now.due == ()
    evening.tap("counted", figure="1.1", track="wounds", by=-1)
    assert evening.now.due == ()
    evening.tap("out", figure="1.2")
    assert evening.now.due == (Due("shock", 1, 1),)


def test_repeated_alarm_falls_due_when_its_number_grows() -> None:
    evening = own(
        alarms=[row("shock", given="gang.lost_members('not by.leads()')", once="time", asks="side")]
    )
    evening.tap("out", figure="1.2")
    evening.tap("dealt", alarm="shock", who=1)
    evening.tap("counted", figure="1.1", track="wounds", by=-1)
    assert evening.now.due == ()
    evening.tap("out", figure="1.3")
    assert evening.now.due == (Due("shock", 1, 1),)


def test_a_squad_acts_together() -> None:
    squads = replace(start(game(activation={"squads": True})), figures=())
    figures = [replace(one, squad="Hounds") for one in start(game()).figures]
    evening = Evening(replace(squads, figures=(replace(figures[0], squad=""), *figures[1:])))
    evening.tap("out", figure="1.2")
    evening.tap("acted", figure="1.3")
    acted = {key: figure.acted for key, figure in evening.now.figures.items()}
    assert acted == {"1.1": 0, "1.2": 0, "1.3": 1, "2.1": 0, "2.2": 0, "2.3": 0}


def test_figure_hit_twice_keeps_its_first_attacker_and_last_mark(evening: Evening) -> None:
    evening.tap("out", figure="2.3", by="1.1", mark="casualty")
    evening.tap("out", figure="2.3", by="1.2", mark="fled")
    assert evening.now.figures["2.3"].out == Departure(1, "1.1", "fled")


def test_figure_that_leaves_unhurt_has_no_mark(evening: Evening) -> None:
    evening.tap("out", figure="2.3", unhurt=True)
    now = evening.now
    assert now.sides[2].standing == 2
    assert report_sides(evening.start, now, {2: "gang-2"})[2].marks == {}


def test_departure_unhurt_keeps_the_mark_that_it_names(evening: Evening) -> None:
    evening.tap("out", figure="2.3", mark="fled", unhurt=True)
    now = evening.now
    assert mark_of(evening.start, now.figures["2.3"]) == "fled"
    assert now.sides[2].worth_lost == 0


@pytest.mark.parametrize("is_hit_first", [True, False])
def test_harm_outweighs_leaving_unhurt(evening: Evening, is_hit_first: bool) -> None:
    acts: list[dict[str, Any]] = [{"mark": "casualty"}, {"mark": "fled", "unhurt": True}]
    for act in acts if is_hit_first else reversed(acts):
        evening.tap("out", figure="2.3", **act)
    assert evening.now.figures["2.3"].out == Departure(1, None, "casualty")


def test_side_declines_until_it_is_asked_again_or_the_turn_ends() -> None:
    evening = Evening(start(game()))
    evening.tap("declined", side=1)
    evening.tap("declined", side=2)
    evening.tap("declined", side=2)
    assert evening.now.declined == {1, 2}
    evening.tap("declined", side=2, holds=False)
    assert evening.now.declined == {1}
    evening.tap("declined", side=9)
    assert evening.now.declined == {1} and len(evening.now.unknown) == 1
    evening.tap("turn")
    assert evening.now.declined == frozenset()
    evening.turn = 1
    # Of the turn that is over.
    evening.tap("declined", "b", side=2)
    assert evening.now.declined == frozenset()
