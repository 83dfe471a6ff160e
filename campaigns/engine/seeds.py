"""Dice that can be checked afterwards: drawn from a seed to which the site committed before.

Before anybody throws, the fingerprint of a seed is shown (``commitment``). Every throw has a number
and takes its dice, one after the other, from an endless row of numbers (``faces``) that follows
from the seed, the place, the number of the throw and the words that the players chose. Once the
seed is shown, anybody can work out every throw again: with the page that does so, or by hand.
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
    """The seed number so-and-so of a secret that is never shown: 64 hexadecimal digits. Whoever
    knows some of them knows nothing of the others."""
    return hmac.digest(secret.encode(), f"seed {number}".encode(), sha256).hex()


def text_of(place: str, throw: int, block: int, words: Sequence[str] = ()) -> str:
    """The text whose HMAC gives the dice of a throw: a line that says which throw it is, and a line
    for each word. ``block``: 1, and one more for every eight numbers."""
    return "\n".join((f"{place} {throw} {block}", *words))


def faces(seed: str, place: str, throw: int, words: Sequence[str] = ()) -> Callable[[int], int]:
    """What shows the faces of a throw's dice, each asked for with the number of its sides.

    The HMAC-SHA256 of the throw's text under the seed is cut into numbers of eight hexadecimal
    digits; a die shows the rest of the next number divided by its sides, and one more. A number so
    high that it would favour the low faces is passed over.
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
