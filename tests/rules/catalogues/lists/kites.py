"""Kites: a game made in New Recruit's editor, with words that only New Recruit has.

Limits that say exactly, prices that are multiplied and divided, names with a word before them,
mounts, and attributes for the order and shape of its pages.
"""

from __future__ import annotations

from tests.rules.catalogues.lists.building import (
    Game,
    catalogue,
    category,
    cost_type,
    entry,
    group,
    limit,
    modify,
    node,
    profile,
    profile_type,
    system,
    when,
)

FLIER = profile_type("pt-flier", "Flier", hands="Hands", wind="Wind", grip="Grip")

SYSTEM = system(
    "kit",
    "Kite Fliers",
    cost_type("ells", "Ells of string", 100),
    FLIER,
    node("categoryEntry", id="c-flier", name="Flier", hidden=False),
    node("categoryEntry", id="c-young", name="Apprentices", hidden=False),
    node(
        "forceEntry",
        category("meadow", "c-flier", limit("exactly", "flier-exact", 1)),
        category("meadow", "c-young", limit("max", "young-max", 3)),
        id="meadow", name="Meadow", hidden=False,
    ),
)  # fmt: skip

MEADOW = catalogue(
    "kit-hill", "Hill Meadow", "kit",
    entry(
        "flier", "Flier", "model", {"ells": 20},
        category("flier", "c-flier", primary=True),
        profile(FLIER, "p-flier", "Flier", "4 / 5 / 2"),
        entry(
            "kite", "Box kite", "mount", {"ells": 12},
            limit("exactly", "kite-exact", 1),
            modify("divide", "ells", 2, when("atLeast", "young", 1, "force")),
            entry(
                "tail", "Tail", "upgrade", {"ells": 3},
                limit("max", "tail-max", 4),
                modify("multiply", "ells", 2, when("atLeast", "tail", 3, "parent")),
            ),
        ),
        group(
            "gloves", "Gloves",
            limit("max", "gloves-max", 1),
            entry("wool", "Wool gloves", "upgrade", {"ells": 2}, sortIndex=2),
            entry("hide", "Hide gloves", "upgrade", {"ells": 5}, sortIndex=1),
            collapsible=True, flatten=True,
        ),
    ),
    entry(
        "young", "apprentice", "model", {"ells": 9},
        category("young", "c-young", primary=True),
        modify("prepend", "name", "Young"),
        profile(FLIER, "p-young", "Apprentice", "3 / 3 / 1"),
        entry("whistle", "Whistle", "upgrade", {"ells": 1}, limit("max", "whistle-max", 1)),
        sortIndex=1,
    ),
)  # fmt: skip

GAME = Game(
    key="kites",
    trees=(SYSTEM, MEADOW),
    money="ells",
    worth="ells",
    member="pt-flier",
    life="pt-flier-grip",
    roles={"c-flier": "leader"},
    formats=("json",),
)
