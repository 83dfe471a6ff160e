"""Rolls, by the application and typed in; chances; tables."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import (
    BadRoll,
    Roll,
    chances,
    fair,
    look_up,
    parse,
    row_chance,
    throw,
    typed,
    uncovered,
)
from rules.fates import DiceTable

COUNTS = st.integers(1, 6)
SIDES = st.sampled_from([2, 3, 4, 6, 8, 10, 12, 20])


def _table(dice: str, *bounds: tuple[int, int]) -> DiceTable:
    rows = [
        {"low": low, "high": high, "name": {"en": f"{low}", "fr": f"{low}"}, "source": "house"}
        for low, high in bounds
    ]
    name = {"en": "Fate", "fr": "Sort"}
    return DiceTable.model_validate(
        {"key": "fate", "name": name, "dice": dice, "source": "house", "rows": rows}
    )


def _faces(*faces: int) -> Iterator[int]:
    return iter(faces)


def test_throw_with_a_given_thrower() -> None:
    faces = _faces(3, 5)
    sides: list[int] = []

    def thrower(number: int) -> int:
        sides.append(number)
        return next(faces)

    roll = throw("2d6", thrower)
    assert roll == Roll(dice="2d6", faces=(3, 5), thrown_by="app")
    assert roll.total == 8
    assert sides == [6, 6]


@given(COUNTS, SIDES)
def test_a_throw_shows_faces_that_exist(count: int, sides: int) -> None:
    roll = throw(f"{count}d{sides}")
    assert len(roll.faces) == count
    assert all(1 <= face <= sides for face in roll.faces)
    assert roll.thrown_by == "app"


def test_fair_throws_reach_every_face() -> None:
    assert {fair(6) for _ in range(600)} == set(range(1, 7))


@pytest.mark.parametrize(
    "text", ["3 5", "3+5", "3, 5", "3,5", " 3 / 5 ", "3;5", "a 3 and a 5", "(3)(5)"]
)
def test_typed_faces_may_be_separated_by_anything(text: str) -> None:
    assert typed("2d6", text) == Roll(dice="2d6", faces=(3, 5), thrown_by="table")


@pytest.mark.parametrize(
    "text", ["", "3", "3 5 1", "0 5", "3 7", "35", "3 -", "three five", "3 5000", "9" * 10_000]
)
def test_faces_that_the_dice_cannot_show(text: str) -> None:
    with pytest.raises(BadRoll) as caught:
        typed("2d6", text)
    assert (caught.value.count, caught.value.sides) == (2, 6)
    assert str(caught.value) == "2 dice, each from 1 to 6, were expected"


@given(st.text(max_size=200))
def test_whatever_is_typed_is_a_roll_or_refused(text: str) -> None:
    try:
        roll = typed("2d6", text)
    except BadRoll:
        return
    assert 2 <= roll.total <= 12


@given(COUNTS, SIDES)
def test_chances_are_whole(count: int, sides: int) -> None:
    each = chances(f"{count}d{sides}")
    assert sum(each.values()) == 1
    assert set(each) == set(range(count, count * sides + 1))
    assert sum(total * chance for total, chance in each.items()) == Fraction(count * (sides + 1), 2)


def test_known_chances() -> None:
    assert chances("1d3") == {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)}
    assert chances("2d6")[7] == Fraction(6, 36)
    assert chances("2d6")[12] == Fraction(1, 36)
    assert chances("3d6")[10] == Fraction(27, 216)


def test_dice_are_read() -> None:
    assert parse("2d6") == (2, 6)
    assert parse("10d12") == (10, 12)


def test_the_row_that_a_roll_hits() -> None:
    table = _table("2d6", (2, 6), (7, 7), (8, 12))
    assert [look_up(table, typed("2d6", text)).low for text in ("1 1", "3 4", "6 6")] == [2, 7, 8]
    assert [row_chance(table, row) for row in table.rows] == [
        Fraction(15, 36),
        Fraction(6, 36),
        Fraction(15, 36),
    ]


def test_a_roll_beyond_the_table() -> None:
    with pytest.raises(LookupError):
        look_up(_table("2d6", (2, 11)), typed("2d6", "6 6"))


@pytest.mark.parametrize(
    ("bounds", "sentences"),
    [
        ([(1, 2), (3, 6)], []),
        ([(2, 6)], ["1 has no row"]),
        ([(1, 5)], ["6 has no row"]),
        ([(1, 2), (4, 6)], ["3 has no row"]),
        ([(1, 3), (3, 6)], ["3 has 2 rows"]),
        ([(1, 6), (1, 6), (1, 1)], ["1 has 3 rows", *(f"{n} has 2 rows" for n in range(2, 7))]),
        ([(4, 6), (1, 3)], []),
        ([(1, 7)], ["row 1-7 goes beyond 1d6, which shows 1-6"]),
        (
            [(0, 0), (1, 6)],
            [
                "row 0-0 holds nothing that 1d6 can show",
                "row 0-0 goes beyond 1d6, which shows 1-6",
            ],
        ),
        ([(1, 0), (1, 6)], ["row 1-0 ends before it starts"]),
    ],
)
def test_what_a_table_leaves_uncovered(bounds: list[tuple[int, int]], sentences: list[str]) -> None:
    assert uncovered(_table("1d6", *bounds)) == sentences


@given(COUNTS, SIDES, st.data())
def test_a_covered_table_has_one_row_for_every_roll(
    count: int, sides: int, data: st.DataObject
) -> None:
    first, last = count, count * sides
    cuts = sorted(data.draw(st.sets(st.integers(first, last - 1), max_size=5)))
    bounds = list(zip([first, *(cut + 1 for cut in cuts)], [*cuts, last], strict=True))
    table = _table(f"{count}d{sides}", *bounds)
    assert uncovered(table) == []
    assert sum(row_chance(table, row) for row in table.rows) == 1
    assert look_up(table, throw(table.dice)) in table.rows
