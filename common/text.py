"""Cleaning text from anybody, typed into forms or read from files.

All input passes through one of these functions, so every stored text can be shown on a page,
written to a feed or a file, and stored by either database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

# Characters no text may contain: control characters, surrogates, noncharacters, and format
# characters that change the writing direction or are invisible.
_UNFIT = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e001f"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000)
    )
)
UNFIT = re.compile(f"[{_UNFIT}]")
# All line endings other than ``\n``.
LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
# Characters allowed within a text (in an emoji, between letters) but invisible on their own.
_UNSEEN = (
    "\\s\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
UNSEEN = re.compile(f"[{_UNSEEN}]*")


def clean_text(text: str) -> str:
    """Remove unfit characters, compose letters (NFC) and end lines with ``\\n``.

    Returns "" if nothing visible remains. Idempotent.
    """
    if text.isascii() and text.isprintable():
        return "" if text.isspace() else text
    text = LINE_ENDS.sub("\n", UNFIT.sub("", text))
    return "" if UNSEEN.fullmatch(text) else unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """Clean a name, or another text of one line, and collapse blanks."""
    return " ".join(clean_text(text).split())


def lines(text: str) -> str:
    """Clean notes, or another text of several lines, and strip blanks at the ends."""
    return clean_text(text).strip()


def quote(text: object, most: int = 80) -> str:
    """Return one clean line of at most ``most`` letters, for an error, a log or a file name."""
    return one_line(str(text)[: 2 * most])[:most]


def is_fit(text: str) -> bool:
    """Whether a text contains only allowed characters."""
    # Nearly all texts are printable ASCII, which is found out much faster.
    return (text.isascii() and text.isprintable()) or UNFIT.search(text) is None


def clean_data(data: Any) -> Any:
    """Clean all strings in parsed JSON or TOML, keys included. Measure its depth before."""
    if isinstance(data, str):
        return clean_text(data)
    if isinstance(data, dict):
        return {clean_text(key): clean_data(value) for key, value in data.items()}
    return [clean_data(value) for value in data] if isinstance(data, list) else data


def of_text(clean: Callable[[str], str]) -> Callable[[object], object]:
    """Adapt a cleaning function to a model field: its input may be of any type."""

    def cleaning(value: object) -> object:
        return clean(value) if isinstance(value, str) else value

    return cleaning


LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "’": "'", "\u00a0": " ", "\u202f": " "})


def fold_letters(text: str) -> str:
    """Return a text without accents and capitals: "epee" finds "Épée", and lists of names are in
    the order of these."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(LIGATURES))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
