"""The vocabulary for what happens to members and gangs: conditions, outcomes, dice tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.amounts import Each
from rules.book.labels import Table
from rules.book.vocabulary import (
    Amount,
    CharacteristicKey,
    ConditionKey,
    DepartureKey,
    Effect,
    Frozen,
    GroupKey,
    HoldingKey,
    InCurrency,
    ItemKey,
    Key,
    Line,
    MarkKey,
    RankKey,
    RisenProfile,
    Row,
    ScenarioKey,
    Selector,
    TableKey,
    Tags,
    Teachers,
    Text,
    TraitKey,
    TraitTag,
)

Gear = Literal["lost", "stash", "kept"]


class Dies(Frozen):
    """The member is dead; ``gear``: their items are lost with them, or go to the stash."""

    kind: Literal["dies"]
    gear: Literal["lost", "stash"] = "lost"


class Leaves(Frozen):
    """The member leaves for good, by one of the campaign's departures."""

    kind: Literal["leaves"]
    departure: DepartureKey
    gear: Gear = "stash"


class Suffers(Frozen):
    """The member gets a condition for its usual number of games, or for ``games`` ("1d3")."""

    kind: Literal["suffers"]
    condition: ConditionKey
    games: Amount | None = None


class LosesItem(Frozen):
    """The member loses one item of the groups named, chosen by a die, or ``every`` one of them."""

    kind: Literal["loses_item"]
    groups: tuple[GroupKey, ...]
    every: bool = False


class Learns(Frozen):
    """The member earns experience: a number, or dice to roll ("1d3"), for each thing that ``each``
    counts."""

    kind: Literal["learns"]
    amount: Amount
    each: Each | None = None


class Gains(Frozen):
    """The member gets a trait, unless they have it (as often as they can have it)."""

    kind: Literal["gains"]
    trait: TraitKey


class ChoosesTrait(Frozen):
    """The player chooses a trait for the member: one with any of ``trait_tags`` (any if none), as
    an advance would; with ``teachers`` only one that another of these members has. Nothing happens
    if they can have none of these."""

    kind: Literal["chooses_trait"]
    trait_tags: tuple[TraitTag, ...] = ()
    teachers: Teachers = None


class Pays(Frozen):
    """The gang pays from its treasury, or from what it has of another ``currency``: a number, or
    dice to roll, for each thing that ``each`` counts; at most all that it has."""

    kind: Literal["pays"]
    amount: Amount
    each: Each | None = None
    currency: InCurrency = None


class Earns(Frozen):
    """The gang earns money, or another ``currency``: a number, or dice to roll ("2d6x10"), for each
    thing that ``each`` counts."""

    kind: Literal["earns"]
    amount: Amount
    each: Each | None = None
    currency: InCurrency = None


class Finds(Frozen):
    """The gang finds an item, or several: for the stash, or for the ``member`` whom the outcome is
    about. Items that the member may not carry go to the stash."""

    kind: Literal["finds"]
    item: ItemKey
    times: Amount = "1"
    to: Literal["stash", "member"] = "stash"


class Joins(Frozen):
    """A member of this rank joins, or several. They cost nothing and need no room under the limits
    on recruits."""

    kind: Literal["joins"]
    rank: RankKey
    times: Amount = "1"


class Rises(Frozen):
    """A characteristic of the member rises for good, each time that this happens, up to its
    maximum: points of a number, dice of a pool, sizes of a die, boxes of a track."""

    kind: Literal["rises"]
    characteristic: CharacteristicKey
    amount: int = 1


class Promotes(Frozen):
    """The member becomes one of this rank, unless they are. The other fields are those of a
    promotion."""

    kind: Literal["promotes"]
    rank: RankKey
    keeps_price: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False


class FallsTo(Frozen):
    """The outcomes fall to a member that ``of`` picks: to one of the player's choice, to one by a
    die, or to all. To nobody if it picks nobody."""

    kind: Literal["falls_to"]
    of: Selector = Selector()
    by: Literal["choice", "die", "all"] = "choice"
    outcomes: Annotated[tuple[Outcome, ...], Field(min_length=1)]


class RollsOn(Frozen):
    """A roll on another table, or several: ``times`` is a number or dice.

    ``rerolling``: rows with one of these tags do not count and are rolled again.
    """

    kind: Literal["rolls_on"]
    table: TableKey
    times: Amount = "1"
    rerolling: tuple[Key, ...] = ()


class RollAgain(Frozen):
    """Another roll on the same table."""

    kind: Literal["again"]


class Option(Frozen):
    """One of several groups of outcomes to choose from."""

    name: Text
    outcomes: tuple[Outcome, ...] = ()


class Chooses(Frozen):
    """The player chooses one of several groups of outcomes."""

    kind: Literal["chooses"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]


class Takes(Frozen):
    """The gang gets a holding, unless another gang of the campaign has it, or it has it itself."""

    kind: Literal["takes"]
    holding: HoldingKey


Outcome = Annotated[
    Dies
    | Leaves
    | Suffers
    | LosesItem
    | Learns
    | Gains
    | ChoosesTrait
    | Rises
    | Promotes
    | Pays
    | Earns
    | Finds
    | Joins
    | FallsTo
    | RollsOn
    | RollAgain
    | Chooses
    | Takes,
    Field(discriminator="kind"),
]
FallsTo.model_rebuild()
Option.model_rebuild()


def inner_outcomes(outcome: Outcome) -> Iterator[Outcome]:
    """The outcomes written inside another: those of its options, or of whom it falls to."""
    match outcome:
        case Chooses():
            for option in outcome.options:
                yield from option.outcomes
        case FallsTo():
            yield from outcome.outcomes


def all_outcomes(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Every outcome of a row, with those inside others."""
    for outcome in outcomes:
        yield outcome
        yield from all_outcomes(inner_outcomes(outcome))


class Before(Frozen):
    """Dice thrown before each game for a member, once for every time that they have a condition: at
    one of the totals in ``absent`` they miss that game."""

    dice: Annotated[str, Field(pattern=r"^[1-9]\d?d[1-9]\d?$")]
    absent: Annotated[tuple[Annotated[int, Field(gt=0)], ...], Field(min_length=1)]


class Condition(Row):
    """A lasting effect on a member.

    ``games``: the number of games that it lasts (0: until something ends it); ``absent``: the
    member cannot play meanwhile; ``uncounted``: nor do they count in limits, size and rating.
    ``most``: the number of times a member can have it; ``beyond``: the outcomes that replace any
    further time. ``against``: the gang that caused it is recorded. ``before``: dice decide before
    each game whether the member can play.
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
        """Whether the gang that caused it holds the member captive."""
        return self.against and self.absent


class TableRow(Frozen):
    """The row for every total from ``low`` to ``high``. ``matching``: in a table with matching
    dice, the number of dice that must show such a face, if not the table's."""

    low: Annotated[int, _("From")]
    high: Annotated[int, _("To")]
    name: Annotated[Text, _("Name")]
    text: Annotated[Text | None, _("Text")] = None
    outcomes: Annotated[tuple[Outcome, ...], _("What happens")] = ()
    scenario: Annotated[ScenarioKey | None, _("Scenario")] = None
    matching: Annotated[Annotated[int, Field(ge=2, le=6)] | None, _("Dice with the same face")] = (
        None
    )
    tags: Tags = frozenset()
    source: Line


class DiceTable(Row):
    """A table to roll on: the row for the total applies.

    ``dice`` are summed ("2d6"), or read as tens and units ("d66"). ``faces``: the signs on the
    sides of a single die without numbers, from 1 on. ``matching``: all dice of a step are rolled
    together, and a result is a face that at least this many of them show. ``rerolls_wasted``: a row
    that would change nothing for the member is rolled again, if another row would change something:
    its rises are beyond the maximum, or the member has its traits.
    """

    editing = Table(_("Dice tables"), _("Add a dice table"))
    dice: Annotated[str, Field(pattern=r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$"), _("Dice")]
    faces: Annotated[tuple[Text, ...], _("Names of the faces")] = ()
    matching: Annotated[Annotated[int, Field(ge=2, le=6)] | None, _("Dice with the same face")] = (
        None
    )
    rerolls_wasted: Annotated[bool, _("Roll again if nothing would change")] = False
    rows: Annotated[tuple[TableRow, ...], Field(min_length=1), _("Rows")]

    @property
    def spellings(self) -> list[tuple[str, ...]]:
        """The texts that may be typed for each side of a die without numbers."""
        return [tuple(face.root.values()) for face in self.faces]


class Fate(Frozen):
    """The fate of members who ended a game with one of these ``marks`` (if none, with any that does
    not say ``stands``): a roll on ``table``, or ``outcomes`` without a roll, or nothing."""

    of: Selector = Selector()
    marks: tuple[MarkKey, ...] = ()
    table: TableKey | None = None
    outcomes: tuple[Outcome, ...] = ()
