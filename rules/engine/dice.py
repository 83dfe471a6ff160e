"""Dice rolls with their provenance: thrown by the application, or typed in from the table."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from common.text import of_text, one_line
from common.wording.sentences import Sentence, say
from common.wording.sentences import gettext_noop as _
from rules.book.fates import DiceTable, TableRow
from rules.book.vocabulary import Frozen
from rules.bounds.work import spend

Thrower = Callable[[int], int]
# "2d6" is two dice of six sides, added up; "d66" is two dice, read as tens and units.
DICE = re.compile(r"[1-9]\d?d[1-9]\d{0,2}|d(44|66|88)")
AMOUNT = re.compile(r"([1-9]\d?d[1-9]\d?)(?:x(\d+))?([+-]\d+)?")
# The most dice that one roll throws for an amount.
MOST_TOGETHER = 99


class DiceRoll(Frozen):
    """Dice that were rolled ("2d6"), the faces shown, and the thrower. ``why``: the organiser's
    reason for overruling the application's throw."""

    dice: Annotated[str, Field(max_length=7)]
    faces: Annotated[tuple[int, ...], Field(max_length=100)]
    thrown_by: Literal["app", "table"]
    why: Annotated[str, Field(max_length=300), BeforeValidator(of_text(one_line))] = ""

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out an empty reason."""
        data: dict[str, Any] = serialize(self)
        if not self.why:
            del data["why"]
        return data

    @property
    def is_possible(self) -> bool:
        """Whether the dice can show these faces. For rolls from a file, this is the only check."""
        if not DICE.fullmatch(self.dice):
            return False
        count, sides = parse(self.dice)
        return len(self.faces) == count and all(1 <= face <= sides for face in self.faces)

    @property
    def total(self) -> int:
        """The faces added up, or read as tens and units."""
        if not reads_digits(self.dice):
            return sum(self.faces)
        tens, units = self.faces
        return 10 * tens + units


class BadFaces(ValueError):
    """Raised for faces that the ``count`` dice of ``sides`` sides cannot show."""

    def __init__(self, count: int, sides: int) -> None:
        super().__init__(f"{count} dice, each from 1 to {sides}, were expected")
        self.count = count
        self.sides = sides


def fair(sides: int) -> int:
    """Throw a die, 1 to ``sides``, with the operating system's random source."""
    return secrets.randbelow(sides) + 1


def reads_digits(dice: str) -> bool:
    """Whether the dice are read as tens and units ("d66") instead of being added up."""
    return dice.startswith("d")


def parse(dice: str) -> tuple[int, int]:
    """Return the number of dice and their sides: (2, 6) for both "2d6" and "d66"."""
    if reads_digits(dice):
        return 2, int(dice[1])
    count, sides = dice.split("d")
    return int(count), int(sides)


def sides_of_all(dice: object) -> int | None:
    """Add up the sides of all dice in untrusted data; None if it does not describe dice."""
    if not isinstance(dice, str) or len(dice) > 6:
        return None
    try:
        count, sides = parse(dice)
    except (ValueError, IndexError):
        return None
    return count * sides


def throw(dice: str, thrower: Thrower = fair) -> DiceRoll:
    """Throw ``dice`` for the application."""
    count, sides = parse(dice)
    faces = tuple(thrower(sides) for _ in range(count))
    return DiceRoll(dice=dice, faces=faces, thrown_by="app")


def parse_roll(dice: str, text: str, names: Sequence[Iterable[str]] = ()) -> DiceRoll:
    """Parse the faces that a player typed, separated by anything: "3 5", "3+5" or "3, 5".

    One-digit faces need no separator ("35"): the number keys of a phone have no space. ``names``:
    the names of a die's sides in all spellings, from side 1 on, if it has words instead of
    numbers. Raises BadFaces for faces that the dice cannot show.
    """
    count, sides = parse(dice)
    name = text[:100].strip().casefold()
    for number, spellings in enumerate(names, start=1):
        if name in {spelling.casefold() for spelling in spellings}:
            return DiceRoll(dice=dice, faces=(number,), thrown_by="table")
    digits = re.findall(r"\d" if sides < 10 else r"\d+", text[:100])
    faces = tuple(int(face) for face in digits if len(face) < 4)
    if len(faces) != count or not all(1 <= face <= sides for face in faces):
        raise BadFaces(count, sides)
    return DiceRoll(dice=dice, faces=faces, thrown_by="table")


@dataclass(frozen=True)
class Sum:
    """An amount as parts: the ``dice`` to roll (None for a number), whose total is multiplied by
    ``by``, before ``plus`` is added."""

    dice: str | None
    by: int = 1
    plus: int = 0

    def worth(self, total: int) -> int:
        """The amount for dice that show this ``total``; never less than 0."""
        return max(0, total * self.by + self.plus)

    def __str__(self) -> str:
        dice = "" if self.dice is None else self.dice.upper()
        by = f" × {self.by}" if self.by > 1 else ""
        plus = f" {'+' if self.plus > 0 else '−'} {abs(self.plus)}" if self.plus else ""
        return f"{dice}{by}{plus}" if dice else str(self.worth(0))

    @property
    def least(self) -> int:
        """The lowest amount."""
        return self.worth(parse(self.dice)[0] if self.dice else 0)

    @property
    def is_cut(self) -> bool:
        """Whether low dice bring 0 instead of a number below it."""
        count = parse(self.dice)[0] if self.dice else 0
        return count * self.by + self.plus < 0

    @property
    def most(self) -> int:
        """The highest amount."""
        if self.dice is None:
            return self.worth(0)
        count, sides = parse(self.dice)
        return self.worth(count * sides)

    def repeated(self, times: int) -> Sum:
        """The same amount, added up this many times; at most MOST_TOGETHER dice are rolled."""
        if self.dice is None or times < 1:
            return Sum(None, plus=self.plus * times if self.dice is None else 0)
        count, sides = parse(self.dice)
        times = min(times, MOST_TOGETHER // count)
        return Sum(f"{count * times}d{sides}", self.by, self.plus * times)


def parse_amount(written: str) -> Sum:
    """Read an amount of the vocabulary: "3", "1d3", "2d6x10", "3d6+20", "1d6x5-5"."""
    match = AMOUNT.fullmatch(written)
    if match is None:
        return Sum(None, plus=int(written))
    dice, by, plus = match.groups()
    return Sum(dice, int(by or 1), int(plus or 0))


def amount_chances(written: str) -> Mapping[int, Fraction]:
    """Return the chance of each number that an amount can be."""
    amount = parse_amount(written)
    if amount.dice is None:
        return {amount.plus: Fraction(1)}
    found: dict[int, Fraction] = {}
    for total, chance in chances(amount.dice).items():
        worth = amount.worth(total)
        found[worth] = found.get(worth, Fraction(0)) + chance
    return found


def look_up(table: DiceTable, roll: DiceRoll) -> TableRow:
    """Find the row of ``table`` that ``roll`` hits.

    Raises LookupError if there is none, which never happens in a checked book.
    """
    for row in table.rows:
        if row.low <= roll.total <= row.high:
            return row
    raise LookupError(f"{table.key} has no row for {roll.total}")


def matching_rows(table: DiceTable, shown: Mapping[int, int]) -> tuple[TableRow, ...]:
    """The rows of a table with matching dice that were hit, by face. ``shown``: how many dice show
    each face. Of the rows for a face, the one that needs the most dice counts."""
    hit = []
    for face in sorted(shown):
        rows = [row for row in table.rows if row.low <= face <= row.high]
        rows = [row for row in rows if count_matching(table, row) <= shown[face]]
        hit += [max(rows, key=lambda row: count_matching(table, row))] if rows else []
    return tuple(hit)


def may_roll(table: DiceTable, roll: DiceRoll) -> bool:
    """Whether these dice can be a roll on ``table``: its own dice or, where dice match, several
    like them, with possible faces."""
    if not roll.is_possible:
        return False
    if table.matching is None:
        return roll.dice == table.dice
    return not reads_digits(roll.dice) and parse(roll.dice)[1] == parse(table.dice)[1]


def count_matching(table: DiceTable, row: TableRow) -> int:
    """How many matching dice a row needs; 1 in a table without matching dice."""
    return row.matching or table.matching or 1


@lru_cache(maxsize=64)
def chances(dice: str) -> dict[int, Fraction]:
    """Return the chance of each total of ``dice``."""
    count, sides = parse(dice)
    faces = range(1, sides + 1)
    if reads_digits(dice):
        return {10 * tens + units: Fraction(1, sides**2) for tens in faces for units in faces}
    ways = {0: 1}
    for _die in range(count):
        totals: dict[int, int] = {}
        spend(len(ways) * sides // 4)
        for total, number in ways.items():
            for face in faces:
                totals[total + face] = totals.get(total + face, 0) + number
        ways = totals
    return {total: Fraction(number, sides**count) for total, number in ways.items()}


def row_chance(table: DiceTable, row: TableRow) -> Fraction:
    """Return the chance that a roll on ``table`` hits ``row``."""
    found = chances(table.dice)
    spend(len(found) // 8)
    return sum(
        (chance for total, chance in found.items() if row.low <= total <= row.high), Fraction(0)
    )


def gather_rows(table: DiceTable) -> list[tuple[TableRow, ...]]:
    """Group the rows of a table that differ only in their numbers."""
    groups: dict[TableRow, list[TableRow]] = {}
    spend(30 * len(table.rows))
    for row in table.rows:
        groups.setdefault(row.model_copy(update={"low": 0, "high": 0}), []).append(row)
    return [tuple(rows) for rows in groups.values()]


NO_ROW = _("%(total)s has no row")


def find_uncovered(table: DiceTable) -> list[Sentence]:
    """List the faults in the totals that a table covers, as sentences; none if each has one row."""
    totals = sorted(chances(table.dice))
    spend(len(totals) * len(table.rows) // 4)
    wrong = [
        say(_("row %(row)s ends before it starts"), row=f"{row.low}-{row.high}")
        for row in table.rows
        if row.low > row.high
    ]
    wrong += [
        say(
            _("%(dice)s cannot show any number of the row %(row)s"),
            row=f"{row.low}-{row.high}",
            dice=table.dice,
        )
        for row in table.rows
        if row.low <= row.high and not any(row.low <= total <= row.high for total in totals)
    ]
    for total in totals:
        rows = sum(row.low <= total <= row.high for row in table.rows)
        if not rows:
            wrong.append(say(NO_ROW, total=total))
        elif rows > 1:
            wrong.append(
                say(_("%(total)s is in %(rows)s rows: keep only one"), total=total, rows=rows)
            )
    wrong += [
        say(
            _("row %(row)s goes beyond %(dice)s, which shows %(shown)s"),
            row=f"{row.low}-{row.high}",
            dice=table.dice,
            shown=f"{totals[0]}-{totals[-1]}",
        )
        for row in table.rows
        if row.low < totals[0] or row.high > totals[-1]
    ]
    return wrong
