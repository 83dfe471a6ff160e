"""Cells and words of a table in print ("S+1", "D3", "12″", "4+", "–"), read as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from common.text import one_line
from rules.engine.cells import NONE, BadCell, read_cell

LONGEST_CELL = 80
# The kinds of what is read: nothing, a number or sum, a length in inches, a number to reach.
Kind = Literal["empty", "number", "length", "target"]
# Signs that people type for the same thing. The first are two apostrophes.
SIGNS = {"''": '"', "’’": '"', "″": '"', "”": '"', "“": '"', "−": "-", "＋": "+"}
INCHES = re.compile(r"(?<=[\d\s])\s*(?:in|inch|inches|pouces?|ps|zoll)\.?$", re.IGNORECASE)
TARGET = re.compile(r"(\d{1,2})\+")
# German players write dice with a W.
GERMAN_DICE = re.compile(r"(?<![^\W\d_])(\d{0,2})[wW](\d{1,2})(?!\w)")
# From one number to another, which is no sum.
SPAN = re.compile(r"\d+\s*[-+]\s*\d+\"?")


@dataclass(frozen=True)
class ReadCell:
    """A cell that could be read. ``text``: the same in the form that a typed column has;
    ``words``: the names in it, as written."""

    kind: Kind
    text: str
    words: tuple[str, ...] = ()


def read_words(written: str, known: Mapping[str, str]) -> ReadCell | None:
    """Read a cell; None if it is not a number of any kind. ``known``: the words that it may name,
    in small letters."""
    text = one_line(written)
    for sign, plain in SIGNS.items():
        text = text.replace(sign, plain)
    if text in NONE:
        return ReadCell("empty", "-")
    if len(text) > LONGEST_CELL or SPAN.fullmatch(text):
        return None
    text = GERMAN_DICE.sub(r"\1D\2", INCHES.sub('"', text))
    if TARGET.fullmatch(text):
        return ReadCell("target", text)
    kind: Kind = "length" if text.endswith('"') else "number"
    try:
        cell = read_cell(text)
    except BadCell:
        return None
    words = tuple(word for _sign, word in cell.words) if cell else ()
    if cell is None or any(word.casefold() not in known for word in words):
        return None
    return ReadCell(kind, text, words)
