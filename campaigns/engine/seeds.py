"""Dice that anybody can check afterwards, drawn from a seed to which the site committed before.

Before anybody throws, the site shows the fingerprint of a seed (``commitment``). Every throw has a
number and takes its dice in order from an endless row of numbers (``faces``), which is computed
from the seed, the place, the number of the throw and the words that the players chose. Once the
site shows the seed, anybody can work out every throw again, by hand or with a page of the site.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

# A number of the row: eight hexadecimal digits.
_DIGITS = 8
_NUMBERS = 2 ** (4 * _DIGITS)


def commitment(seed: str) -> str:
    """The fingerprint of a seed: the SHA-256 of its text, in hexadecimal digits."""
    return sha256(seed.encode()).hexdigest()


def seed_of(secret: str, number: int) -> str:
    """Seed number ``number`` of a secret that is never shown: 64 hexadecimal digits. Knowing some
    of the seeds reveals nothing about the others."""
    return hmac.digest(secret.encode(), f"seed {number}".encode(), sha256).hex()


def text_of(place: str, throw: int, block: int, words: Sequence[str] = ()) -> str:
    """The text whose HMAC gives the dice of a throw: a line that identifies the throw, and a line
    for each word. ``block``: 1, then one more after every eight numbers."""
    return "\n".join((f"{place} {throw} {block}", *words))


def faces(seed: str, place: str, throw: int, words: Sequence[str] = ()) -> Callable[[int], int]:
    """Return a function that gives the face of a throw's next die, from its number of sides.

    The HMAC-SHA256 of the throw's text under the seed is cut into numbers of eight hexadecimal
    digits. A die shows the next number modulo its sides, plus one. Numbers that are too high to be
    fair are skipped, since they would favour the low faces.
    """
    row = _row(seed, place, throw, words)

    def face(sides: int) -> int:
        fair = _NUMBERS - _NUMBERS % sides
        return next(number for number in row if number < fair) % sides + 1

    return face


def _row(seed: str, place: str, throw: int, words: Sequence[str]) -> Iterator[int]:
    block = 0
    while True:
        block += 1
        text = text_of(place, throw, block, words)
        digits = hmac.digest(seed.encode(), text.encode(), sha256).hex()
        for start in range(0, len(digits), _DIGITS):
            yield int(digits[start : start + _DIGITS], 16)
