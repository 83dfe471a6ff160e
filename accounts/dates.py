"""Dates and times as the reader's language writes them; the catalogue has the parts that differ.

Templates use ``date_format`` as the filter ``date``, which replaces Django's.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from django import template
from django.template.defaultfilters import date as django_date
from django.utils import formats
from django.utils.translation import pgettext

register = template.Library()
# A day of the month, followed by its month, in Django's format.
DAY_OF_MONTH = re.compile(r"\bj(?= [bFMN])")
WEEKDAY = re.compile(r"\bD\b")
FULL_WEEKDAY = re.compile(r"\bl\b(?= j)")
CLOCK = "H:i"


def date_format(value: date, pattern: str) -> str:
    """Return a day, or an instant, in one of Django's formats and in the reader's language."""
    return str(formats.date_format(value, _localize(value, pattern)))


@register.simple_tag
def clock_format() -> str:
    """Return Django's format of hours and minutes in the reader's language."""
    # Translators: Django's format of a time of day, as in 19:30. Put \ before letters to print.
    return pgettext("time of day", "H:i")


@register.filter(name="date", expects_localtime=True, is_safe=False)
def date_filter(value: Any, pattern: str | None = None) -> str:
    """Like ``date_format``, in a template; "" for a value that is not a date."""
    return str(django_date(value, pattern and _localize(value, pattern)))


def _localize(value: Any, pattern: str) -> str:
    pattern = pattern.replace(CLOCK, clock_format())
    # Translators: Django's format of an abbreviated day of the week, as in Mon.
    pattern = WEEKDAY.sub(_literally(pgettext("abbreviated weekday", "D")), pattern)
    # Translators: Django's format of a day of the week before a day, as in Monday 3 May.
    weekday = pgettext("weekday, before the day", "l")
    pattern = FULL_WEEKDAY.sub(_literally(weekday), pattern)
    if getattr(value, "day", 0) == 1:
        # Translators: Django's format of the first day of a month before the month's name.
        day = pgettext("first day, before the month", "j")
    else:
        # Translators: Django's format of a day before the month's name, as in 3 May.
        day = pgettext("day, before the month", "j")
    return DAY_OF_MONTH.sub(_literally(day), pattern)


def _literally(text: str) -> str:
    """Return a text as a replacement in a regular expression."""
    return text.replace("\\", r"\\")
