"""A roll played: its steps taken one by one with dice that fall now.

The application's own throws and those typed in from the table go the same way: the steps say which
dice they want next, and are told what these show. Nothing here knows what is likely.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass

from rules.book.rolls import LookUp as DeclaredLookUp
from rules.book.rolls import Opposed as DeclaredOpposed
from rules.engine import throwing
from rules.engine.compiling import (
    Again,
    Count,
    End,
    Let,
    LookUp,
    Opposed,
    Ready,
    Step,
    Sum,
    ThrowHand,
    clamped,
)
from rules.engine.dice import BadRoll, fair
from rules.engine.distributions import TooMuch, choose
from rules.engine.expressions import Value

MOST_THROWS = 500


@dataclass(frozen=True)
class Wanted:
    """Dice that a step wants: how many of how many sides, and for which step.

    ``again``: they are thrown again; ``kept``: the faces that lie meanwhile.
    """

    step: str
    dice: int
    sides: int
    again: bool = False
    kept: tuple[int, ...] = ()


@dataclass(frozen=True)
class Thrown:
    """Dice as they fell."""

    wanted: Wanted
    faces: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """What a roll came to: the outcome's key, the numbers it gives, every name that was bound, and
    the dice in the order in which they fell."""

    outcome: str
    numbers: Mapping[str, int]
    names: Mapping[str, Value]
    throws: tuple[Thrown, ...]


Play = Generator[Wanted, tuple[int, ...], Played]


class Missing(LookupError):
    """Dice were told, but fewer than the roll wants: ``wanted`` are the next."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__(f"{wanted.dice} dice of {wanted.sides} sides are wanted")
        self.wanted = wanted


def play(ready: Ready, facts: Mapping[str, Value], thrower: Callable[[int], int] = fair) -> Played:
    """Throw the dice of a roll one by one; ``thrower`` gives the face of a die of so many sides."""
    return _driven(
        begin(ready, facts),
        lambda wanted: tuple(thrower(wanted.sides) for _ in range(wanted.dice)),
    )


def tell(ready: Ready, facts: Mapping[str, Value], faces: Iterable[tuple[int, ...]]) -> Played:
    """The roll of dice that fell at the table: ``faces`` of each throw, in order.

    Raises BadRoll for faces that the dice wanted cannot show, Missing with the dice that are wanted
    next when they run out.
    """
    told = iter(faces)

    def next_faces(wanted: Wanted) -> tuple[int, ...]:
        thrown = next(told, None)
        if thrown is None:
            raise Missing(wanted)
        if len(thrown) != wanted.dice or not all(1 <= face <= wanted.sides for face in thrown):
            raise BadRoll(wanted.dice, wanted.sides)
        return thrown

    return _driven(begin(ready, facts), next_faces)


def begin(ready: Ready, facts: Mapping[str, Value]) -> Play:
    """The roll as a dialogue: it yields the dice it wants, and is sent the faces they show."""
    return _Player(ready, dict(facts)).play()


def _driven(dialogue: Play, thrown: Callable[[Wanted], tuple[int, ...]]) -> Played:
    try:
        wanted = next(dialogue)
        while True:
            wanted = dialogue.send(thrown(wanted))
    except StopIteration as end:
        played = end.value
        assert isinstance(played, Played)
        return played


class _Player:
    """One roll being played: the names' values so far."""

    def __init__(self, ready: Ready, facts: dict[str, Value]) -> None:
        self.ready = ready
        self.names = facts
        self.throws: list[Thrown] = []
        self.outcome: str | None = None

    def play(self) -> Play:
        """All steps to the end."""
        yield from self.take(self.ready.steps)
        outcome = self.ready.outcome(self.names) if self.outcome is None else self.outcome
        numbers = {}
        for name in self.ready.numbers:
            value = self.names.get(name, 0)
            assert not isinstance(value, str)
            numbers[name] = int(value)
        return Played(outcome, numbers, dict(self.names), tuple(self.throws))

    def take(self, steps: Iterable[Step]) -> Generator[Wanted, tuple[int, ...], None]:
        """Take ``steps`` in order, until one ends the roll."""
        for step in steps:
            if not step.taken(self.names):
                for name in step.binds:
                    self.names.setdefault(name, 0)
                continue
            if isinstance(step, End):
                self.outcome = step.name
            else:
                yield from self.step(step)
            if self.outcome is not None:
                return

    def step(self, step: Step) -> Generator[Wanted, tuple[int, ...], None]:
        """Take one step."""
        match step:
            case Let():
                number = clamped(step.be.number(self.names), step.clamp, self.names)
                self.names[step.name] = number
            case Count():
                yield from self.count(step)
            case Sum():
                yield from self.sum(step)
            case ThrowHand():
                yield from self.hand(step)
            case LookUp():
                row = step.declared
                assert isinstance(row, DeclaredLookUp)
                found = throwing.cell(
                    step.grid.cells,
                    step.row.number(self.names) - step.grid.first_row,
                    step.column.number(self.names) - step.grid.first_column,
                )
                self.names[step.name] = row.blank if found is None else found
            case Opposed():
                yield from self.oppose(step)
            case Again():
                yield from self.repeat(step)

    def throw(
        self, step: Step, dice: int, sides: int, kept: Iterable[int] | None = None
    ) -> Generator[Wanted, tuple[int, ...], list[int]]:
        """Throw dice for a step; ``kept``: the faces that lie, where dice are thrown again."""
        if dice <= 0:
            return []
        if len(self.throws) >= MOST_THROWS:
            raise TooMuch("throws without end")
        again = kept is not None
        wanted = Wanted(step.name, dice, sides, again, tuple(kept or ()))
        faces = yield wanted
        self.throws.append(Thrown(wanted, tuple(faces)))
        return [*faces]

    def count(self, step: Count) -> Generator[Wanted, tuple[int, ...], None]:
        """Dice that are counted, with what is thrown again: forced ones first, no die twice."""
        counting = throwing.counting(step, self.names)
        good, sides = counting.good, counting.sides
        fresh = yield from self.throw(step, counting.dice, sides)
        lying: list[int] = []
        bad = [face for face in fresh if face in counting.again_faces]
        if bad:
            fresh = [face for face in fresh if face not in counting.again_faces]
            lying += yield from self.throw(step, len(bad), sides, [*fresh, *lying])
        forced = sorted(face for face in fresh if face in good)[: counting.again_succeeded]
        if forced:
            fresh = _without(fresh, forced)
            # They were fresh when the choice among failures is made: they cannot be chosen.
            lying += yield from self.throw(step, len(forced), sides, [*fresh, *lying])
        highest = sum(face == sides for face in (*fresh, *lying))
        allowed = counting.again_failed + counting.again_for_highest * highest
        failed = sorted(face for face in fresh if face not in good)[:allowed]
        if failed:
            fresh = _without(fresh, failed)
            lying += yield from self.throw(step, len(failed), sides, [*fresh, *lying])
        faces = [*fresh, *lying]
        self.names[step.name] = sum(face in good for face in faces)
        self.names[f"{step.name}.max"] = max(faces, default=0)
        self.names[f"{step.name}.min"] = min(faces, default=0)
        self.names[f"{step.name}.ones"] = sum(face == 1 for face in faces)

    def sum(self, step: Sum) -> Generator[Wanted, tuple[int, ...], None]:
        """Dice that are added up, all thrown again where they may be."""
        dice, sides, keep, lowest = throwing.summing(step, self.names)
        plus = step.plus.number(self.names)
        again = step.again.number(self.names) if step.again_given else 0
        faces = yield from self.throw(step, dice, sides)
        while True:
            kept = sorted(faces, reverse=not lowest)[: len(faces) if keep is None else keep]
            self.names[f"{step.name}.dice_total"] = sum(kept)
            self.names[step.name] = sum(kept) + plus
            self.names[f"{step.name}.max"] = max(kept, default=0)
            self.names[f"{step.name}.min"] = min(kept, default=0)
            if again <= 0 or step.again_given is None or not step.again_given.holds(self.names):
                return
            again -= 1
            faces = yield from self.throw(step, dice, sides, ())

    def hand(self, step: ThrowHand) -> Generator[Wanted, tuple[int, ...], None]:
        """A hand of dice, some of them thrown again."""
        dice, again, cards, goal = throwing.hand(step, self.names)
        faces = yield from self.throw(step, dice, step.hand.sides)
        kept = choose(step.hand, tuple(faces), again, cards, goal)
        more = yield from self.throw(step, dice - len(kept), step.hand.sides, kept)
        strength = step.hand.strength((*kept, *more, *cards))
        self.names[step.name] = strength
        self.names[f"{step.name}.rank"] = step.hand.rank(strength)

    def oppose(self, step: Opposed) -> Generator[Wanted, tuple[int, ...], None]:
        """Two sides, thrown again as long as they are tied where the rule says so."""
        assert isinstance(step.declared, DeclaredOpposed)
        while True:
            yield from self.take(step.steps)
            mine = tuple(part.number(self.names) for part in step.mine)
            theirs = tuple(part.number(self.names) for part in step.theirs)
            margin, winner = throwing.compared((mine, theirs))
            if winner or step.declared.tied == "draw":
                break
        self.names[step.name] = margin
        self.names[f"{step.name}.winner"] = winner

    def repeat(self, step: Again) -> Generator[Wanted, tuple[int, ...], None]:
        """Steps that are repeated."""
        if step.times is not None:
            for time in range(1, step.times.number(self.names) + 1):
                self.names[step.name] = time
                yield from self.take(step.steps)
                if self.outcome is not None:
                    return
            return
        assert step.until is not None
        while True:
            yield from self.take(step.steps)
            if self.outcome is not None or step.until.holds(self.names):
                return


def _without(faces: list[int], gone: Iterable[int]) -> list[int]:
    """``faces`` without those that are thrown again, each once."""
    left = [*faces]
    for face in gone:
        left.remove(face)
    return left
