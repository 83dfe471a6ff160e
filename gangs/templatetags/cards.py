"""What is drawn once for every characteristic of a page: written here and not in a template,
because a page has hundreds of these."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from gangs.cards import Card, Stat

register = template.Library()

EMPTY, MARKED = mark_safe("<i></i>"), mark_safe('<i class="is-marked"></i>')


@register.simple_tag
def characteristics(card: Card, *, plain: bool = False) -> SafeString:
    """A member's characteristics, label above value; the reason of a value is its title.

    ``plain``: without titles, for a page whose legend tells what the labels mean.
    """
    if plain:
        stats = format_html_join(
            "",
            "<div{}><dt>{}</dt><dd>{}</dd></div>",
            ((_width(stat), stat.short, _value(stat)) for stat in card.stats),
        )
    else:
        stats = format_html_join(
            "",
            '<div{}{}><dt><abbr title="{}">{}</abbr></dt><dd>{}</dd></div>',
            (
                (_width(stat), _reason(stat), stat.name, stat.short, _value(stat))
                for stat in card.stats
            ),
        )
    return format_html('<dl class="statline">{}</dl>', stats)


def _width(stat: Stat) -> SafeString | str:
    return mark_safe(' class="is-wide"') if stat.boxes else ""


def _reason(stat: Stat) -> SafeString | str:
    reasons = [f"{stat.name} = {stat.why}"] if stat.why else []
    if stat.parts:
        reasons.append(stat.parts)
    return format_html(' title="{}"', " · ".join(reasons)) if reasons else ""


def _value(stat: Stat) -> SafeString | str:
    """The value; one of several numbers is said in words to those who do not see it."""
    if stat.boxes:
        return format_html(
            '<span class="visually-hidden">{}</span>{}', stat.parts, boxes(stat.boxes)
        )
    if stat.parts:
        return format_html(
            '<span aria-hidden="true">{}</span><span class="visually-hidden">{}</span>',
            stat.value,
            stat.parts,
        )
    return stat.value


def boxes(track: Sequence[bool]) -> SafeString:
    """A row of boxes: those that stand out have another shape, too. The words come beside it."""
    drawn = mark_safe("".join(MARKED if marked else EMPTY for marked in track))
    return format_html('<span class="boxes" aria-hidden="true">{}</span>', drawn)
