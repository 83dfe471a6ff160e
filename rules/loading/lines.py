"""Finds the line of each value in a TOML file.

``tomllib`` gives a line only for a file that it cannot read. Libraries that keep the text for
writing it again (tomlkit, bindings of toml-rs) give no lines either (2026). So this scans the
tokens of a text that ``tomllib`` has already read: headers, keys and brackets.
"""

from __future__ import annotations

import re
import tomllib

Place = tuple[int | str, ...]
# Texts of several lines come first: they begin like texts of one line.
TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'''
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|\n|[\[\]{}=,.]|[^\s\[\]{}=,.\#"']+""",
    re.S,
)


def lines_of(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every key and list item in a valid TOML file."""
    scan = _Scan(text)
    scan.read_file()
    return scan.found


class _Scan:
    """Goes through the tokens once. ``rows``: how many rows each list of tables has so far."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.lines: list[int] = []
        line = 1
        for match in TOKEN.finditer(text):
            if not match[0].startswith("#"):
                self.tokens.append(match[0])
                self.lines.append(line)
            line += match[0].count("\n")
        self.tokens.append("")
        self.here = 0
        self.rows: dict[Place, int] = {}
        self.found: dict[Place, int] = {}

    @property
    def token(self) -> str:
        return self.tokens[self.here]

    def note(self, place: Place) -> None:
        """Record the current line for ``place``, unless an earlier line is recorded."""
        self.found.setdefault(place, self.lines[self.here])

    def read_file(self) -> None:
        table: Place = ()
        while self.token:
            if self.token == "\n":
                self.here += 1
            elif self.token == "[":
                table = self.read_header()
            else:
                self.read_pair(table)

    def read_header(self) -> Place:
        """``[table]`` or ``[[row]]``; returns the place of the pairs below it."""
        brackets = 1 + (self.tokens[self.here + 1] == "[")
        self.here += brackets
        *outer, last = self.read_keys()
        place: Place = ()
        for key in outer:
            self.note((*place, key))
            place = self.latest_row((*place, key))
        place = (*place, last)
        if brackets > 1:
            self.note(place)
            self.rows[place] = self.rows.get(place, 0) + 1
        place = self.latest_row(place)
        self.note(place)
        self.here += brackets
        return place

    def latest_row(self, place: Place) -> Place:
        """The latest row of a list of tables; ``place`` itself if it is not such a list."""
        return (*place, self.rows[place] - 1) if place in self.rows else place

    def read_keys(self) -> list[str]:
        """A key, or several with dots between them, up to the sign that ends them."""
        found: list[str] = []
        while self.token not in ("=", "]"):
            if self.token != ".":
                quoted = self.token[0] in "\"'"
                found.append(tomllib.loads(f"k={self.token}")["k"] if quoted else self.token)
            self.here += 1
        return found

    def read_pair(self, table: Place) -> None:
        """``key = value``."""
        place = table
        for key in self.read_keys():
            place = (*place, key)
            self.note(place)
        self.here += 1
        self.read_value(place)

    def read_value(self, place: Place) -> None:
        """Read a value, and the values inside it."""
        if self.token in ("[", "{"):
            self.read_inside(place, closing="]" if self.token == "[" else "}")
        else:
            # A number may have dots in it, and a date a blank.
            while self.token not in ("\n", ",", "]", "}", ""):
                self.here += 1

    def read_inside(self, place: Place, closing: str) -> None:
        """A list, or a table on one line."""
        index = 0
        self.here += 1
        while self.token != closing:
            if self.token in ("\n", ","):
                self.here += 1
            elif closing == "}":
                self.read_pair(place)
            else:
                self.note((*place, index))
                self.read_value((*place, index))
                index += 1
        self.here += 1
