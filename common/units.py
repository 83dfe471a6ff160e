"""Numbers with their units as the reader's language writes them: 9", $8, 12 Po."""

from __future__ import annotations

from unicodedata import category

from django.utils.translation import pgettext

# Units that follow their number without a blank: inches and feet.
SIGNS = ('"', "\u2033", "'", "\u2032")
MINUS = ("-", "\u2212")


def add_unit(number: str, unit: str, blank: str = " ") -> str:
    """Return a number with its unit, if there is one. The sign of a currency is where the reader's
    language writes it. ``blank``: stands between the number and a word."""
    if unit in SIGNS:
        return f"{number}{unit}"
    if len(unit) == 1 and category(unit) == "Sc":
        minus = number[:1] if number.startswith(MINUS) else ""
        values = {"sign": unit, "number": number.removeprefix(minus)}
        return minus + pgettext("an amount of money", "%(sign)s%(number)s") % values
    return f"{number}{blank}{unit}" if unit else number
