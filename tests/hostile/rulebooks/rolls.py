"""Rolls in extreme shapes: steps, procedures, loops, exploding dice, hands, grids, effects."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hostile.rulebooks.writing import Base, Change, Data, add, number, put, row, shape, text

ALWAYS = [{"key": "done", "name": text("Done")}]


def roll(key: str, steps: list[Data], **fields: Any) -> Change:
    """Return a roll that any member throws at nobody, with one outcome."""
    return add("rolls", row(key, steps=steps, **({"outcomes": ALWAYS} | fields)))


def procedure(key: str, steps: list[Data], **fields: Any) -> Change:
    """Return steps that rolls share."""
    return add("procedures", row(key, steps=steps, **fields))


def let(name: str, be: Any) -> Data:
    """Return a step that binds a number."""
    return {"let": name, "be": be}


def total(name: str, dice: Any = 1, sides: Any = 6, **fields: Any) -> Data:
    """Return a step that adds dice up."""
    return {"sum": name, "dice": dice, "sides": sides, **fields}


def count(name: str, dice: Any = 1, target: Any = 4, **fields: Any) -> Data:
    """Return a step that counts dice that succeed."""
    return {"count": name, "dice": dice, "target": target, **fields}


@shape
def nested_uses(dice: Random, on: Base) -> list[Change]:
    """Procedures, each of which uses the next several times: few lines, and steps without end."""
    depth, width = dice.choice(
        ((25, 6), (5, 8), (4, 6), (11, 2), (12, 3), (3, 12), (60, 1), (2, 45))
    )
    steps = [procedure(f"p{at}", [{"use": f"p{at + 1}"}] * width) for at in range(depth)]
    last = dice.choice(([let("x", 1)], [total("x")], [count("x")]))
    return [*steps, procedure(f"p{depth}", last), roll("deep", [{"use": "p0"}])]


@shape
def uses_with_values(dice: Random, on: Base) -> list[Change]:
    """Nested uses that bind values that grow on the way."""
    depth, width = dice.choice(((10, 2), (20, 2), (6, 5)))
    steps = [
        procedure(
            f"p{at}",
            [{"use": f"p{at + 1}", "values": {"x": "x * 2 + 1"}}] * width,
            reads=["x"],
        )
        for at in range(depth)
    ]
    start = {"use": "p0", "values": {"x": 1}}
    return [
        *steps,
        procedure(f"p{depth}", [total("y", "min(x, 9)")], reads=["x"]),
        roll("deep", [start]),
    ]


@shape
def uses_in_a_circle(dice: Random, on: Base) -> list[Change]:
    """Procedures that use one another, or themselves, also in loops and comparisons."""
    size = dice.choice((1, 2, 5))
    changes = []
    for at in range(size):
        inner: Data = {"use": f"p{(at + 1) % size}"}
        wrapped = dice.choice(
            (
                inner,
                {"again": f"n{at}", "times": 2, "steps": [inner, inner]},
                {"opposed": f"o{at}", "steps": [inner], "mine": [1], "theirs": [2]},
            )
        )
        changes.append(procedure(f"p{at}", [wrapped, inner]))
    return [*changes, roll("round", [{"use": "p0"}])]


@shape
def uses_inside_loops(dice: Random, on: Base) -> list[Change]:
    """Loops in procedures that loops use."""
    depth = dice.choice((3, 6, 10, 14))
    times = number(dice, 2, 3, 10, 100)
    changes = [
        procedure(f"p{at}", [{"again": f"n{at}", "times": times, "steps": [{"use": f"p{at + 1}"}]}])
        for at in range(depth)
    ]
    return [*changes, procedure(f"p{depth}", [total("x")]), roll("loops", [{"use": "p0"}])]


@shape
def nested_loops(dice: Random, on: Base) -> list[Change]:
    """Loops in one another, as deep as a file allows."""
    depth = dice.choice((1, 2, 3, 4, 5, 6))
    inner: list[Data] = [total("x", 1, dice.choice((2, 6, 100)))]
    if dice.random() < 0.5:
        inner.append(let("sum_of_all", "sum_of_all + x"))
    for at in range(depth):
        inner = [{"again": f"n{at}", "times": number(dice, 1, 2, 5, 20, 100), "steps": inner}]
    return [
        roll(
            "loops",
            [let("sum_of_all", 0), *inner],
            numbers=[{"of": "sum_of_all", "name": text("All")}],
        )
    ]


@shape
def loops_until(dice: Random, on: Base) -> list[Change]:
    """Loops until a condition is true: never, seldom, always, or after many throws."""
    until = dice.choice(
        (
            "0",
            "1",
            "x == 7",
            "x == sides",
            "total >= 1000000",
            "total >= 60",
            "x == 1 and y == 1",
            "total >= 500",
        )
    )
    inner = [
        let("sides", dice.choice((2, 6, 100, 1000))),
        total("x", 1, "sides"),
        total("y", dice.choice((1, 5, 30)), "sides"),
        let("total", "total + x"),
    ]
    loop = {"again": "n", "until": until, "steps": inner}
    if dice.random() < 0.4:
        loop = {"again": "m", "times": number(dice, 2, 5, 50), "steps": [loop]}
    if dice.random() < 0.3:
        loop = {"again": "outer", "until": "total > 5", "steps": [loop]}
    return [
        roll("until", [let("total", 0), loop], numbers=[{"of": "total", "name": text("Total")}])
    ]


@shape
def loops_as_often_as_dice_say(dice: Random, on: Base) -> list[Change]:
    """Loops in one another, repeated as often as dice show."""
    steps: list[Data] = [total("x")]
    for at in range(dice.choice((1, 3, 6))):
        steps = [
            total(f"often{at}", number(dice, 1, 3, 10), number(dice, 6, 20, 100)),
            {"again": f"n{at}", "times": f"often{at}", "steps": steps},
        ]
    return [roll("often", steps)]


@shape
def many_dice(dice: Random, on: Base) -> list[Change]:
    """Dice without number and of many sides, counted or added up."""
    many, sides = number(dice, 10, 30, 60, 200), number(dice, 2, 6, 10, 100)
    step = dice.choice(
        (
            count("x", many, dice.choice((4, "sides - 1", number(dice, 2))), sides=sides),
            total("x", many, sides, keep=dice.choice((1, many // 2, many, 10**9))),
            total(
                "x",
                many,
                sides,
                keep=dice.choice((1, many // 2)),
                lowest=True,
                plus=number(dice, 1),
            ),
            count("x", many, 3, sides=sides, band=[2, 5], clamp=[-(10**9), 10**9]),
            count("x", f"{many} - {many // 2}", 4, sides=f"{sides} * 2"),
        )
    )
    return [roll("many", [let("sides", sides), step], numbers=[{"of": "x", "name": text("X")}])]


@shape
def dice_thrown_again(dice: Random, on: Base) -> list[Change]:
    """Exploding dice: every way to throw some again, at and beyond its limits."""
    many, often = number(dice, 5, 20, 50), number(dice, 1, 5, 20, 50)
    step = dice.choice(
        (
            count("x", many, 4, again_for_highest=often),
            count("x", many, 4, again_failed=often, again_succeeded=often, again_for_highest=often),
            count("x", many, 4, again_faces={"faces": [1, 2, 3, 4, 5, 6]}),
            count("x", many, 4, again_faces={"faces": list(range(-5, 500)), "given": "1"}),
            total("x", many, 6, again=often, again_given="x < 1000"),
            total("x", many, 6, again=often, again_given="x == 0", keep=many // 2),
            total("x", 2, number(dice, 6, 100), again=often, again_given="x.max > x.min"),
            count("x", many, 4, natural={"fails": list(range(200)), "succeeds": list(range(200))}),
        )
    )
    return [roll("again", [step], numbers=[{"of": "x", "name": text("X")}])]


@shape
def many_names(dice: Random, on: Base) -> list[Change]:
    """Many steps whose numbers all count in the end: the states to keep multiply."""
    steps, sides = dice.choice(((4, 6), (8, 6), (12, 6), (5, 100), (40, 6), (3, 1000)))
    names = [f"x{at}" for at in range(steps)]
    made = [total(name, dice.choice((1, 2, 3)), sides) for name in names]
    given = " + ".join(f"{name} * {at + 1}" for at, name in enumerate(names)) + " > 100"
    if dice.random() < 0.5:
        given = " and ".join(f"{a} != {b}" for a, b in zip(names, names[1:], strict=False))[:490]
        given = given.rpartition(" and ")[0] or given
    outcomes = [{"key": "one", "name": text("One"), "given": given[:500]}, *ALWAYS]
    numbers = [{"of": name, "name": text(name)} for name in names]
    return [roll("names", made, outcomes=outcomes, numbers=numbers)]


@shape
def hands_of_dice(dice: Random, on: Base) -> list[Change]:
    """Hands with the most faces and dice allowed, thrown again one by one."""
    faces, size = dice.choice(((12, 8), (2, 8), (12, 1), (6, 5), (12, 5)))
    groups = [[], [2], [2, 2], [3], [3, 2], [4], [5], [8], [2, 2, 2, 2]]
    combinations = [
        {"key": f"c{at}", "name": text(f"C{at}"), "groups": one}
        for at, one in enumerate(groups)
        if sum(one) <= size
    ]
    hand = row(
        "fan", faces=[text(f"F{at}") for at in range(faces)], size=size, combinations=combinations
    )
    step: Data = {"throw_hand": "mine", "of": "fan", "dice": number(dice, 1, 5, 8, 12, 30)}
    step["again"] = number(dice, 0, 2, 5, 8, 20)
    step["singly"] = dice.random() < 0.5
    if dice.random() < 0.5:
        step["cards"] = [
            dice.choice((0, 1, 12, 13, -1, 10**9)) for _ in range(dice.choice((1, 5, 200)))
        ]
    steps = [step]
    if dice.random() < 0.5:
        theirs = dict(step, throw_hand="theirs")
        step["beats" if dice.random() < 0.5 else "reaches"] = dice.choice(
            ("theirs", "3", "10**9", "theirs.rank")
        )
        steps = [theirs, step]
    return [
        add("hands", hand),
        roll(
            "poker",
            steps,
            numbers=[{"of": "mine", "name": text("Rank")}] if dice.random() < 0.3 else [],
        ),
    ]


@shape
def opposed_throws(dice: Random, on: Base) -> list[Change]:
    """Two sides that throw against each other, again for every draw: there may be only draws."""
    depth, steps = dice.choice((1, 2, 3)), list[Data]()
    for at in range(depth):
        pairs = dice.choice((1, 4, 50))
        mine = [f"a{at}"] * pairs
        theirs = dice.choice(([f"b{at}"] * pairs, mine))
        inner = [
            total(f"a{at}", number(dice, 1, 4, 20), number(dice, 6, 100)),
            total(f"b{at}", number(dice, 1, 4, 20), number(dice, 6, 100)),
            *steps,
        ]
        tied = dice.choice(("again", "again", "draw"))
        steps = [
            {"opposed": f"o{at}", "steps": inner, "mine": mine, "theirs": theirs, "tied": tied}
        ]
    return [roll("duel", steps, numbers=[{"of": f"o{depth - 1}", "name": text("By")}])]


@shape
def large_grids(dice: Random, on: Base) -> list[Change]:
    """Grids of many cells, read far beyond their ends."""
    rows, columns = dice.choice(((1, 1), (100, 100), (2000, 1), (1, 5000), (50, 50)))
    cells = [
        [dice.choice(("-", 0, 1, -(10**9), 10**9, at)) for at in range(columns)]
        for _ in range(rows)
    ]
    grid = row("wide", cells=cells, first_row=number(dice, 1), first_column=-number(dice, 1))
    at = dice.choice((1, -(10**9), 10**9 - 1, "x", "x * 1000"))
    looked = {"look_up": "y", "grid": "wide", "row": at, "column": "x"}
    numbers = [{"of": "y", "name": text("Y")}]
    return [
        add("grids", grid),
        roll("grid", [total("x", 3, number(dice, 6, 100)), looked], numbers=numbers),
    ]


@shape
def rolls_that_follow(dice: Random, on: Base) -> list[Change]:
    """Outcomes after which another roll follows, in a circle, each with many effects."""
    size, many = dice.choice((1, 2, 10)), dice.choice((1, 20, 100))
    changes = [add("states", row("dizzy", of="figure"))]
    for at in range(size):
        effects: list[Data] = [
            {
                "kind": "then",
                "roll": f"r{(at + 1) % size}",
                "whom": dice.choice(("by", "at")),
                "many": dice.random() < 0.5,
            },
            {"kind": "begins", "state": "dizzy", "whom": "by"},
            {"kind": "ends", "state": "dizzy", "whom": "by"},
            {"kind": "moves", "whom": "by", "distance": number(dice, 1)},
            {"kind": "out", "whom": "by"},
            {"kind": "back", "whom": "by"},
        ]
        outcome = {
            "key": "on",
            "name": text("On"),
            "effects": [dice.choice(effects) for _ in range(many)],
        }
        outcome["effects"].insert(0, effects[0])
        changes.append(roll(f"r{at}", [total("x")], outcomes=[outcome], by="member", at="member"))
    return changes


@shape
def actions_and_tracks(dice: Random, on: Base) -> list[Change]:
    """Tracks that depend on one another, changed by actions without end."""
    many = dice.choice((1, 20, 60))
    changes = []
    for at in range(many):
        other = f"by.left('t{(at + 1) % many}')"
        fields: Data = {
            "per": dice.choice(("member", "side")),
            "start": dice.choice((number(dice, 3), "9999 + 1", other)),
            "minimum": dice.choice((0, -(10**9))),
            "maximum": dice.choice((None, 10**9, f"{other} + 1")),
            "each_turn": dice.choice(("kept", "anew", "filled")),
        }
        changes.append(add("tracks", row(f"t{at}", **fields)))
        amount = number(dice, -1, 1)
        effects = [{"kind": "changes", "whom": "by", "track": f"t{at}", "amount": amount}]
        often = dice.choice((1, 30))
        changes.append(add("actions", row(f"a{at}", cost=number(dice, 1), effects=effects * often)))
    return changes


@shape
def much_to_ask(dice: Random, on: Base) -> list[Change]:
    """A costly roll with everything that a page of odds tries out beside it: circumstances, states,
    modifiers and things to spend.
    """
    many = dice.choice((5, 30, 80))
    changes: list[Change] = []
    given = []
    for at in range(many):
        kind = dice.choice(("tick", "number", "choice"))
        fields: Data = {"kind": kind}
        if kind == "number":
            fields |= {"minimum": -99, "maximum": 99}
        if kind == "choice":
            names = [f"k{no}" for no in range(1200 // many)]
            fields["choices"] = [{"key": name, "name": text(name)} for name in names]
        changes.append(add("circumstances", row(f"asked{at}", **fields)))
        given.append(f"asked{at} == 1" if kind != "choice" else f"asked{at} == 'k1'")
        changes.append(
            add(
                "modifiers",
                row(f"mod{at}", rolls=["costly"], on="x.dice", amount=1, given=given[-1]),
            )
        )
        changes.append(add("spends", row(f"spent{at}", rolls=["costly"], on="x.dice", once="roll")))
        changes.append(add("states", row(f"state{at}", given=None, effects=[])))
        changes.append(
            add(
                "modifiers",
                row(
                    f"by{at}",
                    rolls=["costly"],
                    on="x.dice",
                    amount=1,
                    given=f"by.in_state('state{at}')",
                ),
            )
        )
    steps = [total("x", number(dice, 3, 20, 40), number(dice, 6, 20)), count("y", "x")]
    changes.append(roll("costly", steps, at="member", numbers=[{"of": "x", "name": text("X")}]))
    return changes


@shape
def states_by_themselves(dice: Random, on: Base) -> list[Change]:
    """States that begin by themselves, and change the value that starts them; alarms about them."""
    many = dice.choice((1, 2, 12, 60))
    changes = []
    rows = on.written.rows("characteristics")
    numbers = [key for key, one in rows.items() if one["kind"] == "number"] or ["nothing"]
    for at in range(many):
        key = dice.choice(numbers)
        given = (
            f"by.{key.replace('-', '_')} {dice.choice(('>', '<', '=='))} {dice.choice((0, 1, 3))}"
        )
        amount = dice.choice((1, -1, 10**9, -(10**9)))
        effect = {"kind": "add", "characteristic": dice.choice(numbers), "amount": amount}
        fields: Data = {"effects": [effect], "lasts": dice.choice(("game", "turn"))}
        changes.append(add("states", row(f"s{at}", given=given, **fields)))
        asked = f"gang.members(\"by.in_state('s{at}')\") >= 0"
        who = dice.choice(("member", "side"))
        changes.append(add("alarms", row(f"al{at}", given=asked, asks=who)))
    return changes


@shape
def costly_references(dice: Random, on: Base) -> list[Change]:
    """A reference table whose every cell is computed from a costly roll."""
    lines, columns = dice.choice(((1, 1), (20, 10), (100, 20), (400, 2)))
    steps = [
        let("more", 0),
        total("x", number(dice, 2, 20, 60), number(dice, 6, 20)),
        count("y", "x"),
    ]
    chances = {
        "roll": "costly",
        "columns": [{"names": {"more": at}, "number": "y", "least": at} for at in range(columns)],
    }
    reference = row(
        "worked",
        chapter="other",
        columns=[text(f"C{at}") for at in range(columns)],
        lines=[{"name": text(f"L{at}"), "names": {"more": at}} for at in range(lines)],
        chances=chances,
    )
    changes = [
        add("circumstances", row("more", kind="number", maximum=99)),
        roll("costly", steps[1:], numbers=[{"of": "y", "name": text("Y")}]),
        add(
            "modifiers",
            row("moremod", rolls=["costly"], on="x.dice", amount="more", shown=text("more")),
        ),
        add("references", reference),
    ]
    return changes


@shape
def spoiled_roll(dice: Random, on: Base) -> list[Change]:
    """A shipped roll with one of its steps many times, or in a loop."""
    key = on.some("rolls", dice)
    if key == "nothing":
        return []
    steps = on.row("rolls", key)["steps"]
    step = dice.choice(steps)
    place = steps.index(step)
    if dice.random() < 0.5:
        steps[place : place + 1] = [step] * dice.choice((2, 10, 60))
    else:
        steps[place] = {"again": "often", "times": number(dice, 2, 10, 50), "steps": [step]}
    return [put("rolls", key, "steps", steps)]
