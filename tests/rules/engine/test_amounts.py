"""Amounts that calculate with dice, and tables whose dice must match."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from pydantic import TypeAdapter, ValidationError

from rules.book.fates import DiceTable
from rules.book.vocabulary import Amount
from rules.engine.dice import DiceRoll, amount_chances, matching_rows, may_roll, parse_amount
from rules.engine.table_odds import matching_chance

# Each amount with its words, its least and its most.
AMOUNTS = {
    "0": ("0", 0, 0),
    "12": ("12", 12, 12),
    "1d3": ("1D3", 1, 3),
    "2d6x10": ("2D6 × 10", 20, 120),
    "3d6+20": ("3D6 + 20", 23, 38),
    "1d6x5-5": ("1D6 × 5 − 5", 0, 25),
    "1d6-4": ("1D6 − 4", 0, 2),
}


def make_table(*rows: tuple[int, int, int | None], matching: int = 2) -> DiceTable:
    """Return a table of one die with matching dice; its rows: low, high and their own number."""
    name = {"en": "Row", "fr": "Rang"}
    lines = [
        {"low": low, "high": high, "matching": own, "name": name, "source": "house"}
        for low, high, own in rows
    ]
    data = {"key": "t", "name": name, "dice": "1d6", "matching": matching, "rows": lines}
    return DiceTable.model_validate({**data, "source": "house"})


TABLE = make_table((1, 3, None), (4, 6, None), (5, 6, 3))


@pytest.mark.parametrize("written", AMOUNTS)
def test_amount_is_read_and_shown(written: str) -> None:
    amount = parse_amount(TypeAdapter(Amount).validate_python(written))
    assert (str(amount), amount.least, amount.most) == AMOUNTS[written]


@pytest.mark.parametrize("written", ["", "-1", "d6", "2d6x0", "2d6x", "2d6+0", "2x10", "2d6+5x2"])
def test_amount_rejects_other_texts(written: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Amount).validate_python(written)


def test_repeated_amount_rolls_more_dice_and_adds_every_sum() -> None:
    assert str(parse_amount("2d6x10+5").repeated(3)) == "6D6 × 10 + 15"
    assert str(parse_amount("4").repeated(3)) == "12"
    assert parse_amount("2d6").repeated(0).dice is None
    assert parse_amount("2d6").repeated(1_000).dice == "98d6"


def test_chances_of_an_amount_add_up_to_one() -> None:
    found = amount_chances("1d6-4")
    assert found == {0: Fraction(4, 6), 1: Fraction(1, 6), 2: Fraction(1, 6)}
    assert amount_chances("7") == {7: 1}


def test_row_that_needs_more_dice_replaces_the_other() -> None:
    pair, triple, low = TABLE.rows[1], TABLE.rows[2], TABLE.rows[0]
    assert matching_rows(TABLE, {5: 2, 1: 1}) == (pair,)
    assert matching_rows(TABLE, {5: 3, 2: 2}) == (low, triple)
    assert matching_rows(TABLE, {4: 3}) == (pair,)
    assert matching_rows(TABLE, {1: 1, 2: 1}) == ()


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_chance_of_matching_dice_equals_a_count_of_all_throws(count: int, place: int) -> None:
    row = TABLE.rows[place]
    throws = list(product(range(1, 7), repeat=count))
    hits = sum(
        row in matching_rows(TABLE, {face: faces.count(face) for face in faces}) for faces in throws
    )
    assert matching_chance(TABLE, row, count) == Fraction(hits, len(throws))


def test_table_accepts_only_its_own_dice_or_several_that_may_match() -> None:
    four = DiceRoll(dice="4d6", faces=(1, 2, 3, 4), thrown_by="table")
    assert may_roll(TABLE, four)
    assert not may_roll(TABLE.model_copy(update={"matching": None}), four)
    assert not may_roll(TABLE, DiceRoll(dice="4d8", faces=(1, 2, 3, 4), thrown_by="table"))
    assert not may_roll(TABLE, DiceRoll(dice="4d6", faces=(1, 2, 3), thrown_by="table"))
