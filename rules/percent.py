"""Shares and chances in per cent, as the reader's language writes them."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from django.utils.formats import number_format
from django.utils.translation import gettext as _

# A fraction with a larger denominator is too long to read.
MOST_READABLE = 1_000_000
MOST_PLACES = 9


def round_share(share: Fraction) -> int:
    """A share in hundredths; a half is rounded up."""
    return floor(share * 100 + Fraction(1, 2))


def percent(share: Fraction) -> str:
    """A share in whole per cent. Only a certainty is 100 %, and only an impossibility is 0 %."""
    number = round_share(share)
    if number == 0 and share > 0:
        return _("<1%%") % ()
    if number == 100 and share < 1:
        return _(">99%%") % ()
    return _written(str(number))


def precise_percent(share: Fraction) -> str:
    """A share in per cent, to one place if it is below 10."""
    number = float(share * 100)
    places = 1 if number < 10 and number != int(number) else 0
    return _written(number_format(round(number, places), decimal_pos=places))


def chance(share: Fraction) -> str:
    """A chance as a fraction and in per cent; only in per cent if the fraction is too long."""
    if share.denominator > MOST_READABLE:
        return precise_percent(share)
    return f"{share}\u00a0· {precise_percent(share)}"


def distinct_percents(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Two shares in per cent, to as many places as show how they differ."""
    found = percent(one), percent(other)
    places = 0
    while one != other and found[0] == found[1] and places < MOST_PLACES:
        places += 1
        found = _to_places(one, places), _to_places(other, places)
    return found


def _to_places(share: Fraction, places: int) -> str:
    return _written(number_format(round(float(share * 100), places), decimal_pos=places))


def _written(number: str) -> str:
    return _("%(number)s%%") % {"number": number}
