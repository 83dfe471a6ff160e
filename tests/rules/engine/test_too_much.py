"""Rolls, tables and expressions that would take very long: each one ends quickly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

from rules.book.characteristics import MOST_BOXES, Boxes, add
from rules.book.model import Book
from rules.book.schema import TrackCharacteristic
from rules.bounds.limits import DEEPEST_EXPRESSION, LONGEST_EXPRESSION
from rules.bounds.work import Exhausted, TooMuch, limit_work
from rules.engine.compiling import Ready, make_ready
from rules.engine.expressions import BadExpression, parse
from rules.engine.odds import HOPELESS, odds
from rules.engine.playing import play
from rules.engine.profiles import evenly
from rules.engine.table_odds import find_reach_of_roll, nothing_happens
from tests.rules.small import changed, measured, row, small, text

# Processor time on a slow machine; refusals take a second at most.
LONGEST = 5


@pytest.fixture(autouse=True)
def in_a_moment() -> Iterator[None]:
    """Check that the test takes little processor time."""
    start = time.process_time()
    yield
    assert time.process_time() - start < LONGEST


def rolled(*steps: Any, number: str = "n", **tables: Any) -> Ready:
    """Return a compiled roll of these steps, without any check."""
    numbers = [{"of": number, "name": text("N")}]
    data = changed(rolls=[row("r", steps=list(steps), numbers=numbers)], **tables)
    book = Book.model_validate(data)
    return make_ready(book.under({}), book.roll["r"])


def again(name: str, *steps: Any, **fields: Any) -> Any:
    return {"again": name, "steps": list(steps), **fields}


LET = {"let": "n", "be": "n + 1"}
DIE = {"sum": "d", "sides": 20}
FACES = [text(f"f{number}") for number in range(12)]
PAIRS = [
    {"key": "none", "name": text("None")},
    {"key": "pair", "name": text("Pair"), "groups": [2]},
]


@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [
        # Loops inside of loops.
        [
            again(
                "i", again("j", again("k", again("l", LET, times=60), times=60), times=60), times=60
            )
        ],
        # More states than there are dice.
        [again("i", DIE, {"let": "n", "be": "n * 20 + d"}, times=8)],
        # The faces of many dice.
        [
            {"count": "c", "dice": 60, "sides": 20, "target": 9},
            {"let": "n", "be": "c + c.max + c.min + c.ones"},
        ],
        # Some of the dice are chosen to be thrown again.
        [
            {
                "count": "c",
                "dice": 7,
                "sides": 12,
                "target": 7,
                "again_succeeded": 7,
                "again_faces": {"faces": [1, 2, 3]},
            },
            {"let": "n", "be": "c + c.max + c.min + c.ones"},
        ],
        # A loop with an end, but with very many states.
        [
            {"let": "n", "be": 0},
            again("i", DIE, {"let": "n", "be": "(n * 7 + d) % 199"}, until="n == 0 and d == 20"),
            {"let": "n", "be": "n"},
        ],
        # Nested rounds of it.
        [
            again(
                "o",
                {"let": "n", "be": 0},
                again("i", DIE, {"let": "n", "be": "(n + d) % 60"}, until="n == 0"),
                {"let": "m", "be": "m + n"},
                times=60,
            ),
        ],
        # A hand of very many dice, thrown again for the best combination.
        [{"throw_hand": "n", "of": "hand", "dice": 8, "again": 8, "reaches": "1"}],
        [{"throw_hand": "n", "of": "hand", "dice": 8, "again": 8, "singly": True, "reaches": "1"}],
        [{"throw_hand": "n", "of": "hand", "dice": 5, "cards": [1] * 40}],
        # Two sides with nothing in common.
        [
            {
                "opposed": "n",
                "steps": [
                    {"count": "a", "dice": 60, "sides": 20, "target": 5},
                    {"count": "b", "dice": 60, "sides": 20, "target": 5},
                ],
                "mine": ["a", "a.max", "a.min"],
                "theirs": ["b", "b.max", "b.min"],
            },
        ],
    ],
)
def test_odds_refuse_steps_that_take_too_long(steps: list[Any]) -> None:
    hand = row("hand", faces=FACES, size=8, combinations=PAIRS)
    ready = rolled(*steps, hands=[hand])
    facts = dict.fromkeys(ready.reads, 0)
    start = time.process_time()
    with pytest.raises(HOPELESS):
        odds(ready, facts)
    assert time.process_time() - start < LONGEST / 2
    # Play succeeds, or is refused just as quickly.
    with suppress(*HOPELESS):
        play(ready, facts)


def test_play_refuses_throws_that_never_end() -> None:
    inner = again("j", {"let": "m", "be": 1}, until="m == 2")
    ready = rolled(again("i", inner, LET, until="n < 0"))
    with pytest.raises(TooMuch):
        play(ready, dict.fromkeys(ready.reads, 0))


@pytest.mark.long
def test_compiling_refuses_a_long_chain_of_dependent_steps() -> None:
    """Each step of a loop is compared with all earlier steps."""
    steps = [{"let": f"n{number}", "be": f"n{number - 1} + 1"} for number in range(1, 1900)]
    with pytest.raises(TooMuch):
        rolled(again("i", {"let": "n0", "be": 1}, *steps, times=2), number="n0")


@pytest.mark.long
def test_odds_refuse_hundreds_of_modifiers_at_each_step() -> None:
    modifiers = [row(f"m{number}", on="n", amount=1, given="1 < 2") for number in range(300)]
    steps = [{"let": "n", "be": 1}] * 1900
    ready = rolled(*steps, modifiers=modifiers)
    with pytest.raises(TooMuch):
        odds(ready, {})


def tables(length: int, rows: int = 6, **fields: Any) -> list[Any]:
    """Return dice tables; each row leads to the next table."""

    def on(number: int) -> list[Any]:
        if number == length - 1:
            return [{"kind": "dies"}]
        return [{"kind": "rolls_on", "table": f"t{number + 1}", **fields}]

    return [
        row(
            f"t{number}",
            dice=f"1d{rows}",
            rows=[
                {
                    "low": low,
                    "high": low,
                    "name": text("R"),
                    "source": "house",
                    "outcomes": on(number) if low > 1 else [],
                }
                for low in range(1, rows + 1)
            ],
        )
        for number in range(length)
    ]


def test_each_table_of_a_chain_is_worked_out_once() -> None:
    book = small(tables=tables(20))
    assert nothing_happens(book, book.table["t0"]) == 1 - Fraction(5, 6) ** 20
    assert find_reach_of_roll(book, book.table["t0"]).most == Fraction(5, 6) ** 20


def test_thousands_of_rolls_on_a_table_exhaust_the_limit() -> None:
    book = small(tables=tables(3, times="9999"))
    for work_out in (nothing_happens, find_reach_of_roll):
        with pytest.raises(Exhausted), limit_work(200_000, Exhausted):
            work_out(book, book.table["t0"])


def test_a_condition_that_leads_to_itself_ends() -> None:
    """Rulebooks stored earlier may have such a condition."""
    back = {"kind": "suffers", "condition": "one"}
    options = [{"name": text("A"), "outcomes": [back]}, {"name": text("B"), "outcomes": [back]}]
    one = row("one", text=text("T"), most=1, beyond=[{"kind": "chooses", "options": options}, back])
    table = tables(1)[0]
    for line in table["rows"]:
        line["outcomes"] = [back, back]
    book = Book.model_validate(changed(conditions=[one], tables=[table]))
    assert find_reach_of_roll(book, book.table["t0"]).most == 0


def test_evenly_spreads_a_billion_points_quickly() -> None:
    assert evenly({"a": 3, "b": 10**9}, 10**8) == {"a": 3, "b": 10**8 - 3}
    assert evenly({"a": 3, "b": 1, "c": 5}, 6) == {"a": 3, "b": 1, "c": 2}
    assert evenly({"a": 3, "b": 1}, 6) == {"a": 3, "b": 1}
    assert evenly({"a": 3, "b": 3}, 3) == {"a": 2, "b": 1}
    assert evenly({}, 3) == {}
    assert evenly({"a": 0}, -1) == {"a": 0}


def test_add_gives_a_track_at_most_the_allowed_boxes() -> None:
    name = {"name": text("Fit"), "letter": "F"}
    body = TrackCharacteristic.model_validate(measured("track", "body", boxes=[name]))
    grown = add(body, Boxes("FF"), 10**9)
    assert isinstance(grown, Boxes)
    assert len(grown.letters) == MOST_BOXES


@pytest.mark.parametrize(
    "written",
    [
        "(" * 3000 + "1" + ")" * 3000,
        "-" * 3000 + "1",
        "not " * 3000 + "1",
        ".".join(["a"] * 3000),
        "a" + ".b" * 450 + "()",
        "+".join(["1"] * 450),
        "1 if 1 else " * 80 + "1",
        "[" * 150 + "]" * 150,
        "lambda: " * 110 + "1",
        "gang.members('" + "a" * 3000 + "')",
        "9**9**9**9",
        "f'{1:999999999}'",
    ],
)
def test_parse_refuses_an_expression_that_is_too_long_or_deep(written: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse(written)
    assert len(str(caught.value)) < LONGEST_EXPRESSION + 100


def test_texts_cannot_be_multiplied_and_numbers_cannot_grow() -> None:
    for written in ("'a' * 999999999", "999999999 * 999999999", "999999999 + 999999999"):
        with pytest.raises(BadExpression):
            parse(written).number({})


def test_parse_accepts_an_expression_at_the_limits() -> None:
    deep = DEEPEST_EXPRESSION - 1
    assert parse("-" * deep + "1").number({}) == (-1) ** deep
    with pytest.raises(BadExpression, match="levels of nesting"):
        parse("-" * (deep + 1) + "1")
    fitting = "1" + " " * (LONGEST_EXPRESSION - 1)
    assert parse(fitting).number({}) == 1
    with pytest.raises(BadExpression, match="must have at most 1000 characters"):
        parse(fitting + " ")
