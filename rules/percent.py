"""Shares in per cent, as the reader's language writes them."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def round_share(share: Fraction) -> int:
    """A share in hundredths; a half is rounded up."""
    return floor(share * 100 + Fraction(1, 2))


def percent(share: Fraction) -> str:
    """A share in whole per cent. Only what is certain is 100 %, and only what cannot be is 0 %."""
    number = round_share(share)
    if number == 0 and share > 0:
        return _("<1%%") % ()
    if number == 100 and share < 1:
        return _(">99%%") % ()
    return _written(str(number))


def precise_percent(share: Fraction) -> str:
    """A share in per cent, to one place where it is below 10."""
    number = float(share * 100)
    places = 1 if number < 10 and number != int(number) else 0
    return _written(number_format(round(number, places), decimal_pos=places))


def _written(number: str) -> str:
    return _("%(number)s%%") % {"number": number}
