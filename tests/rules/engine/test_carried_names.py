"""Names that a repeated step binds are kept for the next time, in odds and in play."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.engine.compiling import ready
from rules.engine.odds import odds
from rules.engine.playing import tell
from tests.rules.small import Data, row, small, text

EACH_TIME: list[Data] = [
    {"let": "seen", "be": 0},
    {
        "again": "time",
        "times": 3,
        "steps": [
            {"sum": "die", "sides": 6, "given": "time != 2"},
            {"let": "seen", "be": "seen + (die >= 4)"},
        ],
    },
]
# The first failure stops the others; its face is not read again.
UNTIL_ONE_FAILS: list[Data] = [
    {"let": "failed", "be": 0},
    {"let": "good", "be": 0},
    {
        "again": "time",
        "times": 3,
        "steps": [
            {"let": "able", "be": "not failed"},
            {"sum": "die", "sides": 6, "given": "able"},
            {"let": "failed", "be": "die <= 2", "given": "able"},
            {"let": "good", "be": "good + (die >= 3)", "given": "able"},
        ],
    },
]
# A value that is not read again makes no separate state: there would be too many.
UNTIL_THREE: list[Data] = [
    {"let": "seen", "be": 0},
    {
        "again": "time",
        "until": "seen >= 3",
        "steps": [
            {"sum": "dice", "dice": 9, "sides": 20},
            {"sum": "die", "sides": 6, "given": "dice >= 0"},
            {"let": "seen", "be": "seen + 1 + (die >= 4)"},
        ],
    },
]


@pytest.mark.parametrize(
    ("steps", "number", "chances", "faces"),
    [
        # The first die counts twice.
        (EACH_TIME, "seen", {0: "1/4", 1: "1/4", 2: "1/4", 3: "1/4"}, {"4,1": 2, "1,5": 1}),
        (
            UNTIL_ONE_FAILS,
            "good",
            {0: "1/3", 1: "2/9", 2: "4/27", 3: "8/27"},
            {"1": 0, "3,2": 1, "3,4,5": 3},
        ),
        (UNTIL_THREE, "seen", {3: "5/8", 4: "3/8"}, {}),
    ],
)
def test_a_repeated_step_keeps_the_names_it_bound(
    steps: list[Data], number: str, chances: dict[int, str], faces: dict[str, int]
) -> None:
    book = small(rolls=[row("test", steps=steps, numbers=[{"of": number, "name": text("n")}])])
    test = ready(book.usual, "test")
    found = odds(test, {}).numbers[number]
    assert found == {value: Fraction(chance) for value, chance in chances.items()}
    for told, expected in faces.items():
        played = tell(test, {}, [(int(face),) for face in told.split(",")])
        assert played.numbers[number] == expected
