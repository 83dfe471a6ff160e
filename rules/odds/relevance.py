"""The circumstances that can matter for a roll, given the figures, their weapons and their states.

The compiled roll is walked once with ranges in place of numbers: what the figures and weapons
decide is known, what a player may still answer is open. A circumstance matters if an open value
that depends on it decides whether dice are thrown, how many and how, or which outcome follows.
The walk errs on the side of asking.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from math import inf

from rules.book.rolls import Circumstance, Roll
from rules.engine.compiling import (
    CompiledAgain,
    CompiledCount,
    CompiledEnd,
    CompiledLet,
    CompiledLookUp,
    CompiledNest,
    CompiledOpposed,
    CompiledStep,
    Ready,
    Steps,
)
from rules.engine.expressions import Expression, Slot, parse
from rules.odds.chances import Question, spends
from rules.odds.ranges import (
    NO,
    UNKNOWN,
    YES,
    Range,
    Values,
    deps_of,
    find_extreme,
    join_ranges,
    make_range,
)

# The most steps that are walked for one question, loops included; beyond them everything is asked.
MOST_WALKED = 4_000
# A loop is walked until nothing new depends on an answer, and no more often than this.
MOST_ROUNDS = 6
# The effects that have a formula, and its field.
FORMULAS = {"changes": "amount", "sets": "to", "moves": "distance"}


class _TooLong(Exception):
    """Raised for a roll whose loops take too many steps to walk."""


class _Walk:
    """Walks a roll; ``matter`` gathers the circumstances that can matter.

    ``shaken``: the names that something may still change after the dice are thrown.
    """

    def __init__(self, values: Values, shaken: frozenset[str]) -> None:
        self.values, self.shaken = values, shaken
        self.matter: set[str] = set()
        self.ends: set[str] = set()
        self.left = MOST_WALKED

    def steps(self, steps: Steps) -> None:
        """Walk steps, up to one that ends the roll for sure."""
        for step in steps:
            self.left -= 1
            if self.left < 0:
                raise _TooLong
            given = self.values.decide(step.given)
            if given.holds is False:
                self._skip(step)
                continue
            before = {name: self.values.get(name, NO) for name in step.binds}
            self._step(step, given)
            if given.holds is None:
                for name, value in before.items():
                    now = self.values.get(name, NO)
                    self.values.bind(name, join_ranges(value, now, given.deps))
            elif isinstance(step, CompiledEnd):
                return

    def _skip(self, step: CompiledStep) -> None:
        for name in step.binds:
            if name not in self.values.known and name not in self.values.open:
                self.values.bind(name, NO)

    def _step(self, step: CompiledStep, given: Range) -> None:
        values = self.values
        if isinstance(step, CompiledLet):
            found = values.number(step.be)
            if step.clamp is not None:
                low, high = map(values.number, step.clamp)
                found = find_extreme("max", [low, find_extreme("min", [high, found])])
            if step.name in self.shaken:
                found = UNKNOWN._replace(deps=found.deps)
            values.bind(step.name, found)
        elif isinstance(step, CompiledLookUp):
            places = values.number(step.row), values.number(step.column)
            blank = getattr(step.declared, "blank", 0)
            cells = [
                cell if isinstance(cell, int) else blank for row in step.grid.cells for cell in row
            ]
            values.bind(step.name, make_range(min(cells), max(cells), deps_of(places)))
        else:
            self.matter |= given.deps
            self._throw(step)

    def _throw(self, step: CompiledStep) -> None:
        if isinstance(step, CompiledEnd):
            self.ends.add(step.name)
            return
        if isinstance(step, CompiledAgain):
            times = YES if step.times is None else self.values.number(step.times)
            self.matter |= times.deps
            if times.high <= 0:
                self._skip(step)
                self.values.bind(step.name, NO)
                return
            before = {name: self.values.get(name, NO) for name in step.binds}
            self.values.bind(step.name, Range(1, inf))
            self._rounds(step)
            self.values.bind(step.name, Range(0, inf))
            for name, value in before.items():
                if name != step.name:
                    now = self.values.get(name, NO)
                    self.values.bind(name, join_ranges(value, now, times.deps))
        elif isinstance(step, CompiledOpposed):
            self._rounds(step)
            for one in (*step.mine, *step.theirs):
                self.matter |= self.values.work_out(one).deps
            self.values.bind(step.name, UNKNOWN)
            self.values.bind(f"{step.name}.winner", Range(-1, 1))
        else:
            for name in step.own_names:
                self.values.bind(name, UNKNOWN._replace(deps=self.values.get(name, NO).deps))
            for part in fields(step):
                self._gather(getattr(step, part.name) if part.name != "given" else None)
            low = 0 if isinstance(step, CompiledCount) else -inf
            self.values.bind(step.name, Range(low, inf))

    def _gather(self, part: object) -> None:
        if isinstance(part, Slot):
            self.matter |= self.values.number(part).deps
        elif isinstance(part, Expression):
            self.matter |= self.values.work_out(part).deps
        elif isinstance(part, tuple):
            for one in part:
                self._gather(one)

    def _rounds(self, step: CompiledNest) -> None:
        """Walk the steps of a loop until the names that it carries depend on nothing more."""
        repeats = not isinstance(step, CompiledOpposed) or step.again
        carried = step.carried if repeats else frozenset[str]()
        for _round in range(MOST_ROUNDS):
            before = {name: self.values.get(name, NO).deps for name in carried}
            for name, deps in before.items():
                self.values.bind(name, UNKNOWN._replace(deps=deps))
            self.steps(step.steps)
            if isinstance(step, CompiledAgain) and step.until is not None:
                self.matter |= self.values.work_out(step.until).deps
            grown = {name: before[name] | self.values.get(name, NO).deps for name in carried}
            for name, deps in grown.items():
                self.values.bind(name, UNKNOWN._replace(deps=deps))
            if grown == before:
                return
        raise _TooLong

    def results(self, roll: Roll, ready: Ready) -> None:
        """Gather what decides about the outcomes, their effects and the numbers."""
        for outcome in ready.outcomes:
            given = YES if outcome.given is None else self.values.work_out(outcome.given)
            if given.holds is False and outcome.key not in self.ends:
                continue
            self.matter |= given.deps
            for effect in roll.effects_of(outcome.declared):
                if effect.given is not None:
                    happens = self.values.work_out(parse(effect.given))
                    if happens.holds is False:
                        continue
                    self.matter |= happens.deps
                formula = (
                    getattr(effect, FORMULAS[effect.kind]) if effect.kind in FORMULAS else None
                )
                if formula is not None:
                    self.matter |= self.values.work_out(parse(formula)).deps
        for name in ready.numbers:
            self.matter |= self.values.get(name).deps


def possible_values(row: Circumstance) -> Range:
    """Return the values that a circumstance may have."""
    deps = frozenset({row.key})
    if row.kind == "choice":
        return Range(0, 0, deps, frozenset(one.key for one in row.choices))
    if row.kind == "tick":
        return Range(0, 1, deps)
    return make_range(row.minimum, row.maximum, deps)


def facts_that_matter(asked: Question, rows: Iterable[Circumstance]) -> frozenset[str]:
    """Return the keys of the circumstances that can change the roll, its outcome or whether it is
    possible, whatever the answers to the others of these are. It takes 1 to 4 ms."""
    open_names = {row.key: possible_values(row) for row in rows}
    if not open_names:
        return frozenset()
    spent = [*spends(asked)]
    values = Values(asked.names, open_names)
    walk = _Walk(values, frozenset(row.on for row in spent))
    try:
        if asked.roll.usable:
            walk.matter |= values.work_out(parse(asked.roll.usable)).deps
        walk.steps(asked.ready.steps)
    except _TooLong:
        return frozenset(open_names)
    walk.results(asked.roll, asked.ready)
    for row in spent:
        given = YES if row.given is None else values.work_out(parse(row.given))
        if given.holds is not False:
            walk.matter |= given.deps | values.work_out(parse(row.amount)).deps
    return frozenset(walk.matter & open_names.keys())
