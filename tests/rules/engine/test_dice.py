"""Rolls by the application and typed rolls; chances; tables."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.fates import DiceTable
from rules.book.vocabulary import Text
from rules.engine.dice import (
    BadFaces,
    DiceRoll,
    chances,
    fair,
    find_uncovered,
    gather_rows,
    look_up,
    parse,
    parse_roll,
    row_chance,
    throw,
)
from rules.engine.table_odds import final_chance

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


def test_throw_uses_the_given_thrower() -> None:
    faces = _faces(3, 5)
    sides: list[int] = []

    def thrower(number: int) -> int:
        sides.append(number)
        return next(faces)

    roll = throw("2d6", thrower)
    assert roll == DiceRoll(dice="2d6", faces=(3, 5), thrown_by="app")
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
    "text", ["3 5", "3+5", "3, 5", "3,5", " 3 / 5 ", "3;5", "35", "a 3 and a 5", "(3)(5)"]
)
def test_typed_faces_may_be_separated_by_anything(text: str) -> None:
    assert parse_roll("2d6", text) == DiceRoll(dice="2d6", faces=(3, 5), thrown_by="table")


@pytest.mark.parametrize(
    "text",
    ["", "3", "3 5 1", "0 5", "3 7", "355", "3 -", "three five", "3 5000", "9" * 10_000],
)
def test_parse_roll_refuses_faces_that_the_dice_cannot_show(text: str) -> None:
    with pytest.raises(BadFaces) as caught:
        parse_roll("2d6", text)
    assert (caught.value.count, caught.value.sides) == (2, 6)
    assert str(caught.value) == "2 dice, each from 1 to 6, were expected"


@given(st.text(max_size=200))
def test_parse_roll_reads_or_refuses_any_text(text: str) -> None:
    try:
        roll = parse_roll("2d6", text)
    except BadFaces:
        return
    assert 2 <= roll.total <= 12


@given(COUNTS, SIDES)
def test_chances_add_up_to_one(count: int, sides: int) -> None:
    each = chances(f"{count}d{sides}")
    assert sum(each.values()) == 1
    assert set(each) == set(range(count, count * sides + 1))
    assert sum(total * chance for total, chance in each.items()) == Fraction(count * (sides + 1), 2)


def test_chances_match_known_values() -> None:
    assert chances("1d3") == {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)}
    assert chances("2d6")[7] == Fraction(6, 36)
    assert chances("2d6")[12] == Fraction(1, 36)
    assert chances("3d6")[10] == Fraction(27, 216)


def test_parse_reads_dice() -> None:
    assert parse("2d6") == (2, 6)
    assert parse("10d12") == (10, 12)


def test_look_up_finds_the_row_of_a_roll() -> None:
    table = _table("2d6", (2, 6), (7, 7), (8, 12))
    assert [look_up(table, parse_roll("2d6", text)).low for text in ("1 1", "3 4", "6 6")] == [
        2,
        7,
        8,
    ]
    assert [row_chance(table, row) for row in table.rows] == [
        Fraction(15, 36),
        Fraction(6, 36),
        Fraction(15, 36),
    ]


def test_equal_rows_are_joined_wherever_they_are() -> None:
    """A row with a different outcome stays separate."""
    table = _table("1d6", (1, 1), (2, 2), (3, 3), (4, 5), (6, 6))
    names = ["Arm", "Leg", "Arm", "Head", "Leg"]
    rows = tuple(
        row.model_copy(update={"name": Text(en=name, fr=name)})
        for row, name in zip(table.rows, names, strict=True)
    )
    table = table.model_copy(update={"rows": rows})
    numbers = [[row.low for row in same] for same in gather_rows(table)]
    assert numbers == [[1, 3], [2, 6], [4]]
    assert [final_chance(table, row) for row in rows] == [Fraction(1, 3)] * 5
    house = rows[2].model_copy(update={"tags": frozenset({"ours"})})
    other = table.model_copy(update={"rows": (*rows[:2], house, *rows[3:])})
    assert [len(same) for same in gather_rows(other)] == [1, 2, 1, 1]


def test_look_up_raises_when_no_row_covers_the_roll() -> None:
    with pytest.raises(LookupError):
        look_up(_table("2d6", (2, 11)), parse_roll("2d6", "6 6"))


@pytest.mark.parametrize(
    ("bounds", "sentences"),
    [
        ([(1, 2), (3, 6)], []),
        ([(2, 6)], ["1 has no row"]),
        ([(1, 5)], ["6 has no row"]),
        ([(1, 2), (4, 6)], ["3 has no row"]),
        ([(1, 3), (3, 6)], ["3 is in 2 rows: keep only one"]),
        (
            [(1, 6), (1, 6), (1, 1)],
            [f"{n} is in {3 if n == 1 else 2} rows: keep only one" for n in range(1, 7)],
        ),
        ([(4, 6), (1, 3)], []),
        ([(1, 7)], ["row 1-7 goes beyond 1d6, which shows 1-6"]),
        (
            [(0, 0), (1, 6)],
            [
                "1d6 cannot show any number of the row 0-0",
                "row 0-0 goes beyond 1d6, which shows 1-6",
            ],
        ),
        ([(1, 0), (1, 6)], ["row 1-0 ends before it starts"]),
    ],
)
def test_find_uncovered_lists_the_rolls_without_a_row(
    bounds: list[tuple[int, int]], sentences: list[str]
) -> None:
    assert find_uncovered(_table("1d6", *bounds)) == sentences


@given(COUNTS, SIDES, st.data())
def test_a_covered_table_has_one_row_for_every_roll(
    count: int, sides: int, data: st.DataObject
) -> None:
    first, last = count, count * sides
    cuts = sorted(data.draw(st.sets(st.integers(first, last - 1), max_size=5)))
    bounds = list(zip([first, *(cut + 1 for cut in cuts)], [*cuts, last], strict=True))
    table = _table(f"{count}d{sides}", *bounds)
    assert find_uncovered(table) == []
    assert sum(row_chance(table, row) for row in table.rows) == 1
    assert look_up(table, throw(table.dice)) in table.rows


# Two dice read as tens and units

SIX_BY_SIX = [10 * tens + units for tens in range(1, 7) for units in range(1, 7)]
TENS = tuple((10 * tens + 1, 10 * tens + 6) for tens in range(1, 7))


@pytest.mark.parametrize(("dice", "sides"), [("d44", 4), ("d66", 6), ("d88", 8)])
def test_tens_and_units_dice_parse_as_two_dice(dice: str, sides: int) -> None:
    assert parse(dice) == (2, sides)
    each = chances(dice)
    assert len(each) == sides**2
    assert set(each.values()) == {Fraction(1, sides**2)}
    assert (min(each), max(each)) == (11, 11 * sides)
    roll = throw(dice, lambda asked: asked)
    assert (roll.faces, roll.total) == ((sides, sides), 11 * sides)


@pytest.mark.parametrize("text", ["16", "1 6", "1-6", "1/6", " 16 ", "1, then 6"])
def test_tens_and_units_may_be_typed_together_or_apart(text: str) -> None:
    roll = parse_roll("d66", text)
    assert (roll.faces, roll.total, roll.thrown_by) == ((1, 6), 16, "table")


@pytest.mark.parametrize(
    "text", ["", "6", "17", "70", "06", "1 6 1", "116", "1 7", "sixteen", "77"]
)
def test_parse_roll_refuses_faces_that_tens_and_units_cannot_show(text: str) -> None:
    with pytest.raises(BadFaces, match="2 dice, each from 1 to 6"):
        parse_roll("d66", text)


@given(st.text(max_size=50))
def test_parse_roll_reads_or_refuses_any_text_for_tens_and_units(text: str) -> None:
    try:
        roll = parse_roll("d66", text)
    except BadFaces:
        return
    assert roll.total in SIX_BY_SIX


def test_tens_and_units_are_read_as_digits_and_not_added() -> None:
    assert DiceRoll(dice="d66", faces=(6, 1), thrown_by="table").total == 61
    assert DiceRoll(dice="2d6", faces=(6, 1), thrown_by="table").total == 7


@pytest.mark.parametrize(
    ("bounds", "sentences"),
    [
        (TENS, []),
        ([(11, 66)], []),
        ([(11, 26), (27, 30), (31, 66)], ["d66 cannot show any number of the row 27-30"]),
        ([(11, 30), (31, 66)], []),
        ([(11, 35), (41, 66)], ["36 has no row"]),
        ([(11, 36), (36, 66)], ["36 is in 2 rows: keep only one"]),
        ([(1, 66)], ["row 1-66 goes beyond d66, which shows 11-66"]),
        ([(11, 70)], ["row 11-70 goes beyond d66, which shows 11-66"]),
    ],
)
def test_find_uncovered_lists_the_gaps_of_tens_and_units(
    bounds: list[tuple[int, int]], sentences: list[str]
) -> None:
    assert find_uncovered(_table("d66", *bounds)) == sentences


def test_row_chance_counts_the_codes_of_tens_and_units() -> None:
    table = _table("d66", (11, 11), (12, 15), (16, 22), (23, 66))
    assert [row_chance(table, row) for row in table.rows] == [
        Fraction(1, 36),
        Fraction(4, 36),
        Fraction(3, 36),
        Fraction(28, 36),
    ]
    assert [look_up(table, parse_roll("d66", text)).low for text in ("11", "16", "2 1", "66")] == [
        11,
        16,
        16,
        23,
    ]


@pytest.mark.long
@given(st.sampled_from(["d44", "d66", "d88"]), st.data())
def test_every_total_of_a_covered_table_has_its_row(dice: str, data: st.DataObject) -> None:
    totals = sorted(chances(dice))
    starts = [totals[0], *sorted(data.draw(st.sets(st.sampled_from(totals[1:]), max_size=5)))]
    ends = [start - 1 for start in starts[1:]] + [totals[-1]]
    table = _table(dice, *zip(starts, ends, strict=True))
    assert find_uncovered(table) == []
    assert sum(row_chance(table, row) for row in table.rows) == 1
    assert look_up(table, throw(table.dice)) in table.rows


# A die whose sides have names

SUITS = [["Trèfle", "Club"], ["Pique", "Spade"], ["Cœur", "Heart"], ["As", "Ace"]]


@pytest.mark.parametrize(
    ("text", "face"),
    [("Club", 1), ("club", 1), (" TRÈFLE ", 1), ("cœur", 3), ("As", 4), ("4", 4), ("a 2", 2)],
)
def test_a_face_may_be_typed_by_its_name(text: str, face: int) -> None:
    assert parse_roll("1d4", text, SUITS) == DiceRoll(dice="1d4", faces=(face,), thrown_by="table")


@pytest.mark.parametrize("text", ["", "Joker", "5", "0", "Club Spade", "Clubs", "1 2"])
def test_parse_roll_refuses_a_face_that_does_not_exist(text: str) -> None:
    with pytest.raises(BadFaces):
        parse_roll("1d4", text, SUITS)


def test_parse_roll_refuses_a_name_when_the_faces_have_none() -> None:
    with pytest.raises(BadFaces):
        parse_roll("1d4", "Club")
