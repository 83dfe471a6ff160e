"""Random rolls of nested steps, whose odds must agree with every way of playing them.

There are few names, so that steps rebind names, read names of skipped steps, and keep the values
that loops change.
"""

from __future__ import annotations

from random import Random
from typing import Any

from rules.book.model import Book
from rules.book.rolls import Procedure, Roll
from tests.rules.proofs.cases import plain
from tests.rules.proofs.ways import roll
from tests.rules.small import row, text

NAMES = ("a", "b", "c", "d")
DEEPEST = 3


def value(random: Random, known: list[str]) -> str:
    """Return an expression of bound names with a small value."""
    one, other = (random.choice([*known, "1", "2"]) for _ in range(2))
    sort = random.choice(["{0}", "{0} + {1}", "{0} - {1}", "max({0}, {1})", "{0} % 3"])
    return sort.format(one, other)


def condition(random: Random, known: list[str]) -> str:
    """Return a condition that is sometimes true."""
    sign = random.choice(["<", ">=", "==", "!="])
    return f"{value(random, known)} {sign} {random.randint(0, 3)}"


def steps(random: Random, known: list[str], depth: int, ending: bool) -> list[object]:
    """Return some steps; add the names they bind to ``known``."""
    return [step(random, known, depth, ending) for _ in range(random.randint(1, 3))]


def step(random: Random, known: list[str], depth: int, ending: bool) -> dict[str, Any]:
    """Return one step, possibly with nested steps."""
    name, before = random.choice(NAMES), [*known]
    sorts = ["let", "count", "sum", "let"]
    if depth:
        sorts += ["again", "opposed", "until", "use"]
    sort = random.choice([*sorts, "end"] if ending else sorts)
    made: dict[str, Any]
    match sort:
        case "count":
            made = {"count": name, "dice": random.randint(0, 2), "sides": 2, "target": 2}
            if random.random() < 0.3:
                made["again_failed"] = value(random, known)
        case "sum":
            made = {"sum": name, "dice": 1, "sides": random.randint(1, 3)}
        case "end":
            return {"end": "early", "given": condition(random, known)}
        case "again":
            loop = f"loop{depth}"
            inner = [*known, loop]
            inside = steps(random, inner, depth - 1, ending)
            times = random.choice([2, f"({value(random, known)}) % 3"])
            made = {"again": loop, "times": times, "steps": inside}
            known += [new for new in inner if new not in known]
        case "until":
            # It ends at a throw, or after three rounds of all such loops.
            inner = [*known]
            inside = steps(random, inner, 0, False)
            inside += [{"sum": "face", "sides": 2}, {"let": "tries", "be": "tries + 1"}]
            made = {"again": "turn", "until": "face == 2 or tries > 2", "steps": inside}
            made |= {"given": condition(random, before)}
            known += [new for new in (*inner, "face") if new not in known]
            return made
        case "opposed":
            inner = [*known]
            inside = steps(random, inner, depth - 1, False)
            inside.append({"sum": "face", "sides": 2})
            pair = {"mine": ["face"], "theirs": [value(random, inner)]}
            made = {"opposed": name, "steps": inside, **pair}
            known += [new for new in (*inner, "face", f"{name}.winner") if new not in known]
        case "use":
            made = {"use": "shared", "values": {name: value(random, known)}}
            known += [new for new in ("a", "b") if new not in known]
        case _:
            made = {"let": name, "be": f"min(3, {value(random, known)})"}
    if name not in known and sort != "again":
        known.append(name)
    if random.random() < 0.4:
        made["given"] = condition(random, before)
    return made


def program(random: Random) -> tuple[Roll, Book]:
    """Return a roll of some steps with a procedure, outcomes and two numbers."""
    procedure = Procedure.model_validate(
        row(
            "shared",
            steps=[
                {"sum": "a", "sides": 2},
                {"let": "b", "be": "a + 1", "given": "a == 1"},
                {"count": "a", "dice": "min(2, max(0, b))", "sides": 2, "target": 2},
            ],
        )
    )
    known = ["a"]
    made: list[object] = [{"let": "a", "be": random.randint(0, 2)}, {"let": "tries", "be": 0}]
    made += steps(random, known, random.randint(0, DEEPEST), True)
    made.append(step(random, known, 0, True))
    outcomes: list[object] = [
        {"key": "early", "name": text("Early"), "given": "False"},
        {"key": "much", "name": text("Much"), "given": condition(random, known)},
        {"key": "little", "name": text("Little")},
    ]
    names = sorted({name for name in known if "." not in name})
    wanted = random.sample(names, min(2, len(names)))
    return roll(made, *wanted, outcomes=outcomes), plain().changed(procedures=(procedure,))
