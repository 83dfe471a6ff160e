"""Variants, drawn from a seed: the same number of the same seed is the same file."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from rules.variants.places import LISTS, model_of
from tests.hostile import nasty
from tests.hostile.rulebooks import fates, formulas, rolls, sizes
from tests.hostile.rulebooks.vocabulary import Maker, Place, places
from tests.hostile.rulebooks.writing import (
    SHAPES,
    SLUGS,
    Base,
    Change,
    add,
    base,
    file_of,
    put,
)

# The modules register what they draw.
MODULES = (fates, formulas, rolls, sizes)
# So many fields of the vocabulary are given another value in one variant.
FIELDS_AT_ONCE = 3


@dataclass(frozen=True)
class Drawn:
    """A variant: the name of its shape, the rulebook that it changes, and its file.

    ``fields``: of the vocabulary, those that were made from their annotations."""

    number: int
    shape: str
    on: Base
    changes: list[Change]
    content: bytes
    fields: frozenset[tuple[str, str]] = frozenset()


def shapes() -> list[str]:
    """The names of all shapes, in turn."""
    return [*SHAPES, "fields", "odd_fields", "new_rows", "odd_rows", "spoiled"]


def draw(seed: str, number: int) -> Drawn:
    """One variant. Shapes take turns, and so do the fields of the vocabulary."""
    names = shapes()
    # Every second variant is about fields, of which there are many.
    name = names[number // 2 % len(names)] if number % 2 else names[-5 + number // 2 % 5]
    return draw_shape(name, seed, number)


def draw_shape(name: str, seed: str, number: int) -> Drawn:
    """One variant of a shape."""
    dice = Random(f"{seed} {number} {name}")
    on = base(dice.choice(SLUGS))
    made: Maker | None = None
    if name in SHAPES:
        changes = SHAPES[name](dice, on)
    else:
        made = Maker(dice, on, odd=0.06 if name.startswith("odd") else 0.0)
        if name == "spoiled":
            changes = _spoiled(dice, on)
        else:
            changes = _made(made, name.endswith("rows"), number)
    label = f"{number} {name}".replace("_", " ")
    content = file_of(on, label, changes)
    return Drawn(number, name, on, changes, content, frozenset(made.seen if made else ()))


def _made(maker: Maker, are_new: bool, number: int) -> list[Change]:
    """Rows, or fields of rows, made from what their annotations say."""
    chosen = [_place(number * FIELDS_AT_ONCE + at) for at in range(FIELDS_AT_ONCE)]
    changes = []
    for at, (table, model, field) in enumerate(chosen):
        rows_of = _dice_rows(maker, table)
        names = [
            name
            for name, data in maker.on.written.rows(rows_of).items()
            if model_of(rows_of, data) is model
        ]
        if are_new or not names:
            key = f"made-{at}"
            data = maker.row(rows_of, model, key)
            data[field] = maker.field(model, field)
            changes.append(add(rows_of, data, key))
        else:
            name = maker.dice.choice(names)
            changes.append(put(rows_of, name, field, maker.field(model, field)))
    return changes


def _dice_rows(maker: Maker, table: str) -> str:
    if table != "tables.x.rows":
        return table
    return f"tables.{maker.on.some('tables', maker.dice)}.rows"


def _place(number: int) -> Place:
    """The fields of the vocabulary in turn, neighbours far from one another."""
    every = places()
    return every[number * 97 % len(every)]


def _spoiled(dice: Random, on: Base) -> list[Change]:
    """Rows of the rulebook with something wrong deep inside them."""
    changes = []
    for at in range(dice.choice((1, 2, 6))):
        table = dice.choice([table for table in LISTS if on.keys(table)])
        name = on.some(table, dice)
        plain = on.row(table, name)
        field = dice.choice(
            [field for field in plain if field not in ("key", "code", "source", "house")]
        )
        way = dice.choice([(field,), *((field, *inner) for inner in nasty.places(plain[field]))])
        inside = nasty.at(plain, way[:-1])
        inside[way[-1]] = nasty.other_value(inside[way[-1]], dice, list(on.keys(table)))
        if dice.random() < 0.5:
            changes.append(put(table, name, field, plain[field]))
        else:
            for own in ("key", "code"):
                if own in plain:
                    plain[own] = f"spoiled-{at}"
            changes.append(add(table, plain, f"spoiled-{at}"))
    return changes
