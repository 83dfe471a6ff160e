"""What a rulebook may say about what befalls a member: conditions, outcomes, dice tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.vocabulary import Amount, Effect, Frozen, Key, Line, Row, Selector, Text

Gear = Literal["lost", "stash", "kept"]


class Dies(Frozen):
    """The member is dead; ``gear``: what he carried is gone with him, or comes to the stash."""

    kind: Literal["dies"]
    gear: Literal["lost", "stash"] = "lost"


class Leaves(Frozen):
    """The member leaves for good, by one of the campaign's departures."""

    kind: Literal["leaves"]
    departure: Key
    gear: Gear = "stash"


class Suffers(Frozen):
    """The member gets a condition: for the games that it lasts, or for ``games`` ("1d3")."""

    kind: Literal["suffers"]
    condition: Key
    games: Amount | None = None


class LosesItem(Frozen):
    """The member loses one item of the groups named, chosen by a die, or ``every`` one of them."""

    kind: Literal["loses_item"]
    groups: tuple[Key, ...]
    every: bool = False


class Learns(Frozen):
    """The member earns experience: a number, or dice to roll ("1d3")."""

    kind: Literal["learns"]
    amount: Amount


class Gains(Frozen):
    """The member gets a trait, unless he has it."""

    kind: Literal["gains"]
    trait: Key


class Pays(Frozen):
    """The gang pays from its treasury: a number, or dice to roll. It cannot pay what it lacks."""

    kind: Literal["pays"]
    amount: Amount


class RollsOn(Frozen):
    """Another table is rolled on, as many ``times`` as told (a number, or dice).

    ``rerolling``: rows with one of these tags do not count and are rolled again.
    """

    kind: Literal["rolls_on"]
    table: Key
    times: Amount = "1"
    rerolling: tuple[Key, ...] = ()


class Again(Frozen):
    """The same table is rolled on again."""

    kind: Literal["again"]


class Option(Frozen):
    """One of several things to choose from."""

    name: Text
    outcomes: tuple[Outcome, ...] = ()


class Chooses(Frozen):
    """The player chooses one of several things."""

    kind: Literal["chooses"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]


Outcome = Annotated[
    Dies | Leaves | Suffers | LosesItem | Learns | Gains | Pays | RollsOn | Again | Chooses,
    Field(discriminator="kind"),
]
Option.model_rebuild()


class Before(Frozen):
    """Dice thrown before each game for a member, once for every time that he has a condition: at
    one of the totals in ``absent`` he sits that game out."""

    dice: Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")]
    absent: Annotated[tuple[Annotated[int, Field(gt=0)], ...], Field(min_length=1)]


class Condition(Row):
    """Something lasting that befalls a member.

    ``games``: for how many games it lasts (0: until something ends it); ``absent``: the member
    cannot play meanwhile; ``uncounted``: nor is he counted in limits, size and rating.
    ``most``: how often a member can have it; what happens instead of once more is ``beyond``.
    ``against``: it is remembered which gang it was got from. ``before``: whether he can play a game
    is for dice to say.
    """

    text: Text
    effects: tuple[Effect, ...] = ()
    games: int = 0
    absent: bool = False
    uncounted: bool = False
    most: Annotated[int, Field(gt=0)] | None = None
    beyond: tuple[Outcome, ...] = ()
    against: bool = False
    before: Before | None = None

    @property
    def holds(self) -> bool:
        """Whether the gang that it was got from has him in its hands: he is away meanwhile."""
        return self.against and self.absent


class TableRow(Frozen):
    """The row for every total from ``low`` to ``high``."""

    low: int
    high: int
    name: Text
    text: Text | None = None
    outcomes: tuple[Outcome, ...] = ()
    scenario: Key | None = None
    tags: frozenset[Key] = frozenset()
    source: Line


class DiceTable(Row):
    """A table to roll on: the row that holds the total applies.

    ``dice`` are summed ("2d6"), or read as tens and units ("d66"). ``faces``: what is on the sides
    of a single die that shows no numbers, from 1 on.
    """

    dice: Annotated[str, Field(pattern=r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$")]
    faces: tuple[Text, ...] = ()
    rows: Annotated[tuple[TableRow, ...], Field(min_length=1)]

    @property
    def spellings(self) -> list[tuple[str, ...]]:
        """How each side of the die may be typed, if it shows no numbers."""
        return [(face.en, face.fr) for face in self.faces]


class Fate(Frozen):
    """What becomes of members that ended a game with one of these ``marks`` (any if none): a roll
    on ``table``, or ``outcomes`` without a roll, or nothing at all."""

    of: Selector = Selector()
    marks: tuple[Key, ...] = ()
    table: Key | None = None
    outcomes: tuple[Outcome, ...] = ()
