"""Template helpers: a rulebook's text in the reader's language, and icons."""

from __future__ import annotations

from functools import cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from gangs.cards import Card, Stat
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


@register.simple_tag
def statline(card: Card) -> SafeString:
    """A member's characteristics, label above value; the reason of a value is its title.

    Written here and not in a template, because a page has hundreds of these.
    """
    stats = format_html_join(
        "",
        '<div{}><dt><abbr title="{}">{}</abbr></dt><dd>{}</dd></div>',
        ((_reason(stat), stat.name, stat.short, stat.value) for stat in card.stats),
    )
    return format_html('<dl class="statline">{}</dl>', stats)


def _reason(stat: Stat) -> SafeString | str:
    return format_html(' title="{} = {}"', stat.name, stat.why) if stat.why else ""
