"""Chances in words, in the reader's language."""

from __future__ import annotations

from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from rules.percent import percent

# A fraction with a larger denominator tells nobody anything.
MOST_READABLE = 1000


def exact(chance: Fraction) -> str:
    """A chance as a fraction, "3 in 16"; "" where that could not be read, or says no more than the
    per cent does."""
    if chance in (0, 1) or chance.denominator > MOST_READABLE:
        return ""
    values = {"good": chance.numerator, "all": chance.denominator}
    return _("%(good)s in %(all)s") % values


def both(chance: Fraction) -> str:
    """A chance as a fraction and in per cent, "3 in 16 (19%)"."""
    fraction = exact(chance)
    return f"{fraction} ({percent(chance)})" if fraction else percent(chance)


def average(number: Fraction) -> str:
    """An average, to two places."""
    return number_format(round(float(number), 2), decimal_pos=2)


def difference(before: Fraction, after: Fraction, *, chance: bool) -> str:
    """How far one score is from another, with its sign."""
    change = after - before
    sign = "+" if change > 0 else "−"
    size = abs(change)
    return f"{sign}{percent(size)}" if chance else f"{sign}{average(size)}"
