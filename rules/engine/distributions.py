"""Exact distributions of dice, counted in ways: whole numbers over a total, never rounded.

Every function returns the ways of each result, and the total. A result is a tuple of the features
that the caller wants, in that order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations_with_replacement
from math import comb, factorial
from typing import NamedTuple

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.bounds.kept import keep_within
from rules.bounds.limits import MOST_KEPT, MOST_STATES
from rules.bounds.work import TooMuch, spend

MOST_DICE = 60
MOST_SIDES = 20
# Each die thrown again multiplies the work.
MOST_AGAIN = 12

Result = tuple[int, ...]
Ways = dict[Result, int]
Spread = tuple[Ways, int]


def count_results(spread: Spread) -> int:
    """Return the number of results."""
    return len(spread[0])


def check_dice(dice: int, sides: int) -> tuple[int, int]:
    """Return the dice, at least 0, and their sides. Raises TooMuch."""
    if dice > MOST_DICE or not 1 <= sides <= MOST_SIDES:
        raise TooMuch(
            say(
                _(
                    "%(dice)s dice with %(sides)s sides are not possible: the limit is "
                    "%(most_dice)s dice with %(most_sides)s sides"
                ),
                dice=dice,
                sides=sides,
                most_dice=MOST_DICE,
                most_sides=MOST_SIDES,
            )
        )
    return max(0, dice), sides


@dataclass(frozen=True)
class Counting:
    """Dice that are counted: the faces that succeed, and the dice that are thrown again.

    ``good``: the faces that succeed; ``again_faces``: faces that are thrown again immediately;
    ``again_succeeded``: the number of successes that must be thrown again; ``again_failed``: the
    number of failures that may be, the lowest first; ``again_for_highest``: the number of further
    failures for each die that shows its highest face by then. No die is thrown again twice.
    """

    dice: int
    sides: int
    good: frozenset[int]
    again_faces: frozenset[int] = frozenset()
    again_succeeded: int = 0
    again_failed: int = 0
    again_for_highest: int = 0

    @property
    def throws_again(self) -> bool:
        """Whether any die may be thrown again."""
        chosen = self.again_succeeded or self.again_failed or self.again_for_highest
        return bool(chosen or self.again_faces)


@keep_within(MOST_KEPT, count_results)
def spread_successes(counting: Counting, wanted: tuple[str, ...]) -> Spread:
    """Count the ways of each number of "successes", with "max", "min" and "ones".

    Raises TooMuch for too many dice, or too many choices of dice to throw again.
    """
    check_dice(counting.dice, counting.sides)
    if max(counting.again_succeeded, counting.again_failed) > MOST_AGAIN:
        raise TooMuch(say(_("at most %(most)s dice can be thrown again"), most=MOST_AGAIN))
    if counting.again_for_highest:
        return _chosen(counting, wanted)
    if set(wanted) <= {"successes"}:
        ways, total = _successes(counting)
        if not wanted:
            return {(): total}, total
        return {(count,): number for count, number in ways.items()}, total
    if counting.again_succeeded or counting.again_failed:
        return _chosen(counting, wanted)
    return _features(counting, wanted)


def _successes(counting: Counting) -> tuple[dict[int, int], int]:
    """The ways of each number of successes, regardless of the faces."""
    sides, good = counting.sides, len(counting.good)
    locked = len(counting.again_faces)
    # The ways of one die, over sides squared: left as it is, or thrown again; good or bad.
    fresh_good = len(counting.good - counting.again_faces) * sides
    fresh_bad = (sides - len(counting.good | counting.again_faces)) * sides
    locked_good, locked_bad = locked * good, locked * (sides - good)
    found: Counter[int] = Counter()
    dice = max(0, counting.dice)
    for good_count in range(dice + 1):
        for bad_count in range(dice - good_count + 1):
            rest = dice - good_count - bad_count
            ways = comb(dice, good_count) * comb(dice - good_count, bad_count)
            ways *= fresh_good**good_count * fresh_bad**bad_count
            if not ways:
                continue
            forced = min(counting.again_succeeded, good_count)
            again = forced + min(counting.again_failed, bad_count)
            spare = counting.again_succeeded + counting.again_failed - again
            spend((rest + 1 if locked else 1) * (again + 1))
            for lucky in range(rest + 1):
                locked_ways = comb(rest, lucky) * locked_good**lucky * locked_bad ** (rest - lucky)
                if not locked_ways:
                    continue
                for saved in range(again + 1):
                    again_ways = (
                        comb(again, saved) * good**saved * (sides - good) ** (again - saved)
                    )
                    found[good_count - forced + lucky + saved] += (
                        ways * locked_ways * again_ways * sides**spare
                    )
    total = sides ** (2 * dice + counting.again_succeeded + counting.again_failed)
    return {count: number for count, number in found.items() if number}, total


def _features(counting: Counting, wanted: tuple[str, ...]) -> Spread:
    """Count ways die by die, where faces matter and no die is thrown again by choice."""
    sides, dice = counting.sides, max(0, counting.dice)
    places = range(1, sides + 1)
    weights = {face: 0 if face in counting.again_faces else sides for face in places}
    for face in places:
        weights[face] += len(counting.again_faces)
    states: Counter[Result] = Counter({(0,) * len(wanted): 1})
    for _die in range(dice):
        following: Counter[Result] = Counter()
        if len(states) > MOST_STATES:
            raise TooMuch(
                say(_("%(dice)s dice have too many different results: use fewer dice"), dice=dice)
            )
        spend(2 * len(states) * sides)
        for state, ways in states.items():
            for face, weight in weights.items():
                following[_with(state, face, counting, wanted)] += ways * weight
        states = following
    return {state: ways for state, ways in states.items() if ways}, sides ** (2 * dice)


def _with(state: Result, face: int, counting: Counting, wanted: tuple[str, ...]) -> Result:
    """The features of some dice, after one more die that shows ``face``."""
    after = []
    for name, value in zip(wanted, state, strict=True):
        if name == "successes":
            value += face in counting.good
        elif name == "ones":
            value += face == 1
        elif name == "top":
            value += face == counting.sides
        elif name == "max":
            value = max(value, face)
        else:
            value = min(value, face) if value else face
        after.append(value)
    return tuple(after)


# The most throws, regardless of order, that are enumerated one by one.
MOST_MULTISETS = 30_000
# The most faces of all dice together that are counted face by face.
MOST_FACES = 200


def _chosen(counting: Counting, wanted: tuple[str, ...]) -> Spread:
    """Count ways throw by throw, where faces matter and some dice are chosen to be rethrown."""
    sides, dice = counting.sides, max(0, counting.dice)
    lowest_good = min(counting.good, default=sides + 1)
    plain = not counting.again_faces and not counting.again_succeeded and "min" not in wanted
    above = 1 < lowest_good == sides + 1 - len(counting.good) <= sides
    if plain and above and dice * sides <= MOST_FACES:
        return _lowest_again(counting, lowest_good, wanted)
    if comb(dice + sides, sides) > MOST_MULTISETS:
        raise TooMuch(
            say(_("%(dice)s dice are too many to choose re-rolls: use fewer dice"), dice=dice)
        )
    fresh_faces = [face for face in range(1, sides + 1) if face not in counting.again_faces]
    features = (*wanted, "top")
    # The features of the dice that stay, and the number of dice that are thrown again now.
    staying: Counter[tuple[Result, int]] = Counter()
    for locked in range(dice + 1):
        at_once = comb(dice, locked) * len(counting.again_faces) ** locked
        if not at_once:
            continue
        for faces, ways in multisets(dice - locked, fresh_faces):
            spend(10 + 2 * dice)
            # The lowest first, as the faces come.
            good = [face for face in faces if face in counting.good]
            bad = [face for face in faces if face not in counting.good]
            forced = min(counting.again_succeeded, len(good))
            stay = (*good[forced:], *bad)
            thrown = Counting(locked + forced, sides, counting.good)
            plainly = _plainly(thrown, features)
            spend(len(plainly) * (5 + dice))
            for result, number in plainly.items():
                tops = result[-1] + stay.count(sides)
                free = counting.again_failed + counting.again_for_highest * tops
                free = min(free, len(bad))
                kept = result[:-1]
                for face in (*good[forced:], *bad[free:]):
                    kept = _with(kept, face, counting, wanted)
                spare = sides ** (dice - locked - forced - free)
                staying[kept, free] += at_once * ways * number * spare
    return _thrown_again(counting, staying, wanted), sides ** (2 * dice)


def _lowest_again(counting: Counting, lowest_good: int, wanted: tuple[str, ...]) -> Spread:
    """Count ways where the lowest failures are rethrown, and all faces from one on succeed.

    Goes through the faces from the highest down: each pass decides how many of the remaining dice
    show this face.
    """
    sides, dice = counting.sides, max(0, counting.dice)
    # The dice left, the number of dice that show their highest face, and the highest face shown.
    good: Counter[tuple[int, int, int]] = Counter({(dice, 0, 0): 1})
    for face in range(sides, lowest_good - 1, -1):
        following: Counter[tuple[int, int, int]] = Counter()
        for (left, top, high), ways in good.items():
            spend(left + 1)
            for count in range(left + 1):
                tops = count if face == sides else top
                after = (left - count, tops, high or (face if count else 0))
                following[after] += ways * comb(left, count)
        good = following
    # The dice left, to keep, and to throw again; the highest face, the ones kept, the successes.
    states: Counter[tuple[int, int, int, int, int, int]] = Counter()
    for (left, top, high), ways in good.items():
        again = min(left, counting.again_failed + counting.again_for_highest * top)
        states[left, left - again, again, high, 0, dice - left] += ways
    staying: Counter[tuple[Result, int]] = Counter()
    for face in range(lowest_good - 1, -1, -1):
        ahead: Counter[tuple[int, int, int, int, int, int]] = Counter()
        for (left, keep, again, high, ones, successes), ways in states.items():
            if not keep:
                # All the rest is thrown again.
                values = {"successes": successes, "max": high, "ones": ones}
                kept = tuple(values[name] for name in wanted)
                staying[kept, again] += ways * face**left * sides ** (dice - again)
                continue
            spend(2 * left + 2)
            for count in range(left + 1) if face > 1 else (left,):
                taken = min(count, keep)
                more = taken if face == 1 else 0
                best = high or (face if taken else 0)
                state = (left - count, keep - taken, again, best, ones + more, successes)
                ahead[state] += ways * comb(left, count)
        states = ahead
    return _thrown_again(counting, staying, wanted), sides ** (2 * dice)


def _thrown_again(
    counting: Counting, staying: Mapping[tuple[Result, int], int], wanted: tuple[str, ...]
) -> Ways:
    """Add the dice that are thrown again now to those that stay."""
    found: Counter[Result] = Counter()
    for (kept, again), weight in staying.items():
        thrown = Counting(again, counting.sides, counting.good)
        plainly = _plainly(thrown, wanted)
        spend(4 * len(plainly))
        for more, times in plainly.items():
            found[_join(kept, more, wanted)] += weight * times
    return dict(found)


@keep_within(MOST_KEPT, len)
def _plainly(counting: Counting, wanted: tuple[str, ...]) -> Ways:
    """The ways of dice that are thrown only once."""
    ways, _total = _features(counting, wanted)
    return {result: number // counting.sides**counting.dice for result, number in ways.items()}


def _join(one: Result, other: Result, wanted: tuple[str, ...]) -> Result:
    """The features of two groups of dice together."""
    joined = []
    for name, first, second in zip(wanted, one, other, strict=True):
        if name in ("successes", "ones"):
            joined.append(first + second)
        elif name == "max" or not (first and second):
            joined.append(max(first, second))
        else:
            joined.append(min(first, second))
    return tuple(joined)


@keep_within(MOST_KEPT, count_results)
def spread_total(
    dice: int, sides: int, keep: int | None, lowest: bool, wanted: tuple[str, ...]
) -> Spread:
    """Count the ways of each "total" of the best (or lowest) ``keep`` dice, with their "max" and
    "min".

    Goes through the faces from the best on: each pass decides how many of the remaining dice show
    this face.
    """
    dice, sides = check_dice(dice, sides)
    kept = dice if keep is None else max(0, min(keep, dice))
    faces = range(1, sides + 1) if lowest else range(sides, 0, -1)
    found: Counter[Result] = Counter()
    # The dice left and to keep, the total, and the first and last face kept.
    states: Counter[tuple[int, int, int, int, int]] = Counter({(dice, kept, 0, 0, 0): 1})
    for number, face in enumerate(faces):
        following: Counter[tuple[int, int, int, int, int]] = Counter()
        for (left, wanting, total, first, last), ways in states.items():
            if not wanting:
                # The rest may show any worse face.
                values = _kept(total, first, last, lowest)
                spare = (sides - number) ** left
                found[tuple(values[name] for name in wanted)] += ways * spare
                continue
            counts = range(left + 1) if number < sides - 1 else (left,)
            spend(2 * len(counts))
            for count in counts:
                taken = min(count, wanting)
                state = (
                    left - count,
                    wanting - taken,
                    total + taken * face,
                    first or (face if taken else 0),
                    face if taken else last,
                )
                following[state] += ways * comb(left, count)
        states = following
    for (_left, _wanting, total, first, last), ways in states.items():
        values = _kept(total, first, last, lowest)
        found[tuple(values[name] for name in wanted)] += ways
    return dict(found), sides**dice


def _kept(total: int, first: int, last: int, lowest: bool) -> dict[str, int]:
    high, low = (last, first) if lowest else (first, last)
    return {"total": total, "max": high, "min": low}


def multisets(dice: int, faces: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield every throw, in the order of ``faces`` and each order once, with its ways."""
    for thrown in combinations_with_replacement(faces, dice):
        ways = factorial(dice)
        for face in {*thrown}:
            ways //= factorial(thrown.count(face))
        yield thrown, ways


class Ordered(NamedTuple):
    """The ways of each result, the results in order, and the ways below each of them, then all."""

    ways: Mapping[Result, int]
    results: Sequence[Result]
    below: Sequence[int]


def put_in_order(ways: Mapping[Result, int]) -> Ordered:
    """Prepare ways, of one result at least, for ``compare``."""
    results = sorted(ways)
    return Ordered(ways, results, [0, *accumulate(ways[result] for result in results)])


def compare(mine: Ordered, theirs: Ordered) -> tuple[int, int, int]:
    """Count the ways in which the first is greater, both are equal, and the second is greater."""
    total = mine.below[-1] * theirs.below[-1]
    # Most often no result overlaps: hands of different combinations, for example.
    if mine.results[0] > theirs.results[-1]:
        return total, 0, 0
    if mine.results[-1] < theirs.results[0]:
        return 0, 0, total
    more = same = 0
    for result, ways in mine.ways.items():
        more += ways * theirs.below[bisect_left(theirs.results, result)]
        same += ways * theirs.ways.get(result, 0)
    return more, same, total - more - same
