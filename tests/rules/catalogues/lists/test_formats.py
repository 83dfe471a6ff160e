"""The reader finds the same game in every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from rules.catalogues.model import Catalogue, Choice, Constraint, System
from tests.rules.catalogues.lists.games import GAMES, files_of

reading = pytest.importorskip("rules.catalogues.reading")

BOTH = [key for key, game in GAMES.items() if {"2.03", "json"} <= set(game.formats)]
OLD = [
    (key, form) for key, game in GAMES.items() for form in game.formats if form in ("2.01", "1.15")
]


def read(key: str, form: str) -> System:
    """Return a game as it is read from one format."""
    system: System = reading.read_files(files_of(GAMES[key], form))
    return system


def catalogues(system: System) -> list[Catalogue]:
    """Return the game system and its catalogues, without what says their format."""
    found = sorted((system.system, *system.catalogues), key=lambda one: one.id)
    return [replace(one, format="", file="") for one in found]


def choices(system: System) -> Iterator[Choice]:
    """Yield every entry, group and link, at any depth."""
    for one in catalogues(system):
        for choice in (*one.roots, *one.shared):
            yield from _and_inside(choice)


def _and_inside(choice: Choice) -> Iterator[Choice]:
    yield choice
    for one in choice.choices:
        yield from _and_inside(one)


def describe(choice: Choice) -> dict[str, Any]:
    """Return what every format can say of a choice."""
    limits = {one.id: _describe_limit(one) for one in choice.constraints}
    return {
        "kind": choice.kind,
        "target": choice.target,
        "default": choice.default,
        "page": choice.source.page,
        "flags": (choice.is_hidden, choice.is_collective),
        "costs": {key: cost for key, cost in choice.costs if cost},
        "categories": [one.target for one in choice.categories],
        "limits": sorted(map(str, filter(None, limits.values()))),
        "modifiers": sorted(
            str((one.kind, limits.get(one.field) or one.field, _plain(one.value), len(one.repeats)))
            for one in choice.modifiers
        ),
        "profiles": [
            (one.name, [row.value for row in one.characteristics])
            for one in choice.info.profiles
        ],
        "inside": sorted(one.id for one in choice.choices),
    }  # fmt: skip


def _describe_limit(one: Constraint) -> tuple[object, ...] | None:
    """Return a limit without its id; None if it never limits anything."""
    if one.query.value == (0 if one.kind == "min" else -1):
        return None
    query = one.query
    return one.kind, query.field, query.scope, Decimal(query.value).normalize(), query.in_children


def _plain(value: str) -> object:
    """Return a value as a number, if it is one."""
    try:
        return Decimal(value).normalize()
    except ArithmeticError:
        return value.lower()


@pytest.mark.parametrize("key", BOTH)
def test_xml_and_json_are_the_same_game(key: str) -> None:
    xml, json = (catalogues(read(key, form)) for form in ("2.03", "json"))
    assert xml == json


@pytest.mark.parametrize(("key", "form"), OLD)
def test_older_format_has_the_same_choices(key: str, form: str) -> None:
    new, old = ({one.id: one for one in choices(read(key, f))} for f in ("2.03", form))
    assert old.keys() == new.keys()
    for id, one in new.items():
        wanted, found = describe(one), describe(old[id])
        if one.info.groups or any(row.kind == "infoGroup" for row in one.info.links):
            # Older formats have no groups of profiles: their profiles stand where the group was.
            wanted["profiles"] = found["profiles"]
        assert found == wanted, id
