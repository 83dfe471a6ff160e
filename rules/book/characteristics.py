"""Values of characteristics: numbers, pools of dice, pairs, tracks of boxes, dice, words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from common.wording.texts import Text
from rules.book.schema import Characteristic

POOL = re.compile(r"^([1-9]\d?)k([1-9]\d?)$")
PAIR = re.compile(r"^(\d{1,2})/(\d{1,2})$")
MOST_BOXES = 30


@dataclass(frozen=True)
class DicePool:
    """Roll ``rolled`` six-sided dice, keep the ``kept`` best and add them up."""

    rolled: int
    kept: int

    def __str__(self) -> str:
        return f"{self.rolled}k{self.kept}"


@dataclass(frozen=True)
class TwoNumbers:
    """The value of a pair, "3/1"."""

    first: int
    second: int

    def __str__(self) -> str:
        return f"{self.first}/{self.second}"


@dataclass(frozen=True)
class Boxes:
    """The value of a track: one letter for each box."""

    letters: str

    def __str__(self) -> str:
        return self.letters


@dataclass(frozen=True)
class DieSize:
    """The value of a die: the index of its size, from the smallest; it may be outside ``sizes``."""

    step: int
    sizes: tuple[str, ...]

    def __str__(self) -> str:
        return self.sizes[max(0, min(self.step, len(self.sizes) - 1))].upper()


@dataclass(frozen=True)
class Word:
    """The value of a characteristic in words: the word's key, its name and its place, from 1."""

    key: str
    name: Text
    place: int

    def __str__(self) -> str:
        return self.key


Value = int | DicePool | TwoNumbers | Boxes | DieSize | Word
Part = Literal["first", "second"]


def parse_value(characteristic: Characteristic, written: int | str) -> Value:
    """The value that is ``written``. Raises ValueError, with a sentence, for any other text."""
    match characteristic.kind:
        case "number":
            if isinstance(written, int):
                return written
            raise ValueError(say(_("“%(written)s” is not a whole number"), written=written))
        case "pool":
            match = POOL.match(str(written))
            if match is None or int(match[2]) > int(match[1]):
                raise ValueError(
                    say(
                        _(
                            "“%(written)s” is not a pool of dice: write 4k2, for example, and keep "
                            "at most the number rolled"
                        ),
                        written=written,
                    )
                )
            return DicePool(int(match[1]), int(match[2]))
        case "pair":
            match = PAIR.match(str(written))
            if match is None:
                raise ValueError(
                    say(_("“%(written)s” is not a pair of numbers such as 3/1"), written=written)
                )
            return TwoNumbers(int(match[1]), int(match[2]))
        case "track":
            letters = {box.letter for box in characteristic.boxes}
            if not 0 < len(str(written)) <= MOST_BOXES or not set(str(written)) <= letters:
                known = ", ".join(sorted(letters))
                raise ValueError(
                    say(
                        _(
                            "“%(written)s” must be a row of 1 to %(most)s boxes with the letters "
                            "%(known)s"
                        ),
                        written=written,
                        known=known,
                        most=MOST_BOXES,
                    )
                )
            return Boxes(str(written))
        case "die":
            if written not in characteristic.sizes:
                known = ", ".join(characteristic.sizes)
                raise ValueError(
                    say(
                        _("“%(written)s” is not a size of this die (known: %(known)s)"),
                        written=written,
                        known=known,
                    )
                )
            return DieSize(characteristic.sizes.index(str(written)), characteristic.sizes)
        case "word":
            for place, word in enumerate(characteristic.words, start=1):
                if word.key == written:
                    return Word(word.key, word.name, place)
            known = ", ".join(word.key for word in characteristic.words)
            raise ValueError(
                say(
                    _("unknown word “%(written)s” (known: %(known)s)"), written=written, known=known
                )
            )


def show_value(characteristic: Characteristic, value: Value, language: str) -> str:
    """A value as players write it: a number with its unit, and with its sign if it is added."""
    if isinstance(value, Word):
        return value.name.translated(language)
    if characteristic.kind != "number" or not isinstance(value, int):
        return str(value)
    number = f"{value:+d}".replace("-", "−") if characteristic.signed else str(value)
    return f"{number}{characteristic.unit}"


def add(
    characteristic: Characteristic,
    value: Value,
    amount: int,
    part: Part | None = None,
    limit: int | None = None,
) -> Value:
    """``value`` after adding ``amount``, but no further than ``limit``.

    ``part``: the number of a pair to change (both if None).
    """
    match value:
        case int():
            return _towards(value, amount, limit)
        case DicePool():
            rolled = _towards(value.rolled, amount, limit)
            return DicePool(max(value.kept, rolled), value.kept)
        case TwoNumbers():
            first, second = value.first, value.second
            if part != "second":
                first = _towards(first, amount, limit)
            if part != "first":
                second = _towards(second, amount, limit)
            return TwoNumbers(first, second)
        case Boxes():
            assert characteristic.kind == "track"
            count = min(_towards(len(value.letters), amount, limit), MOST_BOXES)
            if count >= len(value.letters):
                new = characteristic.boxes[0].letter * (count - len(value.letters))
                return Boxes(new + value.letters)
            return Boxes(value.letters[len(value.letters) - max(1, count) :])
        case DieSize():
            return replace(value, step=_towards(value.step, amount, limit))
        case Word():
            return value


def _towards(value: int, amount: int, limit: int | None) -> int:
    """``value`` plus ``amount``, stopped at ``limit``; a value beyond the limit is unchanged."""
    if limit is None:
        return value + amount
    if amount > 0:
        return max(value, min(value + amount, limit))
    return min(value, max(value + amount, limit))


def best(characteristic: Characteristic, first: Value, second: Value) -> Value:
    """The better of two values of one characteristic; of a pair, the better of each number."""
    match first, second:
        case TwoNumbers(), TwoNumbers():
            return TwoNumbers(max(first.first, second.first), max(first.second, second.second))
        case DicePool(), DicePool():
            return max(first, second, key=lambda pool: (pool.kept, pool.rolled))
    gain = difference(first, second)
    low = characteristic.kind == "number" and characteristic.better == "low"
    return second if (gain < 0 if low else gain > 0) else first


def clamp(characteristic: Characteristic, value: Value, *, suffering: bool = False) -> Value:
    """``value`` within the characteristic's bounds.

    ``suffering``: a condition changed it, which may go below the usual minimum.
    """
    match value:
        case int() if characteristic.kind == "number":
            lowest = characteristic.minimum
            if suffering and characteristic.worst is not None:
                lowest = min(lowest, characteristic.worst)
            return max(lowest, min(characteristic.maximum, value))
        case TwoNumbers() if characteristic.kind == "pair":
            first = max(0, min(characteristic.maximum, value.first))
            second = max(0, min(characteristic.maximum, value.second))
            return TwoNumbers(first, min(first, second) if characteristic.falling else second)
        case DieSize():
            return replace(value, step=max(0, min(value.step, len(value.sizes) - 1)))
    return value


def difference(before: Value, after: Value) -> int:
    """How far ``after`` is from ``before``: points, dice, boxes or sizes.

    Raises TypeError for values of two kinds of characteristic.
    """
    if type(before) is not type(after):
        raise TypeError(f"{before} and {after} differ in kind")
    return _amount(after) - _amount(before)


def _amount(value: Value) -> int:
    match value:
        case DicePool():
            return value.rolled
        case TwoNumbers():
            return value.first + value.second
        case Boxes():
            return len(value.letters)
        case DieSize():
            return value.step
        case Word():
            # Words are in no order.
            return 0
    return value


def ascending(sizes: tuple[str, ...]) -> bool:
    """Whether the sizes of a die are dice ("d6"), each larger than the one before it."""
    if not all(re.fullmatch(r"d[1-9]\d?", size) for size in sizes):
        return False
    return all(int(small[1:]) < int(large[1:]) for small, large in pairwise(sizes))
