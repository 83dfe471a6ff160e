"""Whether a rulebook is too large to be checked, thrown and shown: measured before anything else.

A procedure is measured once, however often it is used: its size is that of its steps, with those of
all that it uses. Nothing here takes longer the larger that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rules.book.model import Book
from rules.book.rolls import Again, Opposed, Step, Use
from rules.bounds.limits import (
    DEEPEST_TEXT,
    MOST_FACES,
    MOST_INNATE,
    MOST_INSIDE,
    MOST_NUMBER,
    MOST_ROLLS_ON,
    MOST_ROWS,
    MOST_ROWS_OF,
    MOST_STEPS,
    MOST_STEPS_TOGETHER,
)
from rules.engine.dice import DICE, parse
from rules.loading.lines import Place

# The fields that hold dice, or a number in their place.
OF_DICE = ("amount", "dice", "games", "times")
TOO_MANY_STEPS = f"has more than {MOST_STEPS} steps, with all that it uses"


def too_many_steps(book: Book) -> Iterator[tuple[Place, str]]:
    """Procedures and rolls that are too large once all that they use is put in: of procedures only
    those that use no other such one."""
    own = {row.key: _counted(row.steps) for row in book.procedures}
    sizes = _sizes(own)
    for index, procedure in enumerate(book.procedures):
        _steps, uses = own[procedure.key]
        if sizes[procedure.key] > MOST_STEPS and all(
            sizes.get(key, 0) <= MOST_STEPS for key in uses
        ):
            yield ("procedures", index, "steps"), TOO_MANY_STEPS
    together = 0
    for index, roll in enumerate(book.rolls):
        size = _size(*_counted(roll.steps), sizes)
        together += size
        if size > MOST_STEPS:
            yield ("rolls", index, "steps"), TOO_MANY_STEPS
    if together > MOST_STEPS_TOGETHER:
        yield ("rolls",), f"have more than {MOST_STEPS_TOGETHER} steps together"


def _counted(steps: Iterable[Step]) -> tuple[int, Counter[str]]:
    """How many steps are written, those inside of others too, and how often each procedure is used
    there."""
    number, uses, ahead = 0, Counter[str](), [*steps]
    while ahead:
        step = ahead.pop()
        number += 1
        if isinstance(step, Use):
            number += len(step.values)
            uses[step.use] += 1
        elif isinstance(step, Opposed | Again):
            ahead += step.steps
    return number, uses


def _size(number: int, uses: Mapping[str, int], sizes: Mapping[str, int]) -> int:
    """The size of steps, no larger than one more than it may be."""
    whole = number + sum(times * sizes.get(key, 0) for key, times in uses.items())
    return min(whole, MOST_STEPS + 1)


def _sizes(own: Mapping[str, tuple[int, Counter[str]]]) -> dict[str, int]:
    """The size of each procedure. One that leads to itself counts nothing there: that it does is
    another mistake."""
    sizes: dict[str, int] = {}
    for start in own:
        ahead, entered = [start], set[str]()
        while ahead:
            key = ahead[-1]
            if key not in entered:
                entered.add(key)
                _number, uses = own[key]
                ahead += [one for one in uses if one in own and one not in entered | sizes.keys()]
            else:
                ahead.pop()
                if key not in sizes:
                    sizes[key] = _size(*own[key], sizes)
    return sizes


def too_large(data: Mapping[str, object]) -> Iterator[tuple[Place, str]]:
    """Counts by which a stranger's rulebook, read as data, is over its limits."""
    for place, rows in _tables(data):
        most = MOST_ROWS_OF.get(str(place[-1]), MOST_ROWS)
        if len(rows) > most:
            yield place, f"has more than {most} rows"
    rolls_on = innate = 0
    for path, value in _inside(data):
        if isinstance(value, int) and abs(value) > MOST_NUMBER:
            yield path, f"must be at most {MOST_NUMBER}"
        elif isinstance(value, list):
            if len(value) > MOST_INSIDE and len(path) > 2:
                yield path, f"has more than {MOST_INSIDE} parts"
        elif path[-1] in OF_DICE and isinstance(value, str) and DICE.fullmatch(value):
            count, sides = parse(value)
            if count * sides > MOST_FACES:
                yield path, f"throws dice of more than {MOST_FACES} faces together"
        rolls_on += value == "rolls_on"
        innate += path[-1] == "innate" and value is True
    if rolls_on > MOST_ROLLS_ON:
        yield ("tables",), f"have more than {MOST_ROLLS_ON} rolls on other tables"
    if innate > MOST_INNATE:
        yield ("items",), f"have more than {MOST_INNATE} that everybody has"


def _tables(data: Mapping[str, object]) -> Iterator[tuple[Place, list[object]]]:
    for name, value in data.items():
        if isinstance(value, list):
            yield (name,), value
    campaign = data.get("campaign")
    for name, value in campaign.items() if isinstance(campaign, Mapping) else ():
        if isinstance(value, list):
            yield ("campaign", name), value


def _inside(data: object) -> Iterator[tuple[Place, object]]:
    """Every value inside, with its place; no deeper than data may be."""
    ahead: list[tuple[Place, object]] = [((), data)]
    while ahead:
        path, value = ahead.pop()
        if path:
            yield path, value
        if len(path) > DEEPEST_TEXT:
            continue
        if isinstance(value, Mapping):
            ahead.extend(((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            ahead.extend(((*path, index), inner) for index, inner in enumerate(value))
