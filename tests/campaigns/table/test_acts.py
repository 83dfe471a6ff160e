"""An act is undone as a whole, and the table is as if it had never happened."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.table.fold import begin, fold
from campaigns.table.order import UNDOING
from campaigns.table.report import report_sides
from campaigns.table.state import TableNow
from campaigns.table.taps import Dealt, Logged, UndoAnswered, Undone
from tests.campaigns.table.test_fold import FIGURES
from tests.random_cases import random_cases
from tests.rules.odds.games import MORALE
from tests.rules.small import row
from tests.world.tables import Evening, game, start

GAMES: tuple[dict[str, Any], ...] = (
    {},
    {"rolls": [MORALE], "actions": [row("aim")]},
    {"tracks": [row("breath", per="member", start=2, maximum=4, each_turn="anew")]},
)


@pytest.fixture
def evening() -> Evening:
    return Evening(start(game(rolls=[MORALE], actions=[row("aim")])))


def shoot(evening: Evening, act: str = "shot", *, thrown: bool = False) -> Logged:
    """An attempt with its action, its cost and its effects, as the server writes it."""
    evening.tap("did", "site", act, figure="1.1", action="aim")
    rolled = evening.tap(
        "rolled", "site", act, roll="morale", by=1, at="2.1", faces=((6, 1),), thrown=thrown
    )
    evening.tap("set", "site", act, side=1, track="points", to=7)
    evening.tap("counted", "site", act, figure="2.1", track="wounds", by=-3)
    evening.tap("lost_weapon", "site", act, figure="1.1", item="gun")
    evening.tap("out", "site", act, figure="2.1", by="1.1")
    evening.tap("follows", "site", act, roll="morale", who=2)
    evening.tap("acted", "site", act, figure="1.1")
    return rolled


def deal(evening: Evening, first: Logged, phone: str = "a", act: str = "") -> Logged:
    """Deal with the roll that followed from an act."""
    return evening.put(Dealt(roll="morale", who=2, act=first.act), phone, act)


def test_undone_act_has_never_happened(evening: Evening) -> None:
    before = evening.folded.standing
    rolled = shoot(evening)
    undo = evening.undo(rolled, "b")
    assert evening.folded.standing == before
    # A tap of the act that arrives later does not count either.
    evening.tap("counted", "c", "shot", figure="2.2", track="wounds", by=-1)
    assert evening.folded.standing == before
    evening.strike(undo, "c")
    now = evening.now
    assert now.figures["2.1"].out and now.figures["1.1"].lost == {"gun": 1}
    assert now.figures["2.2"].tracks["wounds"] == 2
    assert [one.roll for one in now.follow_ups] == ["morale"]


def test_end_of_a_turn_is_undone_by_a_phone_in_the_next_turn(evening: Evening) -> None:
    evening.tap("began", figure="1.1", state="shaken")
    ended = evening.tap("turn")
    evening.undo(ended)
    now = evening.now
    assert (now.turn, {*now.figures["1.1"].states}) == (1, {"shaken"})


@pytest.mark.parametrize("kind", ["struck", "settled", "undo_answered"])
def test_answer_given_in_the_next_turn_does_not_keep_it_when_its_beginning_is_undone(
    evening: Evening, kind: str
) -> None:
    hit = evening.tap("out", figure="1.1")
    undo = evening.undo(hit, "b")
    ended = evening.tap("turn", last=True)
    match kind:
        case "struck":
            evening.strike(undo, "b")
        case "settled":
            evening.tap("settled", "b", acts=(hit.act, undo.act))
        case "undo_answered":
            evening.answer(undo, "b", agreed=False)
    evening.undo(ended)
    assert evening.now.turn == 1


def test_undo_that_is_undone_restores_its_act(evening: Evening) -> None:
    out = evening.tap("out", figure="2.1")
    undo = evening.undo(out)
    again = evening.undo(undo, "b")
    assert evening.now.figures["2.1"].out
    evening.strike(again)
    assert evening.now.figures["2.1"].out is None


def test_undos_of_their_own_act_and_of_each_other_do_not_depend_on_arrival(
    evening: Evening,
) -> None:
    """Only a forger can make them."""
    out = evening.tap("out", act="x", figure="2.1")
    undo = evening.put(Undone(act=out.act), act="x")
    one = evening.tap("said", act="one", text="one")
    other = evening.put(Undone(act=one.act), act="other")
    evening.put(Undone(act=other.act), act="one")
    now = evening.now
    assert out.key in now.struck and undo.key not in now.struck
    assert fold(evening.start, evening.log[::-1]) == now


def test_dice_of_the_site_are_undone_with_their_act_when_somebody_agrees(evening: Evening) -> None:
    before = evening.folded.standing
    rolled = shoot(evening, thrown=True)
    undo = evening.undo(rolled, "a", asks=True)
    [asked] = evening.now.asked
    assert (asked.acts, {*asked.taps}) == (
        {undo.key: rolled.act},
        {one.key for one in evening.log if one.act == rolled.act},
    )
    assert evening.now.struck == frozenset()
    evening.answer(undo, "a", agreed=True)
    assert evening.now.struck == frozenset()
    evening.answer(undo, "b", agreed=True)
    assert evening.folded.standing == before
    # The restoring strike and the undo of the undo ask, too.
    for again in (evening.strike(undo, "a", asks=True), evening.undo(undo, "a", asks=True)):
        assert rolled.key in evening.now.struck
        assert evening.now.asked
        evening.answer(again, "b", agreed=False)
    assert rolled.key in evening.now.struck


def test_undo_does_not_undo_future_dice_without_asking(evening: Evening) -> None:
    first = evening.tap("said", act="shot", text="Watch this.")
    evening.undo(first, "a", asks=True)
    assert first.key in evening.now.struck
    rolled = shoot(evening, thrown=True)
    assert {first.key, rolled.key}.isdisjoint(evening.now.struck)


# Acts that depend on an undone one.


def test_question_about_an_undone_act_names_all_that_depends_on_it(evening: Evening) -> None:
    """Also a roll that followed from it, on any phone, and one that followed from that."""
    rolled = shoot(evening)
    dealt = deal(evening, rolled, "site", "flight")
    evening.tap("rolled", "site", "flight", roll="morale", by=2)
    deal(evening, dealt, "site", "panic")
    evening.tap("rolled", "site", "panic", roll="morale", by=2)
    back = evening.tap("back", "b", figure="2.1")
    undo = evening.undo(rolled, "a")
    [question] = evening.now.contested
    by_key = evening.folded.by_key
    acts = {by_key[key].act for key in question.resting}
    assert acts == {dealt.act, evening.log[-3].act, back.act}
    assert by_key[question.struck].act == rolled.act
    # One press undoes them, too, and nothing is left to ask.
    for act in acts:
        evening.put(Undone(act=act), "a", "press")
    assert evening.now.contested == ()
    # Or they stay as they are.
    evening.log = evening.log[: evening.log.index(undo) + 1]
    evening.tap("settled", acts=(undo.act, rolled.act))
    assert evening.now.contested == ()


def test_agreed_undo_asks_about_the_rolls_that_followed(evening: Evening) -> None:
    rolled = shoot(evening, thrown=True)
    evening.tap("back", "b", figure="2.1")
    dealt = deal(evening, rolled, "b", "flight")
    evening.tap("rolled", "b", "flight", roll="morale", by=2)
    undo = evening.undo(rolled, "a", asks=True)
    evening.answer(undo, "b", agreed=True)
    [question] = evening.now.contested
    assert {evening.folded.by_key[key].act for key in question.resting} == {dealt.act}


def test_roll_whose_undo_is_asked_for_raises_no_second_question(evening: Evening) -> None:
    """Dice of the table are undone with a roll of the site that followed from them: the answer
    says whether that roll counts. If it does, people are asked about what depends on what.
    """
    rolled = shoot(evening)
    dealt = deal(evening, rolled, "b", "flight")
    evening.tap("rolled", "b", "flight", roll="morale", by=2, thrown=True, faces=((3,),))
    evening.undo(rolled, "a")
    request = evening.undo(dealt, "a", asks=True)
    assert evening.now.contested == ()
    evening.answer(request, "b", agreed=False)
    [question] = evening.now.contested
    assert {evening.folded.by_key[key].act for key in question.resting} == {dealt.act}


def test_skipped_roll_depends_on_nothing(evening: Evening) -> None:
    rolled = shoot(evening)
    deal(evening, rolled)
    evening.undo(rolled)
    assert evening.now.contested == ()


def test_own_later_acts_of_the_same_account_raise_no_question(evening: Evening) -> None:
    out = evening.tap("out", "form", figure="2.1")
    evening.tap("back", "form", figure="2.1")
    evening.undo(out, "phone")
    log = [replace(one, actor=7) for one in evening.log]
    assert fold(evening.start, log).contested == ()
    assert len(evening.now.contested) == 1


def test_act_of_a_phone_that_has_seen_the_undo_depends_on_nothing(evening: Evening) -> None:
    """Another phone, which has not seen it, is still asked about; also while a request waits."""
    rolled = shoot(evening)
    evening.asleep("c")
    undo = evening.undo(rolled, "a")
    seen = evening.tap("out", "b", figure="2.1", by="1.2")
    assert evening.now.contested == ()
    unseen = evening.tap("counted", "c", figure="2.1", track="wounds", by=-1)
    [question] = evening.now.contested
    assert question.resting == (unseen.key,)
    # A second undo of the same act changes nothing for the phone that saw the first.
    evening.asleep("b")
    evening.undo(rolled, "d")
    [question] = evening.now.contested
    assert seen.key not in question.resting
    assert evening.folded.by_key[question.by].seq >= undo.seq


def test_act_before_the_answer_to_a_request_still_depends_on_the_dice(evening: Evening) -> None:
    """A phone that has seen the request has not seen dice undone."""
    rolled = shoot(evening, thrown=True)
    undo = evening.undo(rolled, "a", asks=True)
    dealt = deal(evening, rolled, "b", "flight")
    evening.tap("rolled", "b", "flight", roll="morale", by=2)
    evening.answer(undo, "b", agreed=True)
    [question] = evening.now.contested
    assert {evening.folded.by_key[key].act for key in question.resting} == {dealt.act}


def test_skipping_a_roll_leaves_that_of_another_act(evening: Evening) -> None:
    one, other = shoot(evening, "one"), shoot(evening, "two")
    deal(evening, other)
    assert [due.act for due in evening.now.follow_ups] == [one.act]
    # Taps of an older version deal with the first.
    evening.tap("dealt", roll="morale", who=2)
    assert evening.now.follow_ups == ()


# Random evenings.


def draw_evening(chance: Random) -> Evening:
    """Three phones, some of them asleep, with acts of several taps of every kind."""
    declared = chance.choice(GAMES)
    evening = Evening(start(game(**declared)))
    book = evening.start.book
    track = "breath" if book.tracks[0].per == "member" else "wounds"
    for number in range(chance.randint(1, 40)):
        phone = chance.choice("abc")
        (evening.asleep if chance.random() < 0.2 else evening.awake)(phone)
        evening.turn = chance.randint(1, 3)
        if evening.log and chance.random() < 0.25:
            change(evening, chance, phone)
            continue
        act = chance.choice((f"act {number}", f"act {chance.randint(0, number)}"))
        for _tap in range(chance.randint(1, 4)):
            figure, other = chance.sample(FIGURES, 2)
            state = chance.choice(("down", "shaken", "fleeing", "aiming", "burning"))
            kind, data = chance.choice(
                [
                    ("counted", {"figure": figure, "track": track, "by": chance.randint(-2, 1)}),
                    ("set", {"figure": figure, "track": track, "to": chance.randint(0, 3)}),
                    ("began", {"figure": figure, "state": state}),
                    ("ended", {"figure": figure, "state": state}),
                    ("began", {"figure": figure, "item": "gun", "state": "jammed"}),
                    ("out", {"figure": figure, "by": other, "unhurt": chance.random() < 0.3}),
                    ("back", {"figure": figure}),
                    ("acted", {"figure": figure}),
                    ("did", {"figure": figure, "action": "aim"}),
                    ("lost_weapon", {"figure": figure, "item": "gun"}),
                    ("ordered", {"figure": figure, "action": "aim", "place": 0}),
                    ("rolled", {"roll": "morale", "by": 1, "thrown": chance.random() < 0.3}),
                    ("follows", {"roll": "morale", "who": chance.randint(1, 2)}),
                    ("dealt", {"alarm": "lost", "who": chance.randint(1, 2)}),
                    ("dealt", {"roll": "morale", "who": chance.randint(1, 2)}),
                    ("tallied", {"figure": figure, "tally": "shots", "by": 1}),
                    ("phase", {"phase": chance.choice(("upkeep", "actions"))}),
                    ("turn", {}),
                    ("over", {"result": "won", "winner": 1}),
                ]
            )
            turn = evening.turn
            evening.tap(kind, phone, act, **data)
            evening.turn = turn
    return evening


def change(evening: Evening, chance: Random, phone: str) -> None:
    """Undo, strike, restore or agree."""
    target, asks = chance.choice(evening.log), chance.random() < 0.6
    strikes = [one for one in evening.log if isinstance(one.tap, UNDOING)]
    match chance.randint(1, 4):
        case 1 | 2:
            evening.undo(target, phone, asks=asks)
        case 3:
            evening.strike(target, phone, asks=asks)
        case 4 if strikes:
            evening.answer(chance.choice(strikes), phone, agreed=chance.random() < 0.7)


def table_and_reports(now: TableNow, evening: Evening) -> list[Any]:
    """The table without the questions about it, and the reports of both sides."""
    plain = replace(
        now, doubles=(), contested=(), late=(), struck=frozenset(), asked=(), unknown=frozenset()
    )
    return [plain, report_sides(evening.start, now, {1: "gang-1", 2: "gang-2"})]


@random_cases(25, 2_000)
@given(st.integers(0, 10**9))
def test_undone_acts_of_random_evenings_have_never_happened(seed: int) -> None:
    """In any order of arrival, and after restoring they have happened again."""
    chance = Random(seed)
    evening = draw_evening(chance)
    for phone in "abc":
        evening.awake(phone)
    before = evening.folded
    acts = sorted({one.act for one in evening.log if not isinstance(one.tap, UNDOING)})
    if not acts:
        return
    act = chance.choice(acts)
    evening.turn = 3
    undo = evening.put(Undone(act=act), chance.choice("abc"))
    log = [
        one
        for one in before.log
        if one.key not in before.gone
        and (one.act != act or isinstance(one.tap, UndoAnswered))
        and not isinstance(one.tap, UNDOING)
    ]
    wanted = table_and_reports(fold(evening.start, log), evening)
    after = evening.folded
    assert table_and_reports(after.now, evening) == wanted
    mixed = [*evening.log]
    chance.shuffle(mixed)
    found = begin(evening.start)
    while mixed:
        size = chance.choice((1, 3, 40))
        found, mixed = found.go_on(mixed[:size]), mixed[size:]
    assert found.now == after.now
    assert before.go_on(evening.log).now == after.now
    assert after.go_back(undo.seq).now == before.now
    evening.turn = 1
    for key in after.strikes[act]:
        evening.strike(after.by_key[key], "a")
    restored = evening.folded
    assert restored.gone.keys() >= {*after.strikes[act]}
    if after.strikes[act] == [undo.key]:
        assert restored.standing.figures == before.standing.figures


@random_cases(25, 2_000)
@given(st.integers(0, 10**9))
def test_acts_of_phones_that_have_seen_an_undo_are_never_in_question(seed: int) -> None:
    chance = Random(seed)
    evening = draw_evening(chance)
    known = evening.folded
    act = chance.choice(sorted(known.acts))
    for phone in "abcd":
        evening.awake(phone)
    evening.undo(known.acts[act][0], chance.choice("abc"))
    number = len(evening.log)
    for figure in FIGURES:
        # A phone that has seen everything, also with a roll that followed.
        evening.put(Dealt(roll="morale", who=1, act=act), "d", f"later {figure}")
        evening.tap("counted", "d", f"later {figure}", figure=figure, track="wounds", by=-1)
        evening.tap("rolled", "d", f"later {figure}", roll="morale", by=1, at=figure)
    later = {one.key for one in evening.log[number:]}
    for question in evening.now.contested:
        assert later.isdisjoint(question.resting)


def test_many_undos_of_one_act_cost_no_more_than_many_taps() -> None:
    """A forger fills a table with them."""

    def seconds(number: int) -> float:
        evening = Evening(start(game()))
        for _tap in range(number):
            evening.tap("tallied", "a", "act", figure="1.1", tally="shots", by=1)
        for _tap in range(number):
            evening.undo(evening.log[0], "b", asks=True)
        since = time.process_time()
        assert len(begin(evening.start).go_on(evening.log).gone) == number
        return time.process_time() - since

    seconds(50)
    assert seconds(1_600) < 40 * max(seconds(200), 0.001)
