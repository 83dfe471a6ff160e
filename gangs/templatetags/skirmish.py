"""Template helpers: a rulebook's text in the reader's language, and icons."""

from __future__ import annotations

from functools import cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from rules.vocabulary import Text

register = template.Library()


@register.filter
def said(text: Text | str) -> str:
    """A rulebook's text in the reader's language."""
    return text.said(get_language() or "en") if isinstance(text, Text) else text


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """An icon of the sprite, hidden from screen readers: words beside it say what it means.

    The sprite's address never changes while the process lives, so each icon is made once.
    """
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        name,
    )
