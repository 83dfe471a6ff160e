"""How likely what dice show is, counted in ways: whole numbers over a total, never rounded.

Every function gives the ways of each result and how many there are in all. Results are tuples: the
features that were asked for, in the order they were asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial
from typing import NamedTuple

MOST_DICE = 60
MOST_SIDES = 20
# Each die thrown again multiplies what there is to weigh.
MOST_AGAIN = 12

Result = tuple[int, ...]
Ways = dict[Result, int]
Spread = tuple[Ways, int]


class TooMuch(ValueError):
    """More dice, sides or re-rolls than anybody throws; or what dice cannot be asked."""


def bounded(dice: int, sides: int) -> tuple[int, int]:
    """No fewer dice than none, and sides that a die can have. Raises TooMuch."""
    if dice > MOST_DICE or not 1 <= sides <= MOST_SIDES:
        raise TooMuch(f"{dice} dice of {sides} sides are more than {MOST_DICE} of {MOST_SIDES}")
    return max(0, dice), sides


@dataclass(frozen=True)
class Counting:
    """Dice that are counted: which faces succeed, and which dice are thrown again.

    ``good``: the faces that succeed; ``again_faces``: those thrown again at once;
    ``again_succeeded``: successes that must be thrown again, ``again_failed``: failures that may
    be, the lowest first, and ``again_for_highest``: so many failures more for each die that shows
    its highest face by then. No die is thrown again twice.
    """

    dice: int
    sides: int
    good: frozenset[int]
    again_faces: frozenset[int] = frozenset()
    again_succeeded: int = 0
    again_failed: int = 0
    again_for_highest: int = 0


@lru_cache(maxsize=4096)
def counted(counting: Counting, wanted: tuple[str, ...]) -> Spread:
    """The ways of so many successes ("successes"), and of "max", "min" and "ones" with them.

    Raises TooMuch where a feature cannot be told apart from dice that are thrown again.
    """
    bounded(counting.dice, counting.sides)
    if max(counting.again_succeeded, counting.again_failed) > MOST_AGAIN:
        raise TooMuch(f"more than {MOST_AGAIN} dice are thrown again")
    chosen = counting.again_failed or counting.again_for_highest
    if set(wanted) <= {"successes"}:
        if not counting.again_for_highest:
            ways, total = _successes(counting)
            return _projected({(count,): number for count, number in ways.items()}, total, wanted)
    elif chosen and any(face not in counting.good for face in _above(counting)):
        raise TooMuch("the faces of dice thrown again by choice are not known")
    if counting.again_succeeded or ("min" in wanted and chosen):
        raise TooMuch("the faces of dice thrown again by choice are not known")
    return _features(counting, wanted)


def _above(counting: Counting) -> range:
    """The faces from the lowest that succeeds on."""
    return range(min(counting.good, default=counting.sides + 1), counting.sides + 1)


def _projected(ways: Ways, total: int, wanted: tuple[str, ...]) -> Spread:
    return (ways, total) if wanted else ({(): total}, total)


def _successes(counting: Counting) -> tuple[dict[int, int], int]:
    """The ways of each number of successes, whatever the faces are."""
    sides, good = counting.sides, len(counting.good)
    locked = len(counting.again_faces)
    # Of one die, over sides squared: fresh and good or bad, or thrown again and good or bad.
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


class _Lying(NamedTuple):
    """Dice as they lie, with what of them is asked for; the rest is 0.

    Successes, ones and other failures that may be thrown again, ones that stay; how many show their
    highest face, how many were thrown again; the highest of those thrown once and of those thrown
    again, and the lowest of all, counted down from their sides.
    """

    good: int = 0
    ones: int = 0
    others: int = 0
    still: int = 0
    top: int = 0
    locked: int = 0
    high: int = 0
    high_again: int = 0
    low: int = 0


def _features(counting: Counting, wanted: tuple[str, ...]) -> Spread:
    """The ways where faces matter, die by die."""
    sides, dice = counting.sides, max(0, counting.dice)
    first, second, last = (_Laying(counting, wanted, time) for time in ("once", "again", "last"))
    states: Counter[_Lying] = Counter({_Lying(): 1})
    for _die in range(dice):
        following: Counter[_Lying] = Counter()
        for state, ways in states.items():
            for face in range(1, sides + 1):
                if face not in counting.again_faces:
                    following[first.lay(state, face)] += ways
                if counting.again_faces:
                    # As many ways lead here as there are faces that are thrown again.
                    following[second.lay(state, face)] += ways * len(counting.again_faces)
        states = following
    # Of so many dice that are thrown again by choice.
    again_ways: list[Counter[_Lying]] = [Counter({_Lying(): 1})]
    for _die in range(dice):
        more: Counter[_Lying] = Counter()
        for state, ways in again_ways[-1].items():
            for face in range(1, sides + 1):
                more[last.lay(state, face)] += ways
        again_ways.append(more)
    found: Counter[Result] = Counter()
    for state, ways in states.items():
        allowed = counting.again_failed + counting.again_for_highest * state.top
        ones = min(allowed, state.ones)
        again = ones + min(allowed - ones, state.others)
        once = dice - state.locked - again
        # The lowest go first: the highest stays, unless all that were thrown once go.
        high = max(state.high if once else 0, state.high_again)
        spare = sides**once
        for thrown, number in again_ways[again].items():
            values = {
                "successes": state.good + thrown.good,
                "ones": state.still + state.ones - ones + thrown.still,
                "max": max(high, thrown.high_again),
                "min": sides + 1 - state.low if dice else 0,
            }
            found[tuple(values[name] for name in wanted)] += ways * number * spare
    return dict(found), sides ** (2 * dice)


class _Laying:
    """Lays one die more beside others, that was thrown "once", "again" because of its face, or by
    choice, which is the "last" that happens."""

    def __init__(self, counting: Counting, wanted: tuple[str, ...], time: str) -> None:
        self.counting, self.again = counting, time != "once"
        self.max, self.min, self.ones = ("max" in wanted), ("min" in wanted), ("ones" in wanted)
        self.top = counting.again_for_highest > 0 and time != "last"
        self.locked = time == "again"
        chosen = counting.again_failed or counting.again_for_highest
        self.chosen = bool(chosen) and time == "once"

    def lay(self, state: _Lying, face: int) -> _Lying:
        """The dice with one more that shows ``face``."""
        good, ones, others, still, top, locked, high, high_again, low = state
        counting = self.counting
        if self.max and self.again:
            high_again = max(high_again, face)
        elif self.max:
            high = max(high, face)
        if self.min:
            low = max(low, counting.sides + 1 - face)
        if self.top and face == counting.sides:
            top += 1
        locked += self.locked
        one = self.ones and face == 1
        if face in counting.good:
            good, still = good + 1, still + one
        elif self.chosen:
            ones, others = ones + one, others + (not one)
        else:
            still += one
        return _Lying(good, ones, others, still, top, locked, high, high_again, low)


@lru_cache(maxsize=4096)
def summed(
    dice: int, sides: int, keep: int | None, lowest: bool, wanted: tuple[str, ...]
) -> Spread:
    """The ways of a "total" of the best (or lowest) ``keep`` dice, with "max" and "min" of these.

    The faces are gone through from the best on: so many dice of what is left show it.
    """
    dice, sides = bounded(dice, sides)
    kept = dice if keep is None else max(0, min(keep, dice))
    faces = range(1, sides + 1) if lowest else range(sides, 0, -1)
    found: Counter[Result] = Counter()
    # dice left, to be kept still, total, first and last face kept
    states: Counter[tuple[int, int, int, int, int]] = Counter({(dice, kept, 0, 0, 0): 1})
    for number, face in enumerate(faces):
        following: Counter[tuple[int, int, int, int, int]] = Counter()
        for (left, wanting, total, first, last), ways in states.items():
            if not wanting:
                # Whatever the rest shows is lower.
                values = _kept(total, first, last, lowest)
                spare = (sides - number) ** left
                found[tuple(values[name] for name in wanted)] += ways * spare
                continue
            counts = range(left + 1) if number < sides - 1 else (left,)
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


@dataclass(frozen=True)
class Hand:
    """Dice whose faces make combinations, the weakest first.

    ``groups``: of each combination, how many dice show the same face; ``size``: dice that count.
    """

    sides: int
    size: int
    groups: tuple[tuple[int, ...], ...]

    def strength(self, faces: tuple[int, ...]) -> int:
        """A number that is larger for the better hand; the combination's place is its ``rank``."""
        best = (0, ())  # type: tuple[int, tuple[int, ...]]
        for counted_faces in _subsets(tuple(sorted(faces, reverse=True)), self.size):
            best = max(best, self._weigh(counted_faces))
        rank, digits = best
        number = rank
        padded = (*digits, *(0 for _ in range(self.size - len(digits))))
        for digit in padded:
            number = number * (self.sides + 1) + digit
        return number

    def rank(self, strength: int) -> int:
        """Which combination a strength is."""
        return int(strength // (self.sides + 1) ** self.size)

    def _weigh(self, faces: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        groups = sorted(((count, face) for face, count in Counter(faces).items()), reverse=True)
        sizes = [count for count, _face in groups]
        rank = max(
            place
            for place, wanted in enumerate(self.groups)
            if len(wanted) <= len(sizes)
            and all(size >= want for size, want in zip(sizes, wanted, strict=False))
        )
        return rank, tuple(face for count, face in groups for _ in range(count))

    def keeps(self, faces: tuple[int, ...]) -> tuple[int, ...]:
        """The faces that make the combination, the rest is free to be thrown again."""
        rank, _digits = self._weigh(faces)
        left = Counter(faces)
        kept: list[int] = []
        for size in self.groups[rank]:
            face = max(left, key=lambda face: (left[face] >= size, left[face], face))
            kept += [face] * size
            left[face] -= size
        return tuple(sorted(kept, reverse=True))


@cache
def _subsets(faces: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    """Every choice of ``size`` of these faces, each once; all of them if there are no more."""
    if len(faces) <= size:
        return (faces,)
    shorter = {faces[:place] + faces[place + 1 :] for place in range(len(faces))}
    return tuple({found for fewer in shorter for found in _subsets(fewer, size)})


def multisets(dice: int, sides: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every throw of so many dice whatever their order, the highest first, and its ways."""
    for faces in combinations_with_replacement(range(sides, 0, -1), dice):
        ways = factorial(dice)
        for count in Counter(faces).values():
            ways //= factorial(count)
        yield faces, ways


@dataclass(frozen=True)
class Goal:
    """What a hand is thrown again for: a strength to beat, or a rank to reach."""

    beats: int | None = None
    reaches: int | None = None

    def reached(self, hand: Hand, strength: int) -> bool:
        """Whether a hand of this strength does it."""
        if self.beats is not None:
            return strength > self.beats
        return self.reaches is not None and hand.rank(strength) >= self.reaches


@lru_cache(maxsize=4096)
def hands(hand: Hand, dice: int, again: int, cards: tuple[int, ...], goal: Goal | None) -> Spread:
    """The ways of each strength. ``cards``: faces that are added; ``again``: dice that may be
    thrown again once, for the ``goal``, or else all that the combination does not need."""
    dice, sides = bounded(dice, hand.sides)
    if dice > hand.size + 3:
        raise TooMuch(f"{dice} dice are more than a hand has")
    again = max(0, min(again, dice))
    total = sides ** (dice + again)
    found: Counter[Result] = Counter()
    for faces, ways in multisets(dice, sides):
        kept = choose(hand, faces, again, cards, goal)
        spare = sides ** (again - dice + len(kept))
        for strength, number in completed(hand, kept, dice - len(kept), cards).items():
            found[(strength,)] += ways * number * spare
    return dict(found), total


@lru_cache(maxsize=65536)
def completed(
    hand: Hand, kept: tuple[int, ...], thrown: int, cards: tuple[int, ...]
) -> dict[int, int]:
    """The ways of each strength after throwing so many dice besides those that are kept."""
    found: Counter[int] = Counter()
    for faces, ways in multisets(thrown, hand.sides):
        found[hand.strength((*kept, *faces, *cards))] += ways
    return dict(found)


def choose(
    hand: Hand, faces: tuple[int, ...], again: int, cards: tuple[int, ...], goal: Goal | None
) -> tuple[int, ...]:
    """The faces to keep, the highest first, when so many of ``faces`` may be thrown again."""
    ordered = tuple(sorted(faces, reverse=True))
    if not again:
        return ordered
    if goal is None:
        made = hand.keeps(tuple(sorted((*ordered, *cards), reverse=True)))
        needed = list((Counter(made) & Counter(ordered)).elements())
        spare = sorted((Counter(ordered) - Counter(needed)).elements(), reverse=True)
        # The highest of the rest stay, if not all of them may be thrown again.
        return tuple(sorted(needed + spare[: max(0, len(spare) - again)], reverse=True))
    best: tuple[int, tuple[int, ...]] = (-1, ordered)
    for thrown in range(again + 1):
        for kept in _subsets(ordered, len(ordered) - thrown):
            reached = sum(
                ways
                for strength, ways in completed(hand, kept, thrown, cards).items()
                if goal.reached(hand, strength)
            )
            # Ways over the same total, so that throws of more dice do not count for more.
            best = max(best, (reached * hand.sides ** (again - thrown), kept))
    return best[1]
