"""A growing log is folded from its last state, with the same result as a complete fold."""

from __future__ import annotations

from itertools import combinations
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.table import fold as module
from campaigns.table import questions
from campaigns.table.fold import FAR, NEAR, Folded, begin, fold
from campaigns.table.order import find_struck, in_order
from campaigns.table.standing import Folding
from campaigns.table.taps import Counted, Logged, Out, Rolled, Settled, Struck, TapKey, TurnEnded
from tests.campaigns.table.test_fold import random_evening
from tests.world.tables import Evening, game, start


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_log_folded_in_parts_gives_the_same_table(seed: int, parts: int, mixed: bool) -> None:
    evening, chance = random_evening(seed), Random(parts)
    left = list(evening.log)
    if mixed:
        chance.shuffle(left)
    found, known = begin(evening.start), list[Logged]()
    while left:
        size = chance.choice((1, 1, 1, 3, 40))
        # Known taps arrive again.
        more = [*left[:size], *chance.sample(known, min(2, len(known)))]
        known, left = known + left[:size], left[size:]
        before = (found, found.now, [(place, each.turn) for place, each in found.kept])
        found = found.go_on(more)
        assert found.now == fold(evening.start, known)
        # The earlier state does not change for its readers.
        assert before[1] == before[0].now
        assert before[2] == [(place, each.turn) for place, each in before[0].kept]
    assert list(found.taps) == in_order(evening.log)


@pytest.mark.long
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_log_goes_back_to_an_earlier_state(seed: int, chance: int) -> None:
    """It returns to the state before any tap, regardless of later strikes, and continues from
    there."""
    evening = random_evening(seed)
    log = sorted(evening.log, key=lambda one: one.seq)
    whole, place = begin(evening.start).go_on(log), Random(chance).randrange(len(log))
    before = whole.go_back(log[place].seq)
    assert before.now == fold(evening.start, log[:place])
    assert before.go_on(log[place:]).now == whole.now


@pytest.fixture(scope="module")
def long() -> Folded:
    """Some six hundred taps of two phones, folded."""
    evening = random_evening(1, taps=3 * FAR)
    return begin(evening.start).go_on(evening.log)


def count_folded(long: Folded, monkeypatch: pytest.MonkeyPatch, *more: Logged) -> int:
    """The number of taps folded because of new taps; asserts that the table is right."""
    count, take = 0, module.take

    def counted(table: Folding, logged: Logged) -> None:
        nonlocal count
        count += 1
        take(table, logged)

    with monkeypatch.context() as patched:
        patched.setattr(module, "take", counted)
        after = long.go_on(more)
    assert after.now == fold(long.start, [*long.taps, *more])
    return count


def next_tap(long: Folded, behind: int = 0) -> Logged:
    """A tap of another phone that has not seen this many of the last taps."""
    last = long.taps[-1 - behind]
    evening = Evening(long.start, log=list(long.taps), turn=last.turn, clock=last.at)
    evening.seen["new"] = last.after
    return evening.tap("acted", "new", figure="1.1")


@pytest.mark.parametrize(("behind", "most"), [(0, 2), (1, NEAR + 3), (5, NEAR + 8)])
def test_new_tap_folds_few_other_taps(
    long: Folded, monkeypatch: pytest.MonkeyPatch, behind: int, most: int
) -> None:
    assert 0 < count_folded(long, monkeypatch, next_tap(long, behind)) <= most


def test_undo_goes_back_no_further_than_necessary(
    long: Folded, monkeypatch: pytest.MonkeyPatch
) -> None:
    for back, most in ((3, NEAR + 5), (40, NEAR + 45), (200, FAR + 210)):
        target = next(
            one
            for one in long.taps[-back:]
            if not isinstance(one.tap, Struck) and one.key not in long.gone
        )
        evening = Evening(long.start, log=list(long.taps), turn=long.taps[-1].turn, clock=10**9)
        assert count_folded(long, monkeypatch, evening.strike(target, "new")) <= most


def test_few_states_of_a_long_log_are_kept(long: Folded) -> None:
    places = [place for place, _folding in long.kept]
    assert places == sorted({*places})
    assert len(places) <= len(long.taps) / FAR + 64 / NEAR + 3


# The questions, found by the simplest method.


def unseen(one: list[Logged], other: list[Logged]) -> bool:
    """Whether an act was made before its phone had seen any tap of the other act."""
    return max(logged.after for logged in one) < min(logged.seq for logged in other)


def attack(logged: Logged) -> object:
    tap = logged.tap
    if isinstance(tap, Rolled) and tap.at is not None:
        return logged.turn, tap.by, tap.at
    if isinstance(tap, Out) and tap.by is not None:
        return logged.turn, tap.by, tap.figure
    return None


def asked(taps: list[Logged]) -> set[tuple[frozenset[UUID], object]]:
    acts: dict[UUID, list[Logged]] = {}
    for logged in taps:
        acts.setdefault(logged.act, []).append(logged)
    settled = {frozenset(one.tap.acts) for one in taps if isinstance(one.tap, Settled)}
    found = set()
    for one, other in combinations(acts, 2):
        apart = not {each.device for each in acts[one]} & {each.device for each in acts[other]}
        same = {attack(each) for each in acts[one]} & {attack(each) for each in acts[other]}
        both = unseen(acts[one], acts[other]) and unseen(acts[other], acts[one])
        if apart and both and frozenset((one, other)) not in settled:
            found |= {(frozenset((one, other)), each) for each in same - {None}}
    return found


def rests(other: Logged, logged: Logged) -> bool:
    ours, theirs = logged.tap, other.tap
    if isinstance(theirs, Struck | Settled):
        return False
    if isinstance(ours, Out):
        return getattr(theirs, "figure", None) == ours.figure or (
            isinstance(theirs, Rolled) and ours.figure in (theirs.by, theirs.at)
        )
    if isinstance(theirs, Counted | Out) and isinstance(ours, Counted):
        return theirs.figure is not None and theirs.figure == ours.figure
    if isinstance(ours, TurnEnded):
        return other.turn == logged.turn + 1
    return other.act == logged.act


def resting(taps: list[Logged]) -> dict[TapKey, list[TapKey]]:
    by_key, gone = {one.key: one for one in taps}, find_struck(taps)
    settled = {
        frozenset(one.tap.acts)
        for one in taps
        if isinstance(one.tap, Settled) and one.key not in gone
    }
    found: dict[TapKey, list[TapKey]] = {}
    for key, strike in gone.items():
        logged = by_key[key]
        if isinstance(logged.tap, Struck):
            continue
        if frozenset((logged.act, by_key[strike].act)) in settled:
            continue
        strikes = [one for one in taps if isinstance(one.tap, Struck) and one.key not in gone]
        targets = [((one.tap.device, one.tap.device_seq), one.seq) for one in strikes]  # type: ignore[union-attr]
        undone = min(seq for target, seq in targets if target == key)
        for other in taps:
            saw = logged.seq <= other.after < undone and other.device != strike[0]
            if other.key not in gone and saw and rests(other, logged):
                found.setdefault(key, []).append(other.key)
    return found


def confused_phones(seed: int) -> Evening:
    """Three phones that tap the same few attacks and strike each other's taps."""
    dice, evening = Random(seed), Evening(start(game(), 2, 2))
    for _tap in range(60):
        phone = dice.choice("abc")
        if dice.random() < 0.2:
            evening.awake(phone)
        elif phone not in evening.seen:
            evening.asleep(phone)
        act = dice.choice(["", "", f"{phone} {dice.randint(1, 8)}", f"both {dice.randint(1, 9)}"])
        by, at = dice.choice(["1.1", "1.2"]), dice.choice(["2.1", "2.2"])
        evening.turn = max(1, evening.turn - (dice.random() < 0.1))
        match dice.randint(1, 8):
            case 1 | 2:
                evening.tap("out", phone, act, figure=at, by=by)
            case 3 | 4:
                evening.tap("rolled", phone, act, roll="shot", by=by, at=at)
            case 5:
                figure = {"figure": dice.choice([by, at])} if dice.random() < 0.8 else {"side": 1}
                track = "wounds" if "figure" in figure else "purse"
                evening.tap("counted", phone, act, **figure, track=track, by=-1)
            case 6 if evening.turn < 5:
                evening.tap("turn", phone, act)
            case 7 if evening.log:
                acts = [dice.choice(evening.log).act for _act in range(2)]
                evening.tap("settled", phone, acts=acts)
            case _ if evening.log:
                evening.strike(dice.choice(evening.log), phone)
    return evening


@pytest.mark.long
def test_questions_are_exactly_the_conflicts_that_people_must_solve() -> None:
    number = [0, 0]
    for seed in range(60):
        taps = in_order(confused_phones(seed).log)
        gone = find_struck(taps)
        counting = [one for one in taps if one.key not in gone]
        found = questions.find_doubles(counting)
        pairs = {(frozenset(one.acts), (one.turn, one.by, one.at)) for one in found}
        assert pairs == asked(counting)
        assert len(pairs) == len(found)
        contested = questions.find_contested(counting, {one.key: one for one in taps}, gone, ())
        assert {one.struck: list(one.resting) for one in contested} == resting(taps)
        number = [number[0] + len(found), number[1] + len(contested)]
    assert min(number) > 60


def test_log_full_of_one_attack_shows_a_limited_number_of_questions() -> None:
    """With two phones that have seen no other taps, and with very many."""
    for phones in (2, 400):
        evening = Evening(start(game()))
        for place in range(400):
            phone = f"{place % phones}"
            evening.seen[phone] = 0
            evening.tap("out", phone, figure="2.1", by="1.1")
        assert len(evening.now.doubles) == questions.MOST_ASKED
