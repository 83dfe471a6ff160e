"""The application's dice, drawn from the seed of a table, or of a side before and after its game.

A seed is shown once it is no longer used; the site has committed to the next one by then.
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
    """The dice of one throw. Call it with a die's number of sides to get a face.

    ``seed``, ``number``: the numbers of the seed and of the throw; ``fallen``: the sides and the
    face of each die so far.
    """

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
        """The values for the columns of ``Drawn``."""
        return {"seed": self.seed, "number": self.number, "words": list(self.words)}


def next_dice(place: Seeded, words: Iterable[str] = ()) -> Dice:
    """The dice of the next throw at a table or of a side. ``words``: chosen by the players; empty
    ones are ignored.

    The caller saves the new ``draws`` in the same transaction as the faces, and protects the place
    until then, by a lock or by its version.
    """
    chosen = tuple(word for word in words if word)
    seed, number = place.seed_in_force, place.draws + 1
    return Dice(seed, number, chosen, faces(place.seed(seed), place.place, number, chosen))


def dice_of(side: Side) -> Dice:
    """The dice of a side's next throw."""
    return next_dice(side, [side.word])


def count_dice(place: Seeded, dice: Dice | None) -> dict[str, int]:
    """The columns of a table or side to change after these dice fell; none if they did not."""
    return {"draws": place.draws + 1} if dice is not None and dice.fallen else {}


def show[S: Seeded](places: QuerySet[S]) -> None:
    """Show the current seeds of these places, if they were used, and go on to the next ones. One
    query."""
    places.filter(draws__gt=0).update(seeds_shown=F("seeds_shown") + 1, draws=0)
