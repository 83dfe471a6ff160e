"""Random rolls of every kind of step, each with its result by an independent count.

Icepool counts the steps that it can express; for the others, every throw is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, floor
from random import Random
from typing import Any

import icepool

from rules.book.model import Book
from rules.book.rolls import Grid, HandOfDice, Procedure, Roll
from rules.engine.expressions import Value
from rules.engine.hands import Hand
from tests.rules.proofs.ways import Chances, every_throw, roll
from tests.rules.small import row, small, text

Joint = dict[tuple[int, ...], Fraction]
POKER = ((), (2,), (2, 2), (3,), (3, 2), (4,), (5,))


@dataclass(frozen=True)
class Case:
    """A roll, the facts it reads, and the expected chances of its numbers."""

    roll: Roll
    numbers: Mapping[str, Chances]
    outcomes: Mapping[str, Fraction] = field(default_factory=dict)
    facts: Mapping[str, Value] = field(default_factory=dict)
    book: Book | None = None


@cache
def plain() -> Book:
    """Return the small rulebook, to which cases add the rows they need."""
    return small()


def of_pool(die: Any) -> Chances:
    """Return icepool's result as chances of whole numbers."""
    return {int(value): Fraction(ways, die.denominator()) for value, ways in die.items() if ways}


def marginals(joint: Joint, names: tuple[str, ...]) -> dict[str, Chances]:
    """Return the chances of each number separately."""
    found: dict[str, Chances] = {name: {} for name in names}
    for values, chance in joint.items():
        for name, value in zip(names, values, strict=True):
            found[name][value] = found[name].get(value, Fraction(0)) + chance
    return found


def formula(random: Random, depth: int, names: Mapping[str, int]) -> tuple[str, Fraction]:
    """Return a random expression and its value."""
    if depth == 0 or random.random() < 0.2:
        if random.random() < 0.5:
            name = random.choice(sorted(names))
            return name, Fraction(names[name])
        number = random.randint(0, 9)
        return str(number), Fraction(number)
    one, left = formula(random, depth - 1, names)
    other, right = formula(random, depth - 1, names)
    sort = random.randrange(14)
    if sort < 3:
        sign = "+-*"[sort]
        value = (left + right, left - right, left * right)[sort]
        return f"({one} {sign} {other})", value
    if sort < 6:
        divisor = random.randint(1, 5)
        written = ("/", "//", "%")[sort - 3]
        value = (left / divisor, Fraction(left // divisor), left % divisor)[sort - 3]
        return f"({one} {written} {divisor})", value
    if sort < 8:
        return (f"min({one}, {other})", min(left, right)) if sort == 6 else (
            f"max({one}, {other})", max(left, right)
        )  # fmt: skip
    if sort == 8:
        return f"(-{one})", -left
    if sort == 9:
        return f"ceil({one})", Fraction(ceil(left))
    if sort == 10:
        third, last = formula(random, depth - 1, names)
        return f"({one} if {other} else {third})", left if right else last
    if sort == 11:
        word, value = random.choice(
            [("<", left < right), (">=", left >= right), ("==", left == right)]
        )
        return f"({one} {word} {other})", Fraction(value)
    if sort == 12:
        return f"({one} and {other})", Fraction(bool(left) and bool(right))
    return f"(not {one} or {other})", Fraction(not left or bool(right))


def rounded(value: Fraction) -> int:
    """Round to a whole number, halves up."""
    return floor(value + Fraction(1, 2))


def let(random: Random) -> Case:
    """An expression, with and without bounds."""
    facts = {name: random.randint(-3, 12) for name in ("one", "two", "three")}
    written, value = formula(random, 4, facts)
    step: dict[str, object] = {"let": "n", "be": written}
    number = rounded(value)
    if random.random() < 0.3:
        low, high = sorted(random.choices(range(-5, 15), k=2))
        step["clamp"] = [low, high]
        number = max(low, min(high, number))
    return Case(roll([step], "n"), {"n": {number: Fraction(1)}}, facts=facts)


def succeeding(random: Random, sides: int) -> tuple[dict[str, Any], set[int]]:
    """Return a condition for a die to succeed, and the faces that meet it."""
    fails = random.sample(range(1, sides + 1), random.choice([0, 0, 1]))
    succeeds = random.sample(range(1, sides + 1), random.choice([0, 0, 1]))
    step: dict[str, Any] = {"natural": {"fails": fails, "succeeds": succeeds}}
    if random.random() < 0.3:
        low, high = random.randint(-1, sides + 1), random.randint(0, sides + 2)
        step["band"] = [low, high]
        good = {face for face in range(1, sides + 1) if low <= face <= high}
    else:
        target = random.randint(-2, sides + 3)
        step["target"] = target
        if random.random() < 0.5:
            step["clamp"] = [2, sides]
            target = max(2, min(sides, target))
        good = {face for face in range(1, sides + 1) if face >= target}
    return step, (good - set(fails)) | set(succeeds)


def count(random: Random) -> Case:
    """A pool against a target or a band; some faces are thrown again immediately."""
    dice, sides = random.randint(0, 9), random.randint(1, 12)
    step, good = succeeding(random, sides)
    die: Any = icepool.d(sides)
    if sides > 1 and random.random() < 0.3:
        again = random.sample(range(1, sides + 1), random.randint(1, sides - 1))
        step["again_faces"] = {"faces": again}
        die = die.reroll(set(again), depth=1)
    hit = die.map(lambda face: int(face in good))
    found = of_pool(dice @ hit) if dice else {0: Fraction(1)}
    made = roll([{"count": "n", "dice": dice, "sides": sides, **step}], "n")
    return Case(made, {"n": found})


PARTS = ("n", "highest", "lowest", "ones")
NAMING = [
    {"let": "highest", "be": "n.max"},
    {"let": "lowest", "be": "n.min"},
    {"let": "ones", "be": "n.ones"},
]


def count_faces(random: Random) -> Case:
    """The highest and lowest die of a pool, and its ones."""
    dice, sides = random.randint(1, 5), random.randint(2, 8)
    step, good = succeeding(random, sides)
    pool = icepool.d(sides).pool(dice)
    expected = {
        "n": of_pool(dice @ icepool.d(sides).map(lambda face: int(face in good))),
        "highest": of_pool(pool.highest().sum()),
        "lowest": of_pool(pool.lowest().sum()),
        "ones": of_pool(dice @ icepool.d(sides).map(lambda face: int(face == 1))),
    }
    made = roll([{"count": "n", "dice": dice, "sides": sides, **step}, *NAMING], *PARTS)
    return Case(made, expected)


def count_again(random: Random) -> Case:
    """Failures thrown again, the lowest first: icepool's re-rolls that a pool shares."""
    dice, sides = random.randint(1, 4), random.randint(2, 6)
    step, good = succeeding(random, sides)
    again = random.randint(1, 4)
    bad = set(range(1, sides + 1)) - good
    pool = icepool.d(sides).reroll_to_pool(dice, bad, max_rerolls=again, mode="low")
    faces = pool.expand()
    joint: Joint = {}
    for shown, ways in faces.items():
        values = (sum(face in good for face in shown), max(shown), min(shown), shown.count(1))
        part = Fraction(ways, faces.denominator())
        joint[values] = joint.get(values, Fraction(0)) + part
    step["again_failed"] = again
    made = roll([{"count": "n", "dice": dice, "sides": sides, **step}, *NAMING], *PARTS)
    return Case(made, marginals(joint, PARTS))


def count_again_all(random: Random) -> Case:
    """Every kind of re-roll together, counted throw by throw."""
    dice = random.randint(0, 2)
    sides = random.randint(2, 6)
    step, good = succeeding(random, sides)
    at_once = random.sample(range(1, sides + 1), random.choice([0, 1]))
    forced, free = random.randint(0, 3), random.randint(0, 2)
    joint: Counter[tuple[int, ...]] = Counter()
    for first in every_throw(dice, sides):
        fresh = [face for face in first if face not in at_once]
        kept_good = sorted(face for face in fresh if face in good)[forced:]
        kept_bad = sorted(face for face in fresh if face not in good)[free:]
        kept = (*kept_good, *kept_bad)
        for second in every_throw(dice, sides):
            faces = (*kept, *second[: dice - len(kept)])
            values = (
                sum(face in good for face in faces),
                max(faces, default=0),
                min(faces, default=0),
                faces.count(1),
            )
            joint[values] += 1
    step |= {"again_succeeded": forced, "again_failed": free}
    if at_once:
        step["again_faces"] = {"faces": at_once}
    made = roll([{"count": "n", "dice": dice, "sides": sides, **step}, *NAMING], *PARTS)
    total = sides ** (2 * dice)
    chances = {values: Fraction(ways, total) for values, ways in joint.items()}
    return Case(made, marginals(chances, PARTS))


def sum_kept(random: Random) -> Case:
    """The best or lowest of some dice added up."""
    dice, sides = random.randint(1, 7), random.randint(1, 10)
    keep = random.choice([None, *range(1, dice + 1)])
    lowest, plus = random.random() < 0.5, random.randint(-3, 9)
    step: dict[str, object] = {"sum": "n", "dice": dice, "sides": sides, "plus": plus}
    step |= {"lowest": lowest} | ({"keep": keep} if keep else {})
    size = keep or dice
    pool = icepool.d(sides).pool(dice)
    kept = pool.lowest(size) if lowest else pool.highest(size)
    highest, smallest = (kept.highest(), kept.lowest())
    expected = {
        "n": of_pool(kept.sum() + plus),
        "total": of_pool(kept.sum()),
        "highest": of_pool(highest.sum()),
        "lowest": of_pool(smallest.sum()),
    }
    names = [
        {"let": "highest", "be": "n.max"},
        {"let": "lowest", "be": "n.min"},
        {"let": "total", "be": "n.dice_total"},
    ]
    return Case(roll([step, *names], "n", "total", "highest", "lowest"), expected)


def sum_again(random: Random) -> Case:
    """All the dice of a sum thrown again, up to a number of times."""
    dice, sides, again = random.randint(1, 4), random.randint(2, 8), random.randint(1, 3)
    limit, plus = random.randint(dice, dice * sides), random.randint(0, 3)
    thrown: Any = dice @ icepool.d(sides) + plus
    bad = {total for total in thrown.outcomes() if total < limit + plus}
    if len(bad) == len(thrown):
        bad = set()
    expected = of_pool(thrown.reroll(bad, depth=again) if bad else thrown)
    given = f"n.dice_total < {limit}" if bad else "False"
    step = {"sum": "n", "dice": dice, "sides": sides, "plus": plus}
    return Case(roll([{**step, "again": again, "again_given": given}], "n"), {"n": expected})


@cache
def hand_row(sides: int, size: int) -> HandOfDice:
    """A hand with every combination that fits into it."""
    fitting = [groups for groups in POKER if sum(groups) <= size]
    rows = [
        {"key": f"c{place}", "name": text(f"c{place}"), "groups": groups}
        for place, groups in enumerate(fitting)
    ]
    faces = [text(str(face)) for face in range(1, sides + 1)]
    return HandOfDice.model_validate(row("poker", faces=faces, size=size, combinations=rows))


def better(faces: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return the strength of a hand: its combination, then the faces that break ties in order."""
    best: tuple[int, ...] = ()
    fitting = [groups for groups in POKER if sum(groups) <= size]
    for chosen in choices(tuple(sorted(faces)), size):
        found = sorted(((chosen.count(face), face) for face in set(chosen)), reverse=True)
        counts = [many for many, _face in found]
        rank = max(
            place
            for place, groups in enumerate(fitting)
            if len(groups) <= len(counts)
            and all(many >= wanted for many, wanted in zip(counts, groups, strict=False))
        )
        digits = [face for many, face in found for _ in range(many)]
        best = max(best, (rank, *digits))
    return best


@cache
def choices(faces: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Return every choice of ``size`` of these faces."""
    return [*set(combinations(faces, min(size, len(faces))))]


def throw_hand(random: Random) -> Case:
    """A hand; the dice outside its combination may be thrown again."""
    sides, size = random.randint(3, 6), random.randint(2, 4)
    dice, again = random.randint(1, size), random.randint(0, 2)
    made = hand_row(sides, size)
    hand = Hand(sides, size, tuple(one.groups for one in made.combinations))
    ranks: dict[int, Fraction] = {}
    for first, part in icepool.d(sides).pool(dice).expand().items():
        rank = better(tuple(first), size)[0]
        kept: list[int] = []
        for group in hand.groups[rank]:
            best = max(set(first), key=lambda f, g=group, k=kept: (
                first.count(f) - k.count(f) >= g, first.count(f) - k.count(f), f
            ))  # fmt: skip
            kept += [best] * group
        spare = sorted((Counter(first) - Counter(kept)).elements())
        kept += spare[again:]
        thrown = dice - len(kept)
        for more in every_throw(thrown, sides):
            rank = better((*kept, *more), size)[0]
            chance = Fraction(part, sides**dice * sides**thrown)
            ranks[rank] = ranks.get(rank, Fraction(0)) + chance
    step = {"throw_hand": "h", "of": "poker", "dice": dice, "again": again}
    steps: list[object] = [step, {"let": "n", "be": "h.rank"}]
    return Case(roll(steps, "n"), {"n": ranks}, book=plain().changed(hands=(made,)))


def look_up(random: Random) -> Case:
    """A cell of a grid at a thrown row, also beyond its ends, blank or not."""
    rows, columns = random.randint(1, 5), random.randint(1, 4)
    cells = [
        [random.choice(["-", random.randint(-3, 12)]) for _ in range(columns)] for _ in range(rows)
    ]
    first, sides, column = random.randint(-1, 3), random.randint(1, 8), random.randint(0, 5)
    blank = random.randint(-1, 1)
    grid = Grid.model_validate(row("grid", cells=cells, first_row=first))

    def cell(face: int) -> int:
        line = cells[min(max(face - first, 0), rows - 1)]
        value = line[min(max(column - 1, 0), columns - 1)]
        return blank if isinstance(value, str) else value

    steps: list[object] = [
        {"sum": "d", "sides": sides},
        {"look_up": "n", "grid": "grid", "row": "d", "column": column, "blank": blank},
    ]
    expected = of_pool(icepool.d(sides).map(cell))
    return Case(roll(steps, "n"), {"n": expected}, book=plain().changed(grids=(grid,)))


def opposed(random: Random) -> Case:
    """Two sides compared, ties broken by a second number or thrown again."""
    mine, theirs = random.randint(1, 3), random.randint(1, 3)
    one, other = random.randint(2, 8), random.randint(2, 8)
    tied = random.choice(["draw", "again"])
    second = random.random() < 0.5
    left: Any = icepool.d(one).pool(mine).expand()
    right: Any = icepool.d(other).pool(theirs).expand()

    def compare(a: tuple[int, ...], b: tuple[int, ...]) -> object:
        margin = sum(a) - sum(b)
        if not margin and second:
            margin = (max(a) > max(b)) - (max(a) < max(b))
        return icepool.Reroll if not margin and tied == "again" else margin

    margins = icepool.map(compare, left, right, star=False)
    steps: list[object] = [
        {"sum": "a", "dice": mine, "sides": one},
        {"sum": "b", "dice": theirs, "sides": other},
    ]
    sides = {"mine": ["a", "a.max"], "theirs": ["b", "b.max"]}
    if not second:
        sides = {"mine": ["a"], "theirs": ["b"]}
    made = roll(
        [{"opposed": "n", "steps": steps, **sides, "tied": tied}, {"let": "w", "be": "n.winner"}],
        "n",
        "w",
    )
    winner = margins.map(lambda margin: (margin > 0) - (margin < 0))
    return Case(made, {"n": of_pool(margins), "w": of_pool(winner)})


def use(random: Random) -> Case:
    """A procedure with values, taken only after a hit, even if it changes the hits."""
    dice, saves = random.randint(1, 4), random.randint(1, 4)
    target, armour = random.randint(2, 6), random.randint(2, 6)
    procedure = Procedure.model_validate(
        row(
            "defence",
            reads=["blows", "armour"],
            steps=[
                {"count": "saved", "dice": "defenders", "target": "armour"},
                {"let": "blows", "be": "max(0, blows - saved)"},
                {"let": "lost", "be": "blows + 10"},
            ],
        )
    )
    steps: list[object] = [
        {"count": "hits", "dice": dice, "target": target},
        {"let": "blows", "be": "hits"},
        {"use": "defence", "values": {"armour": armour}, "given": "blows > 0"},
    ]
    hits = dice @ icepool.d6.map(lambda face: int(face >= target))
    stopped = saves @ icepool.d6.map(lambda face: int(face >= armour))
    lost = icepool.map(
        lambda struck, stop: max(0, struck - stop) + 10 if struck else 0, hits, stopped
    )
    expected = {"hits": of_pool(hits), "lost": of_pool(lost)}
    facts = {"defenders": saves}
    made = roll(steps, "hits", "lost")
    return Case(made, expected, facts=facts, book=plain().changed(procedures=(procedure,)))


def again_times(random: Random) -> Case:
    """Steps repeated as often as a die shows, and the sum of their results."""
    most, dice, sides = random.randint(1, 5), random.randint(1, 3), random.randint(2, 6)
    thrown: Any = dice @ icepool.d(sides)
    number: Any = icepool.d(most) - 1
    total = number.map(lambda times: times @ thrown if times else 0)
    steps: list[object] = [
        {"sum": "often", "sides": most, "plus": -1},
        {"let": "n", "be": 0},
        {
            "again": "time",
            "times": "often",
            "steps": [
                {"sum": "more", "dice": dice, "sides": sides},
                {"let": "n", "be": "n + more"},
            ],
        },
        {"let": "often_after", "be": "time"},
    ]
    expected = {"n": of_pool(total), "often_after": of_pool(number)}
    return Case(roll(steps, "n", "often_after"), expected)


def again_until(random: Random) -> Case:
    """Steps repeated without a fixed end: icepool's absorbing chains."""
    sides, goal = random.randint(2, 6), random.randint(1, 8)
    stays = random.randint(0, sides - 1)
    die = icepool.d(sides).map(lambda face: 0 if face <= stays else face)

    def go_on(total: int) -> object:
        return total if total >= goal else die + total

    found = icepool.Die([0]).map(go_on, repeat="inf")
    steps: list[object] = [
        {"let": "n", "be": 0},
        {
            "again": "time",
            "until": f"n >= {goal}",
            "steps": [
                {"sum": "face", "sides": sides},
                {"let": "n", "be": f"n + (face if face > {stays} else 0)"},
            ],
        },
    ]
    return Case(roll(steps, "n"), {"n": of_pool(found)})


def end(random: Random) -> Case:
    """A loop that ends at the first success; without one, another outcome."""
    times, sides = random.randint(1, 6), random.randint(2, 8)
    target, other = random.randint(1, sides), random.randint(1, sides)
    hit = Fraction(sides + 1 - target, sides)
    miss = 1 - hit
    steps: list[object] = [
        {
            "again": "time",
            "times": times,
            "steps": [
                {"count": "hits", "dice": 1, "sides": sides, "target": target},
                {"end": "hit", "given": "hits > 0"},
            ],
        },
        {"sum": "face", "sides": sides},
    ]
    outcomes: list[object] = [
        {"key": "hit", "name": text("Hit"), "given": "False"},
        {"key": "lucky", "name": text("Lucky"), "given": f"face >= {other}"},
        {"key": "missed", "name": text("Missed")},
    ]
    late = miss**times
    lucky = late * Fraction(sides + 1 - other, sides)
    when: Chances = {}
    for time in range(1, times + 1):
        when[time] = when.get(time, Fraction(0)) + hit * miss ** (time - 1)
    when[times] += late
    expected = {"hit": 1 - late, "lucky": lucky, "missed": late - lucky}
    made = roll(steps, "time", outcomes=outcomes)
    return Case(made, {"time": {key: part for key, part in when.items() if part}}, expected)


KINDS: dict[str, Callable[[Random], Case]] = {
    "let": let,
    "count": count,
    "count, what the dice show": count_faces,
    "count, failures again": count_again,
    "count, every re-roll": count_again_all,
    "sum, kept dice": sum_kept,
    "sum, all again": sum_again,
    "throw_hand": throw_hand,
    "look_up": look_up,
    "opposed": opposed,
    "use": use,
    "again, so many times": again_times,
    "again, until": again_until,
    "end": end,
}
