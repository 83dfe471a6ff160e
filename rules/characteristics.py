"""Values of characteristics: numbers, and pools of dice written "4k2"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.schema import Characteristic

POOL = re.compile(r"^([1-9]\d?)k([1-9]\d?)$")


@dataclass(frozen=True)
class DicePool:
    """Roll ``rolled`` six-sided dice, keep the ``kept`` best and add them up."""

    rolled: int
    kept: int

    def __str__(self) -> str:
        return f"{self.rolled}k{self.kept}"


Value = int | DicePool


def read(characteristic: Characteristic, written: int | str) -> Value:
    """The value that ``written`` stands for.

    Raises ValueError, with a sentence, if it is not a value of this kind of characteristic.
    """
    if characteristic.kind == "number":
        if isinstance(written, int):
            return written
        raise ValueError(f"“{written}” is not a whole number")
    match = POOL.match(str(written))
    if match is None or int(match[2]) > int(match[1]):
        raise ValueError(
            f"“{written}” is not a pool of dice such as 4k2 (keeping no more than rolled)"
        )
    return DicePool(int(match[1]), int(match[2]))


def add(value: Value, amount: int) -> Value:
    """``value`` after adding ``amount``: to the number, or to the dice rolled."""
    if isinstance(value, DicePool):
        return DicePool(max(value.kept, value.rolled + amount), value.kept)
    return value + amount


def clamp(characteristic: Characteristic, value: Value, *, suffering: bool = False) -> Value:
    """``value`` brought back within the characteristic's bounds.

    ``suffering``: a condition is at work, which may bring it lower than the usual minimum.
    """
    if characteristic.kind == "number" and isinstance(value, int):
        lowest = characteristic.minimum
        if suffering and characteristic.worst is not None:
            lowest = min(lowest, characteristic.worst)
        return max(lowest, min(characteristic.maximum, value))
    return value


def difference(before: Value, after: Value) -> int:
    """How far ``after`` is from ``before``: points, or dice rolled."""
    if isinstance(before, DicePool) and isinstance(after, DicePool):
        return after.rolled - before.rolled
    assert isinstance(before, int) and isinstance(after, int)
    return after - before
