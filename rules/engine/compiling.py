"""A rulebook's rolls made ready: options chosen, modifiers at their slots, expressions read.

What is made ready here is enumerated by ``rules.engine.odds`` and thrown by
``rules.engine.playing``; both walk the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from rules.book import rolls as declared
from rules.book.model import Rules
from rules.book.vocabulary import applies
from rules.bounds.limits import MOST_STEPS, ROLL_WORK
from rules.bounds.work import limit_work, spend
from rules.engine.distributions import Hand
from rules.engine.expressions import (
    Expression,
    Names,
    Slot,
    SlotRaise,
    Value,
    Worked,
    names_read,
    parse,
)

DEEPEST = 12
# The fields of ready steps that are no numbers to be worked out before anything is thrown.
NO_SLOTS = {
    "given",
    "reads",
    "again_given",
    "mine",
    "theirs",
    "steps",
    "until",
    "carried",
    "unsure",
}
# Conditions, all of which must hold.
type Given = tuple[Expression, ...]


class BadRoll(ValueError):
    """A roll that cannot be made ready: a sentence, and where in the roll it is wrong."""

    def __init__(self, message: str, place: tuple[int | str, ...] = ()) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class CompiledStep:
    """A step that is ready. ``name``: what it binds; ``given``: all that must hold; ``reads``: the
    names that it and what is inside it need.

    ``worked_out``: what its numbers came to before, by the values of the names that they read."""

    name: str
    given: Given
    reads: frozenset[str]
    declared: declared.Step = field(compare=False)
    worked_out: dict[tuple[Value | None, ...], Any] = field(
        default_factory=dict, compare=False, repr=False, kw_only=True
    )

    def taken(self, names: Names) -> bool:
        """Whether the step is taken now."""
        return all(expression.holds(names) for expression in self.given)

    @cached_property
    def numbers_read(self) -> tuple[str, ...]:
        """The names that its slots read: what it throws depends on nothing else."""
        slots = (getattr(self, part.name) for part in fields(self) if part.name not in NO_SLOTS)
        return tuple(sorted(names_read((), *slots)))

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """The names that it binds."""
        return (self.name,)

    @property
    def binds_for_sure(self) -> tuple[str, ...]:
        """The names that it binds whenever it is taken."""
        return self.binds


@dataclass(frozen=True)
class CompiledLet(CompiledStep):
    """Binds a number."""

    be: Slot
    clamp: tuple[Slot, Slot] | None


@dataclass(frozen=True)
class CompiledCount(CompiledStep):
    """Counts successes."""

    dice: Slot
    sides: Slot
    target: Slot | None
    band: tuple[Slot, Slot] | None
    clamp: tuple[Slot, Slot] | None
    again_succeeded: Slot
    again_failed: Slot
    again_for_highest: Slot
    again_faces: Expression | None

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """The successes, and what the dice show."""
        return (self.name, f"{self.name}.max", f"{self.name}.min", f"{self.name}.ones")


@dataclass(frozen=True)
class CompiledSum(CompiledStep):
    """Adds dice up."""

    dice: Slot
    sides: Slot
    keep: Slot | None
    plus: Slot
    again: Slot
    again_given: Expression | None

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """The total, and what the dice that are kept show."""
        return (self.name, f"{self.name}.max", f"{self.name}.min", f"{self.name}.dice_total")


@dataclass(frozen=True)
class CompiledHand(CompiledStep):
    """Throws a hand of dice."""

    hand: Hand
    dice: Slot
    again: Slot
    cards: tuple[Slot, ...]
    beats: Expression | None
    reaches: Expression | None

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """How strong the hand is, and which combination."""
        return (self.name, f"{self.name}.rank")


@dataclass(frozen=True)
class CompiledLookUp(CompiledStep):
    """Reads a cell."""

    grid: declared.Grid
    row: Slot
    column: Slot


@dataclass(frozen=True)
class CompiledOpposed(CompiledStep):
    """Compares two sides.

    ``carried``: what its steps may read before they bind it; ``unsure``: what they may not bind.
    """

    steps: tuple[CompiledStep, ...]
    mine: tuple[Expression, ...]
    theirs: tuple[Expression, ...]
    carried: frozenset[str]
    unsure: frozenset[str]

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """The margin, the winner, and all that is thrown for it."""
        return (self.name, f"{self.name}.winner", *find_bound_names(self.steps))

    @property
    def binds_for_sure(self) -> tuple[str, ...]:
        """The margin, the winner, and what does not hang on something."""
        return (self.name, f"{self.name}.winner", *find_surely_bound_names(self.steps))


@dataclass(frozen=True)
class CompiledAgain(CompiledStep):
    """Repeats steps.

    ``carried``: what they may read before they bind it, and so goes from one time to the next;
    ``unsure``: what they may not bind.
    """

    times: Slot | None
    until: Expression | None
    steps: tuple[CompiledStep, ...]
    carried: frozenset[str]
    unsure: frozenset[str]

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """All that its steps bind, and how often they were taken."""
        return (self.name, *find_bound_names(self.steps))

    @property
    def binds_for_sure(self) -> tuple[str, ...]:
        """How often its steps were taken, which may be never; or what they bind each time."""
        return (self.name, *(find_surely_bound_names(self.steps) if self.until else ()))


@dataclass(frozen=True)
class CompiledEnd(CompiledStep):
    """Ends the roll with the outcome of this name."""

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """Nothing: nothing comes after."""
        return ()


def find_bound_names(steps: Iterable[CompiledStep]) -> tuple[str, ...]:
    """All that ``steps`` bind, each name once, in order."""
    return tuple(dict.fromkeys(name for step in steps for name in step.binds))


def find_surely_bound_names(steps: Iterable[CompiledStep]) -> frozenset[str]:
    """All that ``steps`` bind whatever holds."""
    return frozenset(name for step in steps if not step.given for name in step.binds_for_sure)


@dataclass(frozen=True)
class CompiledOutcome:
    """An outcome whose condition was read."""

    declared: declared.RollOutcome
    given: Expression | None

    @property
    def key(self) -> str:
        """Which outcome it is."""
        return self.declared.key


@dataclass(frozen=True, eq=False)
class Ready:
    """A roll that can be enumerated and thrown.

    ``reads``: the names that it needs to be told (what it binds itself is left out); ``asked``: the
    circumstances among them; ``modifiers``: the keys of those that can change it.
    """

    roll: declared.Roll
    steps: tuple[CompiledStep, ...]
    outcomes: tuple[CompiledOutcome, ...]
    numbers: tuple[str, ...]
    reads: frozenset[str]
    asked: tuple[declared.Circumstance, ...]
    modifiers: tuple[str, ...]

    @cached_property
    def reads_in_order(self) -> tuple[str, ...]:
        """The names that it needs, always in the same order."""
        return tuple(sorted(self.reads))

    def outcome(self, names: Names) -> str:
        """The key of the first outcome that holds. Raises BadRoll if none does."""
        for outcome in self.outcomes:
            if outcome.given is None or outcome.given.holds(names):
                return outcome.key
        if not self.outcomes:
            return ""
        raise BadRoll("ends where none of its outcomes holds", ("outcomes",))


# Rolls of one book under one choice of options, by what the three come to; so many, and so many
# steps of them, are kept.
_ready: dict[tuple[str, frozenset[tuple[str, str | int]]], dict[tuple[str, ...], Ready]] = {}
MOST_BOOKS, MOST_KEPT = 64, 20_000


def ready(rules: Rules, key: str, spends: tuple[str, ...] = ()) -> Ready:
    """The roll of this key, made ready once per book and choice of options.

    ``spends``: those made on it, by key, each as often as it is there. Raises KeyError for no roll
    or spend of the book, BadRoll for what a checked book never has.
    """
    book = rules.book
    found = _ready.get(rules.identity)
    if found is None:
        kept = sum(len(made.steps) for rolls in _ready.values() for made in rolls.values())
        if len(_ready) >= MOST_BOOKS or kept > MOST_KEPT:
            _ready.clear()
        found = _ready[rules.identity] = {}
    which = (key, *spends)
    if which not in found:
        made = tuple(book.spend[spend] for spend in spends)
        found[which] = make_ready(rules, book.roll[key], made)
    return found[which]


@limit_work(ROLL_WORK)
def make_ready(rules: Rules, roll: declared.Roll, spends: Iterable[declared.Spend] = ()) -> Ready:
    """``roll`` with its options chosen, procedures put in and modifiers at their slots; ``spends``
    on it count as modifiers do.

    Raises BadRoll, or BadExpression or TooMuch from below it.
    """
    maker = _Maker(rules, roll, spends)
    steps = maker.steps(roll.steps, (), ("steps",), DEEPEST)
    outcomes = tuple(
        CompiledOutcome(outcome, parse(outcome.given) if outcome.given else None)
        for outcome in roll.outcomes
        if applies(outcome.when, rules.settings)
    )
    numbers = tuple(number.of for number in roll.numbers)
    needed = {name for step in steps for name in step.reads} | set(numbers)
    needed |= {name for outcome in outcomes if outcome.given for name in outcome.given.names}
    for outcome in outcomes:
        for effect in outcome.declared.effects:
            for formula in ("given", "amount", "to", "distance"):
                if (written := getattr(effect, formula, None)) is not None:
                    needed |= parse(written).names
    reads = frozenset(needed - set(find_bound_names(steps)))
    asked = tuple(row for row in rules.circumstances if row.key in reads)
    return Ready(roll, steps, outcomes, numbers, reads, asked, tuple(maker.modifiers))


class _Maker:
    """Makes the steps of one roll ready."""

    def __init__(self, rules: Rules, roll: declared.Roll, spends: Iterable[declared.Spend]) -> None:
        self.rules = rules
        self.modifiers: dict[str, None] = {}
        self._ends = {row.key for row in roll.outcomes if applies(row.when, rules.settings)}
        self._at_slot: dict[str, list[SlotRaise]] = {}
        for row in spends:
            self._raise(row)
        for modifier in rules.modifiers:
            if not modifier.actions and (not modifier.rolls or roll.key in modifier.rolls):
                self._raise(modifier)
        # The loops and procedures around this place, and conditions that were set aside.
        self._loops: tuple[str, ...] = ()
        self._procedures: tuple[str, ...] = ()
        self._set_aside = 0
        # How many steps there are so far, with those of procedures.
        self._made = 0

    def _raise(self, row: declared.Modifier | declared.Spend) -> None:
        given = parse(row.given) if row.given else None
        raised = SlotRaise(row.key, parse(row.amount), given)
        self._at_slot.setdefault(row.on, []).append(raised)

    def steps(
        self, steps: Iterable[declared.Step], given: Given, place: tuple[int | str, ...], depth: int
    ) -> tuple[CompiledStep, ...]:
        """Those of ``steps`` that the options let stand, procedures taken apart."""
        if not depth:
            raise BadRoll("is nested too deeply", place)
        found: list[CompiledStep] = []
        for number, step in enumerate(steps):
            if not applies(step.when, self.rules.settings):
                continue
            here = (*place, number)
            needed = (*given, *((parse(step.given),) if step.given else ()))
            self._made += 1
            if self._made > MOST_STEPS:
                raise BadRoll(f"has more than {MOST_STEPS} steps, with all that it uses", here)
            spend(20)
            if isinstance(step, declared.Use):
                found += self._used(step, needed, here, depth)
            else:
                found.append(self._step(step, needed, here, depth))
        return tuple(found)

    def _used(
        self, step: declared.Use, given: Given, place: tuple[int | str, ...], depth: int
    ) -> tuple[CompiledStep, ...]:
        procedure = self.rules.book.procedure.get(step.use)
        if procedure is None:
            raise BadRoll(f"“{step.use}” is no procedure of this rulebook", place)
        found = self._inside_use(step, procedure, given, place, depth)
        if not any(one.names & set(find_bound_names(found)) for one in given):
            return found
        # Its steps change what its condition reads: whether it holds is settled before them.
        self._set_aside += 1
        name = f"use:{self._set_aside}"
        whole = Expression(name, frozenset().union(*(one.names for one in given)), _all(given))
        settled = CompiledLet(name, (), whole.names, step, Slot(whole), None)
        holds = Expression(name, frozenset({name}), lambda names: names[name])
        return (settled, *self._inside_use(step, procedure, (holds,), place, depth))

    def _inside_use(
        self,
        step: declared.Use,
        procedure: declared.Procedure,
        given: Given,
        place: tuple[int | str, ...],
        depth: int,
    ) -> tuple[CompiledStep, ...]:
        if procedure.key in self._procedures:
            raise BadRoll(f"“{procedure.key}” leads to itself", place)
        around, self._procedures = self._procedures, (*self._procedures, procedure.key)
        values = [declared.Let(let=name, be=formula) for name, formula in step.values.items()]
        try:
            found = [self._step(row, given, place, depth) for row in values]
            return (*found, *self.steps(procedure.steps, given, (), depth - 1))
        except BadRoll as error:
            where = ".".join(map(str, ("steps", *error.place)))
            raise BadRoll(f"“{procedure.key}”, {where}: {error}", place) from None
        finally:
            self._procedures = around

    def _inside(
        self, step: declared.Opposed | declared.Again, place: tuple[int | str, ...], depth: int
    ) -> tuple[CompiledStep, ...]:
        """The steps inside of another."""
        loops = self._loops
        if isinstance(step, declared.Again):
            if step.again in loops:
                raise BadRoll(f"“{step.again}” is the name of a loop around it, too", place)
            self._loops = (*loops, step.again)
        inside = self.steps(step.steps, (), (*place, "steps"), depth - 1)
        self._loops = loops
        counted = isinstance(step, declared.Again) and step.times is not None
        if not counted and any(map(_may_end, inside)):
            raise BadRoll("cannot end the roll from inside", (*place, "steps"))
        return inside

    def _slot(self, formula: declared.Formula, slot: str) -> Slot:
        raises = self._at_slot.get(slot, ())
        spend(len(raises))
        self.modifiers |= dict.fromkeys(one.key for one in raises)
        return Slot(parse(formula), tuple(raises))

    def _pair(
        self, pair: tuple[declared.Formula, declared.Formula] | None
    ) -> tuple[Slot, Slot] | None:
        return (Slot(parse(pair[0])), Slot(parse(pair[1]))) if pair else None

    def _step(
        self, step: declared.Step, given: Given, place: tuple[int | str, ...], depth: int
    ) -> CompiledStep:
        match step:
            case declared.Let(let=name):
                be = self._slot(step.be, name)
                clamp = self._pair(step.clamp)
                return CompiledLet(name, given, names_read(given, be, clamp), step, be, clamp)
            case declared.Count(count=name):
                return self._count(step, name, given, place)
            case declared.Sum(sum=name):
                return self._sum(step, name, given)
            case declared.ThrowHand(throw_hand=name):
                return self._hand(step, name, given, place)
            case declared.LookUp(look_up=name):
                grid = self.rules.book.grid.get(step.grid)
                if grid is None:
                    raise BadRoll(f"“{step.grid}” is no grid of this rulebook", place)
                row = self._slot(step.row, f"{name}.row")
                column = self._slot(step.column, f"{name}.column")
                return CompiledLookUp(
                    name, given, names_read(given, row, column), step, grid, row, column
                )
            case declared.Opposed(opposed=name):
                return self._opposed(step, name, given, place, depth)
            case declared.Again(again=name):
                return self._again(step, name, given, place, depth)
            case declared.End(end=name):
                if name not in self._ends:
                    raise BadRoll(f"“{name}” is none of its outcomes", place)
                return CompiledEnd(name, given, names_read(given), step)
        raise BadRoll("is no step", place)

    def _count(
        self, step: declared.Count, name: str, given: Given, place: tuple[int | str, ...]
    ) -> CompiledCount:
        if (step.target is None) == (step.band is None):
            raise BadRoll("needs a target or a band, and not both", place)
        dice = self._slot(step.dice, f"{name}.dice")
        sides = self._slot(step.sides, f"{name}.sides")
        target = None if step.target is None else self._slot(step.target, f"{name}.target")
        band, clamp = self._pair(step.band), self._pair(step.clamp)
        succeeded = self._slot(step.again_succeeded, f"{name}.again_succeeded")
        failed = self._slot(step.again_failed, f"{name}.again_failed")
        highest = self._slot(step.again_for_highest, f"{name}.again_for_highest")
        faces = step.again_faces and step.again_faces.given
        again = parse(faces) if faces else (parse(1) if step.again_faces else None)
        parts = (dice, sides, target, band, clamp, succeeded, failed, highest, again)
        return CompiledCount(name, given, names_read(given, *parts), step, *parts)

    def _sum(self, step: declared.Sum, name: str, given: Given) -> CompiledSum:
        dice = self._slot(step.dice, f"{name}.dice")
        sides = self._slot(step.sides, f"{name}.sides")
        keep = None if step.keep is None else self._slot(step.keep, f"{name}.keep")
        plus = self._slot(step.plus, f"{name}.plus")
        again = self._slot(step.again, f"{name}.again")
        asked = parse(step.again_given) if step.again_given else None
        own = {name, f"{name}.max", f"{name}.min", f"{name}.dice_total"}
        reads = names_read(given, dice, sides, keep, plus, again) | (names_read((), asked) - own)
        return CompiledSum(name, given, reads, step, dice, sides, keep, plus, again, asked)

    def _hand(
        self, step: declared.ThrowHand, name: str, given: Given, place: tuple[int | str, ...]
    ) -> CompiledHand:
        row = self.rules.book.hand.get(step.of)
        if row is None:
            raise BadRoll(f"“{step.of}” is no hand of dice of this rulebook", place)
        dice = self._slot(step.dice, f"{name}.dice")
        again = self._slot(step.again, f"{name}.again")
        cards = tuple(Slot(parse(card)) for card in step.cards)
        beats = parse(step.beats) if step.beats else None
        reaches = parse(step.reaches) if step.reaches else None
        reads = names_read(given, dice, again, *cards, beats, reaches)
        groups = tuple(combination.groups for combination in row.combinations)
        hand = Hand(len(row.faces), row.size, groups)
        return CompiledHand(name, given, reads, step, hand, dice, again, cards, beats, reaches)

    def _opposed(
        self,
        step: declared.Opposed,
        name: str,
        given: Given,
        place: tuple[int | str, ...],
        depth: int,
    ) -> CompiledOpposed:
        mine, theirs = (tuple(map(parse, side)) for side in (step.mine, step.theirs))
        if len(mine) != len(theirs):
            raise BadRoll("compares a different number of things of each side", place)
        inside = self._inside(step, place, depth)
        free = _free(inside, names_read((), *mine, *theirs))
        binds = frozenset(find_bound_names(inside))
        carried, unsure = free & binds, binds - find_surely_bound_names(inside)
        reads = names_read(given) | free
        return CompiledOpposed(name, given, reads, step, inside, mine, theirs, carried, unsure)

    def _again(
        self,
        step: declared.Again,
        name: str,
        given: Given,
        place: tuple[int | str, ...],
        depth: int,
    ) -> CompiledAgain:
        if (step.times is None) == (step.until is None):
            raise BadRoll("needs “times” or “until”, and not both", place)
        times = None if step.times is None else self._slot(step.times, f"{name}.times")
        until = parse(step.until) if step.until else None
        inside = self._inside(step, place, depth)
        free = _free(inside, names_read((), until)) - {name}
        binds = frozenset(find_bound_names(inside))
        carried, unsure = free & binds, binds - find_surely_bound_names(inside)
        reads = names_read(given, times) | free
        return CompiledAgain(name, given, reads, step, times, until, inside, carried, unsure)


def _all(given: Given) -> Worked:
    return lambda names: int(all(one.holds(names) for one in given))


def _may_end(step: CompiledStep) -> bool:
    inside = step.steps if isinstance(step, CompiledOpposed | CompiledAgain) else ()
    return isinstance(step, CompiledEnd) or any(map(_may_end, inside))


def _free(steps: Iterable[CompiledStep], after: frozenset[str]) -> frozenset[str]:
    """The names that ``steps``, and what reads ``after`` them, may read before one surely binds
    them: what must hold for a step to be taken, must hold for whoever reads what it binds."""
    found: set[str] = set()
    # Of each name that was bound, what had to hold for it.
    known: dict[str, frozenset[Expression]] = {}
    for step in steps:
        given = frozenset(step.given)
        spend(len(step.reads) + len(known))
        found |= {name for name in step.reads if name not in known or not known[name] <= given}
        binds = set(step.binds)
        # What held may hold no longer once a name that it read is bound again.
        known = {
            name: needed
            for name, needed in known.items()
            if not any(one.names & binds for one in needed)
        }
        sure = step.binds_for_sure
        known |= {name: given for name in sure if not given or name not in known}
    return frozenset(found | {name for name in after if known.get(name) != frozenset()})
