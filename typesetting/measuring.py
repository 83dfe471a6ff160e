"""Measure text: its width, its lines, and the largest size that fits.

Text is measured with the fonts that the press uses, so that it can be made smaller, or continued
elsewhere, before anything is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import ceil
from typing import Literal, NamedTuple

from typesetting.letters import DRAWN, typeset
from typesetting.scripts import FONTS, width_of

Face = Literal["plain", "bold", "title"]

FILES: dict[Face, str] = {
    "plain": "fira-sans-{}-400-normal.woff2",
    "bold": "fira-sans-{}-600-normal.woff2",
    "title": "zilla-slab-{}-700-normal.woff2",
}
SIGNS: dict[Face, str] = {
    "plain": "signs-400-normal.woff2",
    "bold": "signs-600-normal.woff2",
    "title": "signs-600-normal.woff2",
}
DRAWN_FILE = "noto-emoji-400-normal.woff2"
MILLIMETRES = 25.4 / 72
# The height of a line for each point of its letters, unless a print sets another.
LEADING = 1.25
# Lines break at words: a text takes at most this many times its width.
SURELY = 1.06
# Millimetres by which lines are shortened until they are about equally long.
EVENER = 4.0
# The most that a letter missing from our fonts may take, in ems: one of a similar script, and any
# other, which may have to be drawn as its code.
NEIGHBOUR, UNKNOWN = 0.9, 3.4
NEIGHBOURS = "\u0590"


class Run(NamedTuple):
    """Text set in one face."""

    text: str
    face: Face = "plain"


Line = tuple[Run, ...]


def width(text: str, size: float, face: Face = "plain") -> float:
    """Return the width of ``text`` in millimetres, set ``size`` points high on one line."""
    return _width(text, face) * size * MILLIMETRES


def narrowest(text: str, size: float, face: Face = "plain") -> float:
    """Return the width of the longest word of ``text``: no column with it may be narrower."""
    return max(width(word, size, face) for word in text.split(" "))


def lines_height(lines: float, size: float, leading: float = LEADING) -> float:
    """Return the height of ``lines`` in millimetres."""
    return lines * size * leading * MILLIMETRES


def about_lines(text: str, size: float, room: float, face: Face = "plain") -> int:
    """Estimate how many lines of ``room`` millimetres a text takes, hardly ever too few: much
    faster than breaking it.
    """
    return ceil(width(text, size, face) * SURELY / room)


def wrap_text(runs: Sequence[Run], size: float, room: float, hang: float = 0) -> list[Line]:
    """Break ``runs`` into lines no wider than ``room`` millimetres, all but the first narrower by
    ``hang``. A word that is wider is broken.
    """
    lines: list[Line] = []
    line: list[Run] = []
    left = room
    for word, gap in _words(runs):
        needed = sum(width(run.text, size, run.face) for run in word)
        space = width(" ", size, gap) if gap and line else 0
        if space + needed <= left:
            line += [Run(" ", gap), *word] if space and gap else word
            left -= space + needed
            continue
        if line:
            lines.append(_joined(line))
        *full, line = _broken(word, size, room - hang)
        lines += map(_joined, full)
        left = room - hang - sum(width(run.text, size, run.face) for run in line)
    if line:
        lines.append(_joined(line))
    return lines


def even_out(text: str, size: float, room: float, face: Face = "plain") -> list[Line]:
    """Break a text into as few lines as possible, all of about the same length."""
    lines = narrower = wrap_text([Run(text, face)], size, room)
    while len(narrower) == len(lines) > 1 and room > 0:
        lines, room = narrower, room - EVENER
        narrower = wrap_text([Run(text, face)], size, room)
    return lines


def join_lines(lines: Sequence[Line]) -> str:
    """Join lines with line breaks."""
    return "\n".join("".join(run.text for run in line) for line in lines)


def fitting(title: str, sizes: Sequence[float], room: float) -> float:
    """Return the first of ``sizes`` in which a title fits ``room``, or else the last."""
    return next((size for size in sizes if width(title, size, "title") <= room), sizes[-1])


def fitting_name(
    name: str, sizes: Sequence[float], room: float, one_line: float
) -> tuple[float, list[Line]]:
    """Return the first of ``sizes`` in which a name fits, or else the last, and its lines.

    A name fits on two lines, or on one if the letters are larger than ``one_line``, with no break
    inside a word.
    """
    for size in sizes:
        lines = wrap_text([Run(name, "title")], size, room)
        whole = narrowest(name, size, "title") <= room
        if whole and len(lines) <= (1 if size > one_line else 2):
            break
    return size, lines


def _words(runs: Sequence[Run]) -> Iterator[tuple[list[Run], Face | None]]:
    """Yield words, which may change their face within, each with the face of the space before it
    (None at the start).
    """
    word: list[Run] = []
    gap: Face | None = None
    for run in runs:
        for place, part in enumerate(run.text.split(" ")):
            if place:
                if word:
                    yield word, gap
                word, gap = [], run.face
            if part:
                word.append(Run(part, run.face))
    if word:
        yield word, gap


def _broken(word: list[Run], size: float, room: float) -> list[list[Run]]:
    """Split a word into pieces no wider than ``room``: one if it fits."""
    pieces: list[list[Run]] = [[]]
    left = room
    for run in word:
        for letter in run.text:
            needed = width(letter, size, run.face)
            if needed > left and pieces[-1]:
                pieces.append([])
                left = room
            pieces[-1].append(Run(letter, run.face))
            left -= needed
    return [list(_joined(piece)) for piece in pieces]


def _joined(line: Sequence[Run]) -> Line:
    """Join neighbours of the same face."""
    joined: list[Run] = []
    for run in line:
        if joined and joined[-1].face == run.face:
            joined[-1] = Run(joined[-1].text + run.text, run.face)
        else:
            joined.append(run)
    return tuple(joined)


@lru_cache(maxsize=8192)
def _width(text: str, face: Face) -> float:
    """Return the width of a word in ems."""
    ems = _ems(face)
    return sum(ems[letter] if letter in ems else _other(letter) for letter in typeset(text))


def _other(letter: str) -> float:
    """Return the width of a letter that the face itself lacks."""
    if letter < NEIGHBOURS:
        return NEIGHBOUR
    installed = width_of(letter)
    if installed is not None:
        return installed
    return _drawn().get(letter, UNKNOWN) if letter >= DRAWN else UNKNOWN


@cache
def _drawn() -> dict[str, float]:
    """Return the width of every drawn letter, in ems."""
    return _widths(DRAWN_FILE)


@cache
def _ems(face: Face) -> dict[str, float]:
    """Return the width of every letter of a face, in ems. A letter in both of its files has the
    width in the first.
    """
    ems = _widths(SIGNS[face])
    for letters in ("latin-ext", "latin"):
        ems |= _widths(FILES[face].format(letters))
    return ems


def _widths(file: str) -> dict[str, float]:
    # Most processes never measure a text.
    from fontTools.ttLib import TTFont

    with TTFont(FONTS / file, lazy=True) as font:
        em, advances = font["head"].unitsPerEm, font["hmtx"].metrics
        return {chr(code): advances[name][0] / em for code, name in font.getBestCmap().items()}
