"""Sizes: many rows of each kind, long texts, huge numbers, odd keys, deep files."""

from __future__ import annotations

from random import Random
from typing import Any

from common.wording.texts import LONGEST_LINE
from rules.bounds.limits import BIGGEST_VARIANT, MOST_CHANGES, MOST_VARIANT_VALUES
from rules.editor.places import LISTS
from tests.hostile import nasty
from tests.hostile.rulebooks.writing import Base, Change, Data, add, number, put, row, shape, text

# The most values and changes that a file may have, and the most bytes.
MOST_VALUES, MOST_BYTES = MOST_VARIANT_VALUES, BIGGEST_VARIANT
# Words that mean something to Python, JavaScript, templates or databases.
KEYS = (
    "by",
    "at",
    "item",
    "gang",
    "enemy",
    "table",
    "min",
    "max",
    "class",
    "if",
    "true",
    "none",
    "items",
    "keys",
    "values",
    "get",
    "pop",
    "count",
    "index",
    "name",
    "key",
    "self",
    "id",
    "pk",
    "constructor",
    "prototype",
    "null",
    "undefined",
    "nan",
    "inf",
    "en",
    "fr",
    "add",
    "new",
    "a" * 40,
    "a" * 41,
    "a-",
    "a_-_",
    "a--b",
    "x1",
    "0",
    "",
    "A",
    "é",
    "a b",
    "a.b",
    "a~2",
    "__proto__",
)
BRACES = (
    "{count}",
    "{count",
    "}",
    "{",
    "{}",
    "{0}",
    "{count.__class__}",
    "{count[0]}",
    "{count!r}",
    "{count:>999999999}",
    "{count:9999999999999d}",
    "{name:{maximum}}",
    "{{count}}",
    "%(count)s",
    "{missing}",
    "{count:%Y}",
    "{name.__class__.__mro__}",
    "{count:,}" * 200,
    "{name!x}",
    "{a.b.c}",
)


def copies(on: Base, table: str, name: str, many: int) -> list[Change]:
    """Return this many copies of a row of the rulebook, with different keys."""
    found = on.row(table, name)
    changes = []
    for at in range(many):
        data = dict(found)
        for field in ("key", "code"):
            if field in data:
                data[field] = f"copy-{at}"
        changes.append(add(table, data, f"copy-{at}"))
    return changes


@shape
def many_rows(dice: Random, on: Base) -> list[Change]:
    """As many rows of one kind as a variant may add."""
    tables = [table for table in LISTS if on.keys(table) and table != "tables"]
    table = dice.choice(tables)
    name = on.some(table, dice)
    values = max(1, sum(1 for _ in nasty.places(on.row(table, name))))
    size = max(1, len(str(on.row(table, name))))
    most = min(MOST_CHANGES, MOST_VALUES // (values + 6), MOST_BYTES // (size + 120))
    return copies(on, table, name, max(1, dice.choice((most // 4, most - 1, most))))


@shape
def long_lists(dice: Random, on: Base) -> list[Change]:
    """A list inside a row, repeated many times."""
    places = [
        (table, name, field, value)
        for table in LISTS
        for name, found in on.written.rows(table).items()
        for field, value in found.items()
        if isinstance(value, list) and value and field not in ("house",)
    ]
    table, name, field, value = dice.choice(places)
    values = max(1, len(nasty.places(value)))
    often = dice.choice((2, 50, max(1, (MOST_VALUES - 50) // values)))
    return [put(table, name, field, value * often)]


def odd_text(dice: Random) -> str:
    """A text that is long, invisible, from right to left, markup, or a placeholder."""
    act = dice.random()
    if act < 0.3:
        return dice.choice(BRACES)
    if act < 0.6:
        letters = (
            "x",
            "W",
            "\u202e",
            "é",
            "<b>",
            "漢",
            "\u0301",
            "👩‍👩‍👧",
            "{",
            "&amp;",
            "\\",
            "\n",
        )
        return dice.choice(letters) * dice.choice((40, 500, LONGEST_LINE, LONGEST_LINE + 1))
    return nasty.text(dice)[:5000]


@shape
def odd_texts(dice: Random, on: Base) -> list[Change]:
    """Odd texts instead of texts of the rulebook."""
    places = [
        (table, name, field)
        for table in LISTS
        for name, found in on.written.rows(table).items()
        for field, value in found.items()
        if isinstance(value, dict) and "en" in value
    ]
    changes = []
    for table, name, field in dice.sample(places, min(len(places), dice.choice((1, 5, 60)))):
        changes.append(put(table, name, field, {"en": odd_text(dice), "fr": odd_text(dice)}))
    return changes


@shape
def odd_sentences(dice: Random, on: Base) -> list[Change]:
    """Odd placeholders in the sentences of limits that every gang breaks."""
    changes = []
    for at, kind in enumerate(("count", "unnamed", "unspent", "overspent", "points_left", "items")):
        data: Data = {
            "code": f"odd-{at}",
            "kind": kind,
            "severity": dice.choice(("error", "warning", "note")),
            "text": {"en": odd_text(dice), "fr": odd_text(dice)},
            "source": "house",
        }
        if kind in ("count", "items"):
            data |= {"minimum": number(dice, 1, 50)}
        if kind == "items":
            data |= {"per": dice.choice(("member", "gang", "copies"))}
        changes.append(add("limits", data, f"odd-{at}"))
    return dice.sample(changes, dice.choice((1, 2, 6)))


@shape
def odd_keys(dice: Random, on: Base) -> list[Change]:
    """Rows with keys that mean something elsewhere."""
    changes = []
    for key in dice.sample(KEYS, dice.choice((1, 3))):
        table = dice.choice([table for table in LISTS if on.keys(table)])
        found = on.row(table, on.some(table, dice))
        for field in ("key", "code"):
            if field in found:
                found[field] = key
        changes.append(add(table, found, key))
    return changes


@shape
def huge_numbers(dice: Random, on: Base) -> list[Change]:
    """Numbers of the rulebook at the ends of the range of numbers."""
    numbers = (
        0,
        -1,
        1,
        99,
        100,
        1000,
        100_000,
        100_001,
        2**31,
        10**9,
        10**9 + 1,
        -(10**9),
        2**63,
        10**30,
    )
    places = [
        (table, name, field)
        for table in LISTS
        for name, found in on.written.rows(table).items()
        for field, value in found.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    some = dice.sample(places, dice.choice((1, 3, 12)))
    value = dice.choice(numbers)
    return [
        put(table, name, field, dice.choice((value, dice.choice(numbers))))
        for table, name, field in some
    ]


@shape
def huge_characteristics(dice: Random, on: Base) -> list[Change]:
    """Characteristics of all kinds with values that no sheet has room for."""
    number_ = {"kind": "number", "minimum": -(10**9), "maximum": 10**9}
    box = [{"letter": "W", "name": text("W")}]
    kinds: list[Data] = [
        {**number_, "start": 10**9, "bought_with_points": True},
        {**number_, "start": -(10**9), "better": "low", "signed": True, "unit": "x" * 500},
        {"kind": "pool", "start": dice.choice(("9k9", "99k99", "9k1", "9999k1"))},
        {"kind": "pair", "parts": [text("A"), text("B")], "start": dice.choice(("9/9", "99/1"))},
        {"kind": "track", "boxes": box, "start": "W" * dice.choice((1, 20, 60, 2000))},
        {
            "kind": "die",
            "sizes": [f"D{at}" for at in range(2, dice.choice((4, 100, 3000)))],
            "start": "D2",
        },
    ]
    chosen = dice.sample(kinds, dice.choice((1, 2, 6)))
    changes = [
        add("characteristics", row(f"huge{at}", short=text(f"H{at}"), text=text("x"), **one))
        for at, one in enumerate(chosen)
    ]
    if dice.random() < 0.3:
        changes.append(put("ranks", on.some("ranks", dice), "points", dice.choice((10**9, 1000))))
    return changes


@shape
def huge_prices(dice: Random, on: Base) -> list[Change]:
    """Prices that are multiplied over and over, in halves."""
    many = dice.choice((5, 60, 480))
    changes = [
        add(
            "adjustments",
            row(
                f"dear{at}",
                on=dice.choice(("rank", "traits", "items")),
                times=dice.choice(("99", "99/2", "1/2")),
                less=dice.choice(("0", "1/2")),
            ),
        )
        for at in range(many)
    ]
    return [*changes, put("ranks", on.some("ranks", dice), "price", 100_000)]


@shape
def selectors(dice: Random, on: Base) -> list[Change]:
    """Selectors that name everything, many times, and its opposite."""
    tables = {
        "ranks": "ranks",
        "origins": "origins",
        "professions": "professions",
        "conditions": "conditions",
    }
    of: dict[str, Any] = {}
    for field, table in tables.items():
        keys = on.keys(table) * dice.choice((1, 50))
        if keys and dice.random() < 0.6:
            of[field] = keys[:1500]
        if keys and field != "conditions" and dice.random() < 0.4:
            of[f"not_{field}"] = keys[:1500]
    limit: Data = {
        "code": "all",
        "kind": "count",
        "severity": "error",
        "text": text("{count}"),
        "source": "house",
        "of": of,
        "minimum": 1,
    }
    return [
        add("limits", limit, "all"),
        add("ticks", row("all", of=of, boxes=6)),
        add("campaign.marks", row("all", text=text("x"), of=of)),
    ]


@shape
def settings(dice: Random, on: Base) -> list[Change]:
    """Options with thousands of choices, numbers without an end, and rows under all of them."""
    choices = [{"key": f"c{at}", "name": text(f"C{at}")} for at in range(dice.choice((2, 40, 900)))]
    many = dice.choice((1, 20))
    changes = [
        add(
            "settings",
            row(
                f"choice{at}",
                kind="choice",
                text=text("x"),
                choices=choices[: 900 // many + 2],
                default="c0",
            ),
        )
        for at in range(many)
    ]
    whole = {
        "kind": "number",
        "text": text("x"),
        "default": number(dice, 1),
        "minimum": -(10**9),
        "maximum": 10**9,
    }
    changes.append(add("settings", row("whole", **whole)))
    changes.append(
        put("ranks", on.some("ranks", dice), "when", {f"choice{at}": ["c0"] for at in range(many)})
    )
    if on.keys("budgets"):
        changes.append(put("budgets", on.some("budgets", dice), "setting", "whole"))
    return changes


@shape
def drawings(dice: Random, on: Base) -> list[Change]:
    """Deployments that nobody can draw: hundreds of zones, tables of no depth."""
    shapes = ("box", "circle", "cross", "triangle")
    zones = [
        {
            "shape": dice.choice(shapes),
            "side": dice.choice(("first", "second", "objective", "forbidden")),
            "x": dice.choice((0, 100, 50.5, 1e-300)),
            "y": dice.choice((0, 100)),
            "width": dice.choice((0, 100, 1e-300)),
            "height": dice.choice((0, 100)),
            "name": text(odd_text(dice)[:200] or "x"),
        }
        for _ in range(dice.choice((1, 30, 500)))
    ]
    broad, depth = dice.choice((1e-300, 4, 1)), dice.choice((1e308, 1e-300, 48))
    fields: Data = {
        "text": text("x"),
        "zones": zones,
        "broad": broad,
        "depth": depth,
        "unit": odd_text(dice)[:200],
    }
    return [add("deployments", row("odd", **fields))]


@shape
def scenarios(dice: Random, on: Base) -> list[Change]:
    """Scenarios with many roles, and long texts to print."""
    many = dice.choice((1, 30, 150))
    roles = [{"key": f"r{at}", "name": text("R" * 200)} for at in range(dice.choice((0, 2, 10)))]
    words = text("word " * dice.choice((1, 50, 390)))
    return [
        add("scenarios", row(f"s{at}", text=words, victory=words, roles=roles, turns=20))
        for at in range(many)
    ][: (MOST_BYTES - 10_000) // (len(words["en"]) * 4 + 300)]


@shape
def deep_files(dice: Random, on: Base) -> list[Change]:
    """Values nested at and beyond the limit of a file, and more values than it may contain."""
    value = dice.choice(
        (
            nasty.nested(dice.choice((5, 13, 14, 15, 20, 500))),
            [0] * dice.choice((MOST_VALUES - 100, MOST_VALUES + 100)),
            {f"k{at}": at for at in range(dice.choice((900, 1_100)))},
            "x" * dice.choice((150_000, MOST_BYTES - 1_000, MOST_BYTES + 1_000)),
        )
    )
    return [
        put(
            on_table := dice.choice(("items", "ranks", "traits")),
            on.some(on_table, dice),
            "text",
            value,
        )
    ]


@shape
def taken_out(dice: Random, on: Base) -> list[Change]:
    """Rows that others name are removed, hidden or banned: every row of a table."""
    from tests.hostile.rulebooks.writing import status

    table = dice.choice([table for table in LISTS if on.keys(table)])
    value = dice.choice(("removed", "banned", "hidden"))
    return [status(table, name, value) for name in on.keys(table)[:MOST_CHANGES]]
