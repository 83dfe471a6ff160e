"""Dice tables, conditions and the post-game in extreme shapes: rolls that cause further rolls, also
in circles.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hostile.rulebooks.writing import Base, Change, Data, add, number, put, row, shape, text


def table(key: str, dice: str, rows: list[Data]) -> Change:
    """Return a dice table."""
    return add("tables", row(key, dice=dice, rows=rows))


def line(low: int, high: int, *outcomes: Data, **fields: Any) -> Data:
    """Return a row of a dice table."""
    name = text(f"{low} to {high}")
    return {
        "low": low,
        "high": high,
        "name": name,
        "source": "house",
        "outcomes": [*outcomes],
        **fields,
    }


def rolls_on(key: str, times: str = "1", **fields: Any) -> Data:
    """Return an outcome that rolls on another table."""
    return {"kind": "rolls_on", "table": key, "times": times, **fields}


def in_use(on: Base, dice: Random, key: str) -> list[Change]:
    """Make the post-game of the rulebook roll on this table."""
    steps = [
        name for name, step in on.written.rows("campaign.steps").items() if step["kind"] == "fates"
    ]
    return [put("campaign.steps", name, "table", key) for name in steps]


@shape
def tables_on_tables(dice: Random, on: Base) -> list[Change]:
    """Tables that roll on the next one several times, up to as many as a variant may have."""
    many, often, times = dice.choice(
        (
            (29, 2, "99d99"),
            (10, 5, "9999"),
            (12, 4, "2"),
            (31, 1, "1"),
            (3, 20, "9d9"),
            (20, 3, "1"),
        )
    )
    tables = [
        table(f"t{at}", "1d6", [line(1, 6, *[rolls_on(f"t{at + 1}", times)] * often)])
        for at in range(many - 1)
    ]
    last = table(f"t{many - 1}", "1d6", [line(1, 6, {"kind": "learns", "amount": "99d99"})])
    return [*tables, last, *in_use(on, dice, "t0")]


@shape
def tables_in_a_circle(dice: Random, on: Base) -> list[Change]:
    """Tables that roll on one another or on themselves without end."""
    size = dice.choice((1, 2, 10))
    often = dice.choice((1, 2, 6))
    tables = []
    for at in range(size):
        outcomes: list[Data] = [
            rolls_on(f"t{(at + 1) % size}", dice.choice(("1", "2", "9d9")))
        ] * often
        if dice.random() < 0.4:
            outcomes = [{"kind": "again"}] * often
        if dice.random() < 0.3:
            options = [{"name": text("This"), "outcomes": outcomes}] * dice.choice((2, 20))
            outcomes = [{"kind": "chooses", "options": options}]
        rows = (
            [line(1, 6, *outcomes)] if dice.random() < 0.7 else [line(1, 5, *outcomes), line(6, 6)]
        )
        tables.append(table(f"t{at}", "1d6", rows))
    return [*tables, *in_use(on, dice, "t0")]


@shape
def rows_rolled_again(dice: Random, on: Base) -> list[Change]:
    """A table whose every row is rolled again by the one that leads to it."""
    rows = [line(at, at, tags=["never"]) for at in range(1, 7)]
    if dice.random() < 0.5:
        rows[-1]["tags"] = []
    first = table("first", "1d6", [line(1, 6, rolls_on("second", "9d9", rerolling=["never"]))])
    return [table("second", "1d6", rows), first, *in_use(on, dice, "first")]


@shape
def wide_tables(dice: Random, on: Base) -> list[Change]:
    """Tables of the most dice allowed, with one row or a row for each total."""
    dice_of = dice.choice(("99d99", "1d99", "2d99", "20d6", "3d66", "d88", "50d4", "1d1", "99d1"))
    many, _d, sides = dice_of.partition("d")
    low, high = int(many or 11), int(many or 1) * int(sides)
    rows = [line(low, high)]
    if dice.random() < 0.6:
        rows = [line(at, at) for at in range(low, min(high, low + 2200) + 1)]
    if dice.random() < 0.3:
        rows = [line(-(10**9), 10**9), line(10**9, -(10**9))]
    fields: Data = {}
    if many == "1" and dice.random() < 0.5:
        fields["faces"] = [text(f"F{at}") for at in range(int(sides))]
    return [
        add("tables", row("wide", dice=dice_of, rows=rows, **fields)),
        *in_use(on, dice, "wide"),
    ]


@shape
def choices_in_choices(dice: Random, on: Base) -> list[Change]:
    """Choices in one another, as deep as a file allows."""
    depth, width = dice.choice(((1, 300), (2, 20), (3, 6), (4, 2), (8, 2)))
    outcomes: list[Data] = [{"kind": "dies"}]
    for _ in range(depth):
        options = [{"name": text("This"), "outcomes": outcomes}] * width
        outcomes = [{"kind": "chooses", "options": options}]
    return [table("choices", "1d6", [line(1, 6, *outcomes)]), *in_use(on, dice, "choices")]


@shape
def many_outcomes(dice: Random, on: Base) -> list[Change]:
    """A row with hundreds of outcomes, each as large as possible."""
    condition, trait = on.some("conditions", dice), on.some("traits", dice)
    group, departure = on.some("groups", dice), on.some("campaign.departures", dice)
    some: list[Data] = [
        {"kind": "learns", "amount": dice.choice(("9999", "99d99", "0"))},
        {"kind": "pays", "amount": dice.choice(("9999", "99d99", "0"))},
        {"kind": "dies", "gear": "stash"},
        {
            "kind": "loses_item",
            "groups": [group] * dice.choice((1, 100)),
            "every": dice.random() < 0.5,
        },
    ]
    games = dice.choice(("9999", "99d99", "0"))
    more: dict[str, Data] = {
        condition: {"kind": "suffers", "condition": condition, "games": games},
        trait: {"kind": "gains", "trait": trait},
        departure: {"kind": "leaves", "departure": departure},
    }
    some += [outcome for name, outcome in more.items() if name != "nothing"]
    outcomes = [dice.choice(some) for _ in range(dice.choice((5, 60, 400)))]
    return [table("all", "1d6", [line(1, 6, *outcomes)]), *in_use(on, dice, "all")]


@shape
def conditions_beyond(dice: Random, on: Base) -> list[Change]:
    """Conditions that bring themselves, or one another, when a member has them too often."""
    size = dice.choice((1, 2, 8))
    changes = []
    for at in range(size):
        beyond: list[Data] = [
            {"kind": "suffers", "condition": f"c{(at + 1) % size}"}
        ] * dice.choice((1, 5))
        if dice.random() < 0.1:
            beyond.append(rolls_on("t0", "9"))
        fields: Data = {
            "text": text("x"),
            "most": max(1, number(dice, 1)),
            "games": number(dice, 0, 1),
            "beyond": beyond,
            "absent": dice.random() < 0.5,
            "against": dice.random() < 0.3,
        }
        if dice.random() < 0.5:
            fields["before"] = dice.choice(
                (
                    {"dice": "1d6", "absent": [1, 2, 3]},
                    {"dice": "1d6", "absent": [7] if dice.random() < 0.1 else [6]},
                    {"dice": "20d99", "absent": list(range(20, 1981))},
                )
            )
        changes.append(add("conditions", row(f"c{at}", **fields)))
    suffers = [{"kind": "suffers", "condition": "c0"}] * dice.choice((1, 50))
    lines = [line(1, 6, *suffers)]
    return [*changes, table("t0", "1d6", lines), *in_use(on, dice, "t0")]


@shape
def promotions_in_a_circle(dice: Random, on: Base) -> list[Change]:
    """Ranks that lead to one another without an end, posts that nobody fills."""
    ranks = on.keys("ranks")
    changes = []
    for at in range(dice.choice((2, 30))):
        trigger = dice.choice(("choice", "experience", "advance"))
        start, to = ranks[at % len(ranks)], ranks[(at + 1) % len(ranks)]
        fields: Data = {
            "start": start,
            "to": to,
            "trigger": trigger,
            "required": True,
            "experience": 1 if trigger == "experience" else 0,
            "restarts": dice.random() < 0.5,
            "profile": dice.choice(("new", "kept", "best")),
        }
        changes.append(add("campaign.promotions", row(f"up{at}", **fields)))
        succession = {
            "post": {"ranks": [to]},
            "among": {"ranks": [start]},
            "to": dice.choice((start, to)),
        }
        changes.append(add("campaign.successions", row(f"next{at}", **succession)))
    return changes


@shape
def traits_that_bring_themselves(dice: Random, on: Base) -> list[Change]:
    """Traits that appear at a value that they raise themselves, and that require one another."""
    numbers = [
        key for key, one in on.written.rows("characteristics").items() if one["kind"] == "number"
    ]
    if not numbers:
        return []
    many = dice.choice((1, 3, 100))
    changes = []
    for at in range(many):
        first = dice.choice(numbers)
        effects = [{"kind": "add", "characteristic": first, "amount": dice.choice((1, -1, 10**9))}]
        fields: Data = {
            "text": text("x"),
            "effects": effects * dice.choice((1, 5)),
            "gained_at": {"characteristic": first, "value": dice.choice((0, 1, -(10**9)))},
            "requires": [f"own{(at + 1) % many}"] if dice.random() < 0.5 else [],
        }
        changes.append(add("traits", row(f"own{at}", **fields)))
    return changes


@shape
def experience_without_end(dice: Random, on: Base) -> list[Change]:
    """An advance for every point of experience, and awards of many points."""
    changes = [
        add("campaign.awards", row(f"aw{at}", amount=number(dice, 1, 100), everyone=True))
        for at in range(dice.choice((1, 50)))
    ]
    for single, place, value in (
        ("campaign.growth", "experience", 1),
        ("campaign.advancement", "experience", 1),
        ("campaign.advancement", "cycle", ["trait", "rank"] * dice.choice((1, 2000))),
        ("rating", "counts_experience", True),
        ("campaign", "hires", 20),
    ):
        if single in on.written.singles:
            changes.append(put(single, "", place, value))
    return changes
