"""The lists worked out by hand (``by_hand.toml``)."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.rules.catalogues.lists.building import Game
from tests.rules.catalogues.lists.evaluator import Pick
from tests.rules.catalogues.lists.games import GAMES

FILE = Path(__file__).with_name("by_hand.toml")


@dataclass(frozen=True)
class Worked:
    """A list, what it costs by hand, and the limits that it breaks.

    ``costs``: cost type's id → the working and the sum.
    """

    name: str
    of: str
    picks: tuple[Pick, ...]
    costs: Mapping[str, tuple[str, int]]
    breaks: frozenset[str]

    def __str__(self) -> str:
        return self.name

    @property
    def game(self) -> Game:
        """The game that has the list's catalogue."""
        return next(
            game for game in GAMES.values() if self.of in {tree.get("id") for tree in game.trees}
        )


@cache
def lists() -> tuple[Worked, ...]:
    """Read all lists."""
    found = []
    for row in tomllib.loads(FILE.read_text("utf-8"))["list"]:
        costs = {}
        for key, words in row["costs"].items():
            working, _equals, total = words.rpartition("=")
            costs[key] = working.strip(), int(total)
        picks = parse(row["picks"])
        found.append(Worked(row["name"], row["of"], picks, costs, frozenset(row["breaks"])))
    return tuple(found)


def parse(words: str) -> tuple[Pick, ...]:
    """Read picks from lines with an id and perhaps a number; those inside are indented."""
    lines = [line for line in words.splitlines() if line.strip()]
    return _parse(lines, 0)


def _parse(lines: list[str], depth: int) -> tuple[Pick, ...]:
    picks = []
    while lines and _depth(lines[0]) == depth:
        id, _times, count = lines.pop(0).strip().partition(" x")
        picks.append(Pick(id, int(count or 1), _parse(lines, depth + 1)))
    return tuple(picks)


def _depth(line: str) -> int:
    return (len(line) - len(line.lstrip())) // 2


def work_out(working: str) -> int:
    """Add up a working: whole numbers with +, - and *."""
    return _add_up(ast.parse(working, mode="eval").body)


def _add_up(part: ast.expr) -> int:
    match part:
        case ast.Constant(value=int(number)):
            return number
        case ast.BinOp(left, ast.Add(), right):
            return _add_up(left) + _add_up(right)
        case ast.BinOp(left, ast.Sub(), right):
            return _add_up(left) - _add_up(right)
        case ast.BinOp(left, ast.Mult(), right):
            return _add_up(left) * _add_up(right)
    raise ValueError(ast.unparse(part))
