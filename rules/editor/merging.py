"""Merges two changes of one rulebook: another author's, such as a newer import, and one's own.

Both are compared with the state that they started from. A change that only one of them made is
taken; where both changed the same field differently, or one changed a row that the other removed,
there is a conflict.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from common.wording.texts import in_languages
from rules.editor.data import Basics, languages_of, take_apart_data
from rules.editor.edits import add_row
from rules.editor.places import (
    GAME_LISTS,
    SILENT,
    SINGLES,
    SOURCES,
    Data,
    Difference,
    Written,
    changed_fields,
    dice_table,
    differences,
    is_apart,
    is_dice_rows,
    leave_out_inner_defaults,
    model_of,
    models_of,
    rows_of,
)

# The tables that only games have, in the order of ``differences``.
OWN_TABLES = (*GAME_LISTS, SOURCES)
# The table of a game's name and words, which is none.
WORDS = ""
# The author answered these when the game was made: no other state changes them.
AUTHORS = {"name", "edition", "author"}


@dataclass(frozen=True)
class Conflict:
    """A place that both states changed; ``field``: empty for a whole row.

    ``old``, ``mine`` and ``theirs``: the values, or the whole rows; None if there is none.
    """

    table: str
    row: str
    field: tuple[str, ...]
    old: Any
    mine: Any
    theirs: Any

    @property
    def name(self) -> str:
        """The name of the place, which is the same when both states are compared again."""
        return name_place(self.table, self.row, self.field)


@dataclass(frozen=True)
class Merged:
    """The result of merging. ``written``: the game; ``taken``: the other state's changes that are
    in it without a question; ``own``: the author's changes; ``conflicts``: the questions."""

    written: Written
    taken: list[Difference] = field(default_factory=list)
    own: list[Difference] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


type Path = tuple[str, ...]
type Takes = Callable[[Conflict], bool]


def name_place(table: str, row: str, path: Path) -> str:
    """Return the name of a field, or of a whole row."""
    return "/".join((table, row, *path))


def keep_mine(_conflict: Conflict) -> bool:
    """Decide each conflict for the author's state."""
    return False


def merge(old: Data, new: Data, mine: Data, takes_theirs: Takes = keep_mine) -> Merged:
    """Merge the changes from ``old`` to ``new`` into ``mine``. ``takes_theirs``: whether a conflict
    is decided for ``new``. The arguments stay as they are."""
    return Merge(read_like(mine, old), read_like(mine, new), read_like(mine, mine)).run(
        takes_theirs
    )


def read_like(mine: Data, data: Data) -> Written:
    """Take a copy of ``data`` apart, with its texts in the languages of ``mine``, and without the
    inner defaults that some forms fill in."""
    wanted, before = languages_of(mine), languages_of(data)
    if wanted != before:
        data = in_languages(data, wanted, before)
    written = take_apart_data(json.loads(json.dumps(data)))
    for table, rows in written.tables.items():
        for name, row in rows.items():
            rows[name] = _leave_out(table, row)
    for table, value in written.singles.items():
        # A single value may contain others, and tables: it stays the same object.
        value.update(_leave_out(table, value))
    return written


def _leave_out(table: str, row: Any) -> Any:
    model = model_of(table, row) if isinstance(row, dict) else None
    return leave_out_inner_defaults(model, row) if model else row


def find_differences(old: Written, new: Written) -> list[Difference]:
    """List the differences between two states of a game, with its words and its own tables."""
    return [*_differences_of_words(old, new), *differences(old, new, OWN_TABLES)]


def _differences_of_words(old: Written, new: Written) -> Iterator[Difference]:
    for name in Basics.model_fields:
        was, now = old.data.get(name), new.data.get(name)
        if name not in AUTHORS and was != now:
            yield Difference("changed", WORDS, "", (name,), was, now, new.data)


class Merge:
    """One run of ``merge``. ``mine`` becomes the result."""

    def __init__(self, old: Written, new: Written, mine: Written) -> None:
        self.old, self.new, self.mine = old, new, mine
        self.orders = {table: [*rows] for table, rows in mine.tables.items()}
        self.conflicts: dict[str, Conflict] = {}
        self.taken: list[Difference] = []

    def run(self, takes_theirs: Takes) -> Merged:
        """Return the result."""
        own = find_differences(self.old, self.mine)
        owned = _by_row(own)
        changed_dice = {("tables", dice_table(one)) for one, _row in owned if is_dice_rows(one)}
        silent = [*self._silent_changes()]
        for (table, row), theirs in _by_row(find_differences(self.old, self.new)).items():
            ours = owned.get((table, row), [])
            if is_dice_rows(table) and table not in self.mine.tables:
                self._ask("tables", dice_table(table))
            elif _is_whole(table, [*ours, *theirs]) and (ours or (table, row) in changed_dice):
                self._ask(table, row)
            else:
                self._take_fields(theirs, ours)
        for conflict in self.conflicts.values():
            if takes_theirs(conflict):
                self._put(conflict.table, conflict.row, conflict.field)
        for cited, name, value in silent:
            cited[name] = value
        for table in self.mine.tables:
            self._sort(table)
        kept = [one for one in own if not self._is_asked_about(one)]
        return Merged(self.mine, self.taken, kept, [*self.conflicts.values()])

    def _is_asked_about(self, one: Difference) -> bool:
        parts = (one.field[:size] for size in range(len(one.field) + 1))
        return any(name_place(one.table, one.row, part) in self.conflicts for part in parts)

    def _silent_changes(self) -> Iterator[tuple[Data, str, Any]]:
        """Yield the sources that only the new state changed: each row, its field and the value."""
        for table in (*SINGLES, *self.mine.tables):
            for name, row in self.mine.rows(table).items():
                old, new = self.old.row(table, name), self.new.row(table, name)
                if old is None or new is None or not isinstance(row, dict):
                    continue
                for field_name in SILENT & {*old, *new, *row}:
                    was, now = old.get(field_name), new.get(field_name)
                    if was != now and row.get(field_name) == was:
                        yield row, field_name, now

    def _take_fields(self, theirs: list[Difference], ours: list[Difference]) -> None:
        """Take the differences of one row, and ask about fields that both states changed."""
        paths = {one.field for one in ours}
        tops = {path[:1] for path in paths}
        for one in theirs:
            path = _find_shared(one.field, paths, tops)
            if path is None:
                self._put(one.table, one.row, one.field)
                self.taken.append(one)
            else:
                self._ask(one.table, one.row, path)

    def _ask(self, table: str, row: str, path: Path = ()) -> None:
        """Note a conflict, unless both states say the same."""
        old, mine, new = (
            _reach(_row(written, table, row), path) for written in (self.old, self.mine, self.new)
        )
        is_settled = mine == new if path else _are_equal(table, mine, new)
        if not is_settled:
            found = Conflict(table, row, path, old, mine, new)
            self.conflicts[found.name] = found

    def _put(self, table: str, row: str, path: Path) -> None:
        """Give a place the value of the new state, or remove it."""
        theirs = _row(self.new, table, row)
        if path:
            here = _row(self.mine, table, row)
            if here is not None:
                _put_field(here, theirs or {}, path)
        elif table in SINGLES:
            self.mine.put_single(table, theirs)
        else:
            self._put_row(table, row, theirs)

    def _put_row(self, table: str, row: str, theirs: Data | None) -> None:
        rows, inner = self.mine.tables[table], rows_of(row) if table == "tables" else ""
        if theirs is None:
            rows.pop(row, None)
            self.mine.tables.pop(inner, None)
        elif row in rows:
            rows[row] = theirs
        else:
            add_row(self.mine, table, row, theirs)
        if theirs is not None and inner in self.new.tables:
            self.mine.tables[inner] = self.new.tables[inner]

    def _sort(self, table: str) -> None:
        """Put rows in the order of the new state, unless the author moved rows; rows of one state
        come after the row that they follow there."""
        old, new, mine = (
            [*self.old.tables.get(table, ())],
            [*self.new.tables.get(table, ())],
            self.orders.get(table, []),
        )
        rows = self.mine.tables[table]
        common = {*old} & {*new} & {*mine}
        moved = [name for name in mine if name in common] != [
            name for name in old if name in common
        ]
        first, second = (mine, new) if moved else (new, mine)
        order = join_orders(
            [one for one in first if one in rows], [one for one in second if one in rows]
        )
        self.mine.tables[table] = {name: rows[name] for name in order}


def join_orders(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Return all names: those of ``first`` in their order, each other name behind the name that it
    follows in ``second``."""
    known = [*first]
    in_first, behind, last = {*known}, defaultdict[str | None, list[str]](list), None
    for name in second:
        if name in in_first:
            last = name
        else:
            behind[last].append(name)
    return [*behind[None], *(one for name in known for one in (name, *behind[name]))]


def _by_row(found: Iterable[Difference]) -> dict[tuple[str, str], list[Difference]]:
    rows: dict[tuple[str, str], list[Difference]] = {}
    for one in found:
        rows.setdefault((one.table, one.row), []).append(one)
    return rows


def _is_whole(table: str, found: Iterable[Difference]) -> bool:
    """Whether one of the differences adds or removes its row, or changes its kind."""
    kinds = len(models_of(table)) > 1
    return any(one.kind != "changed" or (kinds and one.field == ("kind",)) for one in found)


def _find_shared(path: Path, others: Collection[Path], tops: Collection[Path]) -> Path | None:
    """Return the field that a change shares with ``others``: the whole table of values if one of
    them replaced that; None if they share none. ``tops``: the first parts of the others."""
    if path in others:
        return path
    is_whole = len(path) == 1 and path in tops
    return path[:1] if is_whole or path[:1] in others else None


def _are_equal(table: str, one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return bool(one == other)
    return not any(
        path[0] not in SILENT and (table == "tables" or not is_apart(table, path[0]))
        for path, _old, _new in changed_fields(one, other)
    )


def _row(written: Written, table: str, row: str) -> Data | None:
    return written.data if table == WORDS else written.row(table, row)


def _reach(row: Data | None, path: Path) -> Any:
    here: Any = row
    for part in path:
        here = here.get(part) if isinstance(here, dict) else None
    return here


def _put_field(here: Data, theirs: Data, path: Path) -> None:
    *above, name = path
    for part in above:
        here, theirs = here[part], theirs[part]
    if name in theirs:
        here[name] = theirs[name]
    else:
        here.pop(name, None)
