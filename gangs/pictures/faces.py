"""Faces for gangs and members without a picture: one or two letters on a colour and a pattern.

They depend only on a gang's key and a name, so they are the same on every page. The stylesheet
defines the colours and patterns (``.hue-0`` …).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

# As in static/skirmish.css. White letters are legible on each, and each is legible on paper.
COLOURS = (
    "#0d6565",
    "#b02a2d",
    "#0256a9",
    "#8c5f0e",
    "#6e3692",
    "#286f2f",
    "#af3679",
    "#773a10",
    "#0b7a9a",
    "#596103",
    "#6b5fca",
    "#453c2b",
)
PATTERNS = 6
# Words that do not distinguish one gang's name from another.
SMALL_WORDS = frozenset(
    ("a", "an", "and", "at", "of", "on", "in", "the", "to")
    + ("d", "de", "des", "du", "et", "l", "la", "le", "les", "un", "une")
)
WORD = re.compile(r"[^\W_]+")
POSSESSIVE = re.compile(r"(?<=\w)[’']s\b", re.IGNORECASE)


class Face(NamedTuple):
    """Letters, and the numbers of a colour and a pattern."""

    letters: str
    colour: int
    pattern: int


def face_of_gang(key: str, name: str) -> Face:
    """The face of a gang. ``key``: its primary key as text."""
    digest = _digest(key)
    return Face(letters(name), digest % len(COLOURS), digest // len(COLOURS) % PATTERNS)


def face_of_member(gang: str, member: int, name: str) -> Face:
    """The face of a gang's member: in the gang's colour, with patterns in turn."""
    return Face(letters(name), colour_of(gang), member % PATTERNS)


def colour_of(key: str) -> int:
    """The number of a gang's colour in all drawings."""
    return _digest(key) % len(COLOURS)


def colours_among(keys: Iterable[str]) -> dict[str, int]:
    """Distinct colours for gangs that are shown together, as long as there are enough.

    Each gang has its own colour or, if an earlier one has that, the next free one. ``keys``: in an
    order that never changes, such as the order of joining a campaign.
    """
    found: dict[str, int] = {}
    for key in dict.fromkeys(keys):
        own, taken = colour_of(key), set(found.values())
        others = ((own + step) % len(COLOURS) for step in range(len(COLOURS)))
        found[key] = next((colour for colour in others if colour not in taken), own)
    return found


def letters(name: str) -> str:
    """The initials of a name's first two words, without small words if there are others. An
    English possessive belongs to its word."""
    words = WORD.findall(POSSESSIVE.sub("", name))
    telling = [word for word in words if word.lower() not in SMALL_WORDS] or words
    return "".join(word[0].upper()[0] for word in telling[:2]) or "?"


def _digest(key: str) -> int:
    return crc32(key.encode())
