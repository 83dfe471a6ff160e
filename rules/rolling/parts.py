"""The parts from which a roll is built without formulas, and the values that they can name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Data = dict[str, Any]
# The rows of a rulebook by table and name, with the defaults that they leave out.
type Tables = Mapping[str, Mapping[str, Data]]

# The needed number is fixed, the attacker's own (or the weapon's), the target's; or it follows from
# the difference of the two, or from a table with a row for one and a column for the other.
How = Literal["none", "fixed", "own", "theirs", "difference", "table"]
# The loss of life that may end in being out of action, out of action right away, or only a state.
Harm = Literal["life", "out", "state"]
SIDES = (4, 6, 8, 10, 12, 20)
MOST_ATTACKS = 20


@dataclass(frozen=True)
class DiceTest:
    """Dice of which each succeeds or fails.

    ``number``: the needed number if it is fixed; with a difference, that between equals. ``own``
    and ``theirs``: names of values ("by.skill", "item.strength", "at.armour"). ``grid``: the key of
    a table. ``is_under``: a die succeeds with the needed number or less, instead of more.
    """

    how: How = "none"
    number: int = 4
    own: str = ""
    theirs: str = ""
    grid: str = ""
    is_under: bool = False


@dataclass(frozen=True)
class Save:
    """The target's dice against the attacker's successes. ``worse``: a column of the weapon that
    makes them worse; ``is_signed``: it is written as a change of the dice ("-1" is worse)."""

    how: Literal["none", "fixed", "theirs"] = "none"
    number: int = 5
    theirs: str = ""
    is_under: bool = False
    worse: str = ""
    is_signed: bool = False


@dataclass(frozen=True)
class Quantity:
    """A fixed number, a value ("item.attacks", which may add dice), or ``number`` dice."""

    how: Literal["fixed", "value", "dice"] = "fixed"
    number: int = 1
    value: str = ""
    sides: int = 6


@dataclass(frozen=True)
class Reach:
    """The distance of an attack: none is asked for, or at most this ``number`` or ``value``."""

    how: Literal["none", "fixed", "value"] = "none"
    number: int = 12
    value: str = ""


@dataclass(frozen=True)
class RollParts:
    """All parts of a roll of a member at an enemy.

    ``groups``: kinds of items that it is thrown with; without any, no weapon is needed.
    ``ones_fail`` and ``best_succeeds``: the lowest face always fails, the highest always hits and
    wounds (the other way round where low is good). ``hurt_state`` begins for a target that is hurt
    and stays, ``hit_state`` for one that is only hit; ``mark``: that of a target that is out.
    """

    groups: tuple[str, ...] = ()
    reach: Reach = Reach()
    attacks: Quantity = Quantity()
    sides: int = 6
    ones_fail: bool = True
    best_succeeds: bool = False
    hit: DiceTest = DiceTest("fixed")
    wound: DiceTest = DiceTest()
    save: Save = Save()
    damage: Quantity = Quantity()
    harm: Harm = "out"
    hurt_state: str = ""
    hit_state: str = ""
    mark: str = ""


def find_values(tables: Tables, subject: Literal["by", "at", "item"]) -> dict[str, Data]:
    """Return the rows of the values that parts can name, by name: the characteristics of a figure
    that are numbers or boxes, or the columns of weapons that are numbers or lengths."""
    if subject == "item":
        columns = (
            column
            for group in tables.get("groups", {}).values()
            for column in list_columns(group)
            if column.get("kind") in ("number", "length")
        )
        return {f"item.{_spell(column['key'])}": column for column in columns}
    return {
        f"{subject}.{_spell(row['key'])}": row
        for row in tables.get("characteristics", {}).values()
        if isinstance(row, dict)
        and isinstance(row.get("key"), str)
        and row.get("kind") in ("number", "track")
    }


def list_columns(group: object) -> list[Data]:
    """Return the columns of a kind of item that have the form of a column."""
    columns = group.get("columns") if isinstance(group, dict) else None
    found = columns if isinstance(columns, list | tuple) else []
    return [one for one in found if isinstance(one, dict) and isinstance(one.get("key"), str)]


def find_lacking(parts: RollParts, tables: Tables) -> dict[str, list[str]]:
    """Return the columns of weapons that the parts name, each with the chosen kinds of items that
    have no such column of numbers."""
    used = {
        parts.reach.value if parts.reach.how == "value" else "",
        parts.attacks.value if parts.attacks.how == "value" else "",
        parts.damage.value if parts.damage.how == "value" and parts.harm == "life" else "",
        parts.save.worse if parts.save.how != "none" else "",
        *(test.own for test in (parts.hit, parts.wound) if test.how not in ("none", "fixed")),
    }
    lacking = {}
    for name in sorted(one for one in used if one.startswith("item.")):
        lacking[name] = [
            key
            for key in parts.groups
            if name not in find_values({"groups": {key: tables["groups"].get(key, {})}}, "item")
        ]
    return {name: keys for name, keys in lacking.items() if keys or not parts.groups}


def _spell(key: str) -> str:
    return key.replace("-", "_")
