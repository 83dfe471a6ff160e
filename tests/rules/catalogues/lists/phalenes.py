"""Chasseurs de phalènes: a French game that even the oldest format can say.

It has points only, one category for an entry, and limits within the parent and the force.
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

CHASSEUR = profile_type("pt-chasseur", "Chasseur", pas="Pas", adresse="Adresse", vie="Vie")
ARME = profile_type("pt-arme", "Arme", portee="Portée", force="Force")

SYSTEM = system(
    "pha",
    "Chasseurs de phalènes",
    text("readme", "La nuit, les phalènes sont grandes."),
    node("publication", id="pub-livre", name="Le Livre des ailes"),
    cost_type("points", "pts"),
    CHASSEUR,
    ARME,
    *(
        node("categoryEntry", id=id, name=name, hidden=False)
        for id, name in (("c-chef", "Chef"), ("c-traqueur", "Traqueurs"), ("c-bete", "Bêtes"))
    ),
    node(
        "forceEntry",
        category("battue", "c-chef", limit("min", "chef-min", 1), limit("max", "chef-max", 1)),
        category(
            "battue", "c-traqueur",
            limit("min", "traqueur-min", 2), limit("max", "traqueur-max", 7),
        ),
        category("battue", "c-bete", limit("max", "bete-max", 3)),
        id="battue", name="Battue", hidden=False,
    ),
)  # fmt: skip

CHASSE = catalogue(
    "pha-lisiere", "Gens de la lisière", "pha",
    entry(
        "chef", "Chef d’équipage", "model", {"points": 25},
        category("chef", "c-chef", primary=True),
        modify("increment", "points", 1, each("chien", 1, "force")),
        profile(CHASSEUR, "p-chef", "Chef d’équipage", "5 / 4 / 3",
                modify("set", "pt-chasseur-pas", 6, when("atLeast", "cor", 1, "force")),
                publicationId="pub-livre", page="14"),
        info("chef-nuit", "r-nuit", "Yeux de nuit", "rule"),
        link("chef-armes", "armes", "Armes", to="selectionEntryGroup"),
        entry("cor", "Cor de chasse", "upgrade", {"points": 6}, limit("max", "cor-max", 1)),
        link("chef-carnet", "carnet", "Carnet", to="selectionEntryGroup"),
    ),
    entry(
        "traqueur", "Traqueur", "model", {"points": 12},
        category("traqueur", "c-traqueur", primary=True),
        modify("decrement", "points", 2, when("atLeast", "traqueur", 5, "force")),
        profile(CHASSEUR, "p-traqueur", "Traqueur", "5 / 3 / 1"),
        entry(
            "baton", "Bâton", "upgrade", {"points": 0},
            limit("min", "baton-min", 1), limit("max", "baton-max", 1),
        ),
        link("traqueur-armes", "armes", "Armes", to="selectionEntryGroup"),
        entry(
            "appat", "Appât", "upgrade", {"points": 3},
            limit("max", "appat-max", 2),
            modify("set", "hidden", False, when("atLeast", "chien", 1, "force")),
            hidden=True,
        ),
        link("traqueur-carnet", "carnet", "Carnet", to="selectionEntryGroup"),
    ),
    entry(
        "chien", "Chien", "model", {"points": 7},
        category("chien", "c-bete", primary=True),
        profile(CHASSEUR, "p-chien", "Chien", "8 / 2 / 1"),
        entry("grelot", "Grelot", "upgrade", {"points": 1}, limit("max", "grelot-max", 1)),
        group(
            "dressage", "Dressage",
            limit("max", "dressage-max", 1),
            entry("piste", "Suit la piste", "upgrade", {"points": 4}, limit("max", "piste-max", 1)),
            entry(
                "garde", "Monte la garde", "upgrade", {"points": 3},
                limit("max", "garde-max", 1),
                modify(
                    "increment", "points", 2,
                    any_of(
                        when("atLeast", "cor", 1, "force"),
                        when("atLeast", "chien", 3, "force"),
                    ),
                ),
            ),
        ),
    ),
)  # fmt: skip

share(
    CHASSE,
    rule("r-nuit", "Yeux de nuit", "Voit à 8 pas de plus.", publicationId="pub-livre", page="7"),
    entry(
        "filet", "Filet", "upgrade", {"points": 4},
        limit("max", "filet-max", 2),
        profile(ARME, "p-filet", "Filet", "2 / 0", publicationId="pub-livre", page="9"),
        modify("decrement", "points", 1, when("instanceOf", "chef", 1, "parent")),
    ),
    entry(
        "arbalete", "Arbalète", "upgrade", {"points": 9},
        limit("max", "arbalete-max", 1), limit("max", "arbalete-force", 2, "force"),
        profile(ARME, "p-arbalete", "Arbalète", "16 / 4"),
        modify("increment", "arbalete-force", 1, when("atLeast", "cor", 1, "force")),
        entry(
            "carreaux", "Carreaux d’argent", "upgrade", {"points": 2},
            limit("max", "carreaux-max", 3),
        ),
    ),
    group(
        "armes", "Armes",
        limit("max", "armes-max", 2),
        link("x-filet", "filet", "Filet"),
        link("x-arbalete", "arbalete", "Arbalète"),
        entry("coutelas", "Coutelas", "upgrade", {"points": 5}, limit("max", "coutelas-max", 1)),
    ),
    group(
        "carnet", "Carnet",
        entry("xp", "Expérience", "upgrade", {"points": 1}, limit("max", "xp-max", 10)),
        entry("boiteux", "Boiteux", "upgrade", {"points": -2}, limit("max", "boiteux-max", 1)),
    ),
)  # fmt: skip

GAME = Game(
    key="phalenes",
    trees=(SYSTEM, CHASSE),
    money="points",
    worth="points",
    member="pt-chasseur",
    life="pt-chasseur-vie",
    roles={"c-chef": "leader", "xp": "experience", "boiteux": "injury"},
    formats=("2.03", "2.01", "1.15", "json"),
)
