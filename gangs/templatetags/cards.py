"""Template tags for cards and their characteristics."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import cast

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from gangs.cards.sheet import item_rows, sum_up
from gangs.cards.values import Ailment, Card, NamedText, Stat
from gangs.templatetags.pictures import portrait_of
from rules.book.model import Book
from rules.templatetags.looks import lang_of

register = template.Library()


@register.simple_tag(takes_context=True)
def member_card(context: template.Context, card: Card) -> SafeString:
    """A card of the builder, open if it is among the page's ``open_cards``."""
    return _card("gangs/builder/_card.html", context, card, open=context["open_cards"].get(card.id))


@register.simple_tag(takes_context=True)
def sheet_card(context: template.Context, card: Card, names: Sequence[str] = ()) -> SafeString:
    """A card of the sheet. ``names``: of the members of a group."""
    more = {
        "items": item_rows(card.usable),
        "amounts": sum_up(card.receipt, card.rating, context["page"].rating_unit),
        "names": names,
    }
    key = context["shared_by"]
    return _card("gangs/cards/_sheet_member.html", context, card, key=key, **more)


def _card(
    name: str, context: template.Context, card: Card, key: str = "", **more: object
) -> SafeString:
    portrait = portrait_of(context["gang"], card.id, card.shown_name, key)
    card_template = cast(template.Template, context.template).engine.get_template(name)
    # In the page's own context: a new context would take a quarter of the time.
    with context.push(card=card, portrait=portrait, **more):
        return card_template.render(context)


@register.simple_tag
def characteristics(card: Card, *, plain: bool = False) -> SafeString:
    """A member's characteristics, label above value; the title explains the value.

    ``plain``: without titles, for a page with a legend of the labels.
    """
    cells = "".join(_cell(stat, plain) for stat in card.stats)
    return mark_safe(f'<dl class="statline">{cells}</dl>')


@register.simple_tag
def chips(card: Card, key: int | str, book: Book | str = "") -> SafeString:
    """A card's traits, gained abilities and afflictions; a press on one opens its text.

    ``key``: distinguishes the card from the page's other cards; ``book``: its rulebook, whose texts
    may be in another language than the page.
    """
    said = lang_of(book)
    kinds = [("trait", card.traits), ("gained", card.gained), ("ill", card.afflictions)]
    rows = [
        _chip(text, f"{kind}-{key}-{number}", said)
        for kind, texts in kinds
        for number, text in enumerate(texts, 1)
    ]
    return mark_safe(f'<ul class="chips mt-2">{"".join(rows)}</ul>' if rows else "")


def _chip(text: NamedText, key: str, said: str) -> str:
    name = label = escape(text.name)
    colour = ""
    if isinstance(text, Ailment):
        label += render_to_string("gangs/cards/_lasting.html", {"ailment": text})
        colour = " chip-warning"
    if not text.text:
        return f'<li class="chip{colour}"{said}>{label}</li>'
    return (
        f'<li><button type="button" class="chip{colour}" popovertarget="{key}"{said}>'
        f"{label}</button>"
        f'<div class="explained" id="{key}" popover>'
        f"<p{said}><strong>{name}</strong><br>{escape(text.text)}</p>"
        '<button type="button" class="btn btn-sm btn-outline-secondary"'
        f' popovertarget="{key}" popovertargetaction="hide">{_("Close")}</button></div></li>'
    )


@register.simple_tag
def fared(card: Card) -> str:
    """A member's experience, games and number of enemies taken out."""
    games = _("Games %(games)s · Took out %(taken_out)s")
    values = {"games": card.games, "taken_out": card.taken_out}
    return " · ".join(filter(None, (card.learned, games % values)))


def _reason(stat: Stat) -> str:
    """The derivation of a value, and the meaning of its parts."""
    if not stat.why:
        return stat.parts
    why = f"{stat.name} = {stat.why}"
    return f"{why} · {stat.parts}" if stat.parts else why


def _cell(stat: Stat, plain: bool) -> str:
    """One characteristic. Screen readers get a value of several numbers in words; marked boxes also
    have another shape."""
    label, value = escape(stat.short), escape(stat.value)
    if stat.name and not plain:
        label = f'<abbr title="{escape(stat.name)}">{label}</abbr>'
    if stat.boxes:
        row = "".join('<i class="is-marked"></i>' if marked else "<i></i>" for marked in stat.boxes)
        value = f'<span class="boxes" aria-hidden="true">{row}</span>'
    elif stat.parts:
        value = f'<span aria-hidden="true">{value}</span>'
    if stat.parts:
        value += f'<span class="visually-hidden">{escape(stat.parts)}</span>'
    wide = ' class="is-wide"' if stat.boxes else ""
    reason = "" if plain else _reason(stat)
    title = f' title="{escape(reason)}"' if reason else ""
    return f"<div{wide}{title}><dt>{label}</dt><dd>{value}</dd></div>"
