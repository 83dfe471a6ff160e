"""Compile the rolls of a rulebook: choose options, put modifiers at their slots, parse expressions.

``rules.engine.odds`` enumerates a compiled roll and ``rules.engine.playing`` throws it; both walk
the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import rolls as declared
from rules.book.labels import unknown
from rules.book.model import Rules
from rules.book.vocabulary import Formula, applies
from rules.bounds.limits import MOST_STEPS, ROLL_WORK
from rules.bounds.work import limit_work, spend
from rules.engine.expressions import Expression, Names, Slot, SlotRaise, Value, names_read, parse
from rules.engine.hands import Hand

DEEPEST = 12
# Conditions, all of which must be true.
type Given = tuple[Expression, ...]
type Steps = tuple[CompiledStep, ...]
type Place = tuple[int | str, ...]
# The names of the counted loops around a step, from the outside in.
type Loops = tuple[str, ...]
# A round of each counted loop around a step, from the outside in.
type Rounds = tuple[int, ...]


class BadRoll(ValueError):
    """Raised for a roll that cannot be compiled: a sentence, and the place of the mistake."""

    def __init__(self, message: str, place: Place = ()) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class CompiledStep:
    """A compiled step. ``name``: the name that it binds; ``given``: its conditions; ``reads``: the
    names that it and the steps inside it need.

    ``worked_out``: earlier results of its numbers, by the values of the names that they read.
    """

    # Further names that it binds, after its own name: "max" for "name.max".
    parts: ClassVar[tuple[str, ...]] = ()
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
        """The names that its slots read: the throw depends on nothing else."""
        conditions = ("given", "again_given")
        slots = (getattr(self, part.name) for part in fields(self) if part.name not in conditions)
        return tuple(sorted(names_read((), *slots)))

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names that it binds itself, without the steps inside it."""
        return (self.name, *[f"{self.name}.{part}" for part in self.parts])

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """All names that it binds."""
        return self.own_names

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
    """Counts successes; also binds the faces of the dice."""

    parts = ("max", "min", "ones")
    dice: Slot
    sides: Slot
    target: Slot | None
    band: tuple[Slot, Slot] | None
    clamp: tuple[Slot, Slot] | None
    again_succeeded: Slot
    again_failed: Slot
    again_for_highest: Slot
    again_faces: Expression | None


@dataclass(frozen=True)
class CompiledSum(CompiledStep):
    """Adds dice up; also binds the faces of the kept dice."""

    parts = ("max", "min", "dice_total")
    dice: Slot
    sides: Slot
    keep: Slot | None
    plus: Slot
    again: Slot
    again_given: Expression | None
    at_least: Slot | None = None
    at_most: Slot | None = None


@dataclass(frozen=True)
class CompiledHand(CompiledStep):
    """Throws a hand of dice: binds its strength, and the rank of its combination."""

    parts = ("rank",)
    hand: Hand
    dice: Slot
    again: Slot
    cards: tuple[Slot, ...]
    beats: Expression | None
    reaches: Expression | None


@dataclass(frozen=True)
class CompiledLookUp(CompiledStep):
    """Reads a cell of a grid."""

    grid: declared.Grid
    row: Slot
    column: Slot


@dataclass(frozen=True)
class CompiledNest(CompiledStep):
    """A step with steps inside it.

    ``carried``: the names that the inner steps may read before they bind them, and so with the
    value from before (or from the previous round); ``unsure``: the names that they may leave
    unbound.
    """

    steps: Steps
    carried: frozenset[str]
    unsure: frozenset[str]

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """All names that it and the steps inside it bind."""
        return (*self.own_names, *find_bound_names(self.steps))

    @property
    def binds_for_sure(self) -> tuple[str, ...]:
        """The names that it binds whenever it is taken."""
        return (*self.own_names, *find_surely_bound_names(self.steps))


@dataclass(frozen=True)
class CompiledOpposed(CompiledNest):
    """Compares two sides: binds the margin and the winner. ``again``: ties are thrown again."""

    parts = ("winner",)
    mine: tuple[Expression, ...]
    theirs: tuple[Expression, ...]
    again: bool


@dataclass(frozen=True)
class CompiledAgain(CompiledNest):
    """Repeats steps, and binds the number of repetitions."""

    times: Slot | None
    until: Expression | None

    @property
    def binds_for_sure(self) -> tuple[str, ...]:
        """The names that it binds whenever it is taken; the inner steps may be repeated 0 times."""
        return super().binds_for_sure if self.until else self.own_names


@dataclass(frozen=True)
class CompiledEnd(CompiledStep):
    """Ends the roll with the outcome of this name."""

    @cached_property
    def binds(self) -> tuple[str, ...]:
        """No names: no step follows."""
        return ()


def find_bound_names(steps: Iterable[CompiledStep]) -> tuple[str, ...]:
    """All names that ``steps`` bind, each once, in order."""
    return tuple(dict.fromkeys(name for step in steps for name in step.binds))


def find_surely_bound_names(steps: Iterable[CompiledStep]) -> frozenset[str]:
    """All names that ``steps`` bind in any case."""
    return frozenset(name for step in steps if not step.given for name in step.binds_for_sure)


@dataclass(frozen=True)
class CompiledOutcome:
    """An outcome with its condition parsed."""

    declared: declared.RollOutcome
    given: Expression | None

    @property
    def key(self) -> str:
        """The outcome's key."""
        return self.declared.key


@dataclass(frozen=True, eq=False)
class Ready:
    """A compiled roll, which can be enumerated and thrown.

    ``reads``: the names that it needs a value for (without the names it binds itself); ``asked``:
    the circumstances among them; ``modifiers``: the keys of the modifiers that can change it;
    ``losses``: for each outcome, the numbers that it takes off a figure's life, each with the name
    of that life.
    """

    roll: declared.Roll
    steps: Steps
    outcomes: tuple[CompiledOutcome, ...]
    numbers: tuple[str, ...]
    reads: frozenset[str]
    asked: tuple[declared.Circumstance, ...]
    modifiers: tuple[str, ...]
    losses: Mapping[str, Mapping[str, str]]

    def limit_loss(self, outcome: str, number: str, value: int, names: Names) -> int:
        """Return the value of a number with this outcome: nobody loses more life than they have."""
        life = names.get(self.losses.get(outcome, {}).get(number, ""))
        return min(value, max(0, life)) if isinstance(life, int) else value

    @cached_property
    def reads_in_order(self) -> tuple[str, ...]:
        """The names that the roll needs values for, always in the same order."""
        return tuple(sorted(self.reads))

    def outcome(self, names: Names) -> str:
        """The key of the first outcome with a true condition. Raises BadRoll if there is none."""
        for outcome in self.outcomes:
            if outcome.given is None or outcome.given.holds(names):
                return outcome.key
        if not self.outcomes:
            return ""
        raise BadRoll(
            _("no outcome applies at the end of the roll: leave out “given” in the last row"),
            ("outcomes",),
        )


# A roll's key, and the spends made on it with their rounds.
type Which = tuple[str, tuple[str, ...], tuple[Rounds, ...]]
# Compiled rolls, by book and choice of options; and the most books, the most rolls of one book, and
# about the most steps, that are kept.
_ready: dict[tuple[str, frozenset[tuple[str, str | int]]], dict[Which, Ready]] = {}
MOST_BOOKS, MOST_ROLLS, MOST_KEPT = 64, 1_000, 20_000


def ready(
    rules: Rules, key: str, spends: tuple[str, ...] = (), rounds: tuple[Rounds, ...] = ()
) -> Ready:
    """The compiled roll of this key, made once per book and choice of options.

    ``spends``: the keys of the spends made on it, with repetitions; ``rounds``: the one round in
    which each counts, () or nothing for every round. Raises KeyError if the book has no such roll
    or spend, BadRoll for a fault that a checked book never has.
    """
    book = rules.book
    found = _ready.get(rules.identity)
    if found is None:
        kept = sum(len(made.steps) for rolls in _ready.values() for made in rolls.values())
        if len(_ready) >= MOST_BOOKS or kept > MOST_KEPT:
            _ready.clear()
        found = _ready[rules.identity] = {}
    which = (key, spends, rounds if any(rounds) else ())
    made = found.get(which)
    if made is None:
        if len(found) >= MOST_ROLLS:
            found.clear()
        some = zip_longest((book.spend[spend] for spend in spends), rounds[: len(spends)])
        pairs = [(spend, one or ()) for spend, one in some]
        made = found[which] = make_ready(rules, book.roll[key], pairs)
    return made


@limit_work(ROLL_WORK)
def make_ready(
    rules: Rules, roll: declared.Roll, spends: Iterable[tuple[declared.Spend, Rounds]] = ()
) -> Ready:
    """Compile ``roll``; the ``spends`` on it count as modifiers do, each in its round only.

    Raises BadRoll, BadExpression or TooMuch.
    """
    maker = _Maker(rules, roll, spends)
    steps = maker.steps(roll.steps, _At((), ("steps",), DEEPEST))
    outcomes = tuple(
        CompiledOutcome(outcome, parse(outcome.given) if outcome.given else None)
        for outcome in roll.outcomes
        if applies(outcome.when, rules.settings)
    )
    numbers = tuple(number.of for number in roll.numbers)
    needed = {name for step in steps for name in step.reads} | set(numbers)
    needed |= {name for outcome in outcomes if outcome.given for name in outcome.given.names}
    needed |= names_of_effects(roll, outcomes, ("given", "amount", "to", "distance"))
    losses = {row.key: dict(_find_losses(rules, roll, row.declared)) for row in outcomes}
    needed |= {life for lost in losses.values() for life in lost.values()}
    reads = frozenset(needed - set(find_bound_names(steps)))
    asked = tuple(row for row in rules.circumstances if row.key in reads)
    return Ready(roll, steps, outcomes, numbers, reads, asked, tuple(maker.modifiers), losses)


def _find_losses(
    rules: Rules, roll: declared.Roll, outcome: declared.RollOutcome
) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a roll that an outcome takes off the life of a figure, each with the
    name of that life."""
    amounts = {f"-{number.of}": number.of for number in roll.numbers}
    for effect in roll.effects_of(outcome):
        if effect.kind == "changes" and effect.track == rules.book.life:
            number = amounts.get(str(effect.amount).replace(" ", ""))
            if number is not None and effect.whom in ("by", "at"):
                yield number, f"{effect.whom}.life"


def names_of_effects(
    roll: declared.Roll, outcomes: Iterable[CompiledOutcome], parts: Iterable[str]
) -> set[str]:
    """The names that these formulas of the outcomes' effects read."""
    return {
        name
        for outcome in outcomes
        for effect in roll.effects_of(outcome.declared)
        for part in parts
        if (formula := getattr(effect, part, None)) is not None
        for name in parse(formula).names
    }


class _At(NamedTuple):
    """A place in a roll: the conditions for the step there, its path, the depth still allowed."""

    given: Given
    place: Place
    depth: int


class _Maker:
    """Compiles the steps of one roll."""

    def __init__(
        self, rules: Rules, roll: declared.Roll, spends: Iterable[tuple[declared.Spend, Rounds]]
    ) -> None:
        self.rules = rules
        self.modifiers: dict[str, None] = {}
        self._ends = {row.key for row in roll.outcomes if applies(row.when, rules.settings)}
        self._at_slot: dict[str, list[tuple[SlotRaise, Rounds]]] = {}
        rows: list[tuple[declared.Modifier | declared.Spend, Rounds]] = [*spends]
        rows += [
            (row, ())
            for row in rules.modifiers
            if not row.actions and (not row.rolls or roll.key in row.rolls)
        ]
        for row, rounds in rows:
            given = parse(row.given) if row.given else None
            raised = SlotRaise(row.key, parse(row.amount), given)
            self._at_slot.setdefault(row.on, []).append((raised, rounds))
        # The loops around this place, those with a number of times among them (None if one of them
        # has none), and the procedures.
        self._loops: Loops = ()
        self._counted: Loops | None = ()
        self._procedures: tuple[str, ...] = ()
        # The number of conditions worked out before their steps, and of all steps so far.
        self._set_aside = 0
        self._made = 0

    def steps(self, steps: Iterable[declared.Step], at: _At) -> Steps:
        """Compile the ``steps`` that the options leave in force, with procedures put in."""
        if not at.depth:
            raise BadRoll(_("too many levels of nesting"), at.place)
        found: list[CompiledStep] = []
        for number, step in enumerate(steps):
            if not applies(step.when, self.rules.settings):
                continue
            given = (*at.given, parse(step.given)) if step.given else at.given
            here = _At(given, (*at.place, number), at.depth)
            self._made += 1
            if self._made > MOST_STEPS:
                raise BadRoll(
                    say(
                        _("must have at most %(most)s steps, with the shared steps that it uses"),
                        most=MOST_STEPS,
                    ),
                    here.place,
                )
            spend(20)
            if isinstance(step, declared.Use):
                found += self._used(step, here)
            else:
                found.append(self._step(step, here))
        return tuple(found)

    def _used(self, step: declared.Use, at: _At) -> Steps:
        procedure = self.rules.book.procedure.get(step.use)
        if procedure is None:
            raise BadRoll(unknown(step.use, _("procedure"), self.rules.book.procedure), at.place)
        found = self._procedure(step, procedure, at)
        if not any(one.names & set(find_bound_names(found)) for one in at.given):
            return found
        # Its steps change what its condition reads: work the condition out before them.
        self._set_aside += 1
        name = f"use:{self._set_aside}"
        whole = Expression(
            name,
            names_read(at.given),
            lambda names: int(all(one.holds(names) for one in at.given)),
        )
        settled = CompiledLet(name, (), whole.names, step, Slot(whole), None)
        holds = Expression(name, frozenset({name}), lambda names: names[name])
        return (settled, *self._procedure(step, procedure, at._replace(given=(holds,))))

    def _procedure(self, step: declared.Use, procedure: declared.Procedure, at: _At) -> Steps:
        if procedure.key in self._procedures:
            raise BadRoll(
                say(_("the shared steps “%(key)s” use themselves"), key=procedure.key), at.place
            )
        around, self._procedures = self._procedures, (*self._procedures, procedure.key)
        values = [declared.Let(let=name, be=formula) for name, formula in step.values.items()]
        try:
            found = [self._step(row, at) for row in values]
            return (*found, *self.steps(procedure.steps, _At(at.given, (), at.depth - 1)))
        except BadRoll as error:
            where = ".".join(map(str, ("steps", *error.place)))
            message = _("“%(key)s”, %(where)s: %(error)s")
            words = say(message, key=procedure.key, where=where, error=error)
            raise BadRoll(words, at.place) from None
        finally:
            self._procedures = around

    def _inside(
        self, step: declared.Opposed | declared.Again, at: _At, after: frozenset[str]
    ) -> tuple[Steps, frozenset[str], frozenset[str], frozenset[str]]:
        """The steps inside another, the names that these and ``after`` read unbound, and the
        ``carried`` and ``unsure`` names."""
        loops, around, own = self._loops, self._counted, frozenset[str]()
        counted = isinstance(step, declared.Again) and step.times is not None
        if isinstance(step, declared.Again):
            if step.again in loops:
                raise BadRoll(
                    say(
                        _("a loop around this one is also named “%(name)s”: choose another name"),
                        name=step.again,
                    ),
                    at.place,
                )
            self._loops, own = (*loops, step.again), frozenset({step.again})
            self._counted = (*around, step.again) if counted and around is not None else None
        place = (*at.place, "steps")
        inside = self.steps(step.steps, _At((), place, at.depth - 1))
        self._loops, self._counted = loops, around
        if not counted and any(map(_may_end, inside)):
            raise BadRoll(_("the roll cannot end inside this step"), place)
        free = _free(inside, after) - own
        binds = frozenset(find_bound_names(inside))
        return inside, free, free & binds, binds - find_surely_bound_names(inside)

    def _slot(self, formula: Formula, slot: str) -> Slot:
        raises = tuple(self._raises(slot))
        spend(len(raises))
        self.modifiers |= dict.fromkeys(one.key for one in raises)
        return Slot(parse(formula), raises)

    def _raises(self, slot: str) -> Iterator[SlotRaise]:
        """Yield the modifiers at a slot of this place; a spend on one round counts only there."""
        for raised, rounds in self._at_slot.get(slot, ()):
            if not rounds:
                yield raised
            elif self._counted is not None and len(rounds) == len(self._counted):
                yield replace(raised, rounds=tuple(zip(self._counted, rounds, strict=True)))

    def _step(self, step: declared.Step, at: _At) -> CompiledStep:
        match step:
            case declared.Let(let=name):
                be, clamp = self._slot(step.be, name), _pair(step.clamp)
                return CompiledLet(name, at.given, names_read(at.given, be, clamp), step, be, clamp)
            case declared.Count():
                return self._count(step, at)
            case declared.Sum():
                return self._sum(step, at)
            case declared.ThrowHand():
                return self._hand(step, at)
            case declared.LookUp(look_up=name):
                grid = self.rules.book.grid.get(step.grid)
                if grid is None:
                    raise BadRoll(unknown(step.grid, _("grid"), self.rules.book.grid), at.place)
                row = self._slot(step.row, f"{name}.row")
                column = self._slot(step.column, f"{name}.column")
                reads = names_read(at.given, row, column)
                return CompiledLookUp(name, at.given, reads, step, grid, row, column)
            case declared.Opposed():
                return self._opposed(step, at)
            case declared.Again():
                return self._again(step, at)
            case declared.End(end=name):
                if name not in self._ends:
                    raise BadRoll(unknown(name, _("outcome"), self._ends), at.place)
                return CompiledEnd(name, at.given, names_read(at.given), step)
        raise BadRoll(_("this is not a step"), at.place)

    def _count(self, step: declared.Count, at: _At) -> CompiledCount:
        if (step.target is None) == (step.band is None):
            raise BadRoll(_("give either “target” or “band”, not both"), at.place)
        name = step.count
        dice = self._slot(step.dice, f"{name}.dice")
        sides = self._slot(step.sides, f"{name}.sides")
        target = None if step.target is None else self._slot(step.target, f"{name}.target")
        band, clamp = _pair(step.band), _pair(step.clamp)
        succeeded = self._slot(step.again_succeeded, f"{name}.again_succeeded")
        failed = self._slot(step.again_failed, f"{name}.again_failed")
        highest = self._slot(step.again_for_highest, f"{name}.again_for_highest")
        faces = step.again_faces and step.again_faces.given
        again = parse(faces) if faces else (parse(1) if step.again_faces else None)
        parts = (dice, sides, target, band, clamp, succeeded, failed, highest, again)
        return CompiledCount(name, at.given, names_read(at.given, *parts), step, *parts)

    def _sum(self, step: declared.Sum, at: _At) -> CompiledSum:
        name = step.sum
        dice = self._slot(step.dice, f"{name}.dice")
        sides = self._slot(step.sides, f"{name}.sides")
        keep = None if step.keep is None else self._slot(step.keep, f"{name}.keep")
        plus = self._slot(step.plus, f"{name}.plus")
        again = self._slot(step.again, f"{name}.again")
        asked = parse(step.again_given) if step.again_given else None
        own = {name, *(f"{name}.{part}" for part in CompiledSum.parts)}
        least, most = (
            None if hoped is None else Slot(parse(hoped)) for hoped in (step.at_least, step.at_most)
        )
        parts = (dice, sides, keep, plus, again)
        reads = names_read(at.given, *parts, least, most) | names_read((), asked) - own
        return CompiledSum(name, at.given, reads, step, *parts, asked, least, most)

    def _hand(self, step: declared.ThrowHand, at: _At) -> CompiledHand:
        row = self.rules.book.hand.get(step.of)
        if row is None:
            raise BadRoll(unknown(step.of, _("hand of dice"), self.rules.book.hand), at.place)
        name = step.throw_hand
        dice = self._slot(step.dice, f"{name}.dice")
        again = self._slot(step.again, f"{name}.again")
        cards = tuple(Slot(parse(card)) for card in step.cards)
        beats = parse(step.beats) if step.beats else None
        reaches = parse(step.reaches) if step.reaches else None
        reads = names_read(at.given, dice, again, *cards, beats, reaches)
        groups = tuple(combination.groups for combination in row.combinations)
        hand = Hand(len(row.faces), row.size, groups)
        return CompiledHand(name, at.given, reads, step, hand, dice, again, cards, beats, reaches)

    def _opposed(self, step: declared.Opposed, at: _At) -> CompiledOpposed:
        mine, theirs = (tuple(map(parse, side)) for side in (step.mine, step.theirs))
        if len(mine) != len(theirs):
            raise BadRoll(_("“mine” and “theirs” must have the same number of values"), at.place)
        after = names_read((), *mine, *theirs)
        inside, free, carried, unsure = self._inside(step, at, after)
        reads, tied = names_read(at.given) | free, step.tied == "again"
        parts = (inside, carried, unsure, mine, theirs, tied)
        return CompiledOpposed(step.opposed, at.given, reads, step, *parts)

    def _again(self, step: declared.Again, at: _At) -> CompiledAgain:
        if (step.times is None) == (step.until is None):
            raise BadRoll(_("give either “times” or “until”, not both"), at.place)
        name = step.again
        times = None if step.times is None else self._slot(step.times, f"{name}.times")
        until = parse(step.until) if step.until else None
        inside, free, carried, unsure = self._inside(step, at, names_read((), until))
        reads, parts = names_read(at.given, times) | free, (inside, carried, unsure, times, until)
        return CompiledAgain(name, at.given, reads, step, *parts)


def _pair(pair: tuple[Formula, Formula] | None) -> tuple[Slot, Slot] | None:
    return (Slot(parse(pair[0])), Slot(parse(pair[1]))) if pair else None


def _may_end(step: CompiledStep) -> bool:
    inside = step.steps if isinstance(step, CompiledNest) else ()
    return isinstance(step, CompiledEnd) or any(map(_may_end, inside))


def _free(steps: Iterable[CompiledStep], after: frozenset[str]) -> frozenset[str]:
    """The names that ``steps``, or later readers of the names in ``after``, may read unbound.

    A name is bound for a reader whose conditions include all conditions of the step that binds it.
    """
    found: set[str] = set()
    # The conditions under which each name was bound.
    known: dict[str, frozenset[Expression]] = {}
    for step in steps:
        given = frozenset(step.given)
        spend(len(step.reads) + len(known))
        found |= {name for name in step.reads if name not in known or not known[name] <= given}
        binds = set(step.binds)
        # A condition may no longer be true once a name that it reads is bound again.
        known = {
            name: needed
            for name, needed in known.items()
            if not any(one.names & binds for one in needed)
        }
        sure = step.binds_for_sure
        known |= {name: given for name in sure if not given or name not in known}
    return frozenset(found | {name for name in after if known.get(name) != frozenset()})
