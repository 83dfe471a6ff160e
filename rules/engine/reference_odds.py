"""Reference tables: the chances in their cells, and their lines drawn from modifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rules.book.model import Book, Rules
from rules.book.reference import ChanceColumn, Chances, Reference, ReferenceLine
from rules.book.rolls import Modifier
from rules.book.vocabulary import Text
from rules.engine.compiling import ready
from rules.engine.expressions import Value, parse
from rules.engine.odds import Odds, odds
from rules.engine.situations import Situation, names_in

WORKED_OUT = "?"


@dataclass(frozen=True)
class WorkedFigure:
    """A cell worked out: a chance, or the average of a number in its ``unit``. ``exact``: the page
    also shows it as a fraction."""

    value: Fraction
    average: bool
    exact: bool
    unit: Text | None = None


@dataclass(frozen=True)
class Added:
    """A cell with the amount that a modifier adds; None where it does not apply."""

    modifier: Modifier
    amount: int | None


type WorkedOut = WorkedFigure | Added


def rules_of(book: Book, row: Reference) -> Rules:
    """The rules that a table is for: the usual options, with the first choices that it needs."""
    return book.under(book.default_settings() | {key: one[0] for key, one in row.when.items()})


def work_out_cells(book: Book, row: Reference) -> list[list[WorkedOut | None]]:
    """Work out the cells of a table, line by line; None for a cell that keeps its text.

    Raises what ``odds`` raises, but never for a checked book.
    """
    if row.chances is None:
        return [[None] * len(row.columns) for _line in row.lines]
    rules = rules_of(book, row)
    usual = names_in(rules, Situation())
    return [
        [_cell(rules, usual, row.chances, line, index) for index in range(len(row.columns))]
        for line in row.lines
    ]


def _cell(
    rules: Rules, usual: Mapping[str, Value], chances: Chances, line: ReferenceLine, index: int
) -> WorkedOut | None:
    column = chances.columns[index]
    if column.is_typed or (line.cells and line.cells[index] != WORKED_OUT):
        return None
    names = {**usual, **line.names, **column.names}
    if column.modifier is not None:
        return work_out_added(rules.book.modifier[column.modifier], names)
    roll = ready(rules, column.roll or chances.roll)
    unit = next((one.unit for one in roll.roll.numbers if one.of == column.number), None)
    return WorkedFigure(_value(column, odds(roll, names)), column.average, chances.exact, unit)


def work_out_added(modifier: Modifier, names: Mapping[str, Value]) -> Added:
    """Work out the amount that a modifier adds; a question without an answer is answered no.

    Raises Unknown for any other missing name, BadExpression for a formula that gives no number.
    """
    given = parse("True" if modifier.given is None else modifier.given)
    amount = parse(modifier.amount)
    known = {name: 0 for name in given.names | amount.names if ":" in name} | dict(names)
    return Added(modifier, amount.number(known) if given.holds(known) else None)


def _value(column: ChanceColumn, found: Odds) -> Fraction:
    if column.outcome is not None:
        return found.outcomes[column.outcome]
    assert column.number is not None
    if column.average:
        return found.average(column.number)
    return found.at_least(column.number, 1 if column.least is None else column.least)


def drawn_modifiers(book: Book, row: Reference, rules: Rules | None = None) -> list[Modifier]:
    """List the modifiers that make lines of a table, in the order of the rulebook.

    ``rules``: take the modifiers in force under them; by default, those in force for the table.
    """
    drawn = row.modifiers
    if drawn is None:
        return []
    if rules is None and row.when:
        rules = rules_of(book, row)
    offered = (modifier for modifier in book.modifiers if modifier.status == "offered")
    return [
        modifier
        for modifier in (rules.modifiers if rules else offered)
        if modifier.listed
        and modifier.on in drawn.on
        and (not modifier.rolls or not set(modifier.rolls).isdisjoint(drawn.rolls))
    ]
