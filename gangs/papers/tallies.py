"""Tallies: boxes in groups, for what is counted up from game to game."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

MOST = 100
# Millimetres: a box with what is beside it, what parts two groups, a row with what is below it.
BOX = 2.2
BETWEEN = 0.9
ROW = 2.7


def tally(
    done: int, most: int, step: int, room: float, told: str
) -> tuple[SafeString | str, float]:
    """``most`` boxes of which ``done`` are full, in groups of ``step``, as one drawing not wider
    than ``room`` millimetres, and how high it is; "" and 0 where there are none, or too many.

    ``told``: what it says, in words.
    """
    if not 0 < most <= MOST:
        return "", 0
    group = step * BOX + BETWEEN
    a_row = max(1, int((room + BETWEEN) / group)) * step
    squares = {True: "", False: ""}
    for place in range(most):
        row, column = divmod(place, a_row)
        x = column * BOX + column // step * BETWEEN + 0.1
        squares[place < done] += f"M{x:.1f} {row * ROW + 0.1:.1f}h1.8v1.8h-1.8z"
    across = min(most, a_row)
    wide = across * BOX + (across - 1) // step * BETWEEN
    high = -(-most // a_row) * ROW
    drawing = format_html(
        '<svg viewBox="0 0 {0} {1}" width="{0}mm" height="{1}mm"><title>{2}</title>'
        '<path d="{3}" fill="none" stroke="#000" stroke-width=".2"/>'
        '<path d="{4}" stroke="#000" stroke-width=".2"/></svg>',
        f"{wide:.1f}",
        f"{high:.1f}",
        told,
        squares[False],
        squares[True],
    )
    return drawing, high
