"""What a rulebook may say about what befalls a member: conditions, outcomes, dice tables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.book.labels import Table
from rules.book.labels import gettext_noop as _
from rules.book.vocabulary import (
    Amount,
    ConditionKey,
    DepartureKey,
    Effect,
    Frozen,
    GroupKey,
    Key,
    Line,
    MarkKey,
    Row,
    ScenarioKey,
    Selector,
    TableKey,
    Tags,
    Text,
    TraitKey,
)

Gear = Literal["lost", "stash", "kept"]


class Dies(Frozen):
    """The member is dead; ``gear``: what they carried is gone with them, or comes to the stash."""

    kind: Literal["dies"]
    gear: Literal["lost", "stash"] = "lost"


class Leaves(Frozen):
    """The member leaves for good, by one of the campaign's departures."""

    kind: Literal["leaves"]
    departure: DepartureKey
    gear: Gear = "stash"


class Suffers(Frozen):
    """The member gets a condition: for the games that it lasts, or for ``games`` ("1d3")."""

    kind: Literal["suffers"]
    condition: ConditionKey
    games: Amount | None = None


class LosesItem(Frozen):
    """The member loses one item of the groups named, chosen by a die, or ``every`` one of them."""

    kind: Literal["loses_item"]
    groups: tuple[GroupKey, ...]
    every: bool = False


class Learns(Frozen):
    """The member earns experience: a number, or dice to roll ("1d3")."""

    kind: Literal["learns"]
    amount: Amount


class Gains(Frozen):
    """The member gets a trait, unless they have it."""

    kind: Literal["gains"]
    trait: TraitKey


class Pays(Frozen):
    """The gang pays from its treasury: a number, or dice to roll. It cannot pay what it lacks."""

    kind: Literal["pays"]
    amount: Amount


class RollsOn(Frozen):
    """Another table is rolled on, as many ``times`` as given (a number, or dice).

    ``rerolling``: rows with one of these tags do not count and are rolled again.
    """

    kind: Literal["rolls_on"]
    table: TableKey
    times: Amount = "1"
    rerolling: tuple[Key, ...] = ()


class RollAgain(Frozen):
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
    Dies | Leaves | Suffers | LosesItem | Learns | Gains | Pays | RollsOn | RollAgain | Chooses,
    Field(discriminator="kind"),
]
Option.model_rebuild()


class Before(Frozen):
    """Dice thrown before each game for a member, once for every time that they have a condition: at
    one of the totals in ``absent`` they sit that game out."""

    dice: Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")]
    absent: Annotated[tuple[Annotated[int, Field(gt=0)], ...], Field(min_length=1)]


class Condition(Row):
    """Something lasting that befalls a member.

    ``games``: for how many games it lasts (0: until something ends it); ``absent``: the member
    cannot play meanwhile; ``uncounted``: nor are they counted in limits, size and rating. ``most``:
    how often a member can have it; what happens instead of once more is ``beyond``. ``against``: it
    is remembered which gang it was got from. ``before``: whether they can play a game is for dice
    to say.
    """

    editing = Table(_("Lasting conditions"), _("Add a condition"))
    text: Annotated[Text, _("Text")]
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    games: Annotated[int, _("For how many games")] = 0
    absent: Annotated[bool, _("Cannot play meanwhile")] = False
    uncounted: Annotated[bool, _("Does not count meanwhile")] = False
    most: Annotated[Annotated[int, Field(gt=0)] | None, _("At most")] = None
    beyond: Annotated[tuple[Outcome, ...], _("If it would happen once more")] = ()
    against: Annotated[bool, _("Remembers against which gang")] = False
    before: Annotated[Before | None, _("Dice before each game")] = None

    @property
    def holds(self) -> bool:
        """Whether the gang that it was got from has them in its hands: they are away meanwhile."""
        return self.against and self.absent


class TableRow(Frozen):
    """The row for every total from ``low`` to ``high``."""

    low: Annotated[int, _("From")]
    high: Annotated[int, _("To")]
    name: Annotated[Text, _("Name")]
    text: Annotated[Text | None, _("Text")] = None
    outcomes: Annotated[tuple[Outcome, ...], _("What happens")] = ()
    scenario: Annotated[ScenarioKey | None, _("Scenario")] = None
    tags: Tags = frozenset()
    source: Line


class DiceTable(Row):
    """A table to roll on: the row that holds the total applies.

    ``dice`` are summed ("2d6"), or read as tens and units ("d66"). ``faces``: what is on the sides
    of a single die that shows no numbers, from 1 on.
    """

    editing = Table(_("Dice tables"), _("Add a dice table"))
    dice: Annotated[str, Field(pattern=r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$"), _("Dice")]
    faces: Annotated[tuple[Text, ...], _("Names of the faces")] = ()
    rows: Annotated[tuple[TableRow, ...], Field(min_length=1), _("Rows")]

    @property
    def spellings(self) -> list[tuple[str, ...]]:
        """How each side of the die may be typed, if it shows no numbers."""
        return [(face.en, face.fr) for face in self.faces]


class Fate(Frozen):
    """What becomes of members that ended a game with one of these ``marks`` (any if none): a roll
    on ``table``, or ``outcomes`` without a roll, or nothing at all."""

    of: Selector = Selector()
    marks: tuple[MarkKey, ...] = ()
    table: TableKey | None = None
    outcomes: tuple[Outcome, ...] = ()
