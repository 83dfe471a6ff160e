"""Distributions of dice, compared with a count of every throw."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import pytest

from rules.engine.distributions import (
    Counting,
    TooMuch,
    Ways,
    spread_successes,
    spread_total,
)
from rules.engine.hands import Goal, Hand, choose, hands

POKER = Hand(6, 5, ((), (2,), (2, 2), (3,), (3, 2), (4,), (5,)))
FEATURES = ("successes", "max", "min", "ones")


def every_throw(dice: int, sides: int) -> list[tuple[int, ...]]:
    return [*product(range(1, sides + 1), repeat=dice)]


def written_out(counting: Counting, wanted: tuple[str, ...]) -> tuple[Ways, int]:
    """Count every throw, and every throw of the dice that are thrown again."""
    dice, sides = counting.dice, counting.sides
    found: Counter[tuple[int, ...]] = Counter()
    total = 0
    for first in every_throw(dice, sides):
        for second in every_throw(dice, sides):
            total += 1
            again = iter(second)
            fresh, lying = [], []
            for face in first:
                if face in counting.again_faces:
                    lying.append(next(again))
                else:
                    fresh.append(face)
            good = sorted(face for face in fresh if face in counting.good)
            bad = sorted(face for face in fresh if face not in counting.good)
            forced = min(counting.again_succeeded, len(good))
            lying += [next(again) for _ in range(forced)]
            top = (*good[forced:], *bad, *lying).count(sides)
            free = min(counting.again_failed + counting.again_for_highest * top, len(bad))
            lying += [next(again) for _ in range(free)]
            faces = good[forced:] + bad[free:] + lying
            values = {
                "successes": sum(face in counting.good for face in faces),
                "max": max(faces, default=0),
                "min": min(faces, default=0),
                "ones": faces.count(1),
            }
            found[tuple(values[name] for name in wanted)] += 1
    return dict(found), total


def same(found: tuple[Ways, int], expected: tuple[Ways, int]) -> None:
    """Check that the chances are equal, for any two totals."""
    (ways, total), (others, other_total) = found, expected
    assert sum(ways.values()) == total
    assert {key: number * other_total for key, number in ways.items()} == {
        key: number * total for key, number in others.items()
    }


def some_counting(dice: Random) -> Counting:
    """Return a few dice of which any faces can succeed, and any may be thrown again."""
    count = dice.randint(0, 3)
    sides = dice.randint(2, 4 if count > 2 else 6)
    faces = [*range(1, sides + 1)]
    return Counting(
        count,
        sides,
        good=frozenset(dice.sample(faces, dice.randint(0, sides))),
        again_faces=frozenset(dice.sample(faces, dice.choice([0, 0, 1]))),
        again_succeeded=dice.choice([0, 0, 1, 2]),
        again_failed=dice.choice([0, 0, 1, 2, 3]),
        again_for_highest=dice.choice([0, 0, 1, 2]),
    )


def test_successes_match_a_count_of_every_throw() -> None:
    for seed in range(60):
        dice = Random(seed)
        # Successes alone are counted in a shorter way, unless a highest face brings further dice.
        counting = replace(some_counting(dice), again_for_highest=0)
        same(spread_successes(counting, ("successes",)), written_out(counting, ("successes",)))


def test_features_match_a_count_of_every_throw() -> None:
    """The lowest dice of each kind are thrown again first."""
    for seed in range(120):
        dice = Random(seed)
        counting = some_counting(dice)
        wanted = tuple(name for name in FEATURES if dice.random() < 0.7)
        same(spread_successes(counting, wanted), written_out(counting, wanted))


def test_features_of_many_dice_are_fast_or_refused() -> None:
    ways, total = spread_successes(Counting(60, 6, frozenset({5, 6})), ("successes", "max"))
    assert sum(ways.values()) == total
    with pytest.raises(TooMuch):
        spread_successes(Counting(60, 6, frozenset({5, 6}), again_failed=1), ("successes", "max"))


def test_sums_match_a_count_of_every_throw() -> None:
    for seed in range(60):
        random = Random(seed)
        dice, sides = random.randint(0, 5), random.randint(2, 6)
        keep, lowest = random.choice([None, 0, 1, 2, 3, 9]), random.random() < 0.5
        expected: Counter[tuple[int, ...]] = Counter()
        for faces in every_throw(dice, sides):
            kept = sorted(faces, reverse=not lowest)[: dice if keep is None else keep]
            expected[sum(kept), max(kept, default=0), min(kept, default=0)] += 1
        found = spread_total(dice, sides, keep, lowest, ("total", "max", "min"))
        same(found, (dict(expected), sides**dice))


def test_the_better_hand_has_the_larger_number() -> None:
    # Nothing, a pair of nines, of aces, two pairs, three, a full house, four, five.
    ascending = [
        (1, 2, 3, 4, 6),
        (2, 3, 4, 5, 6),
        (1, 1, 2, 3, 4),
        (6, 6, 1, 2, 3),
        (6, 6, 1, 2, 4),
        (2, 2, 1, 1, 3),
        (1, 1, 1, 2, 3),
        (1, 1, 1, 2, 2),
        (2, 2, 2, 2, 1),
        (1, 1, 1, 1, 1),
        (6, 6, 6, 6, 6),
    ]
    strengths = [POKER.strength(faces) for faces in ascending]
    assert strengths == sorted(set(strengths))
    ranks = [POKER.rank(strength) for strength in strengths]
    assert ranks == [0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 6]
    # The shorter of two equal hands is the weaker.
    assert POKER.strength((6, 6, 5, 4)) < POKER.strength((6, 6, 5, 4, 1))
    # Of six dice the best five count.
    assert POKER.strength((4, 4, 5, 5, 1, 4)) == POKER.strength((4, 4, 4, 5, 5))


@pytest.mark.parametrize("again", range(4))
@pytest.mark.parametrize("reaches", range(1, 6))
def test_dice_thrown_again_for_a_goal_match_the_best_choice(again: int, reaches: int) -> None:
    """No other choice of dice reaches the rank more often."""
    random = Random(again * 10 + reaches)
    goal = Goal(reaches=reaches)
    faces = tuple(random.randint(1, 6) for _ in range(5))

    def reached(kept: tuple[int, ...]) -> tuple[int, int]:
        throws = every_throw(5 - len(kept), 6)
        good = sum(POKER.rank(POKER.strength((*kept, *more))) >= reaches for more in throws)
        return good, len(throws)

    good, total = reached(choose(POKER, faces, again, (), goal))
    for places in product([True, False], repeat=5):
        kept = tuple(face for face, stays in zip(faces, places, strict=True) if stays)
        if 5 - len(kept) <= again:
            other, others = reached(kept)
            assert good * others >= other * total


@pytest.mark.long
@pytest.mark.parametrize("again", [0, 1, 3])
def test_hands_match_a_count_of_every_throw(again: int) -> None:
    expected: Counter[tuple[int, ...]] = Counter()
    strength = cache(POKER.strength)
    for faces in every_throw(5, 6):
        kept = choose(POKER, faces, again, (), None)
        assert 5 - len(kept) <= again
        for more in every_throw(5 - len(kept), 6):
            expected[strength(tuple(sorted((*kept, *more)))),] += 6 ** (again - 5 + len(kept))
    same(hands(POKER, 5, again, (), None), (dict(expected), 6 ** (5 + again)))


def test_a_hand_keeps_the_dice_of_its_combination() -> None:
    assert choose(POKER, (1, 1, 5, 6, 4), 3, (), None) == (1, 1)
    assert choose(POKER, (1, 1, 5, 5, 4), 3, (), None) == (5, 5, 1, 1)
    assert choose(POKER, (1, 2, 3, 4, 6), 2, (), None) == (6, 4, 3)
    # A card that will be added makes a pair of the die that fits it.
    assert choose(POKER, (1, 2, 3, 4, 6), 4, (2,), None) == (2,)
