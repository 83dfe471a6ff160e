"""The application's dice: drawn from the seed of a table, or of a side before and after its game.

A seed is shown when nothing will be drawn from it any more; the next one is committed to already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, QuerySet

from campaigns.engine.seeds import faces
from campaigns.models import Seeded, Side


@dataclass
class Dice:
    """The dice of one throw: called with the number of a die's sides, it shows a face. ``seed``,
    ``number``: the seed's number and the throw's; ``fallen``: each die so far, its sides and what
    it showed."""

    seed: int
    number: int
    words: tuple[str, ...]
    face: Callable[[int], int]
    fallen: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, sides: int) -> int:
        """The face of the next die."""
        shown = self.face(sides)
        self.fallen.append((sides, shown))
        return shown

    @property
    def columns(self) -> dict[str, Any]:
        """What a row of ``Drawn`` keeps of it."""
        return {"seed": self.seed, "number": self.number, "words": list(self.words)}


def next_dice(place: Seeded, words: Iterable[str] = ()) -> Dice:
    """The dice of the next throw at a table, or of a side, as it stands. ``words``: those that the
    players have chosen, empty ones left out.

    Who throws them keeps that they did (``draws``), in the transaction that keeps what they showed,
    and holds the place meanwhile, by a lock or its version.
    """
    chosen = tuple(word for word in words if word)
    seed, number = place.seed_in_force, place.draws + 1
    return Dice(seed, number, chosen, faces(place.seed(seed), place.place, number, chosen))


def dice_of(side: Side) -> Dice:
    """The dice of a side's next throw."""
    return next_dice(side, [side.word])


def count_dice(place: Seeded, dice: Dice | None) -> dict[str, int]:
    """The columns of a table or side once these dice have fallen; none if they have not."""
    return {"draws": place.draws + 1} if dice is not None and dice.fallen else {}


def show[S: Seeded](places: QuerySet[S]) -> None:
    """Show the seeds in force of these, as far as anything was drawn from them. One query."""
    places.filter(draws__gt=0).update(seeds_shown=F("seeds_shown") + 1, draws=0)
