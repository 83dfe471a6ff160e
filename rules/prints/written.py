"""What blank forms are made of: labels with lines to write on, and empty tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from printing.orders import HEIGHTS, WIDTHS, Order
from printing.typesetting.letters import LARGE, LARGE_LABEL
from printing.typesetting.measuring import about_lines, lines_height, width

# Millimetres: what is between the margins of either paper, and how high these are together; the
# least to write on: its height, and what a label leaves of a line.
ACROSS = 192.0
MARGINS = 19.0
LINE = 6.0
LEAST = 9.0
# Between two lines side by side.
APART = 2.0
# Points: labels, and texts between them.
LABEL, TEXT = 7.5, 8.0


@dataclass(frozen=True)
class Field:
    """A label with a line to write on. ``wide``: both together, as a stylesheet says it."""

    label: str
    wide: str


@dataclass(frozen=True)
class NamedText:
    """An entry of a list: a name, and what is said of it."""

    name: str
    text: str = ""


@dataclass(frozen=True)
class Listed:
    """A list under a title; ``worded``: its entries are sentences, each on a line of its own;
    ``later``: what is not to be had before the first game."""

    title: str
    entries: tuple[NamedText, ...]
    worded: bool = False
    later: tuple[NamedText, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """The paper that a form is set on: millimetres from margin to margin, points of a label."""

    high: float
    margin: float
    label: float
    text: float
    large: bool

    def across(self, text: str) -> float:
        """How wide a label is, with what is between it and the next thing."""
        return width(text, self.label) + 1.5

    def text_high(self, text: str) -> float:
        """About how high a text is that goes from margin to margin."""
        return lines_height(about_lines(text, self.text, ACROSS), self.text)

    def line(self, parts: Sequence[tuple[str, float]], room: float) -> tuple[Field, ...]:
        """Labels side by side in a ``room`` of so many millimetres, each with as much to write on
        as its share of what they leave."""
        labels = [self.across(label) + LEAST for label, _share in parts]
        free = room - sum(labels)
        shares = sum(share for _label, share in parts)
        return tuple(
            Field(label, mm(least + free * share / shares - APART))
            for (label, share), least in zip(parts, labels, strict=True)
        )


def sheet_of(order: Order) -> Sheet:
    """The paper of an order."""
    label = LARGE_LABEL if order.plain else LABEL
    margin = (WIDTHS[order.paper] - ACROSS) / 2
    text = LARGE if order.plain else TEXT
    return Sheet(HEIGHTS[order.paper] - MARGINS, margin, label, text, order.plain)


def mm(length: float) -> str:
    """A length in millimetres, as a stylesheet says it."""
    return f"{length:.2f}mm"


def add_label(label: str, said: str) -> str:
    """What is said, behind a label."""
    return _("%(label)s: %(said)s") % {"label": label, "said": said}
