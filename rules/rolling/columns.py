"""Columns and characteristics in words, read as numbers where all of their rows agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rules.rolling.parts import Data, Tables, list_columns
from rules.rolling.words import Kind, ReadCell, read_words

# The place of a cell: the table, the name of its row, and the keys and positions inside it.
type CellPath = tuple[str, str, tuple[str | int, ...]]


@dataclass(frozen=True)
class ReadColumn:
    """A column or characteristic in words, and what it can become.

    ``group``: the kind of item that has the column; "" for a characteristic. ``kind``: "number" or
    "length"; for a characteristic "target" (written "4+"), too. ``changes``: cells with other text;
    ``samples``: a few cells as written; ``names``: the meaning of each word in the cells.
    ``strays``: the names of rows that do not agree, each with its text: if there are any, the
    column stays as it is.
    """

    group: str
    key: str
    kind: Literal["number", "length", "target"]
    changes: dict[CellPath, str | int]
    samples: tuple[str, ...]
    names: dict[str, str]
    strays: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> str:
        """The name of the column in forms."""
        return f"{self.group}.{self.key}"


MOST_SAMPLES = 6


def find_worded(tables: Tables, *, is_variant: bool = False) -> list[ReadColumn]:
    """Read every column and characteristic in words of which at least one row is a number.

    ``is_variant``: only columns, since a variant cannot take the words of a characteristic away.
    """
    known = _find_names(tables)
    found = [
        _read_column(tables, name, column["key"], known)
        for name, group in tables.get("groups", {}).items()
        for column in list_columns(group)
        if column.get("kind", "text") == "text"
    ]
    characteristics = {} if is_variant else tables.get("characteristics", {})
    found += [
        _read_characteristic(tables, row)
        for name, row in characteristics.items()
        if isinstance(row, dict) and row.get("key") == name and row.get("kind") == "word"
    ]
    return [one for one in found if one is not None]


def read_new_columns(tables: dict[str, dict[str, Data]], rows: Collection[str]) -> int:
    """Turn the columns in words of which every cell belongs to these new items, and is a number,
    into typed ones; return how many. ``tables`` is changed."""
    found = [
        one
        for one in find_worded(tables)
        if one.group
        and not one.strays
        and all(name in rows for (_t, name, _i), _item, _w in _cells(tables, one.group, one.key))
    ]
    apply_columns(tables, found)
    return len(found)


def _find_names(tables: Tables) -> dict[str, str]:
    """Return the expression for each word that means a number of the bearer, in small letters; none
    for a word with several meanings."""
    meanings: dict[str, set[str]] = {}
    for row in tables.get("characteristics", {}).values():
        if isinstance(row, dict) and row.get("kind") == "number":
            words = {str(row.get("key"))}
            for field in ("short", "name"):
                text = row.get(field)
                words |= {str(one) for one in text.values()} if isinstance(text, dict) else set()
            for word in words:
                name = f"by.{str(row.get('key')).replace('-', '_')}"
                meanings.setdefault(word.casefold(), set()).add(name)
    return {word: next(iter(names)) for word, names in meanings.items() if len(names) == 1}


def _cells(tables: Tables, group: str, column: str) -> Iterator[tuple[CellPath, Data, Any]]:
    """Yield every cell of a column, with its place and item: also those of other ways to use an
    item, and those that fitted items replace."""
    for name, item in tables.get("items", {}).items():
        if not isinstance(item, dict):
            continue
        parts: list[tuple[tuple[str | int, ...], object]] = []
        if item.get("group") == group:
            parts.append(((), item))
        for number, mode in enumerate(_list(item.get("modes"))):
            if (mode.get("group") or item.get("group")) == group:
                parts.append((("modes", number), mode))
        if isinstance(item.get("fits"), dict):
            parts.append((("fits",), item["fits"]))
        for inside, part in parts:
            cells = part.get("columns") if isinstance(part, dict) else None
            if isinstance(cells, dict) and column in cells:
                yield ("items", name, (*inside, "columns", column)), item, cells[column]


def _list(value: object) -> list[Data]:
    found = value if isinstance(value, list | tuple) else []
    return [one if isinstance(one, dict) else {} for one in found]


def _read_text(written: object, known: Mapping[str, str]) -> ReadCell | None:
    """Read a cell that says the same in all of its languages."""
    texts = list(written.values()) if isinstance(written, dict) else [written]
    found = {read_words(str(text), known) for text in texts}
    return found.pop() if len(found) == 1 else None


def _read_column(
    tables: Tables, group: str, column: str, known: Mapping[str, str]
) -> ReadColumn | None:
    read = [
        (place, item, written, _read_text(written, known))
        for place, item, written in _cells(tables, group, column)
    ]
    kind = _choose_kind([cell for _place, _item, _written, cell in read])
    if kind is None:
        return None
    changes: dict[CellPath, str | int] = {}
    names: dict[str, str] = {}
    strays = []
    for place, item, written, cell in read:
        if cell is None or not _agrees(cell.kind, kind):
            strays.append((_first(item.get("name")), _first(written)))
            continue
        names |= {word: known[word.casefold()] for word in cell.words}
        if written != cell.text:
            changes[place] = cell.text
    shown: Literal["number", "length"] = "length" if kind == "length" else "number"
    samples = _sample([_first(written) for _place, _item, written, _cell in read])
    return ReadColumn(group, column, shown, changes, samples, names, tuple(strays))


def _choose_kind(cells: Sequence[ReadCell | None]) -> Literal["number", "length", "target"] | None:
    """Return the kind of most cells that are numbers; a length wins over plain numbers."""
    counts = Counter(cell.kind for cell in cells if cell is not None and cell.kind != "empty")
    if not counts:
        return None
    if counts["length"] and counts["length"] >= counts["target"]:
        return "length"
    return "target" if counts["target"] > counts["number"] else "number"


def _agrees(kind: Kind, of_column: str) -> bool:
    if of_column == "length":
        return kind in ("empty", "number", "length")
    return kind in ("empty", "number", "target")


def _first(text: object) -> str:
    return str(next(iter(text.values()), "") if isinstance(text, dict) else text)


def _sample(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:MOST_SAMPLES]


def _read_characteristic(tables: Tables, row: Data) -> ReadColumn | None:
    """Read the words of a characteristic as plain numbers, all written in the same way."""
    words = _list(row.get("words"))
    read = [_read_text(word.get("name"), {}) for word in words]
    kind = _choose_kind(read)
    if kind is None:
        return None
    numbers: dict[str, int] = {}
    strays = []
    for word, cell in zip(words, read, strict=True):
        text = _first(word.get("name"))
        plain = re.fullmatch(r"([+-]?\d{1,3})[+\"]?", cell.text) if cell else None
        if cell is None or cell.kind != kind or plain is None:
            # A dash is not the number 0, which sheets would show and effects would change.
            strays.append((text, text))
        else:
            numbers[str(word.get("key"))] = int(plain[1])
    key = str(row.get("key"))
    changes: dict[CellPath, str | int] = {}
    for table, rows in tables.items():
        for name, other in rows.items():
            for inside, value in _find_uses(other, key, ()):
                if isinstance(value, str) and value in numbers:
                    changes[table, name, inside] = numbers[value]
    if isinstance(row.get("start"), str) and row["start"] in numbers:
        changes["characteristics", key, ("start",)] = numbers[row["start"]]
    samples = _sample([_first(word.get("name")) for word in words])
    return ReadColumn("", key, kind, changes, samples, {}, tuple(strays))


def _find_uses(
    part: object, key: str, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield every value of a characteristic inside a row: in a profile, or set by an effect."""
    if isinstance(part, dict):
        values = part.get("values")
        if isinstance(values, dict) and key in values:
            yield (*path, "values", key), values[key]
        if part.get("characteristic") == key and "value" in part:
            yield (*path, "value"), part["value"]
        for name, inner in part.items():
            yield from _find_uses(inner, key, (*path, name))
    elif isinstance(part, list | tuple):
        for number, inner in enumerate(part):
            yield from _find_uses(inner, key, (*path, number))


def apply_columns(tables: dict[str, dict[str, Data]], chosen: Sequence[ReadColumn]) -> bool:
    """Turn columns and characteristics into typed ones, with their cells; return whether anything
    changes. ``tables`` is changed; those with rows that do not agree stay."""
    chosen = [one for one in chosen if not one.strays]
    for one in chosen:
        for (table, row, inside), text in one.changes.items():
            _put(tables[table][row], inside, text)
        if one.group:
            column = next(
                column
                for column in list_columns(tables["groups"][one.group])
                if column["key"] == one.key
            )
            column |= {"kind": one.kind, "names": one.names, "blank": 0}
        else:
            _retype(tables["characteristics"], one)
    return bool(chosen)


def _retype(characteristics: dict[str, Data], one: ReadColumn) -> None:
    """Turn a characteristic in words into one of numbers."""
    row = {name: value for name, value in characteristics[one.key].items() if name != "words"}
    numbers = [value for value in one.changes.values() if isinstance(value, int)]
    row |= {"kind": "number", "minimum": min(0, *numbers, 0)}
    if one.kind == "target":
        row |= {"unit": "+", "better": "low"}
    elif one.kind == "length":
        row["unit"] = '"'
    elif any(sample.startswith("+") for sample in one.samples):
        row["signed"] = True
    characteristics[one.key] = row


def _put(part: Any, path: tuple[str | int, ...], value: object) -> None:
    *above, last = path
    for name in above:
        part = part[name]
    part[last] = value
