"""Compares three states of a game: the import that it comes from, a newer one, the author's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.results import Note
from rules.editor.documents import data_of
from rules.editor.merging import Merged, Takes, keep_mine, merge
from rules.importing.matching import with_known_keys
from rules.models import BookDraft, CatalogueImport


@dataclass(frozen=True)
class Compared:
    """A game merged with a newer import.

    ``examined``: the newer import with the keys of the game; ``done``: its notes that are done,
    since the author ticked off equal ones.
    """

    merged: Merged
    examined: Examined
    done: frozenset[int]


def compare(
    row: CatalogueImport, game: BookDraft, takes_theirs: Takes = keep_mine
) -> Compared | None:
    """Merge a newer import that is ready into a game; None if the game comes from no import.

    ``takes_theirs``: whether a conflict is decided for the import. One query.
    """
    origin = CatalogueImport.objects.known(game).first()
    if origin is None:
        return None
    mine = data_of(game)
    old = EXAMINED.validate_json(origin.examined).imported
    examined = EXAMINED.validate_json(row.examined)
    imported = with_known_keys(old, examined.imported, mine)
    return Compared(
        merge(old.data, imported.data, mine, takes_theirs),
        replace(examined, imported=imported),
        find_done(old.notes, origin.done_notes, imported.notes),
    )


def find_done(notes: Sequence[Note], done: frozenset[int], newer: Sequence[Note]) -> frozenset[int]:
    """Return the numbers of the ``newer`` notes that are equal to ones that are done."""
    known = {_key(note) for number, note in enumerate(notes) if number in done}
    return frozenset(number for number, note in enumerate(newer) if _key(note) in known)


def _key(note: Note) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    return note.code, note.place, tuple(sorted(note.values.items()))
