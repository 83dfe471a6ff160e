"""The names that the values of a roll depend on, and the faces of a die that count alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from rules.book.rolls import Spend
from rules.engine import throwing
from rules.engine.compiling import (
    CompiledAgain,
    CompiledCount,
    CompiledEnd,
    CompiledLet,
    CompiledLookUp,
    CompiledNest,
    CompiledStep,
    Ready,
    names_of_effects,
)
from rules.engine.expressions import Names, names_read, parse
from rules.engine.playing import find_steps

# The parts of effects that write a number.
WRITTEN = ("amount", "to", "distance")
# The parts of a count that a spend may raise while the same faces of its dice still count alike.
HARMLESS = ("dice", "again_failed", "again_succeeded", "again_for_highest")


class Sources:
    """The names that each value of a roll depends on, whatever is spent on it.

    ``spends``: everything that may be spent on it.
    """

    def __init__(self, ready: Ready, spends: Iterable[Spend]) -> None:
        self.ready = ready
        self.steps = [step for step, _loops in find_steps(ready.steps)]
        self.spends = tuple(spends)
        self.raised = frozenset(row.on for row in self.spends)

    @cached_property
    def _of(self) -> Mapping[str, frozenset[str]]:
        """For each name, all names that it depends on, also through others."""
        found: dict[str, set[str]] = {}
        for step in self.steps:
            read = _reads(step)
            for name in () if isinstance(step, CompiledEnd) else step.own_names:
                found.setdefault(name, set()).update(read)
        for row in self.spends:
            found.setdefault(row.on.partition(".")[0], set()).update(_names(row))
        changed = True
        while changed:
            changed = False
            for names in found.values():
                more = names.union(*[found[name] for name in names if name in found])
                changed = changed or len(more) > len(names)
                names |= more
        return {name: frozenset(names) for name, names in found.items()}

    def _with_sources(self, names: Iterable[str]) -> frozenset[str]:
        some = frozenset(names)
        return some.union(*[self._of[name] for name in some if name in self._of])

    @cached_property
    def details(self) -> frozenset[str]:
        """The values from which others are worked out that an effect of the roll writes: hits and
        saves where wounds are taken off a life."""
        written = names_of_effects(self.ready.roll, self.ready.outcomes, WRITTEN)
        return self._with_sources(written) - written

    @cached_property
    def _read(self) -> frozenset[str]:
        """All names that anything reads."""
        ready = self.ready
        outcomes = [one.given for one in ready.outcomes if one.given is not None]
        effects = names_of_effects(ready.roll, ready.outcomes, ("given", *WRITTEN))
        spent = [_names(row) for row in self.spends]
        steps = [_reads(step) for step in self.steps]
        return names_read(tuple(outcomes)).union(ready.numbers, effects, *spent, *steps)

    @cached_property
    def _by_dice(self) -> frozenset[str]:
        """All names that dice change themselves, or a spend. The number of a round does not depend
        on dice, except after a loop without a fixed end."""
        return self.raised.union(*[step.own_names for step in self.steps if _throws(step)])

    def find_alike(self, step: CompiledStep, names: Names, sides: int) -> list[tuple[int, int]]:
        """Return some faces of a step's dice, each with the number of faces that count like it,
        itself included, whatever is spent later. ``names``: the values before the step.

        The faces of a count only succeed or fail, unless somebody reads the highest of them, or its
        target depends on other dice or may be changed.
        """
        if not isinstance(step, CompiledCount) or not self._only_counts(step):
            return [(face, 1) for face in range(1, sides + 1)]
        counting = throwing.counting(step, names)
        found: dict[tuple[bool, ...], list[int]] = {}
        for face in range(1, sides + 1):
            sort = (face in counting.good, face in counting.again_faces, face == sides)
            found.setdefault(sort[: 3 if self._asks_highest(step) else 2], []).append(face)
        return [(faces[0], len(faces)) for faces in found.values()]

    def _only_counts(self, step: CompiledCount) -> bool:
        """Whether it only matters which dice of a step succeed, and no spend changes which do."""
        if not self._read.isdisjoint(step.own_names[1:]):
            return False
        slots = {on for on in self.raised if on.partition(".")[0] == step.name}
        if not slots <= {f"{step.name}.{part}" for part in HARMLESS}:
            return False
        deciding = names_read((), step.sides, step.target, step.band, step.clamp, step.again_faces)
        return self._with_sources(deciding).isdisjoint(self._by_dice)

    def _asks_highest(self, step: CompiledCount) -> bool:
        base, slot = step.again_for_highest.base, f"{step.name}.again_for_highest"
        raised = bool(step.again_for_highest.raises) or slot in self.raised
        return raised or bool(base.names) or base.number({}) != 0


def _throws(step: CompiledStep) -> bool:
    """Whether what a step binds depends on more than the names that it reads."""
    calm = CompiledLet | CompiledLookUp | CompiledEnd
    if isinstance(step, CompiledAgain):
        return step.times is None
    return not isinstance(step, calm)


def _names(row: Spend) -> frozenset[str]:
    """The names that a spend reads."""
    given = parse(row.given).names if row.given else frozenset()
    return parse(row.amount).names | given


def _reads(step: CompiledStep) -> frozenset[str]:
    """The names that a step reads itself, without the steps inside it."""
    if isinstance(step, CompiledNest):
        return names_read(step.given).union(step.numbers_read)
    return step.reads
