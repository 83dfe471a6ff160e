"""Small systems of an invented game, as values."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

from rules.catalogues.model import (
    Catalogue,
    Category,
    CategoryLink,
    Characteristic,
    Choice,
    Condition,
    ConditionGroup,
    Constraint,
    CostType,
    Force,
    Info,
    Modifier,
    Profile,
    ProfileType,
    Query,
    Repeat,
    Rule,
    System,
)
from rules.catalogues.results import Answers, Imported, Note

POINTS = CostType("pts", "points", Decimal(500))
MODEL = ProfileType("model", "Model", (("mv", "Move"), ("sk", "Skill"), ("w", "Wounds")))
WEAPON = ProfileType("weapon", "Weapon", (("rg", "Range"), ("st", "Strength")))
ABILITY = ProfileType("ability", "Ability", (("tx", "Description"),))
WARBAND = Force("force", "Warband")


def query(
    value: float,
    scope: str = "parent",
    child: str = "",
    field: str = "selections",
    **more: Any,
) -> Query:
    """Return a query of selections."""
    return Query(field, scope, Decimal(str(value)), child, **more)


def at_most(value: float, scope: str = "parent", own_id: str = "", **more: Any) -> Constraint:
    """Return a constraint of a maximum."""
    return Constraint(own_id or f"max-{scope}-{value}", "max", query(value, scope, **more))


def at_least(value: float, scope: str = "parent", own_id: str = "", **more: Any) -> Constraint:
    """Return a constraint of a minimum."""
    return Constraint(own_id or f"min-{scope}-{value}", "min", query(value, scope, **more))


def entry(
    own_id: str,
    cost: float = 0,
    *inside: Choice,
    kind: Literal["unit", "model", "upgrade"] = "upgrade",
    name: str = "",
    limits: Sequence[Constraint] = (),
    of: Sequence[str] = (),
    **more: Any,
) -> Choice:
    """Return an entry. ``of``: its categories, the first of them its primary one."""
    return Choice(
        own_id,
        name or own_id.title(),
        kind,
        costs=(("pts", Decimal(str(cost))),),
        choices=inside,
        constraints=tuple(limits),
        categories=tuple(
            CategoryLink(f"{own_id}-{one}", one, one, is_primary=not number)
            for number, one in enumerate(of)
        ),
        **more,
    )


def model(own_id: str, cost: float = 0, *inside: Choice, **more: Any) -> Choice:
    """Return a model with a profile of its own, unless it has another."""
    more.setdefault("info", Info(profiles=(body(own_id),)))
    return entry(own_id, cost, *inside, kind="model", **more)


def group(own_id: str, *inside: Choice, limits: Sequence[Constraint] = (), **more: Any) -> Choice:
    """Return a group of entries."""
    name = more.pop("name", own_id.title())
    return Choice(own_id, name, "group", choices=inside, constraints=tuple(limits), **more)


def link(own_id: str, target: str, *, to_group: bool = False, **more: Any) -> Choice:
    """Return a link to a shared entry or group."""
    kind: Literal["group link", "entry link"] = "group link" if to_group else "entry link"
    return Choice(own_id, "", kind, target=target, **more)


def body(own_id: str, move: str = '5"', skill: str = "3+", wounds: str = "2") -> Profile:
    """Return a member's profile."""
    cells = (("mv", "Move", move), ("sk", "Skill", skill), ("w", "Wounds", wounds))
    return Profile(
        f"body-{own_id}", own_id.title(), "model", "Model", tuple(Characteristic(*c) for c in cells)
    )


def blade(own_id: str, reach: str = "1", strength: str = "+1") -> Info:
    """Return a weapon's profile."""
    cells = (Characteristic("rg", "Range", reach), Characteristic("st", "Strength", strength))
    return Info(profiles=(Profile(f"p-{own_id}", own_id.title(), "weapon", "Weapon", cells),))


def rule(own_id: str, text: str = "It is so.") -> Rule:
    """Return a rule."""
    return Rule(own_id, own_id.title(), text)


def change(
    kind: str,
    field: str,
    value: object,
    *conditions: Condition,
    groups: Sequence[ConditionGroup] = (),
    repeats: Sequence[Repeat] = (),
    **more: Any,
) -> Modifier:
    """Return a modifier with conditions that must all be true."""
    when = ConditionGroup("and", conditions, tuple(groups))
    return Modifier(kind, field, str(value), when, tuple(repeats), **more)


def is_a(child: str, scope: str = "ancestor") -> Condition:
    """Return the condition that something is an instance of an entry, category or catalogue."""
    return Condition("instanceOf", query(1, scope, child))


def has(child: str, scope: str = "self", kind: str = "atLeast", value: float = 1) -> Condition:
    """Return the condition that something is selected."""
    return Condition(kind, query(value, scope, child))


def catalogue(own_id: str, *roots: Choice, **more: Any) -> Catalogue:
    """Return a catalogue."""
    return Catalogue(own_id, own_id.title(), system_id="sys", roots=roots, **more)


def system(*catalogues: Catalogue, **more: Any) -> System:
    """Return a game system with these catalogues."""
    more.setdefault("cost_types", (POINTS,))
    more.setdefault("profile_types", (MODEL, WEAPON, ABILITY))
    more.setdefault("forces", (WARBAND,))
    more.setdefault("categories", (Category("heroes", "Heroes"), Category("troops", "Troops")))
    return System(Catalogue("sys", "Tin War", revision=3, **more), catalogues)


def answers(**more: Any) -> Answers:
    """Return the answers for these systems."""
    usual: dict[str, Any] = {"money": "pts", "worth": "pts", "member": "model"}
    return Answers(**usual | more)


def row(imported: Imported, table: str, key: str) -> dict[str, Any]:
    """Return a row of the rulebook."""
    found: dict[str, Any] = next(one for one in imported.data[table] if one["key"] == key)
    return found


def codes(imported: Imported) -> list[str]:
    """Return the codes of all notes, sorted."""
    return sorted(one.code for one in imported.notes)


def find_note(imported: Imported, code: str) -> Note:
    """Return the first note with a code."""
    return next(one for one in imported.notes if one.code == code)
