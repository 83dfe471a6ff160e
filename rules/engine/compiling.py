"""A rulebook's rolls made ready: options chosen, modifiers at their slots, expressions read.

What is made ready here is enumerated by ``rules.engine.odds`` and thrown by
``rules.engine.playing``; both walk the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from rules.book import rolls as declared
from rules.book.model import Book
from rules.book.vocabulary import Settings, applies
from rules.engine.distributions import Hand
from rules.engine.expressions import Expression, Names, read

DEEPEST = 12


class BadRoll(ValueError):
    """A roll that cannot be made ready: a sentence, and where in the roll it is wrong."""

    def __init__(self, message: str, place: tuple[int | str, ...] = ()) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class Raise:
    """A modifier at its slot: its key, what it adds, and when."""

    key: str
    amount: Expression
    given: Expression | None

    def added(self, names: Names) -> int:
        """What it adds now."""
        if self.given is not None and not self.given.holds(names):
            return 0
        return self.amount.number(names)


@dataclass(frozen=True)
class Slot:
    """A number that modifiers change."""

    base: Expression
    raises: tuple[Raise, ...] = ()

    def number(self, names: Names) -> int:
        """The number now, with everything that modifies it."""
        return self.base.number(names) + sum(one.added(names) for one in self.raises)

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        found = set(self.base.names)
        for one in self.raises:
            found |= one.amount.names | (one.given.names if one.given else frozenset())
        return frozenset(found)


def clamped(number: int, clamp: tuple[Slot, Slot] | None, names: Names) -> int:
    """``number`` brought back between two others."""
    if clamp is None:
        return number
    low, high = clamp
    return max(low.number(names), min(high.number(names), number))


@dataclass(frozen=True)
class Step:
    """A step that is ready. ``name``: what it binds; ``given``: all that must hold; ``reads``: the
    names that it and what is inside it need."""

    name: str
    given: tuple[Expression, ...]
    reads: frozenset[str]
    declared: declared.Step = field(compare=False)

    def taken(self, names: Names) -> bool:
        """Whether the step is taken now."""
        return all(expression.holds(names) for expression in self.given)

    @property
    def binds(self) -> tuple[str, ...]:
        """The names that it binds."""
        return (self.name,)


@dataclass(frozen=True)
class Let(Step):
    """Binds a number."""

    be: Slot
    clamp: tuple[Slot, Slot] | None


@dataclass(frozen=True)
class Count(Step):
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

    @property
    def binds(self) -> tuple[str, ...]:
        """The successes, and what the dice show."""
        return (self.name, f"{self.name}.max", f"{self.name}.min", f"{self.name}.ones")


@dataclass(frozen=True)
class Sum(Step):
    """Adds dice up."""

    dice: Slot
    sides: Slot
    keep: Slot | None
    plus: Slot
    again: Slot
    again_given: Expression | None

    @property
    def binds(self) -> tuple[str, ...]:
        """The total, and what the dice that are kept show."""
        return (self.name, f"{self.name}.max", f"{self.name}.min", f"{self.name}.dice_total")


@dataclass(frozen=True)
class ThrowHand(Step):
    """Throws a hand of dice."""

    hand: Hand
    dice: Slot
    again: Slot
    cards: tuple[Slot, ...]
    beats: Expression | None
    reaches: Expression | None

    @property
    def binds(self) -> tuple[str, ...]:
        """How strong the hand is, and which combination."""
        return (self.name, f"{self.name}.rank")


@dataclass(frozen=True)
class LookUp(Step):
    """Reads a cell."""

    grid: declared.Grid
    row: Slot
    column: Slot


@dataclass(frozen=True)
class Opposed(Step):
    """Compares two sides."""

    steps: tuple[Step, ...]
    mine: tuple[Expression, ...]
    theirs: tuple[Expression, ...]

    @property
    def binds(self) -> tuple[str, ...]:
        """The margin, the winner, and all that is thrown for it."""
        return (self.name, f"{self.name}.winner", *bound(self.steps))


@dataclass(frozen=True)
class Again(Step):
    """Repeats steps."""

    times: Slot | None
    until: Expression | None
    steps: tuple[Step, ...]

    @property
    def binds(self) -> tuple[str, ...]:
        """All that its steps bind, and how often they were taken."""
        return (self.name, *bound(self.steps))


@dataclass(frozen=True)
class End(Step):
    """Ends the roll with the outcome of this name."""

    @property
    def binds(self) -> tuple[str, ...]:
        """Nothing: nothing comes after."""
        return ()


def bound(steps: Iterable[Step]) -> tuple[str, ...]:
    """All that ``steps`` bind, each name once, in order."""
    return tuple(dict.fromkeys(name for step in steps for name in step.binds))


@dataclass(frozen=True)
class Outcome:
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
    steps: tuple[Step, ...]
    outcomes: tuple[Outcome, ...]
    numbers: tuple[str, ...]
    reads: frozenset[str]
    asked: tuple[declared.Circumstance, ...]
    modifiers: tuple[str, ...]

    def outcome(self, names: Names) -> str:
        """The key of the first outcome that holds. Raises BadRoll if none does."""
        for outcome in self.outcomes:
            if outcome.given is None or outcome.given.holds(names):
                return outcome.key
        if not self.outcomes:
            return ""
        raise BadRoll("ends where none of its outcomes holds", ("outcomes",))


# Rolls of one book under one choice of options, by what the three come to.
_ready: dict[tuple[str, frozenset[tuple[str, str | int]]], dict[tuple[str, ...], Ready]] = {}
MOST_BOOKS = 64


def ready(book: Book, settings: Settings, key: str, spends: tuple[str, ...] = ()) -> Ready:
    """The roll of this key, made ready once per book and choice of options.

    ``spends``: those made on it, by key, each as often as it is there. Raises KeyError for no roll
    or spend of the book, BadRoll for what a checked book never has.
    """
    chosen = (book.digest, frozenset(settings.items()))
    if chosen not in _ready:
        if len(_ready) >= MOST_BOOKS:
            _ready.clear()
        _ready[chosen] = {}
    found = _ready[chosen]
    which = (key, *spends)
    if which not in found:
        made = tuple(book.spend[spend] for spend in spends)
        found[which] = make_ready(book, settings, book.roll[key], made)
    return found[which]


def make_ready(
    book: Book, settings: Settings, roll: declared.Roll, spends: Iterable[declared.Spend] = ()
) -> Ready:
    """``roll`` with its options chosen, procedures put in and modifiers at their slots; ``spends``
    on it count as modifiers do.

    Raises BadRoll, or BadExpression from below it.
    """
    maker = _Maker(book, settings, roll, spends)
    steps = tuple(maker.steps(roll.steps, (), ("steps",), DEEPEST))
    outcomes = tuple(
        Outcome(outcome, read(outcome.given) if outcome.given else None)
        for outcome in roll.outcomes
        if applies(outcome.when, settings)
    )
    numbers = tuple(number.of for number in roll.numbers)
    needed = {name for step in steps for name in step.reads} | set(numbers)
    needed |= {name for outcome in outcomes if outcome.given for name in outcome.given.names}
    for outcome in outcomes:
        for effect in outcome.declared.effects:
            for formula in ("given", "amount", "to", "distance"):
                if (written := getattr(effect, formula, None)) is not None:
                    needed |= read(written).names
    reads = frozenset(needed - set(bound(steps)))
    asked = tuple(row for row in book.in_force(book.circumstances, settings) if row.key in reads)
    return Ready(roll, steps, outcomes, numbers, reads, asked, tuple(maker.modifiers))


@lru_cache(maxsize=64)
def hand_of(row: declared.HandOfDice) -> Hand:
    """A hand's combinations as dice know them."""
    groups = tuple(combination.groups for combination in row.combinations)
    return Hand(len(row.faces), row.size, groups)


class _Maker:
    """Makes the steps of one roll ready."""

    def __init__(
        self,
        book: Book,
        settings: Settings,
        roll: declared.Roll,
        spends: Iterable[declared.Spend],
    ) -> None:
        self.book, self.settings = book, settings
        self.modifiers: dict[str, None] = {}
        self._at_slot: dict[str, list[declared.Modifier | declared.Spend]] = {}
        for spend in spends:
            self._at_slot.setdefault(spend.on, []).append(spend)
        for modifier in book.in_force(book.modifiers, settings):
            if not modifier.actions and (not modifier.rolls or roll.key in modifier.rolls):
                self._at_slot.setdefault(modifier.on, []).append(modifier)

    def steps(
        self,
        steps: Iterable[declared.Step],
        given: tuple[Expression, ...],
        place: tuple[int | str, ...],
        depth: int,
    ) -> Iterator[Step]:
        """Those of ``steps`` that the options let stand, procedures taken apart."""
        if not depth:
            raise BadRoll("leads to itself, or is nested too deeply", place)
        for number, step in enumerate(steps):
            if not applies(step.when, self.settings):
                continue
            here = (*place, number)
            needed = (*given, *((read(step.given),) if step.given else ()))
            if isinstance(step, declared.Use):
                yield from self._used(step, needed, here, depth)
            else:
                yield self._step(step, needed, here, depth)

    def _used(
        self,
        step: declared.Use,
        given: tuple[Expression, ...],
        place: tuple[int | str, ...],
        depth: int,
    ) -> Iterator[Step]:
        for name, formula in step.values.items():
            row = declared.Let(let=name, be=formula)
            yield self._step(row, given, place, depth)
        procedure = self.book.procedure.get(step.use)
        if procedure is None:
            raise BadRoll(f"“{step.use}” is no procedure of this rulebook", place)
        yield from self.steps(procedure.steps, given, place, depth - 1)

    def _slot(self, formula: declared.Formula, slot: str) -> Slot:
        raises = []
        for modifier in self._at_slot.get(slot, ()):
            self.modifiers[modifier.key] = None
            given = read(modifier.given) if modifier.given else None
            raises.append(Raise(modifier.key, read(modifier.amount), given))
        return Slot(read(formula), tuple(raises))

    def _pair(
        self, pair: tuple[declared.Formula, declared.Formula] | None
    ) -> tuple[Slot, Slot] | None:
        return (Slot(read(pair[0])), Slot(read(pair[1]))) if pair else None

    def _step(
        self,
        step: declared.Step,
        given: tuple[Expression, ...],
        place: tuple[int | str, ...],
        depth: int,
    ) -> Step:
        inside: tuple[Step, ...] = ()
        if isinstance(step, declared.Opposed | declared.Again):
            inside = tuple(self.steps(step.steps, (), (*place, "steps"), depth - 1))
        match step:
            case declared.Let(let=name):
                be = self._slot(step.be, name)
                clamp = self._pair(step.clamp)
                return Let(name, given, _reads(given, be, clamp), step, be, clamp)
            case declared.Count(count=name):
                return self._count(step, name, given, place)
            case declared.Sum(sum=name):
                return self._sum(step, name, given)
            case declared.ThrowHand(throw_hand=name):
                return self._hand(step, name, given, place)
            case declared.LookUp(look_up=name):
                grid = self.book.grid.get(step.grid)
                if grid is None:
                    raise BadRoll(f"“{step.grid}” is no grid of this rulebook", place)
                row = self._slot(step.row, f"{name}.row")
                column = self._slot(step.column, f"{name}.column")
                return LookUp(name, given, _reads(given, row, column), step, grid, row, column)
            case declared.Opposed(opposed=name):
                mine, theirs = ([*map(read, side)] for side in (step.mine, step.theirs))
                if len(mine) != len(theirs):
                    raise BadRoll("compares a different number of things of each side", place)
                needed = _reads(given, *mine, *theirs) | free(inside)
                reads = needed - set(bound(inside))
                return Opposed(name, given, reads, step, inside, tuple(mine), tuple(theirs))
            case declared.Again(again=name):
                return self._again(step, name, given, inside, place)
            case declared.End(end=name):
                return End(name, given, _reads(given), step)
        raise BadRoll("is no step", place)

    def _count(
        self,
        step: declared.Count,
        name: str,
        given: tuple[Expression, ...],
        place: tuple[int | str, ...],
    ) -> Count:
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
        again = read(faces) if faces else (read(1) if step.again_faces else None)
        parts = (dice, sides, target, band, clamp, succeeded, failed, highest, again)
        return Count(name, given, _reads(given, *parts), step, *parts)

    def _sum(self, step: declared.Sum, name: str, given: tuple[Expression, ...]) -> Sum:
        dice = self._slot(step.dice, f"{name}.dice")
        sides = Slot(read(step.sides))
        keep = None if step.keep is None else self._slot(step.keep, f"{name}.keep")
        plus = self._slot(step.plus, f"{name}.plus")
        again = self._slot(step.again, f"{name}.again")
        asked = read(step.again_given) if step.again_given else None
        reads = _reads(given, dice, sides, keep, plus, again, asked)
        own = {name, f"{name}.max", f"{name}.min", f"{name}.dice_total"}
        return Sum(name, given, reads - own, step, dice, sides, keep, plus, again, asked)

    def _hand(
        self,
        step: declared.ThrowHand,
        name: str,
        given: tuple[Expression, ...],
        place: tuple[int | str, ...],
    ) -> ThrowHand:
        row = self.book.hand.get(step.of)
        if row is None:
            raise BadRoll(f"“{step.of}” is no hand of dice of this rulebook", place)
        dice = self._slot(step.dice, f"{name}.dice")
        again = self._slot(step.again, f"{name}.again")
        cards = tuple(Slot(read(card)) for card in step.cards)
        beats = read(step.beats) if step.beats else None
        reaches = read(step.reaches) if step.reaches else None
        reads = _reads(given, dice, again, *cards, beats, reaches)
        return ThrowHand(name, given, reads, step, hand_of(row), dice, again, cards, beats, reaches)

    def _again(
        self,
        step: declared.Again,
        name: str,
        given: tuple[Expression, ...],
        inside: tuple[Step, ...],
        place: tuple[int | str, ...],
    ) -> Again:
        if (step.times is None) == (step.until is None):
            raise BadRoll("needs “times” or “until”, and not both", place)
        times = None if step.times is None else self._slot(step.times, f"{name}.times")
        until = read(step.until) if step.until else None
        needed = _reads(given, times) | (free(inside, _reads((), until)) - {name})
        return Again(name, given, needed, step, times, until, inside)


def _reads(given: tuple[Expression, ...], *parts: object) -> frozenset[str]:
    """Every name that these read: expressions, slots, pairs of slots, or nothing."""
    found: set[str] = set()
    for part in (*given, *parts):
        if isinstance(part, tuple):
            found |= _reads((), *part)
        elif isinstance(part, Expression | Slot):
            found |= part.names
    return frozenset(found)


def free(steps: Iterable[Step], after: Iterable[str] = ()) -> frozenset[str]:
    """The names that ``steps`` read, or that are read ``after`` them, before one surely binds it.

    What must hold for a step to be taken, must hold for whoever reads what it binds.
    """
    found: set[str] = set()
    # Of each name that was bound, what had to hold for it.
    known: dict[str, frozenset[Expression]] = {}
    for step in steps:
        given = frozenset(step.given)
        found |= {name for name in step.reads if not known.get(name, {None}) <= given}
        binds = set(step.binds)
        # What held may hold no longer once a name that it read is bound again.
        known = {
            name: needed
            for name, needed in known.items()
            if not any(one.names & binds for one in needed)
        }
        known |= dict.fromkeys(binds, given)
    found |= {name for name in after if known.get(name) != frozenset()}
    return frozenset(found)
