"""Expressions worked out with ranges of values in place of values.

A range knows the circumstances that it depends on. Operations may widen a range, and never leave
out a possible value or a dependency.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import reduce
from math import ceil, floor, inf
from typing import NamedTuple

from rules.bounds.kept import keep_within
from rules.bounds.limits import LONGEST_EXPRESSION, MOST_LETTERS_KEPT
from rules.bounds.work import spend
from rules.engine.expressions import BadExpression, Expression, Slot, SlotRaise, Unknown, Value

# A whole number, or infinity.
Number = float


class Range(NamedTuple):
    """A value between two bounds, or one of several ``texts``; ``deps``: the circumstances that it
    depends on, none if it is known."""

    low: Number
    high: Number
    deps: frozenset[str] = frozenset()
    texts: frozenset[str] | None = None

    @property
    def known(self) -> bool:
        """Whether only one value is possible."""
        return self.low == self.high if self.texts is None else len(self.texts) == 1

    @property
    def holds(self) -> bool | None:
        """Whether it is true; None if that is open."""
        if self.texts is not None:
            return None
        if self.low == self.high == 0:
            return False
        return True if self.low > 0 or self.high < 0 else None


UNKNOWN = Range(-inf, inf)
NO, YES = Range(0, 0), Range(1, 1)


def _exact(value: Value) -> Range:
    if isinstance(value, str):
        return Range(0, 0, texts=frozenset({value}))
    number = int(value) if value == int(value) else float(value)
    return Range(number, number)


def make_range(low: Number, high: Number, deps: frozenset[str]) -> Range:
    """Return a range; a known number depends on nothing."""
    return Range(low, high, frozenset() if low == high else deps)


def deps_of(parts: Iterable[Range]) -> frozenset[str]:
    """Return everything that any of the parts depends on."""
    return frozenset[str]().union(*(part.deps for part in parts))


def join_ranges(one: Range, other: Range, deps: frozenset[str]) -> Range:
    """Return the range of a value that is one or the other, decided by ``deps``."""
    deps |= one.deps | other.deps
    if one.texts is None and other.texts is None:
        return make_range(min(one.low, other.low), max(one.high, other.high), deps)
    texts = (one.texts or frozenset()) | (other.texts or frozenset())
    return Range(0, 0, frozenset() if len(texts) == 1 else deps, texts)


def _undecided(deps: frozenset[str]) -> Range:
    return Range(0, 1, deps)


def _decided(truth: bool | None, deps: frozenset[str]) -> Range:
    return _undecided(deps) if truth is None else YES if truth else NO


@keep_within(MOST_LETTERS_KEPT, lambda tree: LONGEST_EXPRESSION)
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


class Values:
    """The values of names: ``known`` ones, and ``open`` ones as ranges."""

    def __init__(self, known: Mapping[str, Value], open_names: Mapping[str, Range]) -> None:
        self.known = {name: value for name, value in known.items() if name not in open_names}
        self.open = dict(open_names)

    def get(self, name: str, otherwise: Range = UNKNOWN) -> Range:
        """Return the range of a name."""
        found = self.open.get(name)
        if found is not None:
            return found
        return _exact(self.known[name]) if name in self.known else otherwise

    def bind(self, name: str, value: Range) -> None:
        """Give a name a value."""
        if value.known:
            self.open.pop(name, None)
            [text] = value.texts or [None]
            self.known[name] = int(_whole(value.low)) if text is None else text
        else:
            self.known.pop(name, None)
            self.open[name] = value

    def work_out(self, expression: Expression) -> Range:
        """Return the range of an expression."""
        if not self.open.keys() & expression.names:
            try:
                return _exact(expression.work_out(self.known))
            except (Unknown, BadExpression):
                return UNKNOWN
        spend(expression.work)
        try:
            tree = _tree(expression.text)
        except SyntaxError:
            # A condition that was set aside has no text.
            return UNKNOWN._replace(deps=deps_of(self.get(name) for name in expression.names))
        return self._read(tree)

    def number(self, slot: Slot) -> Range:
        """Return the range of a slot with its modifiers."""
        raised = (self._raised(one) for one in slot.raises)
        return _round(reduce(_add, raised, _round(self.work_out(slot.base))))

    def _raised(self, one: SlotRaise) -> Range:
        given = YES if one.given is None else self.work_out(one.given)
        if given.holds is False:
            return NO
        amount = _round(self.work_out(one.amount))
        return amount if given.holds else join_ranges(NO, amount, given.deps)

    def decide(self, given: Iterable[Expression]) -> Range:
        """Return whether all conditions are true."""
        return _both([self.work_out(one) for one in given])

    def _read(self, node: ast.expr) -> Range:  # noqa: PLR0911
        match node:
            case ast.Constant(value=str() | int() as value):
                return _exact(value)
            case ast.Name() | ast.Attribute():
                return self.get(_name(node))
            case ast.BinOp(left=left, op=op, right=right):
                return _combine(op, self._read(left), self._read(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _combine(ast.Sub(), NO, self._read(operand))
            case ast.UnaryOp(operand=operand):
                found = self._read(operand)
                return _decided(None if found.holds is None else not found.holds, found.deps)
            case ast.BoolOp(op=op, values=values):
                parts = [self._read(value) for value in values]
                return _either(parts) if isinstance(op, ast.Or) else _both(parts)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                sides = [self._read(part) for part in (left, *comparators)]
                pairs = zip(ops, sides, sides[1:], strict=False)
                return _both([_compare(op, one, other) for op, one, other in pairs])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                asked = self._read(test)
                if asked.holds is not None:
                    return self._read(body if asked.holds else orelse)
                return join_ranges(self._read(body), self._read(orelse), asked.deps)
            case ast.Call(func=function, args=arguments):
                return self._call(_name(function), arguments)
        return UNKNOWN

    def _call(self, name: str, arguments: list[ast.expr]) -> Range:
        subject, _dot, question = name.partition(".")
        if question:
            keys = [str(ast.literal_eval(part)) for part in arguments]
            asked = [f"{subject}.{question}:{key}" for key in keys] or [f"{subject}.leads:"]
            return reduce(_add, (self.get(one, NO) for one in asked))
        parts = [self._read(argument) for argument in arguments]
        if name in ("min", "max"):
            return find_extreme(name, parts)
        [part] = parts
        if name == "abs":
            ends = sorted((abs(part.low), abs(part.high)))
            crosses = part.low < 0 < part.high
            return make_range(0 if crosses else ends[0], ends[1], part.deps)
        turn = floor if name == "floor" else ceil
        low, high = (end if abs(end) == inf else turn(end) for end in (part.low, part.high))
        return make_range(low, high, part.deps)


def _whole(number: Number) -> Number:
    return number if isinstance(number, int) or abs(number) == inf else floor(number + 0.5)


def _round(part: Range) -> Range:
    """Round halves up, as a slot does."""
    low, high = _whole(part.low), _whole(part.high)
    return part if (low, high) == part[:2] else make_range(low, high, part.deps)


def _add(one: Range, other: Range) -> Range:
    return make_range(one.low + other.low, one.high + other.high, one.deps | other.deps)


def _times(one: Number, other: Number) -> Number:
    return 0 if 0 in (one, other) else one * other


def _combine(op: ast.operator, one: Range, other: Range) -> Range:
    deps = one.deps | other.deps
    match op:
        case ast.Add():
            return _add(one, other)
        case ast.Sub():
            return make_range(one.low - other.high, one.high - other.low, deps)
        case ast.Mult():
            ends = [_times(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
            return make_range(min(ends), max(ends), deps)
        case ast.Div() | ast.FloorDiv() if other.low > 0:
            ends = [_divide(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
            if isinstance(op, ast.FloorDiv):
                ends = [end if abs(end) == inf else floor(end) for end in ends]
            return make_range(min(ends), max(ends), deps)
    return UNKNOWN._replace(deps=deps)


def _divide(one: Number, other: Number) -> Number:
    if other == inf:
        return 0
    return one if abs(one) == inf else one / other


def find_extreme(name: str, parts: list[Range]) -> Range:
    """Return the range of a least or greatest value, without those that never are it."""
    if name == "min":
        bound = min(part.high for part in parts)
        left = [part for part in parts if part.low <= bound]
        low, high = min(part.low for part in parts), bound
        able = [part for part in left if part.low < bound or part.known]
    else:
        bound = max(part.low for part in parts)
        left = [part for part in parts if part.high >= bound]
        low, high = bound, max(part.high for part in parts)
        able = [part for part in left if part.high > bound or part.known]
    return make_range(low, high, deps_of(able or left))


def _both(parts: list[Range]) -> Range:
    truths = [part.holds for part in parts]
    if False in truths:
        return NO
    left = [part for part in parts if part.holds is None]
    return _undecided(deps_of(left)) if left else YES


def _either(parts: list[Range]) -> Range:
    truths = [part.holds for part in parts]
    if True in truths:
        return YES
    left = [part for part in parts if part.holds is None]
    return _undecided(deps_of(left)) if left else NO


def _compare(op: ast.cmpop, one: Range, other: Range) -> Range:
    deps = one.deps | other.deps
    if one.texts is not None or other.texts is not None:
        same = _same_text(one, other)
    else:
        same = _same_number(one, other)
    match op:
        case ast.Eq():
            return _decided(same, deps)
        case ast.NotEq():
            return _decided(None if same is None else not same, deps)
        case ast.Lt():
            return _decided(_below(one, other), deps)
        case ast.Gt():
            return _decided(_below(other, one), deps)
        case ast.LtE():
            above = _below(other, one)
            return _decided(None if above is None else not above, deps)
        case ast.GtE():
            below = _below(one, other)
            return _decided(None if below is None else not below, deps)
    return _undecided(deps)


def _same_text(one: Range, other: Range) -> bool | None:
    if one.texts is None or other.texts is None:
        return None
    if not one.texts & other.texts:
        return False
    return True if one.texts == other.texts and one.known else None


def _same_number(one: Range, other: Range) -> bool | None:
    if one.high < other.low or other.high < one.low:
        return False
    return True if one.known and other.known else None


def _below(one: Range, other: Range) -> bool | None:
    """Whether one is less than the other."""
    if one.high < other.low:
        return True
    return False if one.low >= other.high else None
