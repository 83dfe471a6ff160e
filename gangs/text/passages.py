"""Texts to send to other people: plain, or in the Markdown of Discord and other chats."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Signs with a meaning in a chat's Markdown, anywhere and at the start of a line.
SIGNS = re.compile(r"([\\`*_~|\[\]<>#])")
STARTS = re.compile(r"^(\s*(?:\d+(?=\.))?)([-+.])", re.MULTILINE)
# Stands between @ and a name, so that the text mentions nobody.
NO_BREAK = "\u2060"


@dataclass(frozen=True)
class Title:
    """A heading. ``text``: words; ``level``: 1 for the whole text, 2 for a part of it."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class TextLine:
    """A line. ``text``: words after ``strong``, the name of the thing that the line is about."""

    text: str
    strong: str = ""


@dataclass(frozen=True)
class Grid:
    """A table with aligned columns. ``rows``: the cells; the first row is the heading; ``numbers``:
    the columns that are aligned to the right."""

    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Link:
    """An address in a line of its own."""

    url: str


type Passage = Title | TextLine | Grid | Link


def title_of(passages: Iterable[Passage]) -> str:
    """Return the first heading."""
    return next(passage.text for passage in passages if isinstance(passage, Title))


def write_both(passages: Sequence[Passage]) -> dict[str, str | bool]:
    """Return both texts, for the page ``as_text.html``, where lines of a table do not wrap."""
    wide = any(isinstance(passage, Grid) for passage in passages)
    return {"plain": as_plain(passages), "markdown": as_markdown(passages), "wide": wide}


def as_plain(passages: Sequence[Passage]) -> str:
    """Write passages for any program; parts are separated by empty lines."""
    return _join(passages, [_plain(passage) for passage in passages])


def as_markdown(passages: Sequence[Passage]) -> str:
    """Write passages for a chat: bold headings and names, tables in a fixed width.

    Names and texts of players are escaped, and mention nobody.
    """
    return _join(passages, [_marked(passage) for passage in passages])


def escape(text: str) -> str:
    """Return a player's text for a chat: shown as typed, and without mentions."""
    shown = STARTS.sub(r"\1\\\2", SIGNS.sub(r"\\\1", text))
    return shown.replace("@", f"@{NO_BREAK}")


def align(rows: Sequence[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Lay out cells in columns as wide as their widest cell, with two spaces between them."""
    to_the_right = set(numbers)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for number, cell in enumerate(row):
            gap = " " * (widths[number] - width(cell))
            cells.append(gap + cell if number in to_the_right else cell + gap)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def width(text: str) -> int:
    """Return the number of columns that a text takes in a font of fixed width."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def _join(passages: Sequence[Passage], texts: Sequence[str]) -> str:
    lines: list[str] = []
    for number, (passage, text) in enumerate(zip(passages, texts, strict=True)):
        apart = isinstance(passage, Title | Grid | Link) or (
            number > 0 and isinstance(passages[number - 1], Grid)
        )
        if lines and apart and not isinstance(passages[number - 1], Title):
            lines.append("")
        lines.append(text)
    return "\n".join(lines) + "\n"


def _plain(passage: Passage) -> str:
    match passage:
        case Title(text):
            return text
        case TextLine(text, strong):
            return " · ".join(filter(None, (strong, text)))
        case Grid(rows, numbers):
            return align(rows, numbers)
        case Link(url):
            return url


def _marked(passage: Passage) -> str:
    match passage:
        case Title(text, level):
            return f"{'##' if level == 1 else '###'} {escape(text)}"
        case TextLine(text, strong):
            name = f"**{escape(strong)}**" if strong else ""
            return " · ".join(filter(None, (name, escape(text))))
        case Grid(rows, numbers):
            # Nothing ends a block of code but three of these signs.
            laid_out = align(rows, numbers).replace("`", "'")
            return f"```\n{laid_out}\n```"
        case Link(url):
            return f"<{url}>"
