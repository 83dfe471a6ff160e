"""Dice explained: how many a step throws, which faces succeed, and how each number adds up."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from rules.book.rolls import Let
from rules.engine import throwing
from rules.engine.compiling import (
    CompiledCount,
    CompiledHand,
    CompiledLet,
    CompiledStep,
    CompiledSum,
)
from rules.engine.expressions import Names, Slot, Value, parse
from rules.engine.playing import Wanted

# The most parts of a number that are worth a reader's time; a number of more is one part.
MOST_PARTS = 12


@dataclass(frozen=True)
class Part:
    """A part of a number. ``key``: the name that expressions read, the key of a modifier or spend,
    or "" for a plain number; a limit ("least", "most") is the number that it allows."""

    amount: int | Fraction
    key: str = ""
    kind: Literal["name", "raise", "least", "most"] = "name"

    def negated(self) -> Part:
        """Return the part with the other sign."""
        return replace(self, amount=-self.amount)


@dataclass(frozen=True)
class Receipt:
    """A number and its parts."""

    number: int
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class ThrowReason:
    """Why a step throws dice. ``good``: the faces that succeed, None if none is better; ``target``:
    the number behind them, or the total that is hoped for, at least or ``at_most``; ``plus``: the
    number added to the dice; ``keep``: the number of dice that count, None for all; ``lowest``:
    these are the lowest; ``cards``: faces that are added to a hand."""

    step: CompiledStep
    wanted: Wanted
    dice: Receipt
    good: frozenset[int] | None = None
    target: Receipt | None = None
    at_most: bool = False
    plus: Receipt | None = None
    keep: int | None = None
    lowest: bool = False
    cards: tuple[int, ...] = ()


@dataclass
class Watch:
    """Takes notes while a roll is played. ``numbers``: the numbers that steps have bound, by name;
    ``bound``: all names that steps have bound; ``throws``: the dice wanted, in order; the last may
    still be missing."""

    numbers: dict[str, Receipt] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    throws: list[ThrowReason] = field(default_factory=list)

    def __call__(self, step: CompiledStep, names: Names, wanted: Wanted | None) -> None:
        """Note a step before it is taken, or the dice that it throws."""
        self.bound.add(step.name)
        if wanted is not None:
            self.throws.append(self._reason(step, names, wanted))
        # The compiler's own numbers are no expressions of the rulebook.
        elif isinstance(step, CompiledLet) and isinstance(step.declared, Let):
            self.numbers[step.name] = self._receipt(step.be, names, step.clamp)

    def _reason(self, step: CompiledStep, names: Names, wanted: Wanted) -> ThrowReason:
        # A later value of the name is no longer what the step before bound.
        self.numbers.pop(step.name, None)
        match step:
            case CompiledCount():
                target = self._maybe(step.target, names, step.clamp)
                good = throwing.counting(step, names).good
                return ThrowReason(step, wanted, self._receipt(step.dice, names), good, target)
            case CompiledSum():
                _dice, _sides, keep, lowest = throwing.summing(step, names)
                dice, plus = self._receipt(step.dice, names), self._receipt(step.plus, names)
                hoped = step.at_least or step.at_most
                return ThrowReason(
                    step,
                    wanted,
                    dice,
                    target=self._maybe(hoped, names),
                    at_most=step.at_least is None,
                    plus=plus,
                    keep=keep,
                    lowest=lowest,
                )
            case CompiledHand():
                _dice, _again, cards, _goal, _singly = throwing.hand(step, names)
                return ThrowReason(step, wanted, self._receipt(step.dice, names), cards=cards)
        raise TypeError(step)

    def _maybe(
        self, slot: Slot | None, names: Names, clamp: tuple[Slot, Slot] | None = None
    ) -> Receipt | None:
        return None if slot is None else self._receipt(slot, names, clamp)

    def _receipt(self, slot: Slot, names: Names, clamp: tuple[Slot, Slot] | None = None) -> Receipt:
        base = slot.base.number(names)
        plain = [*_split(_tree(slot.base.text), names, self)]
        if sum(part.amount for part in plain) != base:
            plain = [Part(base)]
        raises = [Part(one.added(names), one.key, "raise") for one in slot.raises]
        number = base + sum(int(part.amount) for part in raises)
        parts = _gather([*plain, *raises])
        if clamp is None:
            return Receipt(number, parts)
        low, high = (limit.number(names) for limit in clamp)
        if number < low:
            return Receipt(low, (*parts, Part(low, kind="least")))
        if number > high:
            return Receipt(high, (*parts, Part(high, kind="most")))
        return Receipt(number, parts)


def _gather(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Add up the plain numbers, which come first, and leave out parts that change nothing; parts
    that cancel each other explain nothing."""
    found: dict[tuple[str, str], int | Fraction] = {("name", ""): 0}
    signs: dict[tuple[str, str], set[bool]] = {}
    kinds: dict[tuple[str, str], Part] = {}
    for part in parts:
        which = part.kind, part.key
        found[which] = found.get(which, 0) + part.amount
        kinds[which] = part
        if part.key and part.amount:
            signs.setdefault(which, set()).add(part.amount > 0)
    gathered = tuple(
        replace(kinds[which], amount=amount) for which, amount in found.items() if amount
    )
    if len(gathered) > MOST_PARTS or any(len(both) > 1 for both in signs.values()):
        return (Part(sum(found.values())),)
    return gathered


@lru_cache(maxsize=2048)
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _number(node: ast.expr, names: Names) -> int | Fraction:
    value = parse(ast.unparse(node)).work_out(names)
    assert not isinstance(value, str)
    return value


def _split(node: ast.expr, names: Names, watch: Watch) -> Iterator[Part]:
    match node:
        case ast.Constant(value=int() as value):
            yield Part(value)
        case ast.Name() | ast.Attribute():
            yield from _named(ast.unparse(node), names, watch)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from (part.negated() for part in _split(operand, names, watch))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _split(left, names, watch)
            yield from _split(right, names, watch)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _split(left, names, watch)
            yield from (part.negated() for part in _split(right, names, watch))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            holds = bool(_number(test, names))
            reason = _reason(test, names, watch, holds=holds)
            # A plain number is there because of what was asked.
            for part in _split(body if holds else orelse, names, watch):
                yield replace(part, key=reason) if part == Part(part.amount) else part
        case ast.Call(func=ast.Name(id="min" | "max"), args=values):
            number = _number(node, names)
            same = [value for value in values if _number(value, names) == number]
            deciding = next((one for one in same if not isinstance(one, ast.Constant)), same[0])
            yield from _split(deciding, names, watch)
        case _:
            yield Part(_number(node, names), _only_name(node))


def _named(name: str, names: Names, watch: Watch) -> Iterable[Part]:
    value: Value = names[name]
    assert not isinstance(value, str)
    receipt = watch.numbers.get(name)
    if receipt is None or receipt.number != value:
        return (Part(value, name),)
    limited = any(part.kind in ("least", "most") for part in receipt.parts)
    return (Part(value),) if limited else receipt.parts


def _reason(test: ast.expr, names: Names, watch: Watch, *, holds: bool) -> str:
    """Return the circumstance, or the question about a figure, that decides a test; "" if none does
    so by itself."""
    name = _only_name(test)
    if name in watch.bound or ("." in name and ":" not in name):
        return ""
    return name if holds or isinstance(names.get(name), str) else ""


def _only_name(node: ast.expr) -> str:
    """Return the name that an expression reads, "" for none or several."""
    found = parse(ast.unparse(node)).names
    return next(iter(found)) if len(found) == 1 else ""
