"""Writes a rulebook as TOML files, the way an author would: one file for each subject, a table for
each row, and a comment before the rows of a kind that explains their fields.

``rules.loading.reader`` reads an equal book from them, with the same digest.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.book.model import Book
from rules.book.vocabulary import Frozen

# The tables in each file. Single values and tables that are not named here are in book.toml, and
# any other list of rows is in a file of its own.
FILES = {
    "characteristics.toml": ("characteristics",),
    "ranks.toml": ("ranks", "adjustments", "roundings", "budgets"),
    "origins.toml": ("origins",),
    "professions.toml": ("professions",),
    "traits.toml": ("traits",),
    "items.toml": ("groups", "items", "ticks"),
    "tags.toml": ("tags",),
    "limits.toml": ("limits",),
    "settings.toml": ("settings",),
    "injuries.toml": ("conditions", "tables"),
    "rolls.toml": ("procedures", "rolls", "grids", "hands"),
    "modifiers.toml": ("modifiers",),
    "circumstances.toml": ("circumstances",),
    "actions.toml": ("actions", "spends", "states"),
    "evening.toml": ("activation", "phases", "tracks", "alarms"),
    "campaign.toml": ("campaign",),
    "scenarios.toml": ("scenarios", "deployments"),
    "reference.toml": ("references",),
    "glossary.toml": ("glossary",),
    "archetypes.toml": ("archetypes",),
    "samples.toml": ("samples",),
}
FIRST_FILE = "book.toml"
WIDTH = 100
# A longer table inside a row gets a heading of its own.
LONGEST_INLINE = 90
# Fields that authors write last.
LAST = ("source", "house")
# Fields whose values are texts or plain words: a plain word does not stand for a text there.
MIXED = ("columns", "cells")
BARE = re.compile(r"[A-Za-z0-9_-]+")
# Signs that TOML allows in no text, and those that only an escape can say.
CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def write_files(book: Book) -> dict[str, str]:
    """The TOML files of a rulebook, by name, in the order of their subjects."""
    data = book.model_dump(mode="json", exclude_defaults=True)
    places = {name: file for file, names in FILES.items() for name in names}
    parts: dict[str, list[str]] = {FIRST_FILE: [], **{file: [] for file in FILES}}
    for name, value in data.items():
        is_rows = isinstance(value, list) and name != "languages"
        file = places.get(name, f"{name}.toml" if is_rows else FIRST_FILE)
        parts.setdefault(file, []).append(name)
    found = {}
    for file, names in parts.items():
        if names:
            # Single values come before the first heading, and then the tables as listed above.
            listed = FILES.get(file, ())
            order = [name for name in listed if name in names] or names
            writer = _Writer(book.only_language, book.text_languages)
            order.sort(key=lambda name: writer.has_heading(data[name]))
            writer.lines.append(_comment(f"{book.name.first}: {', '.join(order)}"))
            for name in order:
                writer.table((name,), data[name], getattr(book, name))
            found[file] = "\n".join(writer.lines).rstrip("\n") + "\n"
    return found


@dataclass
class _Writer:
    """Lines of one file. ``language``: the only language of the book's texts, if it has one;
    ``languages``: those that each of them has."""

    language: str | None
    languages: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    explained: set[type] = field(default_factory=set)

    def table(self, path: tuple[str, ...], value: Any, model: Any) -> None:
        """Write a value, a table, or rows. ``model``: the model that the data comes from."""
        if isinstance(value, dict) and not self._is_text(value):
            # The headings of its parts imply a table that has nothing else.
            if not value or not all(
                self._is_apart((*path, key), one) for key, one in value.items()
            ):
                self._heading(f"[{'.'.join(map(_key, path))}]", model)
            self._fields(path, value, model)
        elif self.has_heading(value):
            for row, row_model in zip(value, model, strict=True):
                self._heading(f"[[{'.'.join(map(_key, path))}]]", row_model)
                self._fields(path, row, row_model)
        else:
            self.lines.append(f"{_key(path[-1])} = {self._value(value, path)}")

    def has_heading(self, value: object) -> bool:
        """Whether a value has a heading of its own: rows, and tables."""
        if isinstance(value, list):
            return any(isinstance(one, dict) for one in value)
        return isinstance(value, dict) and not self._is_text(value)

    def _heading(self, heading: str, model: Any) -> None:
        self.lines.append("")
        if isinstance(model, Frozen) and type(model) not in self.explained:
            self.explained.add(type(model))
            self.lines.append(_comment(_explanation(type(model))))
        self.lines.append(heading)

    def _fields(self, path: tuple[str, ...], row: Mapping[str, Any], model: Any) -> None:
        """Write the fields of a row or table: first those on a line, then those with headings."""
        later = []
        for name in sorted(row, key=lambda one: LAST.index(one) if one in LAST else -1):
            value, place = row[name], (*path, name)
            if self._is_apart(place, value):
                later.append(name)
            else:
                self.lines.append(f"{_key(name)} = {self._value(value, place)}")
        for name in later:
            self.table((*path, name), row[name], _part(model, name))

    def _is_apart(self, path: tuple[str, ...], value: Any) -> bool:
        """Whether a value has a heading: long tables, and the lists of rows of the campaign."""
        if isinstance(value, dict) and not self._is_text(value):
            return bool(value) and len(self._value(value, path)) > LONGEST_INLINE
        return path[:-1] == ("campaign",) and self.has_heading(value)

    def _value(self, value: Any, path: tuple[str, ...]) -> str:
        """A value on one line, or a list of tables with a line for each."""
        if isinstance(value, list) and self.has_heading(value):
            lines = [f"    {self._inline(one, path)}," for one in value]
            if len(lines) == 1 and len(lines[0]) < LONGEST_INLINE:
                return f"[{lines[0].strip().rstrip(',')}]"
            return "\n".join(["[", *lines, "]"])
        return self._inline(value, path)

    def _inline(self, value: Any, path: tuple[str, ...]) -> str:
        if isinstance(value, dict):
            if self._is_plain(value, path):
                return _string(value[self.language])
            pairs = (
                f"{_key(key)} = {self._inline(one, (*path, key))}" for key, one in value.items()
            )
            inside = ", ".join(pairs)
            return f"{{ {inside} }}" if inside else "{}"
        if isinstance(value, list):
            return f"[{', '.join(self._inline(one, path) for one in value)}]"
        if isinstance(value, str):
            return _string(value)
        return json.dumps(value)

    def _is_plain(self, value: Mapping[str, Any], path: tuple[str, ...]) -> bool:
        """Whether a text can be a plain one, since the book has only one language."""
        if self.language is None or not self._is_text(value) or any(part in MIXED for part in path):
            return False
        return len({*value.values()}) == 1

    def _is_text(self, value: Mapping[str, Any]) -> bool:
        return value.keys() >= {*self.languages}


def _part(model: Any, name: str) -> Any:
    if isinstance(model, Mapping):
        return model[name]
    return getattr(model, name)


def _explanation(model: type) -> str:
    """The comments of a model: its docstring on rows and fields."""
    words = inspect.cleandoc(model.__doc__ or "").replace("``", "`")
    return "\n".join(" ".join(part.split()) for part in words.split("\n\n"))


def _comment(words: str) -> str:
    lines = [line for part in words.split("\n") for line in textwrap.wrap(part, WIDTH - 2) or [""]]
    return "\n".join(f"# {CONTROLS.sub(' ', line)}".rstrip() for line in lines)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    if '"' in text and "'" not in text and not CONTROLS.search(text):
        return f"'{text}'"
    # JSON escapes the same signs as TOML, except the last control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
