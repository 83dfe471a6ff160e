"""What is drawn once for every characteristic of a page: written here and not in a template,
because a page has hundreds of these, and many of them alike."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from gangs.cards import Card, Stat

register = template.Library()


@register.simple_tag
def characteristics(card: Card, *, plain: bool = False) -> SafeString:
    """A member's characteristics, label above value; the reason of a value is its title.

    ``plain``: without titles, for a page whose legend tells what the labels mean.
    """
    drawn = "".join(
        _drawn(
            stat.short,
            "" if plain else stat.name,
            stat.value,
            "" if plain else _reason(stat),
            stat.parts,
            stat.boxes,
        )
        for stat in card.stats
    )
    return mark_safe(f'<dl class="statline">{drawn}</dl>')


@register.simple_tag
def fared(card: Card) -> str:
    """What a member has seen: his experience, his games and whom he took out."""
    said = _("Games %(games)s · Enemies put out %(taken_out)s")
    values = {"games": card.games, "taken_out": card.taken_out}
    return " · ".join(filter(None, (card.learned, said % values)))


def _reason(stat: Stat) -> str:
    """How the value came about, and what its parts are."""
    if not stat.why:
        return stat.parts
    why = f"{stat.name} = {stat.why}"
    return f"{why} · {stat.parts}" if stat.parts else why


@lru_cache(maxsize=2048)
def _drawn(
    short: str, name: str, value: str, reason: str, parts: str, boxes: tuple[bool, ...]
) -> str:
    """One characteristic. A value of several numbers is said in words to those who do not see it;
    boxes that stand out have another shape, too."""
    label, shown = escape(short), escape(value)
    if name:
        label = f'<abbr title="{escape(name)}">{label}</abbr>'
    if boxes:
        row = "".join('<i class="is-marked"></i>' if marked else "<i></i>" for marked in boxes)
        shown = f'<span class="boxes" aria-hidden="true">{row}</span>'
    elif parts:
        shown = f'<span aria-hidden="true">{shown}</span>'
    if parts:
        shown += f'<span class="visually-hidden">{escape(parts)}</span>'
    wide = ' class="is-wide"' if boxes else ""
    title = f' title="{escape(reason)}"' if reason else ""
    return f"<div{wide}{title}><dt>{label}</dt><dd>{shown}</dd></div>"
