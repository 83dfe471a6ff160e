"""Compares three states of a game: the import that it comes from, a newer one, the author's."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.results import Imported, Note
from rules.editor.documents import data_of
from rules.editor.merging import Merged, Takes, find_differences, keep_mine, merge, read_like
from rules.editor.places import Data
from rules.importing.matching import with_known_keys
from rules.models import BookDraft, CatalogueImport

# The newest import of a game, and the one before: the game comes from it after undoing.
MOST_STATES = 2


@dataclass(frozen=True)
class Compared:
    """A game merged with a newer import.

    ``examined``: the newer import with the keys of the game; ``done``: its notes that are done,
    since the author ticked off equal ones; ``base``: the key of the import that the game comes
    from.
    """

    merged: Merged
    examined: Examined
    done: frozenset[int]
    base: uuid.UUID


def compare(
    row: CatalogueImport, game: BookDraft, takes_theirs: Takes = keep_mine
) -> Compared | None:
    """Merge a newer import that is ready into a game; None if the game comes from no import.

    ``takes_theirs``: whether a conflict is decided for the import. One query.
    """
    rows = [*CatalogueImport.objects.known(game)[:MOST_STATES]]
    if not rows:
        return None
    mine = data_of(game)
    states = [EXAMINED.validate_json(one.examined).imported for one in rows]
    number = _find_nearest(states, mine)
    old, examined = states[number], EXAMINED.validate_json(row.examined)
    imported = with_known_keys(old, examined.imported, mine)
    return Compared(
        merge(old.data, imported.data, mine, takes_theirs),
        replace(examined, imported=imported),
        find_done(states[0].notes, rows[0].done_notes, imported.notes),
        rows[number].pk,
    )


def _find_nearest(states: Sequence[Imported], mine: Data) -> int:
    """Return the number of the import that the game comes from: the newest, or the one before if
    that was undone, which is when the game differs less from it."""
    if len(states) == 1:
        return 0
    own = read_like(mine, mine)
    found = [len(find_differences(read_like(mine, one.data), own)) for one in states]
    return found.index(min(found))


def find_done(notes: Sequence[Note], done: frozenset[int], newer: Sequence[Note]) -> frozenset[int]:
    """Return the numbers of the ``newer`` notes that are equal to ones that are done."""
    known = {_key(note) for number, note in enumerate(notes) if number in done}
    return frozenset(number for number, note in enumerate(newer) if _key(note) in known)


def _key(note: Note) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    return note.code, note.place, tuple(sorted(note.values.items()))
