"""Playing a roll: its steps taken one by one, with dice that fall now.

The application's throws and faces typed in from the table follow the same path: each step requests
dice, and gets their faces. Odds play no part here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from common.wording.sentences import gettext_noop as _
from rules.bounds.limits import ROLL_WORK
from rules.bounds.work import TooMuch, limit_work, spend
from rules.engine import throwing
from rules.engine.compiling import (
    CompiledAgain,
    CompiledCount,
    CompiledEnd,
    CompiledHand,
    CompiledLet,
    CompiledLookUp,
    CompiledNest,
    CompiledOpposed,
    CompiledStep,
    CompiledSum,
    Loops,
    Ready,
)
from rules.engine.dice import BadFaces, fair
from rules.engine.distributions import Counting
from rules.engine.expressions import Slot, Value
from rules.engine.hands import choose, choose_one

# The most throws in one roll, and the most rounds of a loop without a fixed end.
MOST_THROWS = 500


# The rounds of the loops around a step, from the outside in: the name of each loop, and the number
# of its round.
type Path = tuple[tuple[str, int], ...]


def find_steps(
    steps: Iterable[CompiledStep], around: Loops | None = ()
) -> Iterator[tuple[CompiledStep, Loops | None]]:
    """Yield all steps with the counted loops around them, None for a loop without a fixed end."""
    for step in steps:
        yield step, around
        inside = around
        if isinstance(step, CompiledAgain):
            inside = None if around is None or step.times is None else (*around, step.name)
        if isinstance(step, CompiledNest):
            yield from find_steps(step.steps, inside)


def find_slot(ready: Ready, slot: str) -> list[Loops | None]:
    """List the loops around each step that has this slot; None for a loop without a fixed end."""
    name, dot, part = slot.partition(".")
    return [
        around
        for step, around in find_steps(ready.steps)
        if step.name == name
        if (isinstance(getattr(step, part, None), Slot) if dot else isinstance(step, CompiledLet))
    ]


class Wanted(NamedTuple):
    """The dice that a step wants. ``again``: they are thrown again; ``kept``: the faces that stay
    meanwhile; ``rounds``: the rounds in which the step is taken; ``time``: 0 for the step's first
    throw, then the number of the reason or of the time that dice are thrown again; ``tied``: they
    are the first after a tie, of which everything is thrown again."""

    step: str
    dice: int
    sides: int
    again: bool = False
    kept: tuple[int, ...] = ()
    rounds: Path = ()
    time: int = 0
    tied: bool = False

    @property
    def place(self) -> tuple[str, Path, int]:
        """The place of the throw in its roll."""
        return self.step, self.rounds, self.time


class HandChoice(NamedTuple):
    """A hand of dice of which ``most`` may be thrown again. ``proposed``: the faces that the
    application would keep."""

    step: str
    rounds: Path
    faces: tuple[int, ...]
    sides: int
    most: int
    proposed: tuple[int, ...]

    def allows(self, kept: tuple[int, ...]) -> bool:
        """Whether these faces may be kept."""
        some = Counter(kept) <= Counter(self.faces)
        return some and len(self.faces) - len(kept) <= self.most


class Thrown(NamedTuple):
    """Dice as they fell."""

    wanted: Wanted
    faces: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """The result of a roll: the outcome's key, the numbers it gives, every name that was bound, and
    the dice in the order in which they fell.

    ``rounds``: all rounds of its loops; ``choices``: each choice of dice to keep, with the faces
    that were kept.
    """

    outcome: str
    numbers: Mapping[str, int]
    names: Mapping[str, Value]
    throws: tuple[Thrown, ...]
    rounds: tuple[Path, ...] = ()
    choices: tuple[tuple[HandChoice, tuple[int, ...]], ...] = ()

    @property
    def kept(self) -> tuple[tuple[int, ...], ...]:
        """The faces kept at each choice; empty if the application would have kept the same ones."""
        if all(sorted(kept) == sorted(choice.proposed) for choice, kept in self.choices):
            return ()
        return tuple(kept for _choice, kept in self.choices)


Throw = Callable[[Wanted], tuple[int, ...]]
# Takes notes: called with a step and the names before it binds a number, or before it throws dice,
# then with these.
Watch = Callable[[CompiledStep, Mapping[str, Value], Wanted | None], None]
# Chooses the faces of a hand to keep.
Keep = Callable[[HandChoice], tuple[int, ...]]


def keep_proposed(choice: HandChoice) -> tuple[int, ...]:
    """Keep the faces that the application proposes."""
    return choice.proposed


class Missing(LookupError):
    """Raised when a roll wants more dice than were entered: ``wanted`` next."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__(f"{wanted.dice} dice of {wanted.sides} sides are wanted")
        self.wanted = wanted


class Undecided(LookupError):
    """Raised when a player has not said yet which dice of a hand to keep."""

    def __init__(self, choice: HandChoice) -> None:
        super().__init__(f"{choice.most} dice of a hand may be thrown again")
        self.choice = choice


def play(ready: Ready, facts: Mapping[str, Value], thrower: Callable[[int], int] = fair) -> Played:
    """Throw the dice of a roll one by one; ``thrower`` gets a die's sides and returns its face.

    Raises TooMuch for too many dice.
    """

    def throw(wanted: Wanted) -> tuple[int, ...]:
        sides = wanted.sides
        return tuple([thrower(sides) for _ in range(wanted.dice)])

    return _Player(ready, facts, throw).played()


def tell(
    ready: Ready,
    facts: Mapping[str, Value],
    faces: Iterable[tuple[int, ...]],
    kept: Iterable[tuple[int, ...]] = (),
    *,
    asks: bool = False,
    watch: Watch | None = None,
) -> Played:
    """Play a roll with dice that fell at the table: the ``faces`` of each throw, in order.

    ``kept``: the faces that the player keeps at each choice; after these, the application chooses,
    or ``asks``: it raises Undecided. Raises BadFaces for faces that the dice cannot show or that
    cannot be kept, Missing if the roll wants more dice.
    """
    entered = iter(faces)

    def throw(wanted: Wanted) -> tuple[int, ...]:
        thrown = next(entered, None)
        if thrown is None:
            raise Missing(wanted)
        if len(thrown) != wanted.dice or not all(1 <= face <= wanted.sides for face in thrown):
            raise BadFaces(wanted.dice, wanted.sides)
        return thrown

    return _Player(ready, facts, throw, take_choices(kept, asks=asks), watch).played()


def take_choices(kept: Iterable[tuple[int, ...]], *, asks: bool) -> Keep:
    """Return a function that takes a player's choices in order; after these, it keeps the proposed
    faces, or ``asks``: it raises Undecided. It raises BadFaces for faces that cannot be kept."""
    decided = iter(kept)

    def keep(choice: HandChoice) -> tuple[int, ...]:
        chosen = next(decided, None)
        if chosen is None:
            if asks:
                raise Undecided(choice)
            return choice.proposed
        if not choice.allows(chosen):
            raise BadFaces(len(choice.faces), choice.sides)
        return chosen

    return keep


def retell(
    ready: Ready,
    facts: Mapping[str, Value],
    before: Played,
    throw: Throw,
    choose: Keep = keep_proposed,
    watch: Watch | None = None,
) -> Played:
    """Play a roll again after something was spent on it: dice that have fallen keep their faces in
    the step and the round in which they fell, and ``throw`` gives the faces of further dice.

    ``choose``: makes choices that were not made before. Raises whatever these two raise.
    """
    lying: dict[tuple[str, Path, int], list[Thrown]] = {}
    for thrown in before.throws:
        lying.setdefault(thrown.wanted.place, []).append(thrown)
    decided: dict[tuple[str, Path], list[tuple[int, ...]]] = {}
    for choice, kept in before.choices:
        decided.setdefault((choice.step, choice.rounds), []).append(kept)

    def keep(choice: HandChoice) -> tuple[int, ...]:
        there = decided.get((choice.step, choice.rounds))
        kept = there.pop(0) if there else choose(choice)
        return kept if choice.allows(kept) else choice.proposed

    def found(wanted: Wanted) -> tuple[int, ...]:
        there = lying.get(wanted.place)
        faces: tuple[int, ...] = ()
        if there:
            first = there.pop(0)
            if first.wanted.sides == wanted.sides:
                faces = first.faces[: wanted.dice]
        more = wanted.dice - len(faces)
        return (*faces, *throw(wanted._replace(dice=more))) if more else faces

    return _Player(ready, facts, found, keep, watch).played()


class _Player:
    """A roll being played, with the values of its names so far."""

    def __init__(
        self,
        ready: Ready,
        facts: Mapping[str, Value],
        throw: Throw,
        keep: Keep = keep_proposed,
        watch: Watch | None = None,
    ) -> None:
        self.ready = ready
        self.watch = watch
        # Take only names that the roll reads: a name that a step binds has no value before that.
        read = ready.reads_in_order
        self.names: dict[str, Value] = {name: facts[name] for name in read if name in facts}
        self.thrown = throw
        self.keep = keep
        self.throws: list[Thrown] = []
        # The rounds around the next step, and all rounds so far.
        self.around: Path = ()
        self.rounds: list[Path] = []
        self.choices: list[tuple[HandChoice, tuple[int, ...]]] = []
        self.outcome: str | None = None
        self.tied = False

    def played(self) -> Played:
        """Play all steps to the end."""
        with limit_work(ROLL_WORK):
            self.take(self.ready.steps)
        names = self.names
        outcome = self.ready.outcome(names) if self.outcome is None else self.outcome
        numbers = {}
        for name in self.ready.numbers:
            value = names.get(name, 0)
            assert not isinstance(value, str)
            numbers[name] = self.ready.limit_loss(outcome, name, int(value), names)
        rounds, choices = tuple(dict.fromkeys(self.rounds)), tuple(self.choices)
        return Played(outcome, numbers, names, tuple(self.throws), rounds, choices)

    def take(self, steps: Iterable[CompiledStep]) -> None:
        """Take ``steps`` in order, until one ends the roll."""
        names = self.names
        for step in steps:
            spend(5 + len(step.binds))
            if step.given and not step.taken(names):
                for name in step.binds:
                    names.setdefault(name, 0)
            elif isinstance(step, CompiledEnd):
                self.outcome = step.name
                return
            else:
                TAKE[type(step)](self, step)
                if self.outcome is not None:
                    return

    def throw(
        self, step: CompiledStep, dice: int, sides: int, kept: Iterable[int] = (), time: int = 0
    ) -> list[int]:
        """Throw dice for a step; ``kept`` and ``time``: as in Wanted."""
        if dice <= 0:
            return []
        if len(self.throws) >= MOST_THROWS:
            raise TooMuch(_("too many throws: the roll never ends"))
        spend(dice)
        wanted = Wanted(step.name, dice, sides, time > 0, tuple(kept), self.around, time, self.tied)
        self.tied = False
        if self.watch:
            self.watch(step, self.names, wanted)
        faces = tuple(self.thrown(wanted))
        self.throws.append(Thrown(wanted, faces))
        return [*faces]

    def let(self, step: CompiledLet) -> None:
        """Bind a number."""
        if self.watch:
            self.watch(step, self.names, None)
        self.names[step.name] = throwing.let(step, self.names)

    def look_up(self, step: CompiledLookUp) -> None:
        """Read a cell of a grid."""
        self.names[step.name] = throwing.cell(step, self.names)

    def count(self, step: CompiledCount) -> None:
        """Count dice, and throw some again: forced ones first, no die twice."""
        counting = throwing.counting(step, self.names)
        good, sides = counting.good, counting.sides
        faces = self.throw(step, counting.dice, sides)
        if counting.throws_again:
            lying: list[int] = []
            for time, chosen in enumerate(CHOSEN_AGAIN, start=1):
                if again := chosen(faces, lying, counting):
                    for face in again:
                        faces.remove(face)
                    lying += self.throw(step, len(again), sides, [*faces, *lying], time)
            faces += lying
        names, (total, highest, lowest, ones) = self.names, step.binds
        names[total] = sum([face in good for face in faces])
        names[highest] = max(faces, default=0)
        names[lowest] = min(faces, default=0)
        names[ones] = faces.count(1)

    def sum(self, step: CompiledSum) -> None:
        """Add dice up, and throw them all again where the rule says so."""
        names = self.names
        dice, sides, keep, lowest = throwing.summing(step, names)
        plus, again = step.plus.number(names), throwing.sums_again(step, names)
        faces = self.throw(step, dice, sides)
        for time in count(1):
            kept = sorted(faces, reverse=not lowest)[:keep]
            names[f"{step.name}.dice_total"] = sum(kept)
            names[step.name] = sum(kept) + plus
            names[f"{step.name}.max"] = max(kept, default=0)
            names[f"{step.name}.min"] = min(kept, default=0)
            if time > again or step.again_given is None or not step.again_given.holds(names):
                return
            faces = self.throw(step, dice, sides, (), time)

    def hand(self, step: CompiledHand) -> None:
        """Throw a hand of dice, and some of them again."""
        dice, again, cards, goal, singly = throwing.hand(step, self.names)
        faces, sides = self.throw(step, dice, step.hand.sides), step.hand.sides
        propose, most = (choose_one, 1) if singly else (choose, again)
        for time in range(1, (again if singly else min(again, 1)) + 1):
            left = again - time + 1
            proposed = propose(step.hand, tuple(faces), left, cards, goal)
            choice = HandChoice(step.name, self.around, tuple(faces), sides, most, proposed)
            kept = self.keep(choice)
            self.choices.append((choice, kept))
            if len(kept) == dice:
                break
            faces = [*kept, *self.throw(step, dice - len(kept), sides, kept, time)]
        strength = step.hand.strength((*faces, *cards))
        self.names[step.name] = strength
        self.names[f"{step.name}.rank"] = step.hand.rank(strength)

    def oppose(self, step: CompiledOpposed) -> None:
        """Compare two sides, and throw ties again where the rule says so."""
        before = dict(self.names) if step.again else {}
        for _time in range(MOST_THROWS):
            spend(len(before))
            self.take(step.steps)
            mine = tuple([part.number(self.names) for part in step.mine])
            theirs = tuple([part.number(self.names) for part in step.theirs])
            margin, winner = throwing.compare_pairs(mine, theirs)
            if winner or not step.again:
                self.names[step.name] = margin
                self.names[f"{step.name}.winner"] = winner
                return
            self.names.clear()
            self.names.update(before)
            self.tied = True
        raise TooMuch(_("the sides always tie, so the roll never ends"))

    def repeat(self, step: CompiledAgain) -> None:
        """Repeat steps."""
        names = self.names
        number = MOST_THROWS if step.times is None else throwing.times(step, names)
        names[step.name] = 0
        around = self.around
        for time in range(1, number + 1):
            names[step.name] = time
            self.around = (*around, (step.name, time))
            self.rounds.append(self.around)
            self.take(step.steps)
            self.around = around
            if self.outcome is not None:
                return
            if step.until is not None and step.until.holds(names):
                break
        else:
            if step.until is not None:
                raise TooMuch(_("the loop never ends"))
        for name in step.binds:
            names.setdefault(name, 0)


def _at_once(faces: list[int], lying: list[int], counting: Counting) -> list[int]:
    return [face for face in faces if face in counting.again_faces]


def _forced(faces: list[int], lying: list[int], counting: Counting) -> list[int]:
    good = [face for face in faces if face in counting.good]
    return sorted(good)[: counting.again_succeeded]


def _allowed(faces: list[int], lying: list[int], counting: Counting) -> list[int]:
    bad = [face for face in faces if face not in counting.good]
    highest = (*faces, *lying).count(counting.sides)
    return sorted(bad)[: counting.again_failed + counting.again_for_highest * highest]


# The choices of dice to throw again, one after the other; each gets the faces that may be thrown
# again, and the faces that stay.
CHOSEN_AGAIN = (_at_once, _forced, _allowed)

TAKE: dict[type[CompiledStep], Callable[[_Player, Any], None]] = {
    CompiledLet: _Player.let,
    CompiledLookUp: _Player.look_up,
    CompiledCount: _Player.count,
    CompiledSum: _Player.sum,
    CompiledHand: _Player.hand,
    CompiledOpposed: _Player.oppose,
    CompiledAgain: _Player.repeat,
}
