"""The style rules that every print adds to its stylesheet."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from printing.paper.orders import Order
from rules.book.look import Look
from typesetting.letters import LARGE_LABEL

BLACK = "#000000"
# Even-odd, in a box of 120 by 12: rules.book.look.Drawing.
ORNAMENT = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 12'%3E"
    "%3Cpath fill='{}' fill-rule='evenodd' d='{}'/%3E%3C/svg%3E"
)


def page_rules(order: Order, look: Look, background: str = "none", **sizes: object) -> SafeString:
    """Return the rules for the paper with its ``background``, and the values that the stylesheet of
    a print names: the game's colours, black where the print has none, and its own ``sizes`` (any
    value of CSS, by name).

    They are made here because a template would write the decimal sign of the reader's language.
    """
    accent, second = BLACK, BLACK
    if order.illustrated:
        accent, second = look.accent.light, look.second.light
    values = {"accent": accent, "second": second, **sizes}
    return format_html(
        "@page {{ size: {}; background: {}{} }} html {{ {} }}",
        order.page_size,
        background,
        f"; font-size: {LARGE_LABEL}pt !important" if order.plain else "",
        format_html_join(" ", "--{}: {};", values.items()),
    )


def ornament(order: Order, look: Look) -> str:
    """Return the game's ornament in its accent, as an image for a stylesheet.

    ``page_rules(..., ornament=ornament(order, look))`` makes it ``var(--ornament)``, the background
    of a box ten times as wide as high. As a background, it is not read aloud.
    """
    colour = look.accent.light if order.illustrated else BLACK
    return f'url("{ORNAMENT.format(colour.replace("#", "%23"), look.ornament)}")'
