"""The basic words of every rulebook: texts, sources, conditions, effects, selectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import pgettext
from common.wording.texts import Line as Line
from common.wording.texts import Text as Text
from rules.book.labels import KeyOf, Table, Values

HOUSE = "house"

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Price = Annotated[int, Field(ge=0, le=100_000)]
# A name that a step binds, and that later expressions read.
NAME_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
# A number, or an expression that gives one.
Formula = int | Expression
# The most that somebody may have of something.
Most = Annotated[int, Field(ge=1, le=99)]
# A share of a price, in halves at the finest: "1/2", "3/2", "2".
Share = Annotated[str, StringConstraints(pattern=r"^\d{1,2}(/[12])?$")]
# A number, or dice to roll for it ("1d3"), whose total may be multiplied ("2d6x10") and changed by
# a sum ("3d6+20", "1d6x5-5"); never less than 0.
Amount = Annotated[
    str,
    StringConstraints(pattern=r"^(\d{1,4}|[1-9]\d?d[1-9]\d?(x[1-9]\d{0,2})?([+-][1-9]\d{0,2})?)$"),
]
# Before a gang's first game, or after it.
Phase = Annotated[
    Literal["founding", "playing"],
    Values(founding=_("before the first game"), playing=_("after the first game")),
]


def is_now(phase: Phase | None, *, playing: bool) -> bool:
    """Whether a row of this phase counts. ``playing``: the gang has played its first game."""
    return phase in (None, "playing" if playing else "founding")


# The origins that members may have: any, or only that of their gang.
MemberOrigins = Annotated[
    Literal["any", "own"], Values(any=pgettext("an origin", "any"), own=_("the gang’s"))
]
Status = Annotated[
    Literal["offered", "hidden", "banned"],
    Values(offered=_("offered"), hidden=_("hidden"), banned=_("banned")),
]

# The profile after a promotion: the new rank's, the old one, or the better of each value.
RisenProfile = Annotated[
    Literal["new", "kept", "best"],
    Values(new=_("those of the new rank"), kept=_("the old ones"), best=_("the better of both")),
]

# Keys of rows, one type for each table.
ActionKey = Annotated[Key, KeyOf("actions", _("action"))]
CharacteristicKey = Annotated[Key, KeyOf("characteristics", _("characteristic"))]
ConditionKey = Annotated[Key, KeyOf("conditions", _("condition"))]
CurrencyKey = Annotated[Key, KeyOf("currencies", _("currency"))]
DepartureKey = Annotated[Key, KeyOf("campaign.departures", _("departure"))]
DeploymentKey = Annotated[Key, KeyOf("deployments", _("deployment"))]
GridKey = Annotated[Key, KeyOf("grids", _("grid"))]
GroupKey = Annotated[Key, KeyOf("groups", _("item group"))]
HandKey = Annotated[Key, KeyOf("hands", _("hand of dice"))]
HoldingKey = Annotated[Key, KeyOf("holdings", _("holding"))]
ItemKey = Annotated[Key, KeyOf("items", _("item"))]
ItemTag = Annotated[Key, KeyOf("tag:items", _("item tag"))]
MarkKey = Annotated[Key, KeyOf("campaign.marks", _("mark"))]
ModifierKey = Annotated[Key, KeyOf("modifiers", _("modifier"))]
NumberKey = Annotated[
    Key, KeyOf("characteristics", _("characteristic"), number=_("number characteristic"))
]
NumberSettingKey = Annotated[Key, KeyOf("settings", number=_("number setting"))]
OriginKey = Annotated[Key, KeyOf("origins", _("origin"))]
ProcedureKey = Annotated[Key, KeyOf("procedures", _("procedure"))]
ProfessionKey = Annotated[Key, KeyOf("professions", _("profession"))]
RankKey = Annotated[Key, KeyOf("ranks", _("rank"))]
ResultKey = Annotated[Key, KeyOf("campaign.results", _("result"))]
RollKey = Annotated[Key, KeyOf("rolls", _("roll"))]
ScenarioKey = Annotated[Key, KeyOf("scenarios", _("scenario"))]
SettingKey = Annotated[Key, KeyOf("settings")]
StateKey = Annotated[Key, KeyOf("states", _("state"))]
TableKey = Annotated[Key, KeyOf("tables", _("table"))]
TallyKey = Annotated[Key, KeyOf("campaign.tallies", _("tally"))]
# Every game counts the enemies that members take out, also without a row.
TAKEN_OUT = "taken_out"
CountKey = Annotated[
    Key,
    KeyOf("campaign.tallies", _("tally"), also={TAKEN_OUT: _("Enemies taken out of action")}),
]
TrackKey = Annotated[Key, KeyOf("tracks", _("tracker"))]
TraitKey = Annotated[Key, KeyOf("traits", _("trait"))]
TraitTag = Annotated[Key, KeyOf("tag:traits", _("trait tag"))]
# Sets have no fixed order; they are sorted, so that equal rows have equal data.
Tags = Annotated[
    frozenset[Key],
    PlainSerializer(sorted, return_type=list[str], when_used="json"),
    _("Properties"),
]


class ByKey[R](cached_property[dict[str, R]]):
    """The rows of one of a model's tables, by their keys."""

    def __init__(self, table: str) -> None:
        super().__init__(lambda owner: {row.key: row for row in getattr(owner, table)})


class Frozen(BaseModel):
    """A value that never changes; an unknown key in its data is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, ignored_types=(Table, ByKey))
    # How a variant changes such rows; None if it cannot, or only as part of another row.
    editing: ClassVar[Table | None] = None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values for some fields, without the properties cached so far."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


# A row applies only where every setting named here has one of the values listed.
When = Annotated[dict[Key, tuple[str, ...]], _("Only under these options")]


class Row(Frozen):
    """One row of a rulebook's tables.

    ``source`` says where the row comes from: a key of the book's ``sources`` with an optional
    page ("seed p.10"), or "house" for a value that the project proposes. ``house`` names the
    cells of a sourced row that are house values. ``status``: a ``hidden`` row is no longer on
    offer, but members who have it keep it; a ``banned`` row is unavailable to all.
    """

    key: Key
    name: Annotated[Text, _("Name")]
    source: Line
    house: tuple[str, ...] = ()
    when: When = {}
    status: Annotated[Status, _("On offer")] = "offered"

    @property
    def is_house(self) -> bool:
        """Whether the whole row is a house value."""
        return self.source.split()[0] == HOUSE


def name_of(rows: Mapping[str, Row], key: str) -> Text | str:
    """The name of a rulebook's row; its key if the rulebook no longer has it."""
    return rows[key].name if key in rows else key


class Add(Frozen):
    """Adds ``amount`` to a characteristic: points to a number, dice to a pool, sizes to a die,
    boxes to a track (at its start), points to one ``part`` of a pair or to both.

    ``first_only``: only for the first of their profession; ``ranks``: only for members of these
    ranks (all if none); ``limit``: this effect brings it no further than this number.
    """

    kind: Literal["add"]
    characteristic: CharacteristicKey
    amount: int
    first_only: bool = False
    ranks: tuple[RankKey, ...] = ()
    part: Literal["first", "second"] | None = None
    limit: int | None = None
    when: When = {}


class Set(Frozen):
    """Sets a characteristic to a value. ``ranks``: as for Add."""

    kind: Literal["set"]
    characteristic: CharacteristicKey
    value: int | str
    ranks: tuple[RankKey, ...] = ()
    when: When = {}


class AddValue(Frozen):
    """Adds ``amount`` to the values of powers: of these ``traits``, and of those with one of
    ``trait_tags`` (of all powers if none are named). ``ranks``: as for Add."""

    kind: Literal["value"]
    amount: int
    traits: tuple[TraitKey, ...] = ()
    trait_tags: tuple[TraitTag, ...] = ()
    ranks: tuple[RankKey, ...] = ()
    when: When = {}


# The currency of a sum; None: money.
InCurrency = Annotated[CurrencyKey | None, _("Currency (none: money)")]
# Prices in other currencies than money, by currency.
Costs = Annotated[dict[CurrencyKey, Price], _("Costs in other currencies")]

Effect = Annotated[Add | Set | AddValue, Field(discriminator="kind")]
Settings = dict[str, str | int]


def applies(when: When, settings: Settings) -> bool:
    """Whether a row with this condition is in force under ``settings``."""
    return not when or all(str(settings.get(key)) in values for key, values in when.items())


class Between(Frozen):
    """The bounds of a number in a member's profile, before conditions; at least one is given.

    A member without the characteristic is never between them.
    """

    characteristic: NumberKey
    minimum: int | None = None
    maximum: int | None = None


class Selector(Frozen):
    """Picks members for whom everything named is true; an empty selector picks all.

    ``ranks``, ``origins``, ``professions``, ``conditions``: they have one of these; ``item_tags``
    and ``trait_tags``: they have something with such a tag; ``traits``: one of these traits;
    ``holdings``: their gang holds one of these; ``gang_ranks``: somebody in their gang, perhaps
    themself, has one of these ranks; ``not_``: they have none of these. ``numbers``: all these
    numbers are within their bounds.
    """

    ranks: tuple[RankKey, ...] = ()
    not_ranks: tuple[RankKey, ...] = ()
    origins: tuple[OriginKey, ...] = ()
    not_origins: tuple[OriginKey, ...] = ()
    professions: tuple[ProfessionKey, ...] = ()
    not_professions: tuple[ProfessionKey, ...] = ()
    item_tags: tuple[ItemTag, ...] = ()
    not_item_tags: tuple[ItemTag, ...] = ()
    trait_tags: tuple[TraitTag, ...] = ()
    not_trait_tags: tuple[TraitTag, ...] = ()
    conditions: tuple[ConditionKey, ...] = ()
    not_conditions: tuple[ConditionKey, ...] = ()
    traits: tuple[TraitKey, ...] = ()
    not_traits: tuple[TraitKey, ...] = ()
    holdings: tuple[HoldingKey, ...] = ()
    not_holdings: tuple[HoldingKey, ...] = ()
    gang_ranks: tuple[RankKey, ...] = ()
    not_gang_ranks: tuple[RankKey, ...] = ()
    numbers: tuple[Between, ...] = ()

    @cached_property
    def picks_all(self) -> bool:
        """Whether the selector names nothing, and so picks everybody."""
        return not any(getattr(self, name) for name in type(self).model_fields)

    def may_pick_rank(self, rank: str) -> bool:
        """Whether the selector picks some member of this rank."""
        return (not self.ranks or rank in self.ranks) and rank not in self.not_ranks

    @cached_property
    def names_only_ranks(self) -> bool:
        """Whether the selector names ranks, or no ranks, and nothing else."""
        names = type(self).model_fields.keys() - {"ranks", "not_ranks"}
        return not any(getattr(self, name) for name in names)


# The members that a row is about.
Of = Annotated[Selector, _("Applies to")]
# The members who teach the traits that another chooses; None: everybody can have any.
Teachers = Annotated[Selector | None, _("Only traits that one of these members has")]
