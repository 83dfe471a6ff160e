"""A small game for rolls that are built from parts: profiles, guns in words, and typed guns."""

from __future__ import annotations

import copy
from typing import Any

from rules.editor.data import take_apart_data
from rules.rolling.parts import Tables
from tests.rules.small import SMALL, Data, measured, row, text, told


def number(key: str, start: int, **fields: Any) -> Data:
    """Return a characteristic that is a number."""
    return measured("number", key, start=start, **fields)


def column(key: str, kind: str = "number", **fields: Any) -> Data:
    """Return a column of weapons."""
    blank = {} if kind == "text" else {"blank": 0}
    return {"key": key, "name": text(key.capitalize()), "kind": kind, **blank, **fields}


COLUMNS = ("range", "attacks", "skill", "strength", "pierce", "damage")
RIFLE = {"range": '24"', "attacks": "2", "skill": "4+", "strength": "Str+1", "pierce": "-1"}
GUNS: dict[str, dict[str, str]] = {
    "rifle": {**RIFLE, "damage": "D3"},
    "pistol": {**RIFLE, "range": '8"', "attacks": "D3", "strength": "Str", "damage": "1"},
    "laser": {**RIFLE, "strength": "5", "pierce": "-", "damage": "2D3+1"},
}
KINDS = {"range": "length"}
NAMES = {"strength": {"Str": "by.strength"}}
WOUNDS = [
    [2 if a >= 2 * b else 3 if a > b else 4 if a == b else 6 if 2 * a <= b else 5 for b in COLS]
    for COLS in [range(1, 9)]
    for a in range(1, 9)
]


def make_guns(**more: Any) -> Data:
    """Return the data of the game; its columns are typed, or in words if ``typed`` is False."""
    typed = more.pop("typed", True)
    columns = [
        column(key, KINDS.get(key, "number"), names=NAMES.get(key, {}))
        if typed
        else column(key, "text")
        for key in COLUMNS
    ]
    data = copy.deepcopy(SMALL)
    data |= {
        "life": "wounds",
        "characteristics": [
            *data["characteristics"],
            number("skill", 3),
            number("fight", 4),
            number("strength", 4),
            number("toughness", 3),
            number("armour", 5),
            number("wounds", 2),
        ],
        "groups": [*data["groups"], row("guns", columns=columns)],
        "items": [
            *data["items"],
            *(row(key, group="guns", price=3, columns=cells) for key, cells in GUNS.items()),
        ],
        "grids": [row("to_wound", cells=WOUNDS)],
        "states": [told("pinned"), told("stunned")],
    }
    data["campaign"]["marks"] = [told("out")]
    return {**data, **more}


def tables_of(data: Data) -> Tables:
    """Return the tables of a game as the editor has them."""
    return take_apart_data(copy.deepcopy(data)).tables
