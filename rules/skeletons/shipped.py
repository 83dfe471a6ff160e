"""The campaigns that the site brings along, as data: folders of TOML files like a rulebook's.

A skeleton is a small rulebook whose characteristics, ranks and traits stand for those of another
game (``rules.skeletons.grafting``).
"""

from __future__ import annotations

import copy
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# In the order in which authors are offered them.
KEYS = ("thresholds", "levels", "league")


@dataclass(frozen=True)
class Skeleton:
    """A campaign to start with: its key, its name and summary by language, and all its data."""

    key: str
    name: dict[str, str]
    summary: dict[str, str]
    data: dict[str, Any]


@cache
def find_skeletons() -> dict[str, Skeleton]:
    """Return the campaigns by key, in order. They are shared: do not change them."""
    return {key: _read(key) for key in KEYS}


def _read(key: str) -> Skeleton:
    data: dict[str, Any] = {}
    for file in sorted((HERE / key).glob("*.toml")):
        data |= tomllib.loads(file.read_text("utf-8"))
    return Skeleton(key, data["name"], data["summary"], data)


def start_campaign(*, has_money: bool = True) -> dict[str, Any]:
    """Return the part of a rulebook's data that a game without a campaign has: ``campaign``.
    ``has_money``: whether the game has money to pay."""
    data = copy.deepcopy(_start())
    if not has_money:
        campaign = data["campaign"]
        campaign["standings"].remove("money")
        campaign["steps"] = [row for row in campaign["steps"] if row["kind"] != "income"]
        for row in campaign["results"]:
            for amount in ("winner", "loser", "each"):
                row.pop(amount, None)
    return data


@cache
def _start() -> dict[str, Any]:
    return tomllib.loads((HERE / "start.toml").read_text("utf-8"))
