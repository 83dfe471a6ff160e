"""Write text into pictures, with our own fonts and those installed for other scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from fontTools.ttLib import TTFont
from PIL import ImageDraw, ImageFont

from typesetting.scripts import FONTS, font_of, set_plain

# The families of fonts: each letter is taken from the first font that has it.
SLAB = ("zilla-slab-latin-700", "zilla-slab-latin-ext-700")
SANS = tuple(
    f"fira-sans-{part}-600"
    for part in ("latin", "latin-ext", "vietnamese", "cyrillic", "cyrillic-ext", "greek")
)
PLAIN = tuple(name.replace("600", "400") for name in SANS)
DRAWN = ("signs-600", "noto-emoji-400")
# Longer texts are cut before they are measured: no picture has room for more letters.
MOST_LETTERS = 400

# No font of ours has the arrow of "attacker → target", and a picture would show an empty box.
DRAWABLE = str.maketrans({"→": "–"})

Family = tuple[str, ...]


def write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    family: Family,
    size: int,
    colour: str,
    room: float,
) -> None:
    """Write a line of text, with its end cut off where there is no room for it."""
    left = at[0]
    for path, part in _runs(shorten(text, family, size, room), family):
        font = _font(path, size)
        draw.text((left, at[1] + size), part, colour, font, anchor="ls")
        left += font.getlength(part)


def shorten(text: str, family: Family, size: int, room: float) -> str:
    """Return as much of a text as fits, with an ellipsis if something is cut off."""
    text = set_plain(text[:MOST_LETTERS])
    if width(text, family, size) <= room:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if width(f"{text[:middle].rstrip()}…", family, size) <= room:
            fits = middle
        else:
            too_long = middle
    return f"{text[:fits].rstrip()}…" if fits else ""


def width(text: str, family: Family, size: int) -> int:
    """Return the width of a text on one line, in pixels."""
    return round(sum(_font(path, size).getlength(part) for path, part in _runs(text, family)))


def wrap(text: str, family: Family, size: int, room: float, most: int) -> list[str]:
    """Break a text into at most ``most`` lines; the last contains the rest, to be cut."""
    lines: list[str] = []
    for word in text[:MOST_LETTERS].split():
        longer = f"{lines[-1]} {word}" if lines else word
        # The last line takes the rest, so it need not be measured.
        if lines and (len(lines) == most or width(longer, family, size) <= room):
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def fit_lines(
    text: str, family: Family, sizes: Iterable[int], room: float, most: int
) -> tuple[int, list[str]]:
    """Return the first of ``sizes`` at which a text fits ``most`` lines, or else the last, and its
    lines.
    """
    size, lines = 0, [""]
    for size in sizes:
        lines = wrap(text, family, size, room, most)
        if all(width(line, family, size) <= room for line in lines):
            break
    return size, lines


def _runs(text: str, family: Family) -> Iterator[tuple[Path, str]]:
    """Yield the text in pieces, each with the first font that has its letters."""
    for path, letters in groupby(
        text.translate(DRAWABLE), lambda letter: _font_with(letter, family)
    ):
        yield path, "".join(letters)


@lru_cache(maxsize=4096)
def _font_with(letter: str, family: Family) -> Path:
    """Return the first font that has a letter; the family's first without one."""
    paths = [_path(name) for name in dict.fromkeys((*family, *SANS, *DRAWN))]
    own = next((path for path in paths if ord(letter) in _letters(path)), None)
    return own or font_of(letter) or paths[0]


def _path(name: str) -> Path:
    return FONTS / f"{name}-normal.woff2"


@cache
def _letters(path: Path) -> frozenset[int]:
    return frozenset(TTFont(path).getBestCmap())


@cache
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    # There are two dozen sizes in all.
    return ImageFont.truetype(path, size)
