"""Dice drawn from seeds: reproducible by hand, and fair."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.seeds import commitment, faces, seed_of, text_of

SEED = "5ca1ab1e" * 8


def test_throw_can_be_worked_out_by_hand() -> None:
    """Follows the page's instructions, with the hash functions of the standard library."""
    text = "a table 7 1\nmustang\népée"
    assert text_of("a table", 7, 1, ("mustang", "épée")) == text
    digits = hmac.new(SEED.encode(), text.encode(), hashlib.sha256).hexdigest()
    numbers = [int(digits[start : start + 8], 16) for start in range(0, 64, 8)]
    face = faces(SEED, "a table", 7, ("mustang", "épée"))
    assert [face(6) for _die in range(8)] == [number % 6 + 1 for number in numbers]
    # The ninth die takes the next block.
    text = text.replace("7 1\n", "7 2\n")
    digits = hmac.new(SEED.encode(), text.encode(), hashlib.sha256).hexdigest()
    assert face(20) == int(digits[:8], 16) % 20 + 1
    assert commitment(SEED) == hashlib.sha256(SEED.encode()).hexdigest()


@pytest.mark.long
@given(st.integers(1, 100), st.text(max_size=10), st.integers(1, 10**6))
def test_dice_show_valid_and_repeatable_faces(sides: int, word: str, throw: int) -> None:
    first, again = (faces(SEED, "here", throw, [word]) for _time in range(2))
    shown = [first(sides) for _die in range(20)]
    assert shown == [again(sides) for _die in range(20)]
    assert all(1 <= face <= sides for face in shown)


def test_numbers_that_would_favour_low_faces_are_skipped() -> None:
    """With just over half of all numbers as sides, about every second number is skipped."""
    sides = 2**31 + 1
    face = faces(SEED, "here", 1)
    shown = [face(sides) for _die in range(20)]
    row = []
    for block in range(1, 20):
        digits = hmac.new(SEED.encode(), f"here 1 {block}".encode(), hashlib.sha256).hexdigest()
        row += [int(digits[start : start + 8], 16) for start in range(0, 64, 8)]
    assert shown == [number + 1 for number in row if number < sides][:20]


def test_dice_are_fair() -> None:
    """Chi-square of 60,000 dice against even faces: five degrees of freedom, one in a thousand."""
    shown: Counter[int] = Counter()
    for throw in range(1, 6001):
        face = faces(SEED, "here", throw)
        shown.update(face(6) for _die in range(10))
    assert sum((shown[face] - 10_000) ** 2 / 10_000 for face in range(1, 7)) < 20.5


def test_every_input_of_a_throw_changes_it() -> None:
    def shown(*drawn: object) -> tuple[int, ...]:
        face = faces(*drawn)  # type: ignore[arg-type]
        return tuple(face(6) for _die in range(30))

    ways = [
        (SEED, "here", 1, ()),
        (SEED, "here", 2, ()),
        (SEED, "there", 1, ()),
        (SEED[::-1], "here", 1, ()),
        (SEED, "here", 1, ("word",)),
        (SEED, "here", 1, ("wo", "rd")),
    ]
    assert len({shown(*way) for way in ways}) == len(ways)


def test_seeds_of_a_secret_are_all_different() -> None:
    found = {seed_of("secret", number) for number in range(1, 50)}
    assert len(found) == 49 and all(len(seed) == 64 for seed in found)
    assert seed_of("secret", 1) not in {seed_of("another", number) for number in range(1, 50)}
