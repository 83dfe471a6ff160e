"""Lamplighters: watches of two wards, with a library that both link to.

Two costs that are added up (crowns are paid, renown is what a watch is worth) and a third that
nobody limits; prices by rank, category, catalogue and number; options of options; records of a
campaign kept as options.
"""

from __future__ import annotations

from tests.rules.catalogues.lists.building import (
    Game,
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
    text,
    when,
)

FIGHTER = profile_type(
    "pt-fighter", "Fighter", move="Move", wits="Wits", nerve="Nerve", hurts="Hurts"
)
ARM = profile_type("pt-arm", "Arm", reach="Reach", harm="Harm", notes="Notes")
LIGHT = profile_type("pt-light", "Light", glow="Glow")


SYSTEM = system(
    "ves",
    "Lamplighters of Vesper",
    text("readme", "A game of lamps and those who put them out."),
    node("publication", id="pub-book", name="The Vesper Book", shortName="VB"),
    node("publication", id="pub-paper", name="Night Paper 3"),
    cost_type("crowns", "Crowns", 250),
    cost_type("renown", "Renown"),
    cost_type("standing", "Standing"),
    FIGHTER,
    ARM,
    LIGHT,
    *(
        node("categoryEntry", id=id, name=name, hidden=False)
        for id, name in (
            ("c-keeper", "Keeper"),
            ("c-lighter", "Lighters"),
            ("c-snuffer", "Snuffers"),
            ("c-hireling", "Hirelings"),
            ("c-bright", "Bright"),
        )
    ),
    node(
        "forceEntry",
        category(
            "watch", "c-keeper",
            limit("min", "keeper-min", 1), limit("max", "keeper-max", 1),
        ),
        category("watch", "c-lighter", limit("min", "lighter-min", 2)),
        category("watch", "c-snuffer", limit("max", "snuffer-max", 40, percent=True)),
        category(
            "watch", "c-hireling",
            limit("max", "hireling-max", 2),
            limit("max", "hireling-crowns", 45, "force", field="crowns"),
            modify(
                "increment", "hireling-max", 1,
                when("atLeast", "silver", 1, "force"),
            ),
        ),
        category("watch", "c-bright", limit("max", "bright-max", 5, "force")),
        id="watch", name="Watch", hidden=False,
    ),
)  # fmt: skip

share(
    SYSTEM,
    rule(
        "r-dark", "Afraid of the dark", "Test Nerve where no light reaches.",
        publicationId="pub-book", page="31",
    ),
    entry(
        "pole", "Long pole", "upgrade", {"crowns": 8, "renown": 2},
        limit("max", "pole-max", 1),
        modify("increment", "crowns", 2, when("instanceOf", "c-snuffer")),
        profile(
            ARM, "p-pole", "Long pole", "2 / 3 / Two hands",
            publicationId="pub-book", page="12",
        ),
    ),
    entry(
        "hook", "Boat hook", "upgrade", {"crowns": 6, "renown": 1},
        limit("max", "hook-max", 1),
        modify("set", "crowns", 4, when("instanceOf", "ves-dock", 1, "primary-catalogue")),
        profile(ARM, "p-hook", "Boat hook", "2 / 2 / Pulls", publicationId="pub-book", page="12"),
    ),
    entry(
        "knife", "Knife", "upgrade", {"crowns": 3, "renown": 1},
        profile(ARM, "p-knife", "Knife", "1 / 1 / -", publicationId="pub-book", page="13"),
    ),
    entry(
        "lantern", "Lantern", "upgrade", {"crowns": 12, "renown": 3},
        category("lantern", "c-bright"),
        profile(LIGHT, "p-lantern", "Lantern", "6"),
        group(
            "fuel", "Fuel",
            limit("min", "fuel-min", 1), limit("max", "fuel-max", 3),
            entry("oil", "Oil", "upgrade", {"crowns": 2}, limit("max", "oil-max", 3)),
            entry(
                "whale", "Whale oil", "upgrade", {"crowns": 4, "renown": 1},
                limit("max", "whale-max", 1),
                modify(
                    "set", "hidden", False,
                    when("instanceOf", "ves-dock", 1, "primary-catalogue"),
                ),
                hidden=True,
            ),
            defaultSelectionEntryId="oil",
        ),
        entry("shutter", "Shutter", "upgrade", {"crowns": 3}, limit("max", "shutter-max", 1)),
        entry(
            "lens", "Lens", "upgrade", {"crowns": 7, "renown": 2},
            limit("max", "lens-max", 1),
            entry(
                "prism", "Prism", "upgrade", {"crowns": 5, "renown": 1},
                limit("max", "prism-max", 1),
                modify("increment", "crowns", 1, each("oil", 1, "lantern")),
            ),
        ),
    ),
    group(
        "arms", "Street arms",
        limit("max", "arms-max", 2),
        modify("increment", "arms-max", 1, when("instanceOf", "keeper")),
        link("a-pole", "pole", "Long pole"),
        link("a-hook", "hook", "Boat hook"),
        link("a-knife", "knife", "Knife", limit("max", "a-knife-max", 2, shared=False)),
    ),
)  # fmt: skip

LIBRARY = catalogue(
    "ves-lib", "Vesper - Streets", "ves",
    entry(
        "ratter", "Rat catcher", "model", {"crowns": 18, "renown": 10},
        category("ratter", "c-hireling", primary=True),
        profile(FIGHTER, "p-ratter", "Rat catcher", "5 / 6 / 4 / 1"),
        entry("dog", "Dog", "upgrade", {"crowns": 9, "renown": 4}, limit("max", "dog-max", 2)),
        link("ratter-arms", "arms", "Street arms", to="selectionEntryGroup"),
    ),
    entry(
        "beadle", "Beadle", "model", {"crowns": 30, "renown": 20},
        category("beadle", "c-hireling", primary=True),
        profile(FIGHTER, "p-beadle", "Beadle", "4 / 5 / 6 / 2"),
        import_=False,
    ),
    library=True, gameSystemRevision=3,
)  # fmt: skip

share(
    LIBRARY,
    entry(
        "keeper", "Keeper", "model", {"crowns": 50, "renown": 40, "standing": 3},
        category("keeper", "c-keeper", primary=True),
        limit("max", "keeper-roster", 1, "roster"),
        modify("increment", "renown", 2, each("lantern", 1, "force")),
        profile(
            FIGHTER, "p-keeper", "Keeper", "5 / 7 / 7 / 2",
            modify(
                "increment", "pt-fighter-wits", 1,
                when("atLeast", "sharper", 1, "keeper"),
            ),
            publicationId="pub-book", page="20",
        ),
        info("keeper-dark", "r-dark", "Afraid of the dark", "rule",
             modify("set", "hidden", True, when("atLeast", "lantern", 1, "self"))),
        link("k-knife", "knife", "Knife", *exactly("k-knife", 1), costs={"crowns": 0}),
        link(
            "k-lantern", "lantern", "Lantern", *exactly("k-lantern", 1),
            modify("decrement", "crowns", 4),
        ),
        link("k-arms", "arms", "Street arms", to="selectionEntryGroup"),
        group(
            "badge", "Badge",
            limit("min", "badge-min", 1), limit("max", "badge-max", 1),
            entry("brass", "Brass badge", "upgrade", {"crowns": 0}, limit("max", "brass-max", 1)),
            entry(
                "silver", "Silver badge", "upgrade", {"crowns": 10, "renown": 5, "standing": 2},
                limit("max", "silver-max", 1),
            ),
            defaultSelectionEntryId="brass",
        ),
        link("k-ledger", "ledger", "Campaign record", to="selectionEntryGroup"),
    ),
    entry(
        "lighter", "Lighter", "model", {"crowns": 20, "renown": 12, "standing": 1},
        category("lighter", "c-lighter", primary=True),
        modify("increment", "crowns", 4, when("greaterThan", "lighter", 4, "force")),
        profile(
            FIGHTER, "p-lighter", "Lighter", "5 / 5 / 5 / 1",
            modify(
                "increment", "pt-fighter-wits", 1,
                when("atLeast", "sharper", 1, "lighter"),
            ),
            publicationId="pub-book", page="21",
        ),
        info("lighter-dark", "r-dark", "Afraid of the dark", "rule"),
        link("l-knife", "knife", "Knife", *exactly("l-knife", 1), costs={"crowns": 0}),
        link("l-lantern", "lantern", "Lantern", limit("max", "l-lantern-max", 1)),
        link("l-arms", "arms", "Street arms", to="selectionEntryGroup"),
        entry(
            "eyes", "Night eyes", "upgrade", {"crowns": 8, "renown": 6},
            limit("max", "eyes-max", 1), limit("max", "eyes-force", 2, "force"),
            modify("set", "hidden", False, when("atLeast", "silver", 1, "force")),
            rule("r-eyes", "Night eyes", "Sees 4 farther.", publicationId="pub-paper", page="3"),
            hidden=True,
        ),
        link("l-ledger", "ledger", "Campaign record", to="selectionEntryGroup"),
    ),
    entry(
        "snuffer", "Snuffer", "model", {"crowns": 26, "renown": 15},
        category("snuffer", "c-snuffer", primary=True),
        profile(
            FIGHTER, "p-snuffer", "Snuffer", "6 / 6 / 4 / 1",
            modify(
                "increment", "pt-fighter-wits", 1,
                when("atLeast", "sharper", 1, "snuffer"),
            ),
            publicationId="pub-book", page="22",
        ),
        link("s-pole", "pole", "Long pole", limit("min", "s-pole-min", 1)),
        link("s-hook", "hook", "Boat hook"),
        entry(
            "smoke", "Smoke pot", "upgrade", {"crowns": 5},
            limit("max", "smoke-max", 3),
            modify("increment", "crowns", 1, each("lighter", 2, "force")),
        ),
        link("s-ledger", "ledger", "Campaign record", to="selectionEntryGroup"),
    ),
    group(
        "ledger", "Campaign record",
        entry("xp", "Experience", "upgrade", {"renown": 1}, limit("max", "xp-max", 20)),
        group(
            "rises", "Rises",
            entry("sharper", "Sharper wits", "upgrade", {"renown": 5}, limit("max", "sharp", 1)),
            entry("braver", "Braver", "upgrade", {"renown": 4}, limit("max", "brave", 1)),
        ),
        group(
            "injuries", "Injuries",
            entry("burnt", "Burnt hand", "upgrade", {"renown": -3}, limit("max", "burnt-1", 1)),
        ),
    ),
)  # fmt: skip

NORTH = catalogue(
    "ves-north", "Vesper - North Ward", "ves",
    link("n-keeper", "keeper", "Keeper"),
    link("n-lighter", "lighter", "Lighter"),
    link("n-snuffer", "snuffer", "Snuffer"),
    node("catalogueLink", id="north-lib", name="Streets", targetId="ves-lib", type="catalogue",
         importRootEntries=True),
    gameSystemRevision=3,
)  # fmt: skip

DOCK = catalogue(
    "ves-dock", "Vesper - Dock Ward", "ves",
    link("d-keeper", "keeper", "Keeper", modify("increment", "crowns", 5)),
    link(
        "d-lighter", "lighter", "Lighter",
        limit("max", "d-lighter-max", 6, "force", shared=False), costs={"crowns": 18},
    ),
    entry(
        "diver", "Diver", "model", {"crowns": 31, "renown": 18, "standing": 2},
        category("diver", "c-snuffer", primary=True),
        limit("max", "diver-max", 2, "force"),
        profile(FIGHTER, "p-diver", "Diver", "4 / 6 / 6 / 2"),
        link("v-arms", "arms", "Street arms", to="selectionEntryGroup"),
        entry(
            "bell", "Diving bell", "upgrade", {"crowns": 15, "renown": 5, "standing": -1},
            limit("max", "bell-max", 1),
            modify("decrement", "crowns", 6, when("atLeast", "hook", 1, "parent")),
        ),
    ),
    node("catalogueLink", id="dock-lib", name="Streets", targetId="ves-lib", type="catalogue",
         importRootEntries=True),
    gameSystemRevision=3,
)  # fmt: skip

GAME = Game(
    key="lamplighters",
    trees=(SYSTEM, LIBRARY, NORTH, DOCK),
    money="crowns",
    worth="renown",
    member="pt-fighter",
    life="pt-fighter-hurts",
    roles={
        "c-keeper": "leader",
        "xp": "experience",
        "sharper": "rise",
        "braver": "rise",
        "burnt": "injury",
    },
    formats=("2.03", "2.01", "json"),
)
