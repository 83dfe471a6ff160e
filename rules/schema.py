"""What a rulebook may say about building a gang: characteristics, ranks, traits, items, limits.

These frozen models are the vocabulary. ``rules.season`` holds the words for what happens after a
game; ``rules.book`` puts both together.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.vocabulary import Effect, Frozen, Key, Line, Price, Row, Text, When

Severity = Literal["error", "warning", "note"]


class Choice(Frozen):
    """One value that a setting can take."""

    key: Key
    name: Text


class ChoiceSetting(Row):
    """An option with a few named values, such as a reading of an unclear rule."""

    kind: Literal["choice"]
    text: Text
    campaign_only: bool = False
    choices: Annotated[tuple[Choice, ...], Field(min_length=2)]
    default: Key

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return value in {choice.key for choice in self.choices}


class NumberSetting(Row):
    """An option that is a number."""

    kind: Literal["number"]
    text: Text
    campaign_only: bool = False
    default: int
    minimum: int
    maximum: int

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return isinstance(value, int) and self.minimum <= value <= self.maximum


Setting = Annotated[ChoiceSetting | NumberSetting, Field(discriminator="kind")]


class Number(Row):
    """A characteristic that is a whole number.

    ``start`` is its value before anything happens (a rank may say otherwise); with
    ``bought_with_points`` a member's points may raise it. ``worst``: how low conditions may bring
    it, if lower than the minimum.
    """

    kind: Literal["number"]
    short: Text
    text: Text
    minimum: int = 0
    maximum: int = 99
    worst: int | None = None
    start: int | None = None
    bought_with_points: bool = False
    unit: str = ""


class Pool(Row):
    """A characteristic that is a pool of dice, "4k2": roll four, keep the best two, add them."""

    kind: Literal["pool"]
    short: Text
    text: Text
    start: str | None = None


Characteristic = Annotated[Number | Pool, Field(discriminator="kind")]


class Rank(Row):
    """What a member is in the gang.

    ``points``: characteristic points to spread; ``maximum_traits``: how many traits may be bought
    (none: as many as one likes); ``leads``: members of this rank command.
    """

    text: Text | None = None
    price: Price
    values: dict[Key, int | str] = {}
    points: int = 0
    maximum_traits: int | None = None
    profession: Literal["none", "required"] = "none"
    leads: bool = False


class Threshold(Frozen):
    """The characteristic value at which a trait comes by itself."""

    characteristic: Key
    value: int


class Trait(Row):
    """A trait or skill: bought for its price, or gained by itself at a threshold.

    ``level_allowance``: items this many levels too high are handled as if they were not.
    """

    text: Text
    price: Price = 0
    effects: tuple[Effect, ...] = ()
    gained_at: Threshold | None = None
    level_allowance: int = 0
    tags: frozenset[Key] = frozenset()


class Profession(Row):
    """A calling: its effects, what it lets a member do, and what it adds if he leads the gang."""

    text: Text
    leads_text: Text
    effects: tuple[Effect, ...] = ()
    level_allowance: int = 0


class Column(Frozen):
    """A column of an item table: what a player looks up at the table."""

    key: Key
    name: Text


class ItemGroup(Row):
    """A kind of item, with the columns its table has.

    ``slots``: how many places one such item takes; ``level_against``: the characteristic that an
    item's level is compared with; ``most_per_member``: how many a member may have; ``apart``: the
    price counts for the gang, not for the member who has it.
    """

    text: Text | None = None
    columns: tuple[Column, ...] = ()
    slots: int = 0
    level_against: Key | None = None
    most_per_member: int | None = None
    apart: bool = False


class Item(Row):
    """Something a member carries. ``innate`` items are everybody's without being bought."""

    group: Key
    price: Price = 0
    level: int | None = None
    hands: int | None = None
    columns: dict[Key, str | Text] = {}
    text: Text | None = None
    tags: frozenset[Key] = frozenset()
    innate: bool = False


class Budget(Frozen):
    """What a new gang may spend: an amount, or the number that a setting holds."""

    amount: int | None = None
    setting: Key | None = None
    when: When = {}


class Selector(Frozen):
    """Picks members. Everything named must hold; an empty selector picks all."""

    ranks: tuple[Key, ...] = ()
    not_ranks: tuple[Key, ...] = ()
    item_tags: tuple[Key, ...] = ()
    trait_tags: tuple[Key, ...] = ()


class LimitRow(Frozen):
    """One thing that validation may have to say.

    ``text`` is the sentence for the player; it may use the placeholders that its kind offers, as
    ``{count}``. ``later``: the severity once the gang has played its first game.
    """

    code: Line
    severity: Severity
    later: Severity | None = None
    text: Text
    source: Line
    when: When = {}


class SizeStep(Frozen):
    """Up to this many members, at most ``maximum`` of the chosen ones."""

    size: int
    maximum: int


class CountLimit(LimitRow):
    """So many members of a sort, no fewer and no more. Placeholders: count, minimum, maximum."""

    kind: Literal["count"]
    of: Selector = Selector()
    minimum: int = 0
    maximum: int | None = None
    maximum_by_size: tuple[SizeStep, ...] = ()


class ShareLimit(LimitRow):
    """At least ``part`` in ``whole`` of some members are of a sort. Placeholders: count, among."""

    kind: Literal["share"]
    of: Selector
    among: Selector = Selector()
    part: int
    whole: int


class CarriedLimit(LimitRow):
    """The places taken by a member's items do not exceed a characteristic."""

    kind: Literal["carried"]
    characteristic: Key


class MemberLimit(LimitRow):
    """A check that every member passes through; the kind says which.

    ``level``: an item's level above the characteristic it is compared with. ``points_over`` and
    ``points_left``: more, or fewer, points spread than the member has. ``range``: a value outside
    its bounds. ``traits``: more traits than the rank allows. ``repeated``: one trait twice.
    ``profession``: one missing, or one too many. ``unnamed``: a member (or the gang) has no name.
    ``group``: more items of a group than a member may have. ``unavailable``: something the
    settings in force rule out.
    """

    kind: Literal[
        "level",
        "points_over",
        "points_left",
        "range",
        "traits",
        "repeated",
        "profession",
        "unnamed",
        "group",
        "unavailable",
    ]


class PurseLimit(LimitRow):
    """``overspent`` or ``unspent`` budget; ``debt``: a treasury below zero. Placeholder: amount."""

    kind: Literal["overspent", "unspent", "debt"]


Limit = Annotated[
    CountLimit | ShareLimit | CarriedLimit | MemberLimit | PurseLimit, Field(discriminator="kind")
]
