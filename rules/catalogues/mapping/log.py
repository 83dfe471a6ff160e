"""Notes for the author, and how well every element came over."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from rules.catalogues.results import Note, Outcome

MOST_NOTES = 1_500
# An element that is read in several places counts once, with the last of these that happened.
ORDER: dict[Outcome, int] = {"left": 0, "exact": 1, "noted": 2}


@dataclass(slots=True)
class Log:
    """Collects notes, each once for an element, and outcomes."""

    rows: dict[tuple[str, str], Note] = field(default_factory=dict)
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    left_out: int = 0

    def note(
        self,
        code: str,
        about: str,
        place: tuple[str, ...],
        row: tuple[str, str] = ("", ""),
        **values: object,
    ) -> None:
        """Add a note about an element, given by its id, unless there is one with this code.

        ``row``: the table and key of the row that it is about, if an element may have several.
        """
        about = f"{about} {row[1]}" if row[1] else about
        if (code, about) in self.rows:
            return
        if len(self.rows) >= MOST_NOTES:
            self.left_out += 1
            return
        words = {key: _write(value)[:120] for key, value in values.items()}
        names = tuple(name[:120] for name in place)
        self.rows[code, about] = Note(code, names, *row, values=words)

    def note_cut(self, table: str, count: int) -> None:
        """Add a note on rows of a table that were left out, together with those before, if any."""
        if count <= 0:
            return
        known = self.rows.pop(("rows_cut", table), None)
        before = int(known.values["count"]) if known is not None else 0
        self.note("rows_cut", table, (), count=before + count, table=table)

    def mark(self, kind: str, about: str, outcome: Outcome) -> None:
        """Count an element's outcome, unless it had one that counts more."""
        known = self.outcomes.setdefault(kind, {})
        if about not in known or ORDER[outcome] > ORDER[known[about]]:
            known[about] = outcome

    def settle(self, kind: str, about: str) -> None:
        """Count an element as exact, although it had another outcome so far."""
        self.outcomes.setdefault(kind, {})[about] = "exact"

    def counts(self) -> dict[str, dict[Outcome, int]]:
        """Return the number of elements by kind and outcome."""
        found: dict[str, dict[Outcome, int]] = {}
        for kind, rows in sorted(self.outcomes.items()):
            found[kind] = dict(Counter(rows.values()))
        return found

    def notes(self, rows: dict[str, tuple[str, str]]) -> tuple[Note, ...]:
        """Return all notes. ``rows``: the table and key of an element's row, by its id."""
        found: list[Note] = []
        for (_code, about), note in self.rows.items():
            table, key = rows.get(about, ("", ""))
            found.append(_with_row(note, table, key))
        return tuple(found)


def _with_row(note: Note, table: str, key: str) -> Note:
    values: dict[str, Any] = dict(note.values)
    return Note(note.code, note.place, note.table or table, note.key or key, values)


def _write(value: object) -> str:
    """Return a value of a note as text; numbers without zeros behind the point."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
