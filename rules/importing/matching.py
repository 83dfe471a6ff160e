"""Matches the rows of two imports of one game, so that a row keeps its key in the game."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from rules.catalogues.results import Imported, Note
from rules.editor.languages import is_text
from rules.editor.places import GAME_LISTS, LISTS, Data, name_rows, reach
from rules.importing.renaming import Keys, rename

# Letters of a key before its number.
LONGEST = 36

type Rows = Mapping[str, Data]
type Tables = Mapping[str, Rows]


def with_known_keys(old: Imported, new: Imported, mine: Data) -> Imported:
    """Return ``new`` with the keys that its rows have in ``old``.

    Rows are matched by the ids of entries, then by name and kind, then by key. A row that is new
    does not get the key of another row, or of one in ``mine``, the author's game.
    """
    keys = find_keys(old, new, mine)
    if not keys:
        return new

    def key_of(table: str, key: str) -> str:
        return keys.get(table, {}).get(key, key)

    def renamed(note: Note) -> Note:
        return replace(note, key=key_of(note.table, note.key))

    return replace(
        new,
        data=rename(new.data, keys),
        notes=tuple(renamed(note) for note in new.notes),
        ids={one: (table, key_of(table, key)) for one, (table, key) in new.ids.items()},
    )


def find_keys(old: Imported, new: Imported, mine: Data) -> Keys:
    """Return the keys that rows of ``new`` should have instead of their own, by table."""
    before, after, present = (_list_rows(one) for one in (old.data, new.data, mine))
    votes: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for one, (table, key) in new.ids.items():
        known, old_key = old.ids.get(one, ("", ""))
        if known == table and key in after.get(table, ()) and old_key in before.get(table, ()):
            votes[table][key, old_key] += 1
    found = {}
    for table, rows in after.items():
        pairs = _match(before.get(table, {}), rows, votes[table])
        used = {*before.get(table, ()), *rows, *present.get(table, ())}
        given, others = {*pairs.values()}, {}
        for key in rows:
            # The key of a new row may be that of an old one, which another row is now.
            taken = key in given and key not in pairs
            other = _make_free(key, used) if taken else pairs.get(key, key)
            if other != key:
                others[key] = other
        if others:
            found[table] = others
    return found


def _list_rows(data: Data) -> Tables:
    """Return the rows of the tables with keys, by name."""
    found = {}
    for table in (*LISTS, *GAME_LISTS):
        rows = reach(data, table)
        if isinstance(rows, list):
            named = name_rows(table, rows)
            found[table] = {
                name: row
                for name, row in named.items()
                if isinstance(row, dict) and name == row.get("key", row.get("code"))
            }
    return found


def _match(old: Rows, new: Rows, votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """Return the old key of each new row that was there before."""
    pairs: dict[str, str] = {}
    free_old, free_new = {**old}, {**new}

    def pair(key: str, other: str) -> None:
        if key in free_new and other in free_old:
            pairs[key] = other
            del free_new[key], free_old[other]

    # One row may have come from several entries: most of them decide.
    for key, other in sorted(votes, key=lambda one: (-votes[one], one[0] != one[1])):
        pair(key, other)
    for key in [*free_new]:
        if key in free_old and _describe(new[key]) == _describe(old[key]):
            pair(key, key)
    for key, other in _find_unique(free_old, free_new, _describe):
        pair(key, other)
    for key in [*free_new]:
        pair(key, key)
    return pairs


def _find_unique(
    old: Rows, new: Rows, describe: Callable[[Data], Hashable]
) -> list[tuple[str, str]]:
    """Return the pairs of rows that alone have their description."""
    ours, theirs = (
        [(describe(row), key) for key, row in rows.items() if describe(row)] for rows in (old, new)
    )
    counts = Counter(one for one, _key in ours), Counter(one for one, _key in theirs)
    known = {one: key for one, key in ours if counts[0][one] == 1}
    return [(key, known[one]) for one, key in theirs if counts[1][one] == 1 and one in known]


def _describe(row: Data) -> Hashable:
    """Return the name and kind of a row; None without a name."""
    name: Any = row.get("name")
    if not is_text(name):
        return None
    words = json.dumps(name, sort_keys=True, ensure_ascii=False).casefold()
    return words, str(row.get("kind")), str(row.get("group"))


def _make_free(key: str, used: set[str]) -> str:
    """Return a key that no row has, and count it as used."""
    number = 2
    while (free := f"{key[:LONGEST]}-{number}") in used:
        number += 1
    used.add(free)
    return free
