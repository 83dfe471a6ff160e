"""The labels that players read for tables, fields and values of the vocabulary.

Each label is in the annotation of its field, so that no new field can be without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from common.wording.sentences import Label, Sentence, say
from common.wording.sentences import gettext_noop as _
from rules.book.suggesting import suggest


class Values:
    """Labels of the values that a field can take."""

    def __init__(self, **labels: Label) -> None:
        self.labels = labels


@dataclass(frozen=True)
class KeyOf:
    """Marks a field that contains keys of a ``table``, or tags that its rows have ("tag:items").

    ``what``: the noun for such a row, in the mistake for an unknown key; ``number``: the noun in
    the mistake for a row that is not a number. Without both, the model has a check for the field.
    ``also``: keys that may be named without a row, with their labels.
    """

    table: str
    what: Label = Label()
    number: Label = Label()
    also: Mapping[str, Label] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Table:
    """Rows (or a single value) that a variant may change.

    ``name``: the label of the table; ``add``: the label for adding a row. ``offered``: members and
    gangs choose these rows, so that they can be hidden or banned; ``removable``: no gang's history
    names them, so that they can be taken out; ``ordered``: their order has a meaning.
    """

    name: Label
    add: Label = field(default=Label())
    offered: bool = False
    removable: bool = False
    ordered: bool = False


def unknown(key: str, what: Label, known: Iterable[str]) -> Sentence:
    """Return the sentence for a key that no row has. ``what``: the noun for such a row; ``known``:
    the keys to suggest."""
    return suggest(say(_("unknown %(what)s “%(key)s”"), key=key, what=what), key, known)
