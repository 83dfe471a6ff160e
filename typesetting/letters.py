"""The smallest letters of prints, and signs as a typesetter sets them."""

from __future__ import annotations

import re

from typesetting.scripts import set_plain

# Points: texts and labels, normally and in large print. Reference sheets have their own smallest
# size.
SMALLEST, SMALLEST_LABEL = 7.5, 7.0
LARGE, LARGE_LABEL = 12.0, 10.0
# Prints with any letter beyond this one get a font of drawn letters.
DRAWN = "\u2300"
# Inches after a number, and the minus of a number with nothing before it.
_INCHES = re.compile(r'(?<=\d)"')
_MINUS = re.compile(r"(?<![\w\-–.])-(?=\d)")


def typeset(text: str) -> str:
    """Set inches, minus signs and styled letters: 6", -1 and 𝔊 become 6″, −1 and G."""
    text = set_plain(text)
    if '"' in text:
        text = _INCHES.sub("\N{DOUBLE PRIME}", text)
    return _MINUS.sub("\N{MINUS SIGN}", text) if "-" in text else text
