"""On which line of a TOML file each of its values stands.

``tomllib`` says it of files that it cannot read only. tomlkit, toml-rs' bindings and others keep
the text for writing it again, but no lines either (2026), or come as a compiled grammar. So this is
a scan of our own of a text that ``tomllib`` has read already: tokens, headers, keys and brackets.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterator
from dataclasses import dataclass

Place = tuple[int | str, ...]
# In this order: texts of several lines begin like those of one.
TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'''
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|\n|[\[\]{}=,.]|[^\s\[\]{}=,.\#"']+""",
    re.S,
)


def lines_of(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every key and list item of a file that is sound TOML."""
    found: dict[Place, int] = {}
    for place, line in _Scan(list(_tokens(text))).file():
        # Of what is told in several places, the first counts.
        found.setdefault(place, line)
    return found


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in TOKEN.finditer(text):
        if not match[0].startswith("#"):
            yield _Token(match[0], line)
        line += match[0].count("\n")


class _Scan:
    """Goes through the tokens once."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = [*tokens, _Token("", tokens[-1].line if tokens else 1)]
        self.here = 0
        # How many rows each list of tables has so far.
        self.rows: dict[Place, int] = {}

    @property
    def token(self) -> str:
        return self.tokens[self.here].text

    @property
    def line(self) -> int:
        return self.tokens[self.here].line

    def file(self) -> Iterator[tuple[Place, int]]:
        table: Place = ()
        while self.token:
            if self.token == "\n":
                self.here += 1
            elif self.token == "[":
                table = yield from self.header()
            else:
                yield from self.pair(table)

    def header(self) -> Generator[tuple[Place, int], None, Place]:
        """``[table]`` or ``[[row]]``; returns the place of what follows."""
        line = self.line
        double = self.tokens[self.here + 1].text == "["
        self.here += 1 + double
        *outer, last = self.keys()
        self.here += 1 + double
        place: Place = ()
        for key in outer:
            place = (*place, key)
            yield place, line
            place = self.inside(place)
        place = (*place, last)
        if not double:
            place = self.inside(place)
        yield place, line
        if double:
            self.rows[place] = self.rows.get(place, 0) + 1
            place = self.inside(place)
            yield place, line
        return place

    def inside(self, place: Place) -> Place:
        """The latest row, if this is a list of tables."""
        return (*place, self.rows[place] - 1) if place in self.rows else place

    def keys(self) -> list[str]:
        """A key, or several with dots between them, up to what ends them."""
        found: list[str] = []
        while self.token not in ("=", "]"):
            if self.token != ".":
                quoted = self.token[0] in "\"'"
                found.append(tomllib.loads(f"k={self.token}")["k"] if quoted else self.token)
            self.here += 1
        return found

    def pair(self, table: Place) -> Iterator[tuple[Place, int]]:
        """``key = value``."""
        line = self.line
        place = table
        for key in self.keys():
            place = (*place, key)
            yield place, line
        self.here += 1
        yield from self.value(place)

    def value(self, place: Place) -> Iterator[tuple[Place, int]]:
        """A value, and those inside it."""
        if self.token in ("[", "{"):
            brackets = self.token
            self.here += 1
            yield from self.items(place) if brackets == "[" else self.inline(place)
            self.here += 1
            return
        # A number may have dots in it, and a date a blank.
        while self.token not in ("\n", ",", "]", "}", ""):
            self.here += 1

    def items(self, place: Place) -> Iterator[tuple[Place, int]]:
        index = 0
        while self.token != "]":
            if self.token in ("\n", ","):
                self.here += 1
                continue
            yield (*place, index), self.line
            yield from self.value((*place, index))
            index += 1

    def inline(self, place: Place) -> Iterator[tuple[Place, int]]:
        while self.token != "}":
            if self.token in ("\n", ","):
                self.here += 1
            else:
                yield from self.pair(place)
