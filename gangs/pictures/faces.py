"""Faces for those without a picture: one or two letters, on a colour and a pattern of their own.

All of it follows from what tells a gang from others and from a name, so it is the same on every
page and whoever leads. How the colours and patterns look is the stylesheet's (``.hue-0`` …).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

# As static/skirmish.css has them: on each white letters can be read, and each on paper.
COLOURS = (
    *("#0d6565", "#b02a2d", "#0256a9", "#8c5f0e", "#6e3692", "#286f2f"),
    *("#af3679", "#773a10", "#0b7a9a", "#596103", "#6b5fca", "#453c2b"),
)
PATTERNS = 6
# What a gang's name may begin with, or hold, that tells it from no other.
SMALL_WORDS = frozenset(
    ("a", "an", "and", "at", "of", "on", "in", "the", "to")
    + ("d", "de", "des", "du", "et", "l", "la", "le", "les", "un", "une")
)
WORD = re.compile(r"[^\W_]+")


class Face(NamedTuple):
    """Letters, and the numbers of a colour and a pattern."""

    letters: str
    colour: int
    pattern: int


def face_of_gang(key: str, name: str) -> Face:
    """The face of a gang. ``key``: what tells it from all others, its primary key as text."""
    drawn = _drawn(key)
    return Face(letters(name), drawn % len(COLOURS), drawn // len(COLOURS) % PATTERNS)


def face_of_member(gang: str, member: int, name: str) -> Face:
    """The face of one of a gang's: in the gang's colour, each next to another pattern."""
    return Face(letters(name), colour_of(gang), member % PATTERNS)


def colour_of(key: str) -> int:
    """The number of a gang's colour, for all that is drawn of it."""
    return _drawn(key) % len(COLOURS)


def colours_among(keys: Iterable[str]) -> dict[str, int]:
    """The colours of gangs that are seen together, told apart while there are enough: each has its
    own unless one before it has that, else the next that is free. ``keys``: in an order that stays,
    such as that in which they joined a campaign."""
    found: dict[str, int] = {}
    for key in dict.fromkeys(keys):
        own, taken = colour_of(key), set(found.values())
        others = ((own + step) % len(COLOURS) for step in range(len(COLOURS)))
        found[key] = next((colour for colour in others if colour not in taken), own)
    return found


def letters(name: str) -> str:
    """The first letters of a name's first two words that say something."""
    words = WORD.findall(name)
    telling = [word for word in words if word.lower() not in SMALL_WORDS] or words
    return "".join(word[0].upper()[0] for word in telling[:2]) or "?"


def _drawn(key: str) -> int:
    return crc32(key.encode())
