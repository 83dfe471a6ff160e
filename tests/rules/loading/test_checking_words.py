"""Mistakes in every word of the vocabulary, each with its place and sentence."""

from typing import Any

import pytest

from rules.book.season import RecruitsStep
from tests.rules.small import (
    BOXES,
    SMALL,
    Data,
    add,
    choice,
    limit,
    measured,
    mistakes,
    number,
    put,
    row,
    small,
    text,
    told,
)

NOTHING: Data = {}
WHEN_MOON = {"when": {"moon": ["full"]}}


def more(table: str, *rows: Data) -> Data:
    """Return the table with more rows at its end."""
    return {table: [*SMALL.get(table, []), *rows]}


def lines(*bounds: int) -> list[Data]:
    """Return rows of a dice table, one for each total."""
    return [table_row(total) for total in bounds]


def table_row(total: int, *outcomes: Data, tags: tuple[str, ...] = ()) -> Data:
    named = {"name": text(f"{total}"), "source": "house"}
    return {"low": total, "high": total, "outcomes": list(outcomes), "tags": list(tags), **named}


def table(*rows: Data, dice: str = "1d2", key: str = "fate", **fields: Any) -> Data:
    return row(key, dice=dice, rows=list(rows), **fields)


def coin(*outcomes: Data, key: str = "fate") -> Data:
    """Return a table of two rows, the first with these outcomes."""
    return {"tables": [table(table_row(1, *outcomes), table_row(2), key=key)]}


def rises(**fields: Any) -> Data:
    return {"campaign__promotions": [row("rise", start="fighter", **fields)]}


def follows(**fields: Any) -> Data:
    return {"campaign__successions": [row("next", post={"ranks": ["chief"]}, **fields)]}


def steps(*more_steps: Data) -> Data:
    return {"campaign__steps": list(more_steps)}


CORNER = {"shape": "triangle", "side": "first", "x": 0, "y": 100, "width": 25, "height": 25}
PAIR = {"parts": [text("a"), text("b")]}
LEFT = told("retired")
CASES: list[tuple[Data, str, str]] = [
    # Characteristics
    (
        {"characteristics": [measured("pair", "x", start="3", **PAIR)], "ranks": []},
        "characteristics.0.start",
        "not a pair of numbers",
    ),
    (
        {"characteristics": [measured("pair", "x", parts=[text("a")])], "ranks": []},
        "characteristics.0.parts.1",
        "is missing",
    ),
    (
        {"characteristics": [measured("track", "x", boxes=BOXES, start="WX")], "ranks": []},
        "characteristics.0.start",
        "must be a row of 1 to 30 boxes with the letters R, W",
    ),
    (
        {"characteristics": [measured("track", "x", boxes=[])], "ranks": []},
        "characteristics.0.boxes",
        "needs at least 1",
    ),
    (
        {
            "characteristics": [measured("track", "x", boxes=[{"letter": "w", "name": text("w")}])],
            "ranks": [],
        },
        "characteristics.0.boxes.0.letter",
        "does not have the form",
    ),
    (
        {"characteristics": [measured("die", "x", sizes=["d8", "d6"])], "ranks": []},
        "characteristics.0.sizes",
        "must be dice such as d6, from the smallest to the largest",
    ),
    (
        {"characteristics": [measured("die", "x", sizes=["small", "large"])], "ranks": []},
        "characteristics.0.sizes",
        "must be dice",
    ),
    (
        {"characteristics": [measured("die", "x", sizes=["d6"])], "ranks": []},
        "characteristics.0.sizes",
        "needs at least 2",
    ),
    (
        {"characteristics": [measured("die", "x", sizes=["d6", "d8"], start="d12")], "ranks": []},
        "characteristics.0.start",
        "not a size of this die",
    ),
    (
        {"characteristics": [measured("number", "x", better="more")], "ranks": []},
        "characteristics.0.better",
        "must be 'high' or 'low'",
    ),
    # Ranks
    (more("ranks", row("x", price=1, values={"nerve": "3"})), "ranks.3.values.nerve", "a pair"),
    (
        more("ranks", row("x", price=1, values={"ammo": "B"})),
        "ranks.3.values.ammo",
        "“B” must be a row",
    ),
    (more("ranks", row("x", price=1, values={"grit": 6})), "ranks.3.values.grit", "a size"),
    (
        more("ranks", row("x", price=1, squad={"minimum": 3, "maximum": 2})),
        "ranks.3.squad",
        "the minimum must be at least 1",
    ),
    (
        more("ranks", row("x", price=1, squad={"minimum": 0, "maximum": 2})),
        "ranks.3.squad",
        "the minimum must be at least 1",
    ),
    (more("ranks", row("x", price=1, experience=0)), "ranks.3.experience", "more than 0"),
    # Origins
    ({"origin_setting": None}, "origin_setting", "is missing: name the setting that decides"),
    ({"origin_setting": "purse"}, "origin_setting", "“purse” is not a setting with choices"),
    ({"origin_setting": "moon"}, "origin_setting", "unknown setting “moon”"),
    (
        more("origins", told("x", effects=[add("wit", 1)])),
        "origins.3.effects.0.characteristic",
        "wit",
    ),
    (
        more("origins", told("x", effects=[add("might", 1, ranks=["pope"])])),
        "origins.3.effects.0.ranks",
        "unknown rank “pope”",
    ),
    (
        more("origins", told("x", effects=[put("might", 1, ranks=["pope"])])),
        "origins.3.effects.0.ranks",
        "unknown rank “pope”",
    ),
    (
        more("origins", told("x", effects=[add("might", 1, part="first")])),
        "origins.3.effects.0.part",
        "“might” is not a pair of numbers",
    ),
    (
        more("origins", told("x", effects=[add("nerve", 1, part="third")])),
        "origins.3.effects.0.part",
        "must be 'first' or 'second'",
    ),
    (
        more("origins", told("x", effects=[add("might", 1, **WHEN_MOON)])),
        "origins.3.effects.0.when.moon",
        "unknown setting “moon”",
    ),
    (
        more("origins", told("x", effects=[put("grit", "d12")])),
        "origins.3.effects.0.value",
        "not a size of this die",
    ),
    # Traits, professions, items, conditions
    (more("traits", told("x", requires=["y"])), "traits.2.requires", "unknown trait “y”"),
    (
        more("traits", told("x", requires=["x"])),
        "traits.2.requires",
        "the trait ends up requiring itself",
    ),
    (
        more(
            "traits",
            told("x", requires=["y"]),
            told("y", requires=["z"]),
            told("z", requires=["x"]),
        ),
        "traits.3.requires",
        "the trait ends up requiring itself",
    ),
    (more("traits", told("x", ranks=["pope"])), "traits.2.ranks", "unknown rank “pope”"),
    (
        more("traits", told("x", sold_when={"moon": ["full"]})),
        "traits.2.sold_when.moon",
        "unknown setting “moon”",
    ),
    (
        more("traits", told("x", sold_when={"people": ["moon"]})),
        "traits.2.sold_when.people",
        "unknown choice “moon”",
    ),
    (more("professions", told("x", ranks=["pope"])), "professions.2.ranks", "unknown rank “pope”"),
    (
        more("items", row("x", group="arms", effects=[add("wit", 1)])),
        "items.4.effects.0.characteristic",
        "unknown characteristic “wit”",
    ),
    (
        more("conditions", told("x", effects=[add("wit", 1)])),
        "conditions.2.effects.0.characteristic",
        "unknown characteristic “wit”",
    ),
    (
        more("conditions", told("x", beyond=[{"kind": "suffers", "condition": "love"}])),
        "conditions.2.beyond.0",
        "unknown condition “love”",
    ),
    (more("conditions", told("x", most=0)), "conditions.2.most", "more than 0"),
    # Prices
    *[
        (
            {"adjustments": [row("x", on="rank", of={name: ["nothing"]})]},
            "adjustments.0.of",
            f"unknown {what} “nothing”",
        )
        for name, what in [
            ("ranks", "rank"),
            ("not_ranks", "rank"),
            ("origins", "origin"),
            ("not_origins", "origin"),
            ("professions", "profession"),
            ("not_professions", "profession"),
            ("item_tags", "item tag"),
            ("not_item_tags", "item tag"),
            ("trait_tags", "trait tag"),
            ("not_trait_tags", "trait tag"),
            ("conditions", "condition"),
        ]
    ],
    (
        {"adjustments": [row("x", on="items", groups=["soul"])]},
        "adjustments.0.groups",
        "unknown item group “soul”",
    ),
    (
        {"adjustments": [row("x", on="items", item_tags=["hot"])]},
        "adjustments.0.item_tags",
        "unknown item tag “hot”",
    ),
    (
        {"adjustments": [row("x", on="rank", groups=["arms"])]},
        "adjustments.0",
        "only prices of items can have “groups”, “item_tags” or “first”",
    ),
    (
        {"adjustments": [row("x", on="traits", item_tags=["blade"])]},
        "adjustments.0",
        "only prices of items can have “groups”, “item_tags” or “first”",
    ),
    ({"adjustments": [row("x", on="souls")]}, "adjustments.0.on", "must be"),
    ({"adjustments": [row("x", on="rank", times="1/3")]}, "adjustments.0.times", "have the form"),
    ({"adjustments": [row("x", on="rank", less="-1")]}, "adjustments.0.less", "have the form"),
    ({"adjustments": [row("x", on="rank", phase="later")]}, "adjustments.0.phase", "must be"),
    (
        {"adjustments": [row("x", on="rank", **WHEN_MOON)]},
        "adjustments.0.when.moon",
        "unknown setting “moon”",
    ),
    ({"adjustments": [row("x", on="rank")] * 2}, "adjustments.1.key", "is used twice"),
    ({"roundings": [{"mode": "down"}]}, "roundings.0.mode", "must be 'up' or 'exact'"),
    (
        {"roundings": [{"mode": "up", **WHEN_MOON}]},
        "roundings.0.when.moon",
        "unknown setting “moon”",
    ),
    ({"budgets": [{"setting": "people"}]}, "budgets.0.setting", "is not a number setting"),
    ({"budgets": [{"amount": 3, **WHEN_MOON}]}, "budgets.0.when.moon", "unknown setting “moon”"),
    (
        {"money": None, "campaign__steps": []},
        "budgets",
        "this needs money: add “money” to the rulebook",
    ),
    # Limits
    ({"limits": [limit("highest", of={"ranks": ["pope"]})]}, "limits.0.of", "unknown rank “pope”"),
    (
        {
            "limits": [
                limit(
                    "share", of={"ranks": ["chief"]}, among={"origins": ["moon"]}, part=1, whole=2
                )
            ]
        },
        "limits.0.among",
        "unknown origin “moon”",
    ),
    ({"limits": [limit("items", per="gang")]}, "limits.0", "give a minimum or a maximum"),
    ({"limits": [limit("items", per="town", maximum=1)]}, "limits.0.per", "must be"),
    ({"limits": [limit("items", per="gang", minimum=3, maximum=2)]}, "limits.0.maximum", "below"),
    (
        {"limits": [limit("items", per="gang", maximum=1, measure="feet")]},
        "limits.0.measure",
        "must be 'count' or 'hands'",
    ),
    (
        {"limits": [limit("items", per="gang", maximum=1, groups=["soul"])]},
        "limits.0.groups",
        "unknown item group “soul”",
    ),
    (
        {"limits": [limit("items", per="gang", maximum=1, item_tags=["hot"])]},
        "limits.0.item_tags",
        "unknown item tag “hot”",
    ),
    (
        {"limits": [limit("items", per="gang", maximum=1, of={"conditions": ["love"]})]},
        "limits.0.of",
        "unknown condition “love”",
    ),
    ({"limits": [limit("squad", phase="later")]}, "limits.0.phase", "must be"),
    *[
        ({"limits": [limit(kind, "{soul}", **fields)]}, "limits.0.text.en", "placeholder {soul}")
        for kind, fields in [
            ("highest", {"of": NOTHING}),
            ("items", {"per": "member", "maximum": 1}),
            ("squad", NOTHING),
            ("unfit", NOTHING),
            ("unavailable", NOTHING),
            ("debt", NOTHING),
        ]
    ],
    # Dice tables
    ({"tables": [table(*lines(11, 12, 21), dice="d44")]}, "tables.0", "13 has no row"),
    ({"tables": [table(*lines(11, 11, 12), dice="d66")]}, "tables.0", "11 is in 2 rows"),
    ({"tables": [table(*lines(1, 2), dice="d12")]}, "tables.0.dice", "does not have the form"),
    ({"tables": [table(*lines(1), dice="21d6")]}, "tables.0.dice", "at most 20 dice are allowed"),
    (
        {"tables": [table(*lines(1, 2), faces=[text("heads")])]},
        "tables.0.faces",
        "“faces” has 1 names, but 1d2 is not a single die with 1 faces",
    ),
    (
        {"tables": [table(*lines(2, 3, 4), dice="2d2", faces=[text("a"), text("b")])]},
        "tables.0.faces",
        "“faces” has 2 names, but 2d2 is not a single die with 2 faces",
    ),
    # Outcomes
    (coin({"kind": "gains", "trait": "wit"}), "tables.0.rows.0.outcomes.0", "unknown trait “wit”"),
    (
        coin({"kind": "leaves", "departure": "moon"}),
        "tables.0.rows.0.outcomes.0",
        "unknown departure “moon”",
    ),
    (
        coin({"kind": "pays", "amount": "many"}),
        "tables.0.rows.0.outcomes.0.amount",
        "have the form",
    ),
    (
        coin({"kind": "learns", "amount": "d3"}),
        "tables.0.rows.0.outcomes.0.amount",
        "have the form",
    ),
    (
        coin({"kind": "chooses", "options": [{"name": text("one")}]}),
        "tables.0.rows.0.outcomes.0.options",
        "needs at least 2",
    ),
    (
        coin(
            {
                "kind": "chooses",
                "options": [
                    {"name": text("one")},
                    {"name": text("two"), "outcomes": [{"kind": "gains", "trait": "wit"}]},
                ],
            }
        ),
        "tables.0.rows.0.outcomes.0.options.1.outcomes.0",
        "unknown trait “wit”",
    ),
    (
        {
            "tables": [
                table(
                    table_row(1, {"kind": "rolls_on", "table": "luck", "rerolling": ["bad"]}),
                    table_row(2),
                ),
                table(table_row(1), table_row(2), key="luck"),
            ]
        },
        "tables.0.rows.0.outcomes.0.rerolling",
        "unknown tag “bad”",
    ),
    (
        {
            "tables": [
                table(
                    table_row(1, {"kind": "rolls_on", "table": "luck", "rerolling": ["bad"]}),
                    table_row(2),
                ),
                table(table_row(1, tags=("bad",)), table_row(2, tags=("bad",)), key="luck"),
            ]
        },
        "tables.0.rows.0.outcomes.0.rerolling",
        "at least one row must not be rolled again",
    ),
    (coin({"kind": "rolls_on", "table": "fate"}), "tables.0", "the table leads back to itself"),
    (
        coin(
            {
                "kind": "chooses",
                "options": [
                    {"name": text("one")},
                    {"name": text("two"), "outcomes": [{"kind": "rolls_on", "table": "fate"}]},
                ],
            }
        ),
        "tables.0",
        "the table leads back to itself",
    ),
    (
        {
            **coin({"kind": "suffers", "condition": "x"}),
            **more("conditions", told("x", beyond=[{"kind": "rolls_on", "table": "fate"}])),
        },
        "tables.0",
        "the table leads back to itself",
    ),
    # Reports of a game
    (
        {"campaign__tallies": [told("x", per="gang", times="people")]},
        "campaign.tallies.0.times",
        "is not a number setting",
    ),
    (
        {"campaign__tallies": [told("x", per="gang", takes_out=True)]},
        "campaign.tallies.0.takes_out",
        "is only used when counted per member",
    ),
    (
        {"conditions": [told("x", before={"dice": "1d6", "absent": [1, 7]})]},
        "conditions.0.before.absent",
        "1d6 cannot show 7",
    ),
    (
        {"conditions": [told("x", before={"dice": "1d2", "absent": [2, 1]})]},
        "conditions.0.before.absent",
        "has all results of the dice",
    ),
    (
        {"conditions": [told("x", before={"dice": "21d6", "absent": [21]})]},
        "conditions.0.before.dice",
        "at most 20 dice are allowed",
    ),
    (
        {"campaign__tallies": [told("x", per="gang", scenarios=["the_moon"])]},
        "campaign.tallies.0.scenarios",
        "“the_moon”",
    ),
    (
        {"campaign__tallies": [told("x", per="member", marks=["mud"])]},
        "campaign.tallies.0.marks",
        "“mud”",
    ),
    (
        {"campaign__tallies": [told("x", per="member", of={"ranks": ["pope"]})]},
        "campaign.tallies.0.of",
        "“pope”",
    ),
    (
        {"campaign__tallies": [told("x", per="gang", of={"ranks": ["chief"]})]},
        "campaign.tallies.0.of",
        "needs “marks”",
    ),
    ({"campaign__awards": [row("x", of={"ranks": ["pope"]})]}, "campaign.awards.0.of", "“pope”"),
    (
        {"campaign__awards": [row("x", not_marks=["mud"])]},
        "campaign.awards.0.not_marks",
        "unknown mark “mud”",
    ),
    (
        {"campaign__awards": [row("x", each="kisses")]},
        "campaign.awards.0.each",
        "unknown tally “kisses”",
    ),
    (
        {"campaign__standings": ["points"]},
        "campaign.points_name",
        "is missing: give the points a name",
    ),
    ({"campaign__underdog": [row("x", step=0, most=3)]}, "campaign.underdog.0.step", "more than 0"),
    # Promotions, departures, successions
    (rises(to="pope"), "campaign.promotions.0.to", "unknown rank “pope”"),
    (rises(), "campaign.promotions.0.departure", "is needed without “to” or with “displaces”"),
    (
        rises(to="chief", displaces=True),
        "campaign.promotions.0.departure",
        "is needed without “to”",
    ),
    (
        {**rises(to="chief", departure="retired"), "campaign__departures": [LEFT]},
        "campaign.promotions.0.departure",
        "is needed without “to” or with “displaces”",
    ),
    (rises(departure="moon"), "campaign.promotions.0.departure", "unknown departure “moon”"),
    (rises(to="chief", trigger="full"), "campaign.promotions.0.trigger", "needs “experience”"),
    (rises(to="chief", trigger="experience"), "campaign.promotions.0.experience", "is missing"),
    (rises(to="chief", trigger="luck"), "campaign.promotions.0.trigger", "must be"),
    (rises(to="chief", dice="1d6"), "campaign.promotions.0.dice", "is only used with “displaces”"),
    (rises(to="chief", profile="worst"), "campaign.promotions.0.profile", "must be"),
    (follows(), "campaign.successions.0", "give “to” or “trait”: choose"),
    (follows(to="chief", trait="quick"), "campaign.successions.0", "not both"),
    (follows(to="pope"), "campaign.successions.0.to", "unknown rank “pope”"),
    (follows(trait="wit"), "campaign.successions.0.trait", "unknown trait “wit”"),
    (follows(to="chief", among={"ranks": ["pope"]}), "campaign.successions.0.among", "“pope”"),
    (
        {"campaign__successions": [row("next", post={"origins": ["moon"]}, to="chief")]},
        "campaign.successions.0.post",
        "unknown origin “moon”",
    ),
    # Steps
    (
        steps(told("x", kind="advances")),
        "campaign.steps.0",
        "this step needs “campaign.advancement”",
    ),
    (
        {"money": None, "budgets": []},
        "campaign.steps.0",
        "this needs money: add “money” to the rulebook",
    ),
    (
        steps(told("x", kind="captives", condition="love")),
        "campaign.steps.0.condition",
        "unknown condition “love”",
    ),
    (
        steps(told("x", kind="captives", condition="gone", ransom="nothing")),
        "campaign.steps.0.ransom",
        "must be 'worth', 'agreed' or 'none'",
    ),
    (
        {"campaign__advancement": {"experience": 10, "trait_tags": ["hot"]}},
        "campaign.advancement.trait_tags",
        "unknown trait tag “hot”",
    ),
    (
        {"campaign__advancement": {"experience": 10, "of": {"ranks": ["pope"]}}},
        "campaign.advancement.of",
        "unknown rank “pope”",
    ),
    (
        {"campaign__advancement": {"experience": 10, "cycle": ["trait", "rank"]}},
        "campaign.advancement.cycle",
        "“rank” needs a promotion with the trigger “advance”",
    ),
    (
        {"campaign__advancement": {"experience": 0}},
        "campaign.advancement.experience",
        "more than 0",
    ),
    (
        {"campaign__advancement": {"experience": 1, "cycle": []}},
        "campaign.advancement.cycle",
        "needs at least 1",
    ),
    (
        {"campaign__recruiting": {"quotas": [{"ranks": ["pope"], "most": 1}]}},
        "campaign.recruiting.quotas.0",
        "unknown rank “pope”",
    ),
    (
        {"campaign__recruiting": {"cap": "people"}},
        "campaign.recruiting.cap",
        "only these choices: none, session, size, total",
    ),
    ({"campaign__recruiting": {"cap": "purse"}}, "campaign.recruiting.cap", "only these choices"),
    (
        steps(told("x", kind="fates", table="fate")),
        "campaign.steps.0.table",
        "unknown table “fate”",
    ),
    (
        steps(told("x", kind="fates", of={"ranks": ["pope"]})),
        "campaign.steps.0.of",
        "unknown rank “pope”",
    ),
    (
        steps(told("x", kind="fates", fates=[{"marks": ["mud"]}])),
        "campaign.steps.0.fates.0.marks",
        "unknown mark “mud”",
    ),
    (
        steps(told("x", kind="fates", fates=[{"of": {"ranks": ["pope"]}}])),
        "campaign.steps.0.fates.0.of",
        "unknown rank “pope”",
    ),
    (
        steps(told("x", kind="fates", fates=[{"table": "fate"}])),
        "campaign.steps.0.fates.0.table",
        "unknown table “fate”",
    ),
    (
        steps(told("x", kind="fates", fates=[{"outcomes": [{"kind": "gains", "trait": "wit"}]}])),
        "campaign.steps.0.fates.0.outcomes.0",
        "unknown trait “wit”",
    ),
    # Texts and references
    (
        {
            "references": [
                row("x", chapter="turn", columns=[text("a")], lines=[{"name": text("b")}])
            ]
        },
        "references.0.lines.0",
        "has 0 cells for 1 columns",
    ),
    ({"references": [row("x", chapter="moon")]}, "references.0.chapter", "must be"),
    (
        {"scenarios": [told("x", victory=text("Win."), deployments=["moon"])]},
        "scenarios.0.deployments",
        "unknown deployment “moon”",
    ),
    (
        {"deployments": [told("x", zones=[{"shape": "box", "side": "first", "x": 101, "y": 0}])]},
        "deployments.0.zones.0.x",
        "must be at most 100",
    ),
    (
        {"deployments": [told("x", zones=[{**CORNER, "x": 25}])]},
        "deployments.0.zones.0",
        "a triangle must be in a corner",
    ),
    (
        {"deployments": [told("x", zones=[{**CORNER, "height": 0}])]},
        "deployments.0.zones.0",
        "a triangle needs a width and a height",
    ),
    ({"scenarios": [told("x", victory=text("Win."), turns=21)]}, "scenarios.0.turns", "at most 20"),
    ({"pace": {"turns": 6, "counted": [{"name": text("Oil")}]}}, "pace.counted.0.text", "missing"),
    # Tick boxes
    ({"ticks": [row("x", boxes=7)]}, "ticks.0.boxes", "must be at most 6"),
    ({"ticks": [row("x", items=["moon"])]}, "ticks.0.items", "unknown item “moon”"),
    (
        {"ticks": [row("x", groups=["arms"], not_items=["moon"])]},
        "ticks.0.not_items",
        "unknown item “moon”",
    ),
    ({"ticks": [row("x", not_items=["sword"])]}, "ticks.0.not_items", "is only used with “groups”"),
    ({"ticks": [row("x", groups=["moon"])]}, "ticks.0.groups", "unknown item group “moon”"),
    ({"ticks": [row("x", of={"ranks": ["moon"]})]}, "ticks.0.of", "unknown rank “moon”"),
    (
        {"ticks": [{**row("x"), "name": {"en": "Luck", "fr": "L" * 25}}]},
        "ticks.0.name.fr",
        "must have at most 24 letters",
    ),
    (
        {"ticks": [row("x"), row("x")]},
        "ticks.1.key",
        "the key “x” is used twice: choose another one",
    ),
    # Samples
    (
        {
            "samples": [
                {
                    "key": "x",
                    "name": "X",
                    "text": text("x"),
                    "members": [{"name": "A", "rank": "chief", "origin": "moon"}],
                }
            ]
        },
        "samples.0.members.0.origin",
        "unknown origin “moon”",
    ),
    (more("items", row("x", group="arms", status="gone")), "items.4.status", "must be 'offered'"),
]


@pytest.mark.parametrize(
    ("changes", "path", "words"), CASES, ids=[f"{path} {words}" for _, path, words in CASES]
)
def test_each_word_used_wrongly_is_a_mistake_at_its_place(
    changes: Data, path: str, words: str
) -> None:
    found = mistakes(**changes)
    assert any(words in message for message in found.get(path, [])), found


@pytest.mark.long
def test_a_mistake_in_a_row_is_reported_for_that_row_only() -> None:
    for changes, path, words in CASES:
        if words != "the trait ends up requiring itself":
            rows = {tuple(found.split(".")[:2]) for found in mistakes(**changes)}
            assert rows == {tuple(path.split(".")[:2])}, words


def test_every_trait_of_a_circle_is_reported() -> None:
    circle = [told(key, requires=[needed]) for key, needed in ("ab", "bc", "ca")]
    found = mistakes(**more("traits", *circle, told("d", requires=["a"])))
    assert set(found) == {"traits.2.requires", "traits.3.requires", "traits.4.requires"}


# The same words, used rightly

RIGHT: list[Data] = [
    more("ranks", row("x", price=1, squad={"minimum": 2, "maximum": 2}, experience=20)),
    more(
        "traits", told("x", requires=["quick", "lucky"], ranks=["chief"]), told("y", requires=["x"])
    ),
    more("origins", told("x", effects=[add("nerve", 1, part="second", limit=3, ranks=["chief"])])),
    {
        "adjustments": [
            row("x", on="items", groups=["arms"], item_tags=["blade"], first=1, less="1/2")
        ]
    },
    {"roundings": [{"mode": "exact", "when": {"halves": ["exact"]}}, {"mode": "up"}]},
    {"budgets": [{"amount": 20, "kept": True}]},
    {"budgets": [], "money": None, "rating": None, "campaign__steps": []},
    {"limits": [limit("items", "{item} {count} {maximum}", per="copies", maximum=2)]},
    {"limits": [limit("squad", "{squad} {count} {minimum} {maximum}")]},
    {"limits": [limit("highest", "{name} {rank}", of={"trait_tags": []})]},
    {
        "tables": [
            table(
                *lines(11, 12, 21, 22, 13, 14, 23, 24, *range(31, 35), *range(41, 45)), dice="d44"
            )
        ]
    },
    {"tables": [table(*lines(1, 2), faces=[text("heads"), text("tails")])]},
    {
        "tables": [
            table(
                table_row(
                    1, {"kind": "rolls_on", "table": "fate", "rerolling": ["more"]}, tags=("more",)
                ),
                table_row(2),
            )
        ]
    },
    {**coin({"kind": "leaves", "departure": "retired"}), "campaign__departures": [LEFT]},
    {**rises(departure="retired"), "campaign__departures": [LEFT]},
    {
        **rises(to="chief", displaces=True, departure="retired", dice="1d6"),
        "campaign__departures": [LEFT],
    },
    follows(trait="quick", by=["rank", "experience"]),
    {
        **rises(to="chief", trigger="advance"),
        "campaign__advancement": {"experience": 10, "cycle": ["trait", "rank"]},
    },
    {
        "settings": [*SMALL["settings"], choice("cap", "session", "total", "size", "none")],
        "campaign__recruiting": {"cap": "cap", "quotas": [{"ranks": ["chief"], "most": 1}]},
    },
    {"campaign__standings": ["points"], "campaign__points_name": text("Glory")},
    {
        "settings": [*SMALL["settings"], number("rate", 2)],
        "campaign__tallies": [told("x", per="member", times="rate", takes_out=True)],
    },
]


@pytest.mark.parametrize("changes", RIGHT, ids=lambda changes: " ".join(changes))
def test_check_accepts_each_word_used_correctly(changes: Data) -> None:
    assert small(**changes).slug == "small"


def test_two_tables_can_lead_to_each_other_when_the_row_is_rolled_again() -> None:
    """Such tables would never end if the row that leads back were not rolled again."""
    back = {"kind": "rolls_on", "table": "fate"}
    ahead = {"kind": "rolls_on", "table": "luck", "rerolling": ["back"]}
    luck = table(table_row(1, back, tags=("back",)), table_row(2), key="luck")
    assert small(tables=[table(table_row(1, ahead), table_row(2)), luck])
    plain = {"kind": "rolls_on", "table": "luck"}
    found = mistakes(tables=[table(table_row(1, plain), table_row(2)), luck])
    assert found == {
        "tables.0": ["the table leads back to itself"],
        "tables.1": ["the table leads back to itself"],
    }


def test_the_small_rulebook_reads_a_recruiting_step() -> None:
    book = small(**steps(told("x", kind="recruits")))
    assert isinstance(book.campaign.steps[0], RecruitsStep)
