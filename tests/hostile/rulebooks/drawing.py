"""Variants, drawn from a seed: the same number of the same seed is the same file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd
from random import Random

from rules.book.vocabulary import Frozen
from rules.editor.places import LISTS, SINGLES, find_fixed, model_of
from tests.hostile import nasty
from tests.hostile.rulebooks import fates, formulas, rolls, sizes
from tests.hostile.rulebooks.vocabulary import DICE_ROWS, Maker, Place, places
from tests.hostile.rulebooks.writing import (
    SHAPES,
    SLUGS,
    Base,
    Change,
    add,
    base,
    file_of,
    put,
    row,
    text,
)

# Importing the modules registers their shapes.
MODULES = (fates, formulas, rolls, sizes)
# Kinds made from the annotations of fields, or from the rulebook's own rows; all others are shapes.
FROM_MODELS = ("fields", "odd_fields", "new_rows", "odd_rows", "spoiled")
# The probability that a part of an odd value is odd, and the number of a variant's fields that are.
ODD, ODD_FIELDS = 0.06, 3
# Plain rows of tables that other rows name, although no shipped rulebook has rows in them.
UNUSED = (("currencies", row("made-own", unit=text("x"))), ("holdings", row("made-own")))


@dataclass(frozen=True)
class Drawn:
    """A variant: the name of its shape, the rulebook that it changes, and its file.

    ``fields``: the fields of the vocabulary that were made from their annotations.
    """

    number: int
    shape: str
    on: Base
    changes: list[Change]
    content: bytes
    fields: frozenset[tuple[str, str]] = frozenset()


def shapes() -> list[str]:
    """Return the names of all shapes, in turn."""
    return [*SHAPES, *FROM_MODELS]


def draw(seed: str, number: int) -> Drawn:
    """Draw one variant: every second has a shape, the others are made from the models, in turn."""
    half, odd = divmod(number, 2)
    if odd:
        return draw_shape(in_turn(list(SHAPES), half), seed, number)
    turn, kind = divmod(half, len(FROM_MODELS))
    return draw_shape(FROM_MODELS[kind], seed, number, turn)


def draw_shape(name: str, seed: str, number: int, turn: int | None = None) -> Drawn:
    """Draw one variant of a shape. ``turn``: its turn among the fields of the vocabulary."""
    dice = Random(f"{seed} {number} {name}")
    on = base(dice.choice(SLUGS))
    seen: set[tuple[str, str]] = set()
    if name in SHAPES:
        changes = SHAPES[name](dice, on)
    elif name == "spoiled":
        changes = _spoiled(dice, on)
    else:
        odd, first = name.startswith("odd"), number if turn is None else turn
        chosen = [place_of(first + at) for at in range(ODD_FIELDS if odd else 1)]
        on = _with_rows(chosen[0], dice)
        maker = Maker(dice, on, odd=ODD if odd else 0.0)
        changes = _add_unused(maker) if dice.random() < 0.3 else []
        changes += [
            _made(maker, place, name.endswith("rows"), f"made-{at}")
            for at, place in enumerate(chosen)
        ]
        seen = maker.seen
    label = f"{number} {name}".replace("_", " ")
    return Drawn(number, name, on, changes, file_of(on, label, changes), frozenset(seen))


def _add_unused(maker: Maker) -> list[Change]:
    """Add the rows of UNUSED, which all that the maker makes from now on may name."""
    maker.on = replace(maker.on, added=tuple((table, data["key"]) for table, data in UNUSED))
    return [add(table, data) for table, data in UNUSED]


def _made(maker: Maker, place: Place, is_new: bool, key: str) -> Change:
    """Return a field of a row, or a row with that field, made from its annotation. A new row
    resembles a row of the rulebook of the same kind, if there is one.
    """
    table, model, field = place
    if table == DICE_ROWS:
        table = f"tables.{maker.on.some('tables', maker.dice)}.rows"
    alike = _alike(maker.on, table, model)
    if alike and (table in SINGLES or not (is_new or field in find_fixed(table))):
        return put(table, maker.dice.choice(alike), field, maker.field(model, field))
    data = maker.row(table, model, key)
    if alike and maker.dice.random() < 0.7:
        like = maker.on.row(table, maker.dice.choice(alike))
        own = {name: data[name] for name in ("key", "code") if name in data}
        some = {name: data[name] for name in maker.dice.sample(sorted(data), min(2, len(data)))}
        data = {**like, **some, **own}
    data[field] = maker.field(model, field)
    return add(table, data, key)


def _alike(on: Base, table: str, model: type[Frozen]) -> list[str]:
    """Return the rows of a table that have this model."""
    rows = on.written.rows(table)
    return [name for name, data in rows.items() if model_of(table, data) is model]


def _with_rows(place: Place, dice: Random) -> Base:
    """Return a rulebook that has such rows, if any has."""
    table, model, _field = place
    every = [base(slug) for slug in SLUGS]
    return dice.choice([on for on in every if _alike(on, table, model)] or every)


def place_of(turn: int) -> Place:
    """Return the fields of the vocabulary in turn."""
    return in_turn(places(), turn)


def in_turn[T](every: Sequence[T], turn: int) -> T:
    """Return each value in turn, neighbours far from one another."""
    step = next(step for step in range(97, 97 + len(every)) if gcd(step, len(every)) == 1)
    return every[turn * step % len(every)]


def _spoiled(dice: Random, on: Base) -> list[Change]:
    """Return rows of the rulebook with a mistake deep inside them."""
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
