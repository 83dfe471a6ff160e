"""Rolls: dice with their provenance, thrown by the application or typed in from the table."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from rules.season import DiceTable, TableRow
from rules.vocabulary import Frozen

Thrower = Callable[[int], int]


class Roll(Frozen):
    """Dice that were rolled: what ("2d6"), the faces shown, and who threw them."""

    dice: str
    faces: tuple[int, ...]
    thrown_by: Literal["app", "table"]

    @property
    def total(self) -> int:
        """The faces added up."""
        return sum(self.faces)


class BadRoll(ValueError):
    """Faces that these dice cannot show. ``count`` dice of ``sides`` sides were expected."""

    def __init__(self, count: int, sides: int) -> None:
        super().__init__(f"{count} dice, each from 1 to {sides}, were expected")
        self.count = count
        self.sides = sides


def fair(sides: int) -> int:
    """A fair throw, 1 to ``sides``, from the operating system's random source."""
    return secrets.randbelow(sides) + 1


def parse(dice: str) -> tuple[int, int]:
    """("2d6") -> (2, 6): how many dice, how many sides."""
    count, sides = dice.split("d")
    return int(count), int(sides)


def throw(dice: str, thrower: Thrower = fair) -> Roll:
    """Let the application throw ``dice``."""
    count, sides = parse(dice)
    return Roll(dice=dice, faces=tuple(thrower(sides) for _ in range(count)), thrown_by="app")


def typed(dice: str, text: str) -> Roll:
    """The roll that a player typed, faces separated by anything ("3 5", "3+5", "3, 5").

    Raises BadRoll if these are not faces the dice can show.
    """
    count, sides = parse(dice)
    faces = tuple(int(face) for face in re.findall(r"\d+", text[:100]) if len(face) < 4)
    if len(faces) != count or not all(1 <= face <= sides for face in faces):
        raise BadRoll(count, sides)
    return Roll(dice=dice, faces=faces, thrown_by="table")


def look_up(table: DiceTable, roll: Roll) -> TableRow:
    """The row of ``table`` that ``roll`` hits.

    Raises LookupError if the table has no such row, which a checked book never has.
    """
    for row in table.rows:
        if row.low <= roll.total <= row.high:
            return row
    raise LookupError(f"{table.key} has no row for {roll.total}")


def chances(dice: str) -> dict[int, Fraction]:
    """How likely each total of ``dice`` is."""
    count, sides = parse(dice)
    ways = {0: 1}
    for _ in range(count):
        totals: dict[int, int] = {}
        for total, number in ways.items():
            for face in range(1, sides + 1):
                totals[total + face] = totals.get(total + face, 0) + number
        ways = totals
    return {total: Fraction(number, sides**count) for total, number in ways.items()}


def row_chance(table: DiceTable, row: TableRow) -> Fraction:
    """How likely a roll on ``table`` is to hit ``row``."""
    return sum(
        (chance for total, chance in chances(table.dice).items() if row.low <= total <= row.high),
        Fraction(0),
    )


def uncovered(table: DiceTable) -> list[str]:
    """What is wrong with the totals a table covers, as sentences; empty if each has one row."""
    count, sides = parse(table.dice)
    wrong = []
    if table.rows[0].low != count:
        wrong.append(f"starts at {table.rows[0].low}, but {table.dice} starts at {count}")
    if table.rows[-1].high != count * sides:
        wrong.append(f"ends at {table.rows[-1].high}, but {table.dice} ends at {count * sides}")
    wrong += [
        f"row {row.low}-{row.high} ends before it starts"
        for row in table.rows
        if row.low > row.high
    ]
    wrong += [
        f"row {after.low}-{after.high} does not follow on row {before.low}-{before.high}"
        for before, after in pairwise(table.rows)
        if after.low != before.high + 1
    ]
    return wrong
