"""What players read for the words of the vocabulary: labels of tables, fields and values.

Each label stands beside what it names, in the annotation of its field, so that a new field cannot
forget its own. A label is a message for the translators' catalogue, not yet translated: whoever
shows it asks gettext (``rules.variants.labels``).
"""

from __future__ import annotations

from dataclasses import dataclass, field


class Label(str):
    """A message to be translated; one with a context has it in front, parted as in catalogues."""


def gettext_noop(message: str) -> Label:
    """Mark a label for the catalogue."""
    return Label(message)


def pgettext(context: str, message: str) -> Label:
    """Mark a label that means something else elsewhere."""
    return Label(f"{context}\x04{message}")


class Values:
    """Labels of the values that a field can take."""

    def __init__(self, **labels: Label) -> None:
        self.labels = labels


@dataclass(frozen=True)
class KeyOf:
    """The field holds keys of rows of a ``table``, or tags that its rows have ("tag:items").

    ``what``: one such row, in the sentence of whoever finds that there is none. ``number``: what it
    is not unless it is a number. Without these two the field's own check says what is wrong.
    """

    table: str
    what: str = ""
    number: str = ""


@dataclass(frozen=True)
class Table:
    """Rows (or a single value) that a variant may change.

    ``name``: what they are called; ``add``: what adding one is called. ``offered``: they are on
    offer to members and gangs, and so can be hidden or banned; ``removable``: no gang's history
    names them, so that they can be taken out; ``ordered``: their order says something.
    """

    name: Label
    add: Label = field(default=Label())
    offered: bool = False
    removable: bool = False
    ordered: bool = False
