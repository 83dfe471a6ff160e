"""An import in words: its counts, and the notes for the author."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from common.wording.translating import translate
from rules.catalogues.notes import sentence
from rules.catalogues.results import Note, Outcome

KINDS: dict[str, Promise] = {
    "entries": gettext_lazy("Units, models and options"),
    "costs": gettext_lazy("Prices"),
    "limits": gettext_lazy("Limits"),
    "profiles": gettext_lazy("Profiles"),
    "rules": gettext_lazy("Rules"),
    "modifiers": gettext_lazy("Modifiers"),
}


@dataclass(frozen=True)
class CountLine:
    """How many elements of a kind came over exactly, with a note, or not."""

    name: str
    exact: int
    noted: int
    left: int


def count_lines(counts: Mapping[str, Mapping[Outcome, int]]) -> list[CountLine]:
    """Return a line for each kind of elements, in a fixed order."""
    known = [key for key in KINDS if key in counts]
    return [
        CountLine(
            str(KINDS[key]),
            counts[key].get("exact", 0),
            counts[key].get("noted", 0),
            counts[key].get("left", 0),
        )
        for key in known
    ]


@dataclass(frozen=True)
class NoteLine:
    """A note with its number among those of the import; ``words``: its sentence."""

    number: int
    words: str
    place: str
    table: str
    key: str
    is_done: bool


@dataclass(frozen=True)
class NoteGroup:
    """Notes about the same matter. ``left``: the number of those that are not done."""

    code: str
    title: str
    lines: list[NoteLine]
    left: int


def group_notes(notes: Iterable[Note], done: frozenset[int] = frozenset()) -> list[NoteGroup]:
    """Return the notes by their code, the largest group last."""
    groups: dict[str, list[NoteLine]] = {}
    for number, note in enumerate(notes):
        line = NoteLine(
            number,
            translate(sentence(note)),
            " › ".join(note.place),
            note.table,
            note.key,
            number in done,
        )
        groups.setdefault(note.code, []).append(line)
    found = [
        NoteGroup(code, lines[0].words, lines, sum(not line.is_done for line in lines))
        for code, lines in groups.items()
    ]
    return sorted(found, key=lambda group: len(group.lines))
