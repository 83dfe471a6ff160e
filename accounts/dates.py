"""Dates and times as a language writes them: in French "1er mars" and "19 h 30".

Templates use it as the filter ``date``, which replaces Django's.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from django import template
from django.template.defaultfilters import date as django_date
from django.utils import formats
from django.utils.translation import get_language

register = template.Library()
# A day of the month, followed by its month, in Django's format.
DAY_OF_MONTH = re.compile(r"\bj(?= [bFMN])")
FIRST = {"fr": r"j\\e\\r"}
# An abbreviated day of the week, which Django gives without its full stop in French.
WEEKDAY = re.compile(r"\bD\b")
ABBREVIATED = {"fr": "D."}
# Hours and minutes, in Django's format.
CLOCK = "H:i"
CLOCKS = {"fr": "G\u00a0\\h\u00a0i"}


def date_format(value: date, pattern: str) -> str:
    """Return a day, or an instant, in one of Django's formats and in the reader's language."""
    return str(formats.date_format(value, _localize(value, pattern)))


@register.filter(name="date", expects_localtime=True, is_safe=False)
def date_filter(value: Any, pattern: str | None = None) -> str:
    """Like ``date_format``, in a template; "" for a value that is not a date."""
    return str(django_date(value, pattern and _localize(value, pattern)))


def _localize(value: Any, pattern: str) -> str:
    language = (get_language() or "")[:2]
    pattern = pattern.replace(CLOCK, CLOCKS.get(language, CLOCK))
    pattern = WEEKDAY.sub(ABBREVIATED.get(language, "D"), pattern)
    if language in FIRST and getattr(value, "day", 0) == 1:
        return DAY_OF_MONTH.sub(FIRST[language], pattern)
    return pattern
