"""Lists of army builders as values, with anything in them that the reader lets through."""

from __future__ import annotations

from decimal import Decimal
from random import Random

from common.text import lines, one_line
from rules.book.model import Book
from rules.catalogues.entry_map import EntryMap
from rules.catalogues.rosters import Roster, RosterCategory, RosterForce, Selection
from tests.hostile import nasty

KINDS = ("unit", "model", "upgrade", "upgrade", "", "mount")
NUMBERS = (0, 1, 1, 1, 2, 3, 61, 10_000)
COSTS = (Decimal(0), Decimal(5), Decimal("0.5"), Decimal(-7), Decimal(1_000_000_000))
TABLES = ("ranks", "items", "traits", "professions", "holdings")


def entry_map(book: Book, dice: Random) -> EntryMap:
    """Return ids of some rows of every table of a rulebook."""
    rows = [(table, row.key) for table in TABLES for row in getattr(book, table)]
    dice.shuffle(rows)
    found = {f"e{number}": row for number, row in enumerate(rows[:40])}
    return EntryMap("s", dice.choice(("", "pts", "gold")), found, {"xp": "experience"})


def army_list(book: Book, dice: Random) -> Roster:
    """Return a list of a few forces."""
    left = [dice.choice((3, 20, 60))]
    forces = tuple(
        RosterForce(
            "f", _name(dice), _name(dice), dice.choice(("", "c", "d")),
            _name(dice),
            tuple(_selection(book, dice, left, 0) for _ in range(dice.randrange(8))),
        )
        for _ in range(dice.randrange(3))
    )  # fmt: skip
    costs = tuple((kind, dice.choice(COSTS)) for kind in dice.choice(((), ("pts",), ("pts", "x"))))
    text = _name(dice)
    return Roster(
        text, "s", file="a.ros", costs=costs, forces=forces, notes=lines(nasty.text(dice))
    )


def _name(dice: Random) -> str:
    """Return a text as the reader leaves it."""
    return one_line(nasty.text(dice))[:4_000]


def _selection(book: Book, dice: Random, left: list[int], depth: int) -> Selection:
    left[0] -= 1
    names = [row.name.first for table in TABLES for row in getattr(book, table)]
    inside = dice.randrange(5) if depth < 50 else 0
    return Selection(
        entry_id=dice.choice((f"e{dice.randrange(50)}", f"l::e{dice.randrange(50)}", "::", "")),
        group_id=dice.choice(("", "", "", "xp")),
        name=dice.choice((dice.choice(names), _name(dice))),
        custom_name=dice.choice(("", _name(dice))),
        number=dice.choice(NUMBERS),
        kind=dice.choice(KINDS),
        costs=(("pts", dice.choice(COSTS)),),
        categories=(RosterCategory(_name(dice)[:200], ""),),
        selections=tuple(
            _selection(book, dice, left, depth + 1) for _ in range(inside) if left[0] > 0
        ),
        notes=dice.choice(("", lines(nasty.text(dice)))),
    )
