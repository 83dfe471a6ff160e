"""The vocabulary for advances: the experience that earns them, and how members take them."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.labels import Table
from rules.book.vocabulary import Frozen, Of, Row, Selector, TableKey, Teachers, TraitTag

# The most advances that a row of thresholds can bring one member.
MOST_THRESHOLDS = 100

Cycle = Annotated[
    tuple[Literal["trait", "rank"], ...], Field(min_length=1), _("First, second… advance")
]


class Advancement(Frozen):
    """An advance for every ``experience`` earned, taken one after the other.

    ``cycle``: the kinds of the first, second... advance, repeated: a ``trait`` with one of
    ``trait_tags`` (any if none), or a ``rank`` by a promotion with the trigger ``advance``; a trait
    instead of a rank that is impossible. ``of``: the members who get advances; ``teachers``: they
    learn a trait from another member among these, who has it and is not away.
    """

    editing = Table(_("Advances by experience"))
    experience: Annotated[int, Field(gt=0), _("Experience")]
    of: Of = Selector()
    cycle: Cycle = ("trait",)
    trait_tags: Annotated[tuple[TraitTag, ...], _("Traits with the property")] = ()
    teachers: Teachers = None

    @property
    def table(self) -> None:
        """The dice table to roll an advance on: none, because the player chooses."""

    @property
    def group(self) -> bool:
        """Whether a group takes each advance together: never, each member takes their own."""
        return False

    def count(self, experience: int) -> int:
        """The number of advances that this much experience has earned."""
        return experience // self.experience

    def threshold(self, place: int) -> int:
        """The experience that earns the advance at a ``place``, counted from 0."""
        return (place + 1) * self.experience


class AdvancementRow(Row):
    """Advances for the members that ``of`` picks. The first row that picks a member is theirs;
    ``campaign.advancement`` is for members whom no row picks.

    ``at``: the experience that earns the first, second... advance; afterwards there is one for
    ``every`` so much experience (none if it is left out), and each distance ``grows`` by so much.
    ``table``: the member rolls each advance on this dice table; without it, the player chooses as
    ``cycle``, ``trait_tags`` and ``teachers`` say, which are those of ``campaign.advancement``.
    ``group``: the members of a group with as much experience and as many advances take each one
    together: one roll or choice, whose rises, traits, experience and conditions all of them get.
    """

    editing = Table(_("Advances at thresholds"), _("Add advances"), removable=True)
    of: Of = Selector()
    at: Annotated[tuple[Annotated[int, Field(gt=0)], ...], _("Experience for each advance")] = ()
    every: Annotated[Annotated[int, Field(gt=0)] | None, _("Then one for every")] = None
    grows: Annotated[int, Field(ge=0), _("Each distance grows by")] = 0
    table: Annotated[TableKey | None, _("Dice table")] = None
    cycle: Cycle = ("trait",)
    trait_tags: Annotated[tuple[TraitTag, ...], _("Traits with the property")] = ()
    teachers: Teachers = None
    group: Annotated[bool, _("One advance for a whole group")] = False

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """The experience that earns each advance, at most MOST_THRESHOLDS of them."""
        found = list(self.at[:MOST_THRESHOLDS])
        if self.every is not None:
            reached, distance = found[-1] if found else 0, self.every
            while len(found) < MOST_THRESHOLDS:
                reached, distance = reached + distance, distance + self.grows
                found.append(reached)
        return tuple(found)

    def count(self, experience: int) -> int:
        """The number of advances that this much experience has earned."""
        return bisect_right(self.thresholds, experience)

    def threshold(self, place: int) -> int | None:
        """The experience that earns the advance at a ``place``, counted from 0; None if there is
        no such advance."""
        return self.thresholds[place] if place < len(self.thresholds) else None


AnyAdvancement = Advancement | AdvancementRow
