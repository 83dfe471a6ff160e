"""Smugglers: crews with boats. One cost is both money and worth, and so is a limit on it.

Models inside a unit with collective options, groups of modifiers, limits by cost, conditions by
percent, categories given by modifiers, groups of profiles.
"""

from __future__ import annotations

from tests.rules.catalogues.lists.building import (
    Game,
    any_of,
    catalogue,
    category,
    cost_type,
    each,
    entry,
    exactly,
    group,
    info,
    limit,
    link,
    modify,
    node,
    profile,
    profile_type,
    rule,
    share,
    system,
    when,
)

SAILOR = profile_type("pt-sailor", "Sailor", speed="Speed", fight="Fight", wounds="Wounds")
WEAPON = profile_type("pt-weapon", "Weapon", range="Range", hurt="Hurt")

SYSTEM = system(
    "slt",
    "Saltmarsh Runners",
    node("publication", id="pub-tides", name="Book of Tides"),
    cost_type("silver", "Silver", 160),
    cost_type("cargo", "Cargo"),
    SAILOR,
    WEAPON,
    *(
        node("categoryEntry", id=id, name=name, hidden=False)
        for id, name in (
            ("c-captain", "Captain"),
            ("c-hand", "Hands"),
            ("c-hired", "Hired"),
            ("c-boat", "Boats"),
            ("c-old", "Old hands"),
        )
    ),
    node(
        "forceEntry",
        category(
            "crew", "c-captain",
            limit("min", "captain-min", 1), limit("max", "captain-max", 1),
        ),
        category(
            "crew", "c-hand",
            limit("min", "hand-min", 2), limit("max", "hand-max", 8),
            modify("decrement", "hand-max", 2, each("boat", 1, "force")),
        ),
        category("crew", "c-hired", limit("max", "hired-max", 1)),
        category("crew", "c-boat", limit("max", "boat-max", 2)),
        id="crew", name="Crew", hidden=False,
    ),
)  # fmt: skip

share(
    SYSTEM,
    node(
        "infoGroup",
        profile(WEAPON, "p-musket", "Musket", "12 / 4"),
        rule("r-slow", "Slow to load", "Fire every second turn.", page="8"),
        id="ig-musket", name="Musket", hidden=False,
    ),
    rule("r-drunk", "Drunk", "Reroll the first failed test.", publicationId="pub-tides", page="9"),
)  # fmt: skip

CREW = catalogue(
    "slt-marsh", "Saltmarsh - The Marsh", "slt",
    entry(
        "captain", "Captain", "model", {"silver": 40, "cargo": 2},
        category("captain", "c-captain", primary=True),
        modify("increment", "silver", 1, each("c-hand", 3, "force", inside=False, up=True)),
        profile(SAILOR, "p-captain", "Captain", "6 / 5 / 3"),
        group(
            "chest", "Sea chest",
            limit("max", "chest-silver", 25, field="silver"),
            limit("max", "chest-max", 3),
            entry("pistol", "Pistol", "upgrade", {"silver": 9}, limit("max", "pistol-max", 2)),
            entry(
                "brandy", "Brandy", "upgrade", {"silver": 4, "cargo": 1},
                limit("max", "brandy-max", 3),
                info("brandy-drunk", "r-drunk", "Drunk", "rule"),
            ),
            entry("chart", "Chart", "upgrade", {"silver": 11}, limit("max", "chart-max", 1)),
        ),
        entry("gunner", "Master gunner", "upgrade", {"silver": 7}, limit("max", "gunner-max", 1)),
        link("captain-log", "log", "Log", to="selectionEntryGroup"),
    ),
    link("m-hand", "hand", "Hand", category("m-hand", "c-hand", primary=True)),
    link(
        "h-hand", "hand", "Hired hand",
        category("h-hand", "c-hired", primary=True),
        limit("max", "h-hand-max", 1, "force", shared=False),
        costs={"silver": 18},
    ),
    entry(
        "boat", "Rowing boat", "unit", {"silver": 15, "cargo": 6},
        category("boat", "c-boat", primary=True),
        modify(
            "increment", "silver", 5,
            when("atLeast", "boat", 40, "force", percent=True, inside=False),
        ),
        entry(
            "rower", "Rower", "model", {"silver": 10},
            limit("min", "rower-min", 2), limit("max", "rower-max", 4),
            modify("decrement", "rower-max", 1, when("atLeast", "sail", 1, "parent")),
            profile(SAILOR, "p-rower", "Rower", "4 / 3 / 1"),
            entry(
                "oar", "Fighting oar", "upgrade", {"silver": 2},
                limit("max", "oar-max", 1), collective=True,
            ),
            entry(
                "gaff", "Gaff", "upgrade", {"silver": 3},
                limit("max", "gaff-max", 2), collective=True,
            ),
        ),
        entry("sail", "Sail", "upgrade", {"silver": 6, "cargo": -1}, limit("max", "sail-max", 1)),
        entry(
            "flag", "False flag", "upgrade", {"silver": 4},
            limit("max", "flag-max", 1), limit("max", "flag-roster", 1, "roster"),
        ),
    ),
    gameSystemRevision=3,
)  # fmt: skip

share(
    CREW,
    entry(
        "hand", "Hand", "model", {"silver": 14, "cargo": 1},
        modify("add", "category", "c-old", when("atLeast", "veteran", 1, "self")),
        modify("append", "name", "(old)", when("atLeast", "veteran", 1, "self")),
        profile(SAILOR, "p-hand", "Hand", "5 / 3 / 1"),
        node("constraint", id="hand-cargo", type="max", value="-1.0", field="cargo",
             scope="force", shared=True, percentValue=False, includeChildSelections=True,
             includeChildForces=False),
        group(
            "weapon", "Weapon",
            limit("min", "weapon-min", 1), limit("max", "weapon-max", 1),
            entry("cudgel", "Cudgel", "upgrade", {}, limit("max", "cudgel-max", 1)),
            entry(
                "cutlass", "Cutlass", "upgrade", {"silver": 5},
                limit("max", "cutlass-max", 1),
                profile(WEAPON, "p-cutlass", "Cutlass", "1 / 3"),
            ),
            entry(
                "musket", "Musket", "upgrade", {"silver": 12},
                limit("max", "musket-max", 1), limit("max", "musket-force", 3, "force"),
                info("musket-info", "ig-musket", "Musket", "infoGroup"),
                node(
                    "modifierGroup",
                    modify("decrement", "silver", 3),
                    modify("increment", "musket-force", 1),
                    when("atLeast", "gunner", 1, "roster"),
                ),
                modify("decrement", "silver", 2, when("instanceOf", "c-old")),
                entry(
                    "powder", "Dry powder", "upgrade", {"silver": 1, "cargo": 1},
                    limit("max", "powder-max", 5),
                ),
                entry(
                    "bayonet", "Bayonet", "upgrade", {"silver": 3},
                    limit("max", "bayonet-max", 1),
                    modify(
                        "set", "silver", 2,
                        any_of(
                            when("instanceOf", "c-old"),
                            when("atLeast", "chart", 1, "roster"),
                        ),
                    ),
                ),
            ),
            defaultSelectionEntryId="cudgel",
        ),
        entry("veteran", "Old hand", "upgrade", {"silver": 6}, limit("max", "veteran-max", 1)),
        entry("boots", "Sea boots", "upgrade", {"silver": 1}, *exactly("boots", 1)),
        link("hand-log", "log", "Log", to="selectionEntryGroup"),
    ),
    group(
        "log", "Log",
        entry("nights", "Nights at sea", "upgrade", {"silver": 1}, limit("max", "nights-max", 12)),
        entry("eye", "Lost eye", "upgrade", {"silver": -2}, limit("max", "eye-max", 1)),
        entry("mate", "Made mate", "upgrade", {"silver": 8}, limit("max", "mate-max", 1)),
    ),
)  # fmt: skip

GAME = Game(
    key="smugglers",
    trees=(SYSTEM, CREW),
    money="silver",
    worth="silver",
    member="pt-sailor",
    life="pt-sailor-wounds",
    roles={
        "c-captain": "leader",
        "nights": "experience",
        "eye": "injury",
        "mate": "promotion",
    },
    formats=("2.03", "2.01", "json"),
)
