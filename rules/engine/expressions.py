"""Expressions of a rulebook: small formulas over names, parsed once and worked out many times.

Python's own parser reads them, and only these parts of its grammar are allowed: numbers, names,
texts in comparisons, arithmetic, comparisons, ``and``, ``or``, ``not``, ``a if b else c``, a few
functions and the questions below. Expressions never run as Python: each becomes a small function of
the names' values. Strangers write them, so their length, nesting and results have limits.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import cast

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.suggesting import suggest
from rules.bounds.kept import keep_within
from rules.bounds.limits import DEEPEST_EXPRESSION, LONGEST_EXPRESSION, MOST_LETTERS_KEPT
from rules.bounds.work import spend
from rules.engine.spans import Span, Undecided

Value = int | Fraction | str
Names = Mapping[str, Value]
Worked = Callable[[Names], Value]

# The subjects of names ("by.rc"), and the subjects of each question ("by.has_trait('x')").
SUBJECTS = ("by", "at", "item", "at_item", "gang", "enemy", "table")
QUESTIONS: dict[str, tuple[str, ...]] = {
    "has_trait": ("by", "at"),
    "power": ("by", "at"),
    "has_profession": ("by", "at"),
    "has_origin": ("by", "at"),
    "has_condition": ("by", "at"),
    "is_rank": ("by", "at"),
    "leads": ("by", "at"),
    "carries": ("by", "at"),
    "carries_tagged": ("by", "at"),
    "carries_group": ("by", "at"),
    "in_state": ("by", "at", "item", "at_item", "gang", "enemy"),
    "tagged": ("item", "at_item"),
    "in_group": ("item", "at_item"),
    "is_item": ("item", "at_item"),
    "in_mode": ("item", "at_item"),
    "did": ("by", "at"),
    "did_before": ("by", "at"),
    "asked": ("by",),
    "left": ("by", "at", "gang", "enemy"),
    "members": ("gang", "enemy"),
    "lost_members": ("gang", "enemy"),
    "marked": ("by",),
    "option": ("table",),
}
# Questions that only a table can answer, where taps are kept: how often a figure did an action in
# this turn, or in the last earlier turn in which it acted; whether an alarm asked for the roll; the
# value left on a track; for how many members of a side, in play or out, an expression is true (for
# those out, also how they went). Steps and rows name the options they are for in "when"; only a
# number that depends on an option needs a question for it ("players:more").
OF_TABLES = ("did", "did_before", "asked", "left", "members", "lost_members", "marked", "option")
COUNTING = ("members", "lost_members")
BIGGEST = 10**9
# The characters of an expression that count as one unit of work.
PER_UNIT = 64
# The characters of a faulty expression that are quoted.
MOST_QUOTED = 80


class BadExpression(ValueError):
    """Raised for text that is not an expression; a sentence without its place."""


class Unknown(LookupError):
    """Raised when a name in an expression has no value."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression. ``names``: the names that it needs, with its questions written as names
    ("by.has_trait:deadeye"); ``work``: the cost of working it out."""

    text: str
    names: frozenset[str]
    work_out: Worked
    work: int = field(default=1, compare=False)

    def number(self, names: Names) -> int:
        """Return its value as a whole number; halves are rounded up.

        Raises BadExpression if that is not a number, or too large; Unknown for a missing name.
        """
        spend(self.work)
        value = self.work_out(names)
        if isinstance(value, str):
            raise BadExpression(
                say(_("“%(text)s” must give a number, not text"), text=_quote(self.text))
            )
        if not -BIGGEST < value < BIGGEST:
            raise BadExpression(
                say(_("the result of “%(text)s” is too large"), text=_quote(self.text))
            )
        return value if isinstance(value, int) else floor(value + Fraction(1, 2))

    def holds(self, names: Names) -> bool:
        """Whether the value is true (not 0). Raises BadExpression for a text, or Unknown."""
        spend(self.work)
        return bool(_numeric(self.work_out(names)))

    def may_hold(self, names: Names, ranges: Mapping[str, tuple[int, int]]) -> bool:
        """Whether the value may be true once the numbers of some names are known. ``ranges``: their
        least and largest values. False only for a condition that is false for all of them; true
        where this is hard to find out. Raises as ``holds``."""
        spans = {name: cast("int", Span(*ends)) for name, ends in ranges.items()}
        try:
            return self.holds({**names, **spans})
        except Undecided:
            return True


@keep_within(MOST_LETTERS_KEPT, lambda expression: 20 + len(expression.text))
def parse(formula: int | str) -> Expression:
    """Parse an expression. Raises BadExpression."""
    if isinstance(formula, int):
        return Expression(str(formula), frozenset(), _constant(formula))
    if len(formula) > LONGEST_EXPRESSION:
        raise BadExpression(
            say(_("must have at most %(most)s characters"), most=LONGEST_EXPRESSION)
        )
    names: set[str] = set()
    try:
        tree = ast.parse(formula, mode="eval").body
        worked = _read(tree, names, DEEPEST_EXPRESSION)
    except (RecursionError, MemoryError):
        raise BadExpression(_("too many levels of nesting")) from None
    except (SyntaxError, ValueError) as error:
        if isinstance(error, BadExpression):
            raise
        quoted = _quote(formula)
        raise BadExpression(say(_("“%(text)s” is not a valid expression"), text=quoted)) from None
    return Expression(formula, frozenset(names), worked, 1 + len(formula) // PER_UNIT)


def is_condition(formula: int | str) -> bool:
    """Whether an expression is yes or no, 1 or 0, and no other number. Raises BadExpression."""
    text = parse(formula).text
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.BoolOp | ast.Compare) or text in ("0", "1")


def _quote(text: str) -> str:
    """The beginning of a faulty text."""
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"


def _constant(value: Value) -> Worked:
    return lambda names: value


def _read(node: ast.expr, found: set[str], depth: int) -> Worked:  # noqa: PLR0911
    if depth == 0:
        raise BadExpression(_("too many levels of nesting"))
    below = depth - 1
    match node:
        case ast.Constant(value=bool() as value):
            return _constant(int(value))
        case ast.Constant(value=int() | str() as value):
            return _constant(value)
        case ast.Name() | ast.Attribute():
            return _name(_dotted(node), found)
        case ast.BinOp(left=left, op=op, right=right):
            return _arithmetic(op, _read(left, found, below), _read(right, found, below))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = _read(operand, found, below)
            return lambda names: -_numeric(negated(names))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = _read(operand, found, below)
            return lambda names: int(not _numeric(denied(names)))
        case ast.BoolOp(op=op, values=values):
            parts = [_read(value, found, below) for value in values]
            return _either(parts) if isinstance(op, ast.Or) else _both(parts)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [_read(part, found, below) for part in (left, *comparators)]
            return _comparison(ops, sides)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            asked, then, other = (_read(part, found, below) for part in (test, body, orelse))
            return lambda names: then(names) if _numeric(asked(names)) else other(names)
        case ast.Call(func=function, args=arguments, keywords=[]):
            return _call(_dotted(function), arguments, found, below)
    raise BadExpression(
        say(_("“%(text)s” is not allowed in an expression"), text=_quote(ast.unparse(node)))
    )


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{_dotted(value)}.{name}"
    raise BadExpression(say(_("“%(text)s” is not a valid name"), text=_quote(ast.unparse(node))))


def _name(name: str, found: set[str]) -> Worked:
    found.add(name)

    def value(names: Names) -> Value:
        try:
            return names[name]
        except KeyError:
            raise Unknown(name) from None

    return value


def _numeric(value: Value) -> int | Fraction:
    if isinstance(value, str):
        raise BadExpression(say(_("“%(value)s” is text, which can only be compared"), value=value))
    return value


ARITHMETIC: dict[type[ast.operator], Callable[..., int | Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: lambda left, right: Fraction(1) * left / right,
}


def _arithmetic(op: ast.operator, left: Worked, right: Worked) -> Worked:
    function = ARITHMETIC.get(type(op))
    if function is None:
        raise BadExpression(say(_("only + - * / // and %% are allowed")))

    def result(names: Names) -> Value:
        try:
            found = function(_numeric(left(names)), _numeric(right(names)))
        except ZeroDivisionError:
            raise BadExpression(_("division by 0")) from None
        if not -BIGGEST < found < BIGGEST:
            raise BadExpression(_("the result is too large"))
        return found

    return result


COMPARISONS: dict[type[ast.cmpop], Callable[..., bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _both(parts: list[Worked]) -> Worked:
    def result(names: Names) -> Value:
        undecided = None
        for part in parts:
            try:
                if not _numeric(part(names)):
                    return 0
            except Undecided as error:
                # Another part may be false for certain.
                undecided = error
        if undecided is not None:
            raise undecided
        return 1

    return result


def _either(parts: list[Worked]) -> Worked:
    def result(names: Names) -> Value:
        undecided = None
        for part in parts:
            try:
                if _numeric(part(names)):
                    return 1
            except Undecided as error:
                # Another part may be true for certain.
                undecided = error
        if undecided is not None:
            raise undecided
        return 0

    return result


def _comparison(ops: list[ast.cmpop], sides: list[Worked]) -> Worked:
    if any(type(op) not in COMPARISONS for op in ops):
        raise BadExpression(_("compare only with == != < <= > and >="))
    functions = [COMPARISONS[type(op)] for op in ops]
    left, function, right = sides[0], functions[0], sides[1]

    def result(names: Names) -> Value:
        try:
            if len(functions) == 1:
                return int(function(left(names), right(names)))
            values = [side(names) for side in sides]
            pairs = zip(functions, values, values[1:], strict=False)
            return int(all(function(one, other) for function, one, other in pairs))
        except TypeError:
            raise BadExpression(_("text cannot be compared with a number")) from None

    return result


FUNCTIONS: dict[str, tuple[int, int, Callable[..., Value]]] = {
    "min": (2, 9, min),
    "max": (2, 9, max),
    "floor": (1, 1, floor),
    "ceil": (1, 1, ceil),
    "abs": (1, 1, abs),
}


def _call(name: str, arguments: list[ast.expr], found: set[str], depth: int) -> Worked:
    subject, _dot, question = name.partition(".")
    if question:
        return _question(subject, question, arguments, found)
    if name not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        mistake = say(_("unknown function “%(name)s” (known: %(known)s)"), name=name, known=known)
        raise BadExpression(suggest(mistake, name, FUNCTIONS))
    fewest, most, function = FUNCTIONS[name]
    if not fewest <= len(arguments) <= most:
        count = f"{fewest}–{most}" if fewest < most else str(fewest)
        message = _("wrong number of values in “%(name)s(…)”: give %(count)s")
        raise BadExpression(say(message, name=name, count=count))
    parts = [_read(argument, found, depth) for argument in arguments]
    return lambda names: function(*(_numeric(part(names)) for part in parts))


def _question(subject: str, question: str, arguments: list[ast.expr], found: set[str]) -> Worked:
    """Compile a question: whether the subject has one of the keys, or how many it has."""
    if subject not in QUESTIONS.get(question, ()):
        message = _("unknown question “%(subject)s.%(question)s(…)”")
        mistake = say(message, subject=_quote(subject), question=_quote(question))
        known = [f"{one}.{name}" for name, subjects in QUESTIONS.items() for one in subjects]
        raise BadExpression(suggest(mistake, f"{subject}.{question}", known))
    constants = [part.value for part in arguments if isinstance(part, ast.Constant)]
    keys = [key for key in constants if isinstance(key, str)]
    if len(keys) < len(arguments) or (not keys and question != "leads"):
        raise BadExpression(
            say(
                _("“%(subject)s.%(question)s(…)” needs keys in quotes"),
                subject=subject,
                question=question,
            )
        )
    if question == "leads" and keys:
        raise BadExpression(say(_("“%(subject)s.leads()” does not take keys"), subject=subject))
    asked = [f"{subject}.{question}:{key}" for key in keys] or [f"{subject}.leads:"]
    found.update(asked)
    # A question without an answer is 0. For things carried and members of a side, it is a number.
    return lambda names: sum(_numeric(names.get(name, 0)) for name in asked)


@dataclass(frozen=True)
class SlotRaise:
    """A modifier at a slot: its key, the amount it adds, and its condition.

    ``rounds``: it counts only in this round of each of these loops; in every round if empty.
    """

    key: str
    amount: Expression
    given: Expression | None
    rounds: tuple[tuple[str, int], ...] = ()

    def added(self, names: Names) -> int:
        """Return the amount that it adds now."""
        if self.rounds and any(names[loop] != number for loop, number in self.rounds):
            return 0
        if self.given is not None and not self.given.holds(names):
            return 0
        return self.amount.number(names)


@dataclass(frozen=True)
class Slot:
    """A number with the modifiers that change it."""

    base: Expression
    raises: tuple[SlotRaise, ...] = ()

    def number(self, names: Names) -> int:
        """Return the number now, modified."""
        number = self.base.number(names)
        for one in self.raises:
            number += one.added(names)
        return number

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        if not self.raises:
            return self.base.names
        read = names_read((), self.base, *((one.amount, one.given) for one in self.raises))
        return read.union(loop for one in self.raises for loop, _number in one.rounds)


def clamp(number: int, clamp: tuple[Slot, Slot] | None, names: Names) -> int:
    """Return ``number``, limited to the lower and upper bound in ``clamp``."""
    if clamp is None:
        return number
    low, high = clamp
    return max(low.number(names), min(high.number(names), number))


def names_read(given: tuple[Expression, ...], *parts: object) -> frozenset[str]:
    """Gather the names that these read: expressions, slots, tuples of them, or None."""
    found: set[str] = set()
    for part in (*given, *parts):
        if isinstance(part, tuple):
            found |= names_read((), *part)
        elif isinstance(part, Expression | Slot):
            found |= part.names
    return frozenset(found)
