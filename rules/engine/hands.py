"""Exact distributions of hands of dice, whose faces make combinations, and the dice to throw again.

Faces are given the highest first, so that throws that differ only in their order are one.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import comb
from operator import lt
from typing import NamedTuple

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.bounds.kept import keep_within
from rules.bounds.limits import MOST_KEPT
from rules.bounds.work import TooMuch, spend
from rules.engine.distributions import (
    MOST_AGAIN,
    Spread,
    Ways,
    check_dice,
    count_results,
    multisets,
)

# Faces that are added to a hand without a throw.
MOST_CARDS = 6
# The most hands of dice, regardless of order, that are compared.
MOST_HANDS = 10_000


class Hand(NamedTuple):
    """A hand of dice, whose faces make combinations.

    ``groups``: for each combination, the weakest first, the numbers of dice that show the same
    face; ``size``: the number of dice that count.
    """

    sides: int
    size: int
    groups: tuple[tuple[int, ...], ...]

    def strength(self, faces: tuple[int, ...]) -> int:
        """Return a number that is larger for a better hand; see ``rank``."""
        return _strength(self, tuple(sorted(faces, reverse=True)))

    def rank(self, strength: int) -> int:
        """Return the index of the combination that has this strength."""
        return int(strength // (self.sides + 1) ** self.size)

    def keeps(self, faces: tuple[int, ...]) -> tuple[int, ...]:
        """The faces that make the combination; the rest may be thrown again."""
        left = [*_counts(faces)]
        kept: list[int] = []
        for size in self.groups[_rank(self.groups, tuple([count for count, _face in left]))]:
            count, face = left[0]
            kept += [face] * size
            left[0] = count - size, face
            left.sort(reverse=True)
        return tuple(sorted(kept, reverse=True))


@lru_cache(maxsize=16384)
def _counts(faces: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """How many dice show each face, the most first: (number, face)."""
    return tuple(sorted([(faces.count(face), face) for face in {*faces}], reverse=True))


@lru_cache(maxsize=1024)
def _rank(groups: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> int:
    """Return the index of the best combination, given the numbers of equal dice."""
    rank = len(groups) - 1
    while len(groups[rank]) > len(sizes) or any(map(lt, sizes, groups[rank])):
        rank -= 1
    return rank


@lru_cache(maxsize=32768)
def _strength(hand: Hand, faces: tuple[int, ...]) -> int:
    """The strength of the best hand among ``faces``, which come highest first."""
    if len(faces) > hand.size:
        spend(2 * len(faces))
        return max([_strength(hand, _without_one(faces, face)) for face in {*faces}])
    spend(10)
    counts = _counts(faces)
    number = _rank(hand.groups, tuple([count for count, _face in counts]))
    for count, face in counts:
        for _die in range(count):
            number = number * (hand.sides + 1) + face
    return int(number * (hand.sides + 1) ** (hand.size - len(faces)))


@keep_within(MOST_KEPT, len)
def _throws(dice: int, sides: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Every throw of these dice, the highest faces first, with its ways. Raises TooMuch."""
    throws = comb(dice + sides - 1, dice)
    if throws > MOST_HANDS:
        raise TooMuch(
            say(
                _("%(dice)s dice with %(sides)s sides make too many combinations: use fewer dice"),
                dice=dice,
                sides=sides,
            )
        )
    spend(4 * throws)
    return tuple(multisets(dice, range(sides, 0, -1)))


class Goal(NamedTuple):
    """The goal of throwing dice of a hand again: a strength to beat, or a rank to reach."""

    beats: int | None = None
    reaches: int | None = None

    def reached(self, hand: Hand, strength: int) -> bool:
        """Whether a hand of this strength reaches the goal."""
        if self.beats is not None:
            return strength > self.beats
        return self.reaches is not None and hand.rank(strength) >= self.reaches


@keep_within(MOST_KEPT, count_results)
def hands(
    hand: Hand,
    dice: int,
    again: int,
    cards: tuple[int, ...],
    goal: Goal | None,
    singly: bool = False,
) -> Spread:
    """Count the ways of each strength of a hand. Raises TooMuch.

    ``cards``: faces that are added; ``again``: the number of dice that may be thrown again, to
    reach the ``goal``; without a goal, the dice that the combination does not need. They are thrown
    again once and together, or ``singly``: one after the other, any die any number of times.
    """
    dice, sides = check_dice(dice, hand.sides)
    if dice > hand.size + 3:
        raise TooMuch(say(_("%(dice)s dice are too many for this hand"), dice=dice))
    if len(cards) > MOST_CARDS:
        raise TooMuch(say(_("at most %(most)s cards can be added"), most=MOST_CARDS))
    again = max(0, again if singly else min(again, dice))
    if again > MOST_AGAIN:
        raise TooMuch(say(_("at most %(most)s dice can be thrown again"), most=MOST_AGAIN))
    throw_again = _one_by_one if singly else _together
    found: Ways = {}
    for faces, ways in throw_again(hand, dice, again, cards, goal).items():
        result = (hand.strength(faces + cards),)
        found[result] = found.get(result, 0) + ways
    return found, sides ** (dice + again)


def _together(
    hand: Hand, dice: int, again: int, cards: tuple[int, ...], goal: Goal | None
) -> dict[tuple[int, ...], int]:
    """The ways of the faces at the end, if up to ``again`` dice are rethrown once and together."""
    sides = hand.sides
    throws = _throws(dice, sides)
    if not again:
        return dict(throws)
    # The faces that lie, by their number: those kept first, then one more die at a time.
    lying: list[dict[tuple[int, ...], int]] = [{} for _ in range(dice + 1)]
    spend(5 * len(throws))
    for faces, ways in throws:
        kept = _choose(hand, faces, again, cards, goal)
        same = lying[len(kept)]
        same[kept] = same.get(kept, 0) + ways * sides ** (again - dice + len(kept))
    for number in range(dice):
        more = lying[number + 1]
        spend(2 * sides * len(lying[number]))
        for kept, ways in lying[number].items():
            for faces in _one_more(kept, sides):
                more[faces] = more.get(faces, 0) + ways
    return lying[dice]


def _one_by_one(
    hand: Hand, dice: int, again: int, cards: tuple[int, ...], goal: Goal | None
) -> dict[tuple[int, ...], int]:
    """The ways of the faces at the end, if ``again`` dice are thrown again one by one."""
    lying = dict(_throws(dice, hand.sides))
    for left in range(again, 0, -1):
        following: Counter[tuple[int, ...]] = Counter()
        for faces, ways in lying.items():
            spend(5 + 2 * hand.sides)
            kept = choose_one(hand, faces, left, cards, goal)
            if len(kept) == dice:
                following[faces] += ways * hand.sides
                continue
            for after in _one_more(kept, hand.sides):
                following[after] += ways
        lying = following
    return lying


@keep_within(MOST_KEPT, len)
def _one_more(kept: tuple[int, ...], sides: int) -> tuple[tuple[int, ...], ...]:
    """These faces and one more, the highest first, for each face that it may show."""
    return tuple([tuple(sorted((*kept, face), reverse=True)) for face in range(1, sides + 1)])


@lru_cache(maxsize=16384)
def _reached(
    hand: Hand, kept: tuple[int, ...], thrown: int, cards: tuple[int, ...], goal: Goal
) -> int:
    """The ways of reaching the goal by throwing dice in addition to those kept."""
    if not thrown:
        return int(goal.reached(hand, hand.strength((*kept, *cards))))
    spend(2 * hand.sides)
    following = _one_more(kept, hand.sides)
    return sum([_reached(hand, lying, thrown - 1, cards, goal) for lying in following])


def choose(
    hand: Hand, faces: tuple[int, ...], again: int, cards: tuple[int, ...], goal: Goal | None
) -> tuple[int, ...]:
    """Choose the faces to keep, the highest first, if ``again`` of them may be thrown again."""
    ordered = tuple(sorted(faces, reverse=True))
    return _choose(hand, ordered, again, cards, goal) if again else ordered


def _choose(
    hand: Hand, faces: tuple[int, ...], again: int, cards: tuple[int, ...], goal: Goal | None
) -> tuple[int, ...]:
    """Choose the faces to keep of those that come highest first, if some may be thrown again."""
    if goal is not None:
        return _best_kept(hand, faces, 0, again, cards, goal)[1]
    needed, spare = _needed(hand, faces, cards)
    if len(spare) <= again:
        return needed
    # If not all of the rest may be thrown again, the highest of it stays.
    return tuple(sorted(needed + spare[: len(spare) - again], reverse=True))


@lru_cache(maxsize=16384)
def _best_kept(
    hand: Hand, faces: tuple[int, ...], thrown: int, more: int, cards: tuple[int, ...], goal: Goal
) -> tuple[int, tuple[int, ...]]:
    """The ways of reaching the goal, and the faces to keep for it, if dice are thrown in addition
    to these faces and up to ``more`` of these."""
    # Scale to one total, so that throws of more dice do not count for more.
    best = _reached(hand, faces, thrown, cards, goal) * hand.sides**more, faces
    if not more or best[0] == hand.sides ** (thrown + more):
        return best
    spend(2 * len(faces))
    for face in dict.fromkeys(faces):
        fewer = _without_one(faces, face)
        best = max(best, _best_kept(hand, fewer, thrown + 1, more - 1, cards, goal))
    return best


def choose_one(
    hand: Hand, faces: tuple[int, ...], again: int, cards: tuple[int, ...], goal: Goal | None
) -> tuple[int, ...]:
    """Choose the faces to keep, all or all but one, if dice may be thrown again one by one."""
    ordered = tuple(sorted(faces, reverse=True))
    if goal is None:
        _kept, spare = _needed(hand, ordered, cards)
        return _without_one(ordered, spare[-1]) if spare else ordered
    return _best_one(hand, ordered, again, cards, goal)[1]


@lru_cache(maxsize=16384)
def _best_one(
    hand: Hand, faces: tuple[int, ...], again: int, cards: tuple[int, ...], goal: Goal
) -> tuple[int, tuple[int, ...]]:
    """The ways of reaching the goal if ``again`` dice are rethrown one by one, and the faces to
    keep now for it."""
    best = _reached(hand, faces, 0, cards, goal) * hand.sides**again, faces
    if not again or best[0]:
        return best
    for face in dict.fromkeys(faces):
        spend(2 * hand.sides)
        kept = _without_one(faces, face)
        following = _one_more(kept, hand.sides)
        reached = sum([_best_one(hand, lying, again - 1, cards, goal)[0] for lying in following])
        best = max(best, (reached, kept))
    return best


def _without_one(faces: tuple[int, ...], face: int) -> tuple[int, ...]:
    place = faces.index(face)
    return faces[:place] + faces[place + 1 :]


@lru_cache(maxsize=16384)
def _needed(
    hand: Hand, faces: tuple[int, ...], cards: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The faces that make the combination with the cards, and the rest, the highest first."""
    made = [*hand.keeps(tuple(sorted((*faces, *cards), reverse=True)))]
    needed: list[int] = []
    spare: list[int] = []
    for face in faces:
        if face in made:
            made.remove(face)
            needed.append(face)
        else:
            spare.append(face)
    return tuple(needed), tuple(spare)
