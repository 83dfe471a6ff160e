"""What reference tables work out: chances of their cells, and lines drawn from modifiers."""

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
    """One cell worked out: a chance, or what a number is on average, in its ``unit``. ``exact``:
    it is shown as a fraction, too."""

    value: Fraction
    average: bool
    exact: bool
    unit: Text | None = None


@dataclass(frozen=True)
class Added:
    """One cell that says what a modifier adds; ``amount``: None where it does not count."""

    modifier: Modifier
    amount: int | None


type WorkedOut = WorkedFigure | Added


def rules_of(book: Book, row: Reference) -> Rules:
    """The rules under which a table holds: the usual options, and the first of those it is for."""
    return book.under(book.default_settings() | {key: one[0] for key, one in row.when.items()})


def work_out_cells(book: Book, row: Reference) -> list[list[WorkedOut | None]]:
    """For each line of a table and each of its columns what is worked out there; None where what
    is written stands.

    Raises what odds raise for a table that a checked book never has.
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
    if column == ChanceColumn() or (line.cells and line.cells[index] != WORKED_OUT):
        return None
    names = {**usual, **line.names, **column.names}
    if column.modifier is not None:
        return work_out_added(rules.book.modifier[column.modifier], names)
    roll = ready(rules, column.roll or chances.roll)
    unit = next((one.unit for one in roll.roll.numbers if one.of == column.number), None)
    return WorkedFigure(_value(column, odds(roll, names)), column.average, chances.exact, unit)


def work_out_added(modifier: Modifier, names: Mapping[str, Value]) -> Added:
    """What a modifier adds where ``names`` hold; of what they do not say, a question is answered
    no. Raises Unknown for any other name, BadExpression for what gives no number."""
    given, amount = (
        parse("True" if modifier.given is None else modifier.given),
        parse(modifier.amount),
    )
    told = {name: 0 for name in given.names | amount.names if ":" in name} | dict(names)
    return Added(modifier, amount.number(told) if given.holds(told) else None)


def _value(column: ChanceColumn, found: Odds) -> Fraction:
    if column.outcome is not None:
        return found.outcomes[column.outcome]
    assert column.number is not None
    if column.average:
        return found.average(column.number)
    return found.at_least(column.number, 1 if column.least is None else column.least)


def drawn_modifiers(book: Book, row: Reference, rules: Rules | None = None) -> list[Modifier]:
    """The modifiers that make lines of a table, in the order of the rulebook: those in force under
    these ``rules``; without any, those that hold where the table does."""
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
