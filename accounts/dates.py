"""Dates in words, with the ordinals of a language: in French the first of a month is "1er mars".

The template filter ``date`` replaces Django's.
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
# In Django's formats, a day followed by its month.
DAY_OF_MONTH = re.compile(r"\bj(?= [bFMN])")
FIRST = {"fr": r"j\\e\\r"}


def date_format(value: date, pattern: str) -> str:
    """Format a date, or a time, by one of Django's formats in the reader's language."""
    return str(formats.date_format(value, _counted(value, pattern)))


@register.filter(name="date", expects_localtime=True, is_safe=False)
def date_filter(value: Any, pattern: str | None = None) -> str:
    """Format a date in a template; "" for other values."""
    return str(django_date(value, pattern and _counted(value, pattern)))


def _counted(value: Any, pattern: str) -> str:
    first = FIRST.get((get_language() or "")[:2], "")
    if first and getattr(value, "day", 0) == 1:
        return DAY_OF_MONTH.sub(first, pattern)
    return pattern
