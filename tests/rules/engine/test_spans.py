"""Conditions on numbers of which only the range is known."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from random import Random

import pytest

from rules.engine.expressions import BadExpression, parse

RANGES = {"x": (-2, 5), "y": (0, 3)}
NUMBERS = ("x", "y", "-1", "2", "known")
KNOWN = 4
VALUES = [
    {"x": x, "y": y, "known": KNOWN}
    for x, y in product(*(range(low, high + 1) for low, high in RANGES.values()))
]


def make_number(dice: Random, depth: int) -> str:
    if not depth or dice.random() < 0.3:
        return dice.choice(NUMBERS)
    left, right = (make_number(dice, depth - 1) for _side in range(2))
    forms = [f"({left} {sign} {right})" for sign in ("+", "-", "*", "/", "//", "%")]
    forms += [f"-{left}", f"abs({left})", f"floor({left})", f"ceil({left})"]
    return dice.choice([*forms, f"min({left}, {right})", f"max({left}, {right})"])


def make_condition(dice: Random, depth: int) -> str:
    if not depth or dice.random() < 0.2:
        sides = [make_number(dice, 2) for _side in range(dice.choice((2, 2, 3)))]
        return f"({f' {dice.choice(("<", "<=", ">", ">=", "==", "!="))} '.join(sides)})"
    left, right = (make_condition(dice, depth - 1) for _side in range(2))
    forms = (f"({left} and {right})", f"({left} or {right})", f"(not {left})")
    return dice.choice([*forms, f"({left} if {right} else {left})"])


def can_hold(condition: str) -> bool:
    """Whether it is true for some of the numbers."""
    for values in VALUES:
        # Some numbers are divided by 0.
        with suppress(BadExpression):
            if parse(condition).holds(values):
                return True
    return False


def test_no_condition_is_ruled_out_that_some_numbers_fulfil() -> None:
    dice, ruled_out = Random(1), 0
    for _number in range(1_500):
        condition = make_condition(dice, 2)
        try:
            may_hold = parse(condition).may_hold({"known": KNOWN}, RANGES)
        except BadExpression:
            continue
        ruled_out += not may_hold
        assert may_hold or not can_hold(condition), condition
    assert ruled_out > 50


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x > 5", False),
        ("x >= 5", True),
        ("x + y > 8", False),
        ("x - y < -5", False),
        ("2 - x > 4", False),
        ("x == 6", False),
        ("x != 6", True),
        ("not (x < 6)", False),
        ("x < y and known < 3", False),
        ("known < 3 and x < y", False),
        ("x > 9 or y > 9", False),
        ("x / 2 > 1", True),
        ("known / x > 1", True),
        ("x", True),
        ("x + 3", True),
        ("y - y", True),
    ],
)
def test_condition_may_hold_unless_it_is_false_for_all_numbers(
    condition: str, expected: bool
) -> None:
    assert parse(condition).may_hold({"known": KNOWN}, RANGES) is expected


def test_condition_that_reads_only_known_numbers_is_worked_out() -> None:
    assert parse("known > 3").may_hold({"known": KNOWN}, {})
    assert not parse("known > 4").may_hold({"known": KNOWN}, RANGES)
