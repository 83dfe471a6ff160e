"""Odds and play of rolls, compared with independent counts and golden throws."""

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from rules.book.model import Book
from rules.book.rolls import Circumstance, HandOfDice, Modifier, Procedure
from rules.bounds.work import TooMuch
from rules.engine.compiling import BadRoll, Ready, make_ready
from rules.engine.dice import BadFaces
from rules.engine.expressions import BadExpression, Unknown
from rules.engine.odds import odds
from rules.engine.playing import Missing, Thrown, Wanted, play, tell
from tests.random_cases import one_soon
from tests.rules.proofs.cases import KINDS, plain
from tests.rules.proofs.programs import program
from tests.rules.proofs.throws import Fit, fit, fits, limit
from tests.rules.proofs.ways import every_way, ready_in, roll
from tests.rules.small import choice, row, text, with_more

HIT = {"key": "hit", "name": text("Hit"), "given": "hits > 0"}
MISS = {"key": "miss", "name": text("Miss")}
TWICE = {"again": "n", "times": 2, "steps": [{"let": "d", "be": 1}]}


def made(*steps: object, numbers: tuple[str, ...] = (), book: Book | None = None) -> Ready:
    """Return a compiled roll of these steps."""
    outcomes = [] if numbers else [HIT, MISS]
    return ready_in(book or plain(), roll([*steps], *numbers, outcomes=outcomes))


def numbers_of(*steps: object, number: str = "n", **facts: int) -> dict[int, F]:
    """Return the odds of one number after these steps."""
    return dict(odds(made(*steps, numbers=(number,)), facts).numbers[number])


def certain(*steps: object, number: str = "n", **facts: int) -> int:
    """Return the number after these steps, which throw no dice."""
    (only,) = numbers_of(*steps, number=number, **facts)
    return only


# Random cases: script/prove-odds has 10,000 of each kind.


@pytest.mark.parametrize("kind", KINDS)
def test_odds_match_an_independent_count(kind: str) -> None:
    for number in range(25):
        case = KINDS[kind](Random(f"suite {kind} {number}"))
        found = odds(ready_in(case.book or plain(), case.roll), case.facts)
        assert found.numbers == case.numbers, number
        if case.outcomes:
            assert found.outcomes == case.outcomes, number


@pytest.mark.parametrize("part", range(4))
def test_odds_of_nested_steps_match_every_way_of_playing(part: int) -> None:
    compared = 0
    for number in range(part * 20, part * 20 + 20):
        trial, book = program(Random(f"suite {number}"))
        ready = ready_in(book, trial)
        try:
            expected = every_way(ready, {})
        except TooMuch:
            continue
        assert odds(ready, {}) == expected, number
        compared += 1
    assert compared > 12


@pytest.mark.parametrize("kind", one_soon(KINDS))
def test_throws_match_the_odds(kind: str) -> None:
    random = Random(f"throws {kind}")
    case = KINDS[kind](random)
    ready = ready_in(case.book or plain(), case.roll)
    for name, found in fits(ready, case.facts, 3000, random):
        assert found.passes(1e-5), (name, found)


def test_chi_square_finds_a_loaded_die() -> None:
    fair = {face: F(1, 6) for face in range(1, 7)}
    assert fit(dict.fromkeys(range(1, 7), 500), fair).passes(0.01)
    loaded = dict.fromkeys(range(1, 6), 480) | {6: 600}
    assert not fit(loaded, fair).passes(0.001)
    assert fit({1: 1}, {1: F(1)}) == Fit(0.0, 0)
    assert fit({1: 5, 2: 1}, {1: F(1)}).impossible == (2,)
    assert not fit({1: 5, 2: 1}, {1: F(1)}).passes(1e-9)
    # Of the tables: 5 degrees of freedom, 1 in 1000; 1 degree, 1 in 20.
    assert limit(5, 0.001) == pytest.approx(20.52, rel=0.02)
    assert limit(1, 0.05) == pytest.approx(3.84, rel=0.03)


# Golden numbers


def test_odds_match_golden_numbers() -> None:
    assert numbers_of({"count": "n", "dice": 2, "target": 5}) == {
        0: F(4, 9),
        1: F(4, 9),
        2: F(1, 9),
    }
    assert numbers_of({"sum": "n", "dice": 2})[7] == F(1, 6)
    best = {"sum": "n", "dice": 2, "keep": 1}
    assert numbers_of(best)[6] == F(11, 36)
    assert numbers_of({**best, "lowest": True})[6] == F(1, 36)
    double_six = ({"sum": "d", "dice": 3, "keep": 2}, {"let": "n", "be": "d.min == 6"})
    assert numbers_of(*double_six)[1] == F(16, 216)
    again = {"sum": "n", "dice": 1, "again": 1, "again_given": "n == 1"}
    assert numbers_of(again)[1] == F(1, 36)
    # The loop throws until a six; nothing reads the count, so a six is certain.
    six = {"again": "turn", "until": "n == 6", "steps": [{"sum": "n"}]}
    assert numbers_of(six) == {6: F(1)}


def test_odds_give_thresholds_and_averages() -> None:
    found = odds(made({"sum": "n", "dice": 2}, numbers=("n",)), {})
    assert found.at_least("n", 11) == F(1, 12)
    assert found.average("n") == 7


# Names and their scopes


def test_a_skipped_step_keeps_its_name_or_binds_zero() -> None:
    skipped = {"let": "n", "be": 5, "given": "0"}
    assert certain(skipped) == 0
    assert certain({"let": "n", "be": 2}, skipped) == 2
    parts = ({"sum": "d", "given": "0"}, {"let": "n", "be": "d + d.max + d.min + d.dice_total"})
    assert certain(*parts) == 0


@pytest.mark.parametrize(("times", "after"), [(0, 0), (1, 1), (3, 3), (-2, 0)])
def test_a_loop_binds_its_count(times: int, after: int) -> None:
    loop = {"again": "time", "times": "often", "steps": [{"let": "last", "be": "time"}]}
    assert certain(loop, {"let": "n", "be": "10 * time + last"}, often=times) == 11 * after


def test_loops_keep_the_names_they_bind() -> None:
    grow = {"again": "time", "times": 4, "steps": [{"let": "n", "be": "n * 2 + time"}]}
    assert certain({"let": "n", "be": 0}, grow) == 26
    # Bound in the first time only, and read in the others.
    once = {"let": "first", "be": "time", "given": "time == 1"}
    more = {"let": "n", "be": "n + first"}
    assert certain({"let": "n", "be": 0}, {"again": "time", "times": 3, "steps": [once, more]}) == 3


def test_an_end_inside_a_loop_ends_the_roll() -> None:
    shots: list[object] = [
        {"count": "hits", "dice": 1, "target": 6},
        {"end": "hit", "given": "hits"},
    ]
    ready = made({"again": "shot", "times": 3, "steps": shots})
    assert odds(ready, {}).outcomes == {"hit": 1 - F(5, 6) ** 3, "miss": F(5, 6) ** 3}
    assert tell(ready, {}, [(2,), (6,)]).outcome == "hit"
    assert len(tell(ready, {}, [(2,), (6,)]).throws) == 2


def test_a_tie_is_a_draw_or_is_thrown_again() -> None:
    steps = [{"sum": "a"}, {"sum": "b"}]
    step: dict[str, Any] = {"opposed": "duel", "steps": steps, "mine": ["a"], "theirs": ["b"]}
    winner = {"let": "n", "be": "duel.winner"}
    assert numbers_of(step, winner) == {-1: F(5, 12), 0: F(1, 6), 1: F(5, 12)}
    assert numbers_of({**step, "tied": "again"}, winner) == {-1: F(1, 2), 1: F(1, 2)}
    ready = made({**step, "tied": "again"}, numbers=("duel",))
    played = tell(ready, {}, [(3,), (3,), (2,), (6,)])
    assert played.numbers == {"duel": -4}
    assert [thrown.faces for thrown in played.throws] == [(3,), (3,), (2,), (6,)]


def test_sides_compared_in_a_loop_read_its_counter_and_earlier_throws() -> None:
    """They are walked once for each value of both, and no more."""
    sides = [{"sum": "a", "dice": "round", "sides": 2}, {"sum": "b", "sides": 2}]
    duel = {"opposed": "duel", "steps": sides}
    steps: list[object] = [
        {"sum": "start", "sides": 3},
        {"let": "n", "be": 0},
        {"again": "round", "times": 2, "steps": [
            {**duel, "mine": ["a"], "theirs": ["b + start"]},
            {"let": "n", "be": "n + duel.winner"},
        ]},
    ]  # fmt: skip
    ready = made(*steps, numbers=("n",))
    assert odds(ready, {}) == every_way(ready, {})


def test_the_condition_of_a_procedure_is_decided_before_its_steps() -> None:
    """A procedure takes all its steps, even if they change the values of its condition."""
    procedure = Procedure.model_validate(
        row("rest", steps=[{"let": "n", "be": 0}, {"let": "done", "be": 1}])
    )
    book = plain().changed(procedures=(procedure,))
    steps = ({"let": "n", "be": 3}, {"use": "rest", "given": "n > 0"})
    ready = made(*steps, numbers=("n", "done"), book=book)
    assert odds(ready, {}).numbers == {"n": {0: F(1)}, "done": {1: F(1)}}
    assert play(ready, {}).numbers == {"n": 0, "done": 1}


# Modifiers and options


def modifier(on: str, amount: int | str, **fields: Any) -> Modifier:
    return Modifier.model_validate(row(f"m_{on.replace('.', '_')}", on=on, amount=amount, **fields))


def test_modifiers_change_a_slot_before_it_is_clamped() -> None:
    book = plain().changed(
        modifiers=(
            modifier("hits.target", 1, given="far"),
            modifier("hits.dice", "-far"),
            modifier("power", 2, given="not far"),
        )
    )
    steps = (
        {"count": "hits", "dice": 2, "target": 6, "clamp": [2, 6]},
        {"let": "power", "be": 3, "clamp": [0, 4]},
    )
    ready = made(*steps, numbers=("hits", "power"), book=book)
    near, far = odds(ready, {"far": 0}), odds(ready, {"far": 1})
    assert near.numbers == {"hits": {0: F(25, 36), 1: F(10, 36), 2: F(1, 36)}, "power": {4: F(1)}}
    assert far.numbers == {"hits": {0: F(5, 6), 1: F(1, 6)}, "power": {3: F(1)}}
    assert ready.reads == {"far"}
    assert ready.modifiers == ("m_hits_dice", "m_hits_target", "m_power")


def test_modifiers_of_other_rolls_and_of_costs_change_nothing() -> None:
    book = plain().changed(
        modifiers=(modifier("n", 1, rolls=["another"]), modifier("n", 1, actions=["shoot"]))
    )
    ready = made({"let": "n", "be": 1}, numbers=("n",), book=book)
    assert (play(ready, {}).numbers, ready.modifiers) == ({"n": 1}, ())


def test_steps_outcomes_and_modifiers_follow_options() -> None:
    book = with_more(settings=choice("luck", "plain", "kind"))
    kind = {"luck": ["kind"]}
    book = book.changed(modifiers=(modifier("n", 10, when=kind),))
    steps: list[object] = [{"let": "n", "be": 1}, {"let": "n", "be": 2, "when": kind}]
    outcomes: list[object] = [{"key": "kindly", "name": text("K"), "when": kind}, MISS]
    trial = roll(steps, "n", outcomes=outcomes)
    plainly = odds(make_ready(book.under({"luck": "plain"}), trial), {})
    kindly = odds(make_ready(book.under({"luck": "kind"}), trial), {})
    assert (plainly.outcomes, plainly.numbers) == ({"miss": 1}, {"n": {1: 1}})
    assert (kindly.outcomes, kindly.numbers) == ({"kindly": 1, "miss": 0}, {"n": {12: 1}})


def test_a_roll_asks_for_the_circumstances_it_reads() -> None:
    rows = tuple(Circumstance.model_validate(row(key)) for key in ("fog", "rain", "wind"))
    book = plain().changed(circumstances=rows, modifiers=(modifier("n", 1, given="wind"),))
    ready = made({"let": "n", "be": "fog"}, numbers=("n",), book=book)
    assert [one.key for one in ready.asked] == ["fog", "wind"]


# Dice typed in from the table


def test_dice_are_typed_throw_by_throw() -> None:
    ready = made({"count": "hits", "dice": 3, "target": 4, "again_failed": 2})
    with pytest.raises(Missing) as missing:
        tell(ready, {}, [])
    assert missing.value.wanted == Wanted("hits", 3, 6)
    with pytest.raises(Missing) as missing:
        tell(ready, {}, [(2, 5, 3)])
    assert missing.value.wanted == Wanted("hits", 2, 6, again=True, kept=(5,), time=3)
    played = tell(ready, {}, [(2, 5, 3), (1, 6)])
    assert played.throws == (
        Thrown(Wanted("hits", 3, 6), (2, 5, 3)),
        Thrown(Wanted("hits", 2, 6, True, (5,), time=3), (1, 6)),
    )
    names = {"hits": 2, "hits.max": 6, "hits.min": 1, "hits.ones": 1}
    assert (played.outcome, played.names) == ("hit", names)


@pytest.mark.parametrize("faces", [(1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7), ()])
def test_tell_refuses_faces_that_the_dice_cannot_show(faces: tuple[int, ...]) -> None:
    ready = made({"count": "hits", "dice": 3, "target": 4})
    with pytest.raises(BadFaces) as refused:
        tell(ready, {}, [faces])
    assert (refused.value.count, refused.value.sides) == (3, 6)


def test_a_roll_asks_for_its_throws_in_order() -> None:
    ready = made({"sum": "hits"}, {"sum": "more", "dice": "hits"})
    for faces, wanted in (((), Wanted("hits", 1, 6)), (((2,),), Wanted("more", 2, 6))):
        with pytest.raises(Missing) as missing:
            tell(ready, {}, faces)
        assert missing.value.wanted == wanted
    played = tell(ready, {}, [(2,), (3, 4)])
    assert (played.names["more"], played.outcome) == (7, "hit")


def test_a_step_without_dice_makes_no_throw() -> None:
    played = play(made({"count": "hits", "dice": -2, "target": 4}), {})
    assert (played.throws, played.outcome) == ((), "miss")


# Refusals


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            {"sum": "n", "dice": 61},
            "61 dice with 6 sides are not possible: the limit is 60 dice with 20 sides",
        ),
        (
            {"sum": "n", "sides": 21},
            "1 dice with 21 sides are not possible: the limit is 60 dice with 20 sides",
        ),
        (
            {"count": "n", "dice": 1, "sides": 0, "target": 1},
            "1 dice with 0 sides are not possible",
        ),
        (
            {"count": "n", "dice": 20, "target": 4, "again_failed": 13},
            "at most 12 dice can be thrown again",
        ),
        (
            {"sum": "n", "again": 13, "again_given": "n < 3"},
            "the dice are thrown again more than 12 times",
        ),
        (
            {"again": "n", "times": 61, "steps": [{"sum": "d"}]},
            "the loop repeats more than 60 times",
        ),
        ({"again": "n", "until": "0", "steps": [{"sum": "d"}]}, "the roll never ends"),
        (
            {"again": "k", "until": "n > 300", "steps": [{"let": "n", "be": "n + 1"}]},
            "too complex: more than 200 states before the roll ends",
        ),
        (
            {"opposed": "n", "mine": ["1"], "theirs": ["1"], "tied": "again"},
            "the sides always tie, so the roll never ends",
        ),
    ],
)
def test_a_roll_refuses_too_many_dice_or_steps(step: dict[str, Any], words: str) -> None:
    ready = made({"let": "n", "be": 0}, step, numbers=("n",))
    with pytest.raises(TooMuch) as refused:
        odds(ready, {})
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "step",
    [
        {"again": "n", "until": "0", "steps": [{"let": "d", "be": 1}]},
        {"again": "n", "until": "0", "steps": [{"sum": "d"}]},
        {"again": "n", "times": 61, "steps": [{"sum": "d"}]},
        {"opposed": "n", "mine": ["1"], "theirs": ["1"], "tied": "again"},
    ],
)
def test_play_ends_an_endless_loop(step: dict[str, Any]) -> None:
    with pytest.raises(TooMuch):
        play(made(step, numbers=("n",)), {})


def test_loops_without_a_fixed_end_are_solved_exactly() -> None:
    """The starting side throws the first six with a chance of 6/11."""
    turns: list[object] = [
        {"let": "turn", "be": "1 - turn"},
        {"sum": "face"},
    ]
    loop = {"again": "throw", "until": "face == 6", "steps": turns}
    assert numbers_of({"let": "turn", "be": 0}, loop, number="turn") == {0: F(5, 11), 1: F(6, 11)}


def test_odds_and_play_raise_unknown_when_a_name_has_no_value() -> None:
    ready = made({"let": "n", "be": "wind"}, numbers=("n",))
    for attempt in (odds, play):
        with pytest.raises(Unknown, match="wind"):
            attempt(ready, {})


def test_odds_refuse_a_roll_with_a_gap_between_outcomes() -> None:
    only = roll([{"count": "hits", "dice": 1, "target": 4}], outcomes=[HIT])
    with pytest.raises(
        BadRoll,
        match="no outcome applies at the end of the roll: leave out “given” in the last row",
    ):
        odds(ready_in(plain(), only), {})


@pytest.mark.parametrize(
    ("step", "place", "words"),
    [
        ({"count": "n", "dice": 1}, (0,), "give either “target” or “band”, not both"),
        (
            {"count": "n", "dice": 1, "target": 1, "band": [1, 2]},
            (0,),
            "give either “target” or “band”, not both",
        ),
        (
            {"again": "n", "steps": [{"sum": "d"}]},
            (0,),
            "give either “times” or “until”, not both",
        ),
        (
            {"opposed": "n", "mine": ["1"], "theirs": ["1", "2"]},
            (0,),
            "“mine” and “theirs” must have the same number of values",
        ),
        ({"use": "nothing"}, (0,), "unknown procedure “nothing”"),
        ({"use": "round"}, (0,), "“round”, steps.0: the shared steps “round” use themselves"),
        ({"use": "wrong"}, (0,), "“wrong”, steps.1: give either “target” or “band”, not both"),
        ({"look_up": "n", "grid": "none", "row": 1}, (0,), "unknown grid “none”"),
        ({"throw_hand": "n", "of": "none", "dice": 1}, (0,), "unknown hand of dice “none”"),
        ({"end": "nowhere"}, (0,), "unknown outcome “nowhere”"),
        (
            {"again": "n", "until": "1", "steps": [{"end": "hit"}]},
            (0, "steps"),
            "the roll cannot end inside this step",
        ),
        (
            {"opposed": "n", "steps": [{"use": "ends"}], "mine": ["1"], "theirs": ["2"]},
            (0, "steps"),
            "the roll cannot end inside this step",
        ),
        (
            {"again": "n", "times": 2, "steps": [TWICE]},
            (0, "steps", 0),
            "a loop around this one is also named “n”: choose another name",
        ),
    ],
)
def test_a_roll_that_cannot_be_compiled_names_the_place(
    step: dict[str, Any], place: tuple[int | str, ...], words: str
) -> None:
    procedures = tuple(
        Procedure.model_validate(row(key, steps=steps))
        for key, steps in (
            ("round", [{"use": "round"}]),
            ("wrong", [{"let": "d", "be": 1}, {"count": "n", "dice": 1}]),
            ("ends", [{"end": "hit"}]),
        )
    )
    with pytest.raises(BadRoll) as refused:
        made(step, book=plain().changed(procedures=procedures))
    assert words in str(refused.value)
    assert refused.value.place == ("steps", *place)


def test_odds_refuse_a_text_as_a_number() -> None:
    ready = made({"let": "n", "be": "range"}, numbers=("n",))
    with pytest.raises(BadExpression):
        odds(ready, {"range": "long"})


def test_a_hand_keeps_the_dice_of_its_rule() -> None:
    hand = HandOfDice.model_validate(
        row(
            "poker",
            faces=[text(face) for face in "9TJQKA"],
            combinations=[
                {"key": f"c{place}", "name": text(f"c{place}"), "groups": groups}
                for place, groups in enumerate([(), (2,), (2, 2), (3,), (3, 2), (4,), (5,)])
            ],
        )
    )
    step = {"throw_hand": "h", "of": "poker", "dice": 5, "again": 3}
    book = plain().changed(hands=(hand,))
    ready = made(step, {"let": "n", "be": "h.rank"}, numbers=("n",), book=book)
    with pytest.raises(Missing) as missing:
        tell(ready, {}, [(1, 1, 5, 6, 4)])
    assert missing.value.wanted == Wanted("h", 3, 6, again=True, kept=(1, 1), time=1)
    assert tell(ready, {}, [(1, 1, 5, 6, 4), (1, 2, 2)]).numbers == {"n": 4}
    once = made({**step, "again": 0}, {"let": "n", "be": "h.rank"}, numbers=("n",), book=book)
    ways = [720, 3600, 1800, 1200, 300, 150, 6]
    assert odds(once, {}).numbers["n"] == {place: F(way, 7776) for place, way in enumerate(ways)}


def test_odds_are_cached_by_the_facts_they_read() -> None:
    ready = made({"let": "n", "be": "far"}, numbers=("n",))
    assert odds(ready, {"far": 1, "other": 2}) is odds(ready, {"far": 1, "other": 3})
    assert odds(ready, {"far": 1}) is not odds(ready, {"far": 2})
