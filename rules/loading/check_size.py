"""Measures whether a rulebook is too large to check, throw and show, before any other check.

The size of a procedure is the number of its steps and of the steps of all procedures that it uses.
Each procedure is measured once, so that a large size takes no longer to measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.model import Book
from rules.book.rolls import Again, Opposed, Step, Use
from rules.bounds import limits
from rules.bounds.limits import MOST_STEPS, MOST_STEPS_TOGETHER
from rules.engine.dice import DICE, parse
from rules.loading.lines import Place

# The fields that contain dice, or a number in their place.
OF_DICE = ("amount", "dice", "games", "times")
TOO_MANY_STEPS = say(
    _("must have at most %(most)s steps, with the shared steps that it uses"), most=MOST_STEPS
)


def too_many_steps(book: Book) -> Iterator[tuple[Place, str]]:
    """Procedures and rolls that are too large with all that they use. A procedure is left out if it
    is too large only because another one is."""
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
        yield (
            ("rolls",),
            say(_("all rolls together must have at most %(most)s steps"), most=MOST_STEPS_TOGETHER),
        )


def _counted(steps: Iterable[Step]) -> tuple[int, Counter[str]]:
    """The number of written steps, including steps inside others, and how often they use each
    procedure."""
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
    """The size of ``number`` steps and of the procedures used; at most MOST_STEPS + 1."""
    whole = number + sum(times * sizes.get(key, 0) for key, times in uses.items())
    return min(whole, MOST_STEPS + 1)


def _sizes(own: Mapping[str, tuple[int, Counter[str]]]) -> dict[str, int]:
    """The size of each procedure. A procedure counts 0 inside itself: another check reports that
    mistake."""
    sizes: dict[str, int] = {}
    for start in own:
        ahead, entered = [start], set[str]()
        while ahead:
            key = ahead[-1]
            if key not in entered:
                entered.add(key)
                _number, uses = own[key]
                ahead += [
                    one for one in uses if one in own and one not in entered and one not in sizes
                ]
            else:
                ahead.pop()
                if key not in sizes:
                    sizes[key] = _size(*own[key], sizes)
    return sizes


def too_large(data: Mapping[str, object]) -> Iterator[tuple[Place, str]]:
    """The limits that a stranger's rulebook, read as data, exceeds, each with its place."""
    campaign = data.get("campaign")
    tables: list[tuple[Place, object]] = [((name,), value) for name, value in data.items()]
    if isinstance(campaign, Mapping):
        tables += [(("campaign", name), value) for name, value in campaign.items()]
    for place, rows in tables:
        most = limits.MOST_ROWS_OF.get(str(place[-1]), limits.MOST_ROWS)
        if isinstance(rows, list) and len(rows) > most:
            yield place, say(_("must have at most %(most)s rows"), most=most)
    rolls_on = innate = 0
    for path, value in values_inside(data, limits.DEEPEST_TEXT):
        if isinstance(value, int) and abs(value) > limits.MOST_NUMBER:
            yield path, say(_("must be at most %(most)s"), most=limits.MOST_NUMBER)
        elif isinstance(value, list):
            if len(value) > limits.MOST_INSIDE and len(path) > 2:
                yield path, say(_("must have at most %(most)s entries"), most=limits.MOST_INSIDE)
        elif path[-1] in OF_DICE and isinstance(value, str) and (dice := DICE.match(value)):
            count, sides = parse(dice[0])
            if count * sides > limits.MOST_FACES:
                yield (
                    path,
                    say(
                        _("the dice must have at most %(most)s faces together"),
                        most=limits.MOST_FACES,
                    ),
                )
        rolls_on += value == "rolls_on"
        innate += path[-1] == "innate" and value is True
    if rolls_on > limits.MOST_ROLLS_ON:
        yield (
            ("tables",),
            say(_("at most %(most)s outcomes may roll on other tables"), most=limits.MOST_ROLLS_ON),
        )
    if innate > limits.MOST_INNATE:
        yield (
            ("items",),
            say(_("at most %(most)s items may be “innate”"), most=limits.MOST_INNATE),
        )


def values_inside(data: object, deepest: int) -> Iterator[tuple[Place, object]]:
    """Every value inside ``data``, with its place, down to depth ``deepest`` + 1."""
    ahead: list[tuple[Place, object]] = [((), data)]
    while ahead:
        path, value = ahead.pop()
        if path:
            yield path, value
        if len(path) > deepest:
            continue
        if isinstance(value, Mapping):
            ahead.extend(((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            ahead.extend(((*path, index), inner) for index, inner in enumerate(value))
