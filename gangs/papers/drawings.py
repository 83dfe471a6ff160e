"""Drawings on paper: boxes to tick off, experience, and QR codes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from gangs.cards import Card

MOST_BOXES = 60
BOXES_A_ROW = 10
MOST_EXPERIENCE = 60


def boxes(life: Sequence[bool], label: str) -> SafeString | str:
    """Squares to tick off, as one drawing; "" where there are none, or too many to draw.

    ``life``: whether each square stands out; those that do have a smaller one inside.
    """
    if not 0 < len(life) <= MOST_BOXES:
        return ""
    rows, rest = divmod(len(life), BOXES_A_ROW)
    height = (rows + bool(rest)) * 46 - 4
    across = min(len(life), BOXES_A_ROW) * 46 - 4
    squares = ""
    for place, marked in enumerate(life):
        x, y = 1 + place % BOXES_A_ROW * 46, 1 + place // BOXES_A_ROW * 46
        squares += f"M{x} {y}h40v40h-40z"
        if marked:
            squares += f"M{x + 9} {y + 9}h22v22h-22z"
    return format_html(
        '<svg viewBox="0 0 {0} {1}" width="{2}mm" height="{3}mm"><title>{5} {6}</title>'
        '<path d="{4}" fill="none" stroke="#000" stroke-width="3"/></svg>',
        across,
        height,
        across / 10,
        height / 10,
        squares,
        label,
        len(life),
    )


def experience(card: Card, step: int) -> SafeString | str:
    """A rank's boxes for experience as one drawing, those earned full, a gap after each ``step``;
    "" where there are none, or too many to draw."""
    most = card.experience_most or 0
    if not 0 < most <= MOST_EXPERIENCE:
        return ""
    squares = {True: "", False: ""}
    for place in range(most):
        x = 1 + place * 24 + place // step * 12
        squares[place < card.experience] += f"M{x} 1h18v18h-18z"
    across = x + 19
    return format_html(
        '<svg viewBox="0 0 {0} 20" width="{1}mm" height="2mm"><title>{2}</title>'
        '<path d="{3}" fill="none" stroke="#000" stroke-width="2"/><path d="{4}"/></svg>',
        across,
        across / 10,
        card.earned,
        squares[False],
        squares[True],
    )


@cache
def qr_code(link: str, title: str) -> SafeString:
    """The link as a QR code: a drawing, with nothing of the link's own letters in it."""
    code = segno.make(link, error="m", micro=False)
    return mark_safe(code.svg_inline(border=0, omitsize=True, title=title))
