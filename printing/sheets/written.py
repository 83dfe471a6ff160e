"""The parts of blank forms: labels with lines to write on, and empty tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from printing.paper.orders import HEIGHTS, WIDTHS, Order
from typesetting.letters import LARGE, LARGE_LABEL
from typesetting.measuring import about_lines, lines_height, width

# Millimetres: the width between the margins, the same on both papers; the height of both margins
# together; the least height of a line to write on, and the least width that a label leaves of it.
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
    """A label with a line to write on. ``wide``: the width of both, for a stylesheet."""

    label: str
    wide: str


@dataclass(frozen=True)
class NamedText:
    """An entry of a list: a name and its description."""

    name: str
    text: str = ""


@dataclass(frozen=True)
class Listed:
    """A list under a title; ``worded``: its entries are sentences, each on a line of its own;
    ``later``: entries that are not available before the first game.
    """

    title: str
    entries: tuple[NamedText, ...]
    worded: bool = False
    later: tuple[NamedText, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """The paper of a form: millimetres from margin to margin, and points of a label."""

    high: float
    margin: float
    label: float
    text: float
    large: bool

    def across(self, text: str) -> float:
        """Return the width of a label, with the space before the next thing."""
        return width(text, self.label) + 1.5

    def text_high(self, text: str) -> float:
        """Estimate the height of a text that goes from margin to margin."""
        return lines_height(about_lines(text, self.text, ACROSS), self.text)

    def line(self, parts: Sequence[tuple[str, float]], room: float) -> tuple[Field, ...]:
        """Return labels side by side in ``room`` millimetres. Each gets its share of the space that
        they leave to write on.
        """
        labels = [self.across(label) + LEAST for label, _share in parts]
        free = room - sum(labels)
        shares = sum(share for _label, share in parts)
        return tuple(
            Field(label, mm(least + free * share / shares - APART))
            for (label, share), least in zip(parts, labels, strict=True)
        )


def sheet_of(order: Order) -> Sheet:
    """Return the paper of an order."""
    label = LARGE_LABEL if order.plain else LABEL
    margin = (WIDTHS[order.paper] - ACROSS) / 2
    text = LARGE if order.plain else TEXT
    return Sheet(HEIGHTS[order.paper] - MARGINS, margin, label, text, order.plain)


def mm(length: float) -> str:
    """Format a length in millimetres for a stylesheet."""
    return f"{length:.2f}mm"


def add_label(label: str, said: str) -> str:
    """Put a label before a text."""
    return _("%(label)s: %(said)s") % {"label": label, "said": said}
