"""Expressions that are long, deep, huge, about themselves, or deceptive."""

from __future__ import annotations

from random import Random

from tests.hostile.rulebooks.rolls import let, roll, total
from tests.hostile.rulebooks.writing import Base, Change, add, put, row, shape, text

LONGEST = 500


def formula(dice: Random) -> str:
    """Return an expression that a stranger might try."""
    deep = dice.choice((10, 29, 30, 31, 100, 240))
    makers = (
        "(" * deep + "1" + ")" * deep,
        "-" * deep + "1",
        "not " * (deep // 2) + "1",
        "+".join(["1"] * dice.choice((20, 250))),
        "*".join(["9"] * dice.choice((8, 9, 10, 200))),
        "/".join(["7"] * dice.choice((3, 249))),
        "1/" * deep + "3",
        "max(" * min(deep, 90) + "1" + ", 1)" * min(deep, 90),
        "1 if 1 else " * min(deep, 40) + "0",
        " < ".join(["1"] * 120),
        " and ".join(["1"] * 80),
        "9**9**9",
        "2**1000000000",
        "1 << 1000000000",
        "9" * dice.choice((9, 10, 499)),
        "1e309",
        "1_000",
        "0x7fffffff",
        "1 // 0",
        "1 % 0",
        "1 / 0",
        "999999999 * 999999999",
        "1j",
        "True + True",
        "'x' * 100000000",
        "'a' < 'b'",
        "'a' + 1",
        "f'{1}'",
        "[1][0]",
        "(lambda: 1)()",
        "[x for x in range(10**9)]",
        "__import__('os').system('true')",
        "().__class__.__bases__[0].__subclasses__()",
        "by.__class__",
        "by.has_trait('x').y",
        "by.has_trait(" + ", ".join(["'x'"] * 90) + ")",
        "by.in_state('\\x00')",
        "gang.members(\"gang.members('1')\")",
        "gang.members('by.leads() ' * 100)",
        'gang.members("1 if by.leads() else 0")',
        "table.option('players:more')",
        "x := 1",
        "x if x else x",
        "ⅹ + 1",
        "by.rc\n",
        "1 # a remark",
        "(\n1\n)",
        "a" * 490,
        "a." * 240 + "a",
        "floor(ceil(abs(-1.5)))",
        "min(1)",
        "None",
        "...",
        "\ud800",
        "1\x00",
        "await x",
        "yield",
        "*x",
        "x=1",
        "{}",
        "{{ 1 }}",
        "{0.__class__}",
    )
    return dice.choice(makers)[:LONGEST]


@shape
def odd_formulas(dice: Random, on: Base) -> list[Change]:
    """Odd expressions in every place for one."""
    changes: list[Change] = [add("states", row("odd", given=formula(dice)))]
    steps = [
        let("x", formula(dice)),
        total("y", formula(dice), formula(dice), keep=formula(dice), plus=formula(dice)),
        {"count": "z", "dice": formula(dice), "target": formula(dice), "given": formula(dice)},
        {"again": "n", "times": formula(dice), "steps": [let("w", formula(dice))]},
    ]
    # A single expression is more likely to be accepted than all together.
    steps = [let("x", 1), dice.choice(steps)] if dice.random() < 0.8 else steps
    outcomes = [
        {"key": "one", "name": text("One"), "given": formula(dice) if dice.random() < 0.3 else "1"},
        {"key": "two", "name": text("Two")},
    ]
    places: list[Change] = [
        roll("odd", steps, outcomes=outcomes),
        add("tracks", row("odd", start=formula(dice), maximum=formula(dice))),
        add("alarms", row("odd", given=formula(dice))),
        add("actions", row("odd", cost=formula(dice), usable=formula(dice))),
        add("circumstances", row("odd", known=True, tapped=formula(dice))),
        *changes,
    ]
    if "activation" in on.written.singles:
        places.append(put("activation", "", dice.choice(("times", "points")), formula(dice)))
    return dice.sample(places, dice.choice((1, 1, 2)))


@shape
def sound_but_heavy_formulas(dice: Random, on: Base) -> list[Change]:
    """Valid expressions that take as long as possible: fractions that grow, many names."""
    heavy = (
        "+".join(f"1/({at} + x)" for at in range(1, 26)),
        "*".join(["(1 + x/7)"] * 9),
        "x * 1000 + y * 7 - x * y % 13",
        "max(" + ", ".join(["x + y"] * 9) + ")",
        "1 if x > y else 2 if x == y else 3",
        " + ".join(f"(x == {at})" for at in range(1, 26)),
    )
    sides = dice.choice((6, 100, 400))
    numbers = [{"of": "w", "name": text("W")}]
    steps = [total("x", 2, sides), total("y", 2, sides), let("w", dice.choice(heavy)[:LONGEST])]
    return [roll("own-heavy", steps, numbers=numbers)]


# Cells that their kind of column accepts, and some that it does not.
CELLS = {
    "text": ("x" * 2000, "-", "M"),
    "number": ("M+1", "N", "1D6", "99D99", "-", "M+N+1D6", "999999999", "M" * 200),
    "length": ("M+1", '12"', "–", "N+1D6", "1D6+" * 100 + "1"),
    "die": ("D8", "D0", "D999999999", "-"),
    "tick": ("x", "-", "", "yes"),
}


@shape
def columns_of_columns(dice: Random, on: Base) -> list[Change]:
    """Cells of items that are computed from one another, from dice, or from names that do not
    exist.
    """
    numbers = [
        f"by.{key.replace('-', '_')}"
        for key, one in on.written.rows("characteristics").items()
        if one["kind"] == "number"
    ]
    meant = dice.choice((*numbers, "1", 10**9, formula(dice)))
    columns = [
        {
            "key": f"c{at}",
            "name": text(f"C{at}"),
            "kind": dice.choice(list(CELLS)),
            "names": {"M": meant, "N": dice.choice((2, f"{meant} * 1000"))},
        }
        for at in range(dice.choice((1, 12, 60)))
    ]
    for one in columns:
        if one["kind"] in ("text", "tick"):
            one["names"] = {}
    items = [
        add(
            "items",
            row(
                f"odd{at}",
                group="odd",
                columns={str(one["key"]): dice.choice(CELLS[str(one["kind"])]) for one in columns},
            ),
        )
        for at in range(dice.choice((1, 5)))
    ]
    return [add("groups", row("odd", columns=columns)), *items]
