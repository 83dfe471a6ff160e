"""Parts of a page that are sent again alone (``gangs.builder.parts``)."""

from __future__ import annotations

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

from gangs.builder.parts import BEGIN, END, placed

register = template.Library()
# A choice's label, as crispy lays it out: whose it is, and the rest of it.
CHOICE = re.compile(r'<label for="(\w+_\d+)"(.*?)</label>', re.DOTALL)


class PartNode(template.Node):
    """An element with an id, between marks where the page is going to be compared."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> str:
        """The element; ``parted`` in the context asks for the marks."""
        text = self.nodelist.render(context)
        return f"{BEGIN}{text}{END}" if context.get("parted") else text


@register.simple_tag(takes_context=True)
def labels_apart(context: template.Context, fields: str) -> SafeString:
    """A form's fields, the labels of its choices as parts: prices and what speaks against a choice
    stand in them."""
    parted = context.get("parted")

    def apart(found: re.Match[str]) -> str:
        label = f'<label id="{found[1]}-says" for="{found[1]}"{found[2]}</label>'
        return f"{BEGIN}{label}{END}" if parted else label

    return mark_safe(CHOICE.sub(apart, fields))


@register.tag
def part(parser: template.base.Parser, _token: template.base.Token) -> PartNode:
    """``{% part %}<p id="some-id">…</p>{% endpart %}``"""
    nodelist = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode(nodelist)


@register.simple_tag(takes_context=True)
def panel(context: template.Context, text: str, *, oob: bool | None = None) -> SafeString:
    """A panel (``gangs.builder.panels``) with what this page says in the place of its signs;
    ``oob``: as the page has it, unless it is said."""
    wanted = bool(context.get("oob")) if oob is None else oob
    return mark_safe(placed(text, context["signs"], oob=wanted, parted=bool(context.get("parted"))))
