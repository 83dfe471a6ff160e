"""Characteristics from the profiles of members, and columns of items from all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.catalogues.mapping.describing import Shown
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.naming import (
    NOTHING,
    abbreviate,
    give_keys,
    short_name,
    whole_text,
)
from rules.catalogues.model import ProfileType

NUMBER = re.compile(r"\s*([+-]?\d{1,3})\s*([\"″'’+%]|cm|mm|in|″)?\s*\Z")
EMPTY = ("", "-", "–", "—", "*", "n/a", "N/A")
MOST_NUMBER = 999
MOST_WORDS = 100
# Longer cells are rules rather than values.
LONGEST_CELL = 40


@dataclass(slots=True)
class Scores:
    """The characteristics of members: their rows, and the values of profiles in them."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    words: dict[str, dict[str, str]] = field(default_factory=dict)

    def values(self, profile: Shown) -> dict[str, int | str]:
        """Return the values of a profile by the keys of characteristics; empty cells are left
        out."""
        found: dict[str, int | str] = {}
        for type_id, written in profile.cells:
            key, text = self.keys.get(type_id), written.strip()
            if key is None or text in EMPTY or key in found:
                continue
            if key in self.numbers:
                number = NUMBER.match(text)
                if number:
                    found[key] = int(number[1])
            elif word := self.words[key].get(short_name(text)):
                found[key] = word
        return found


def make_scores(
    kind: ProfileType | None, profiles: Iterable[Shown], text: Any, phrase: str, log: Log
) -> Scores:
    """Return the characteristics of a type of profiles.

    A characteristic is a number if it is one in every profile, with the same unit; otherwise it is
    one of the words that the profiles have; if there are too many, the others leave a note.
    ``text``: makes a text of words.
    """
    scores = Scores()
    if kind is None:
        return scores
    written: dict[str, list[str]] = {}
    for profile in profiles:
        for type_id, cell in profile.cells:
            if cell.strip() not in EMPTY:
                written.setdefault(type_id, []).append(cell.strip())
    rows = list(dict(kind.characteristics).items())
    keys = give_keys(((one, name) for one, name in rows), "characteristic")
    for type_id, name in rows:
        cells = written.get(type_id, [])
        key = keys[type_id]
        row: dict[str, Any] = {
            "key": key,
            "name": text(short_name(name)),
            "short": text(abbreviate(name)),
            "text": text(phrase),
            "source": "catalogues",
        }
        found = [NUMBER.match(cell) for cell in cells]
        units = {(one[2] or "") if one else None for one in found}
        if len(units) == 1 and None not in units:
            numbers = [int(one[1]) for one in found if one]
            unit = (found[0][2] or "") if found and found[0] else ""
            row |= {"kind": "number"}
            if min(numbers) < 0:
                row["minimum"] = -MOST_NUMBER
            if max(numbers) > 99:
                row["maximum"] = MOST_NUMBER
            if unit == "+":
                row["better"] = "low"
            if unit:
                row["unit"] = unit
            elif all(one[1][0] in "+-" for one in found if one):
                row["signed"] = True
            scores.numbers.add(key)
        else:
            words = list(dict.fromkeys(short_name(cell) for cell in cells))
            if not words:
                continue
            if len(words) > MOST_WORDS:
                left = len(words) - MOST_WORDS
                log.note("words_cut", type_id, (kind.name, name), name=name, count=left)
            words = words[:MOST_WORDS]
            of_word = give_keys(((word, word) for word in words), "value")
            row |= {
                "kind": "word",
                "words": [{"key": of_word[word], "name": text(word)} for word in words],
            }
            scores.words[key] = of_word
        scores.keys[type_id] = key
        scores.rows.append(row)
    return scores


def find_column_types(
    types: Mapping[str, ProfileType], member: str, profiles: Iterable[Shown]
) -> set[str]:
    """Return the types of profiles that are rows of a table, such as weapons, not texts: those with
    several characteristics, or with short values."""
    longest: dict[str, int] = {}
    for profile in profiles:
        for _type, cell in profile.cells:
            longest[profile.type_id] = max(longest.get(profile.type_id, 0), len(cell))
    return {
        key
        for key, row in types.items()
        if key != member
        and key in longest
        and row.characteristics
        and (len(row.characteristics) > 1 or longest[key] <= LONGEST_CELL)
    }


@dataclass(slots=True)
class Tables:
    """Kinds of items with their columns, one for each type of profile."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)

    def cells(self, profile: Shown, *, with_texts: bool) -> dict[str, str]:
        """Return the cells of a profile by the keys of columns. Without texts, long cells are left
        out."""
        columns = self.columns[profile.type_id]
        found: dict[str, str] = {}
        for type_id, written in profile.cells:
            cell = whole_text(written, 400)
            if type_id in columns and cell and (with_texts or len(cell) <= LONGEST_CELL):
                found[columns[type_id]] = cell
        return found


def make_tables(types: Mapping[str, ProfileType], wanted: Iterable[str], text: Any) -> Tables:
    """Return the kinds of items of these types of profiles."""
    tables = Tables()
    used = {key: types[key].name for key in wanted}
    tables.keys = give_keys(used.items(), "items", ("options", "models"))
    for key in sorted(used, key=lambda one: tables.keys[one]):
        names = dict(types[key].characteristics[:40])
        columns = give_keys(names.items(), "column", ("power",))
        tables.columns[key] = columns
        tables.names[key] = names
        rows = [
            {"key": columns[one], "name": text(short_name(name)), "short": text(abbreviate(name))}
            for one, name in names.items()
        ]
        tables.rows.append(
            {
                "key": tables.keys[key],
                "name": text(short_name(used[key])),
                "columns": rows,
                "source": "catalogues",
            }
        )
    return tables


def describe_profile(profile: Shown, types: Mapping[str, ProfileType]) -> str:
    """Return a profile as a line of text: "M 4, WS 3"."""
    kind = types.get(profile.type_id)
    names = dict(kind.characteristics) if kind else {}
    cells = [(names.get(one, ""), cell.strip()) for one, cell in profile.cells if cell.strip()]
    if len(cells) == 1:
        return cells[0][1]
    return ", ".join(f"{name} {cell}".strip() for name, cell in cells) or NOTHING
