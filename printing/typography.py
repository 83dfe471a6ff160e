"""Signs as a printer sets them, where players and rulebooks write those of a keyboard."""

from __future__ import annotations

import re

# Inches after a number, and the minus of a number that nothing stands before.
_INCHES = re.compile(r'(?<=\d)"')
_MINUS = re.compile(r"(?<![\w\-–.])-(?=\d)")


def typeset(text: str) -> str:
    """``text`` with double primes for inches and with minus signs: 6" and -1 become 6″ and −1."""
    if '"' in text:
        text = _INCHES.sub("\N{DOUBLE PRIME}", text)
    return _MINUS.sub("\N{MINUS SIGN}", text) if "-" in text else text
