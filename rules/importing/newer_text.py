"""Questions about a newer catalogue in words: both values of each place that both changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rules.editor.merging import Conflict
from rules.editor.places import FIXED, Data, Difference, Written, changed_fields, is_apart
from rules.editor.text import Changed, difference_line, row_label, table_label, value_text

# Changes of a whole row that a question lists.
MOST_CHANGES = 12


@dataclass(frozen=True)
class Question:
    """A conflict in words.

    ``row``: the name of its row; ``field``: the label of its field; ``before``: the value that both
    changed; ``mine`` and ``theirs``: the labels of the two answers; ``changes``: changes to list,
    of which ``side`` says whose they are; ``more``: the number of others.
    """

    name: str
    row: str
    field: str
    before: str
    mine: str
    theirs: str
    side: str
    changes: tuple[Changed, ...]
    more: int


def group_questions(
    written: Written, conflicts: Iterable[Conflict]
) -> list[tuple[str, list[Question]]]:
    """Return the questions by the names of their tables. ``written``: a state that has both the
    author's rows and the new ones, for their names."""
    groups: dict[str, list[Question]] = {}
    for one in conflicts:
        groups.setdefault(table_label(written, one.table), []).append(_ask(written, one))
    return [*groups.items()]


def _ask(written: Written, one: Conflict) -> Question:
    if one.field:
        return _ask_about_field(written, one)
    name = row_label(one.table, one.mine or one.theirs, one.row)
    if one.mine is None:
        mine, theirs = _("Leave it deleted"), _("Take it as the catalogue has it now")
        side, found = _("Changed in the catalogue:"), _changes(written, one, one.old, one.theirs)
    elif one.theirs is None:
        mine, theirs = _("Keep mine"), _("Delete it, as the catalogue does")
        side, found = _("Changed by you:"), _changes(written, one, one.old, one.mine)
    else:
        mine, theirs = _("Keep mine"), _("Take the catalogue’s")
        side, found = _("Yours → the catalogue’s:"), _changes(written, one, one.mine, one.theirs)
    return _question(one, name, "", "", mine, theirs, side, found)


def _ask_about_field(written: Written, one: Conflict) -> Question:
    data = written.data if not one.table else written.row(one.table, one.row) or {}
    difference = Difference("changed", one.table, one.row, one.field, one.mine, one.theirs, data)
    line = difference_line(written, difference)
    if len(line.changes) != 1:
        side = _("Yours → the catalogue’s:")
        mine, theirs = _("Keep mine"), _("Take the catalogue’s")
        return _question(one, line.name, "", "", mine, theirs, side, line.changes)
    change = line.changes[0]
    before = value_text(written, one.table, one.field, one.old)
    mine = _("Keep mine: %(value)s") % {"value": change.old}
    theirs = _("Take the catalogue’s: %(value)s") % {"value": change.new}
    return _question(one, line.name, change.what, before, mine, theirs, "", ())


def _question(
    one: Conflict,
    row: str,
    field: str,
    before: str,
    mine: str,
    theirs: str,
    side: str,
    changes: Iterable[Changed],
) -> Question:
    listed = tuple(changes)
    shown, more = listed[:MOST_CHANGES], max(0, len(listed) - MOST_CHANGES)
    return Question(one.name, row, field, before, mine, theirs, side, shown, more)


def _changes(written: Written, one: Conflict, before: Data, after: Data) -> Iterator[Changed]:
    """Yield the changes between two states of a row."""
    for path, was, now in changed_fields(before, after):
        if path[0] not in FIXED and not is_apart(one.table, path[0]):
            difference = Difference("changed", one.table, one.row, path, was, now, after)
            yield from difference_line(written, difference).changes
