"""What a rulebook may say about building a gang: characteristics, ranks, traits, items, prices.

These frozen models are the vocabulary. ``rules.limits`` holds what validation looks at,
``rules.season`` the words for what happens after a game, ``rules.reference`` what is only read;
``rules.book`` puts all together.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.vocabulary import (
    Effect,
    Frozen,
    Key,
    Phase,
    Price,
    Row,
    Selector,
    Share,
    Text,
    When,
)


class Choice(Frozen):
    """One value that a setting can take."""

    key: Key
    name: Text


class ChoiceSetting(Row):
    """An option with a few named values, such as a reading of an unclear rule.

    ``campaign_only``: it matters between games only; ``gang_only``: every gang of a campaign
    chooses for itself.
    """

    kind: Literal["choice"]
    text: Text
    campaign_only: bool = False
    gang_only: bool = False
    choices: Annotated[tuple[Choice, ...], Field(min_length=2)]
    default: Key

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return value in {choice.key for choice in self.choices}


class NumberSetting(Row):
    """An option that is a number. ``campaign_only`` and ``gang_only``: as for a choice."""

    kind: Literal["number"]
    text: Text
    campaign_only: bool = False
    gang_only: bool = False
    default: int
    minimum: int
    maximum: int

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return isinstance(value, int) and self.minimum <= value <= self.maximum


Setting = Annotated[ChoiceSetting | NumberSetting, Field(discriminator="kind")]


class Measured(Row):
    """What every characteristic has. ``follows_rank``: it is always that of the present rank, even
    where a promotion lets a member keep his old profile."""

    short: Text
    text: Text
    follows_rank: bool = False


class Number(Measured):
    """A characteristic that is a whole number.

    ``start`` is its value before anything happens (a rank may say otherwise); with
    ``bought_with_points`` a member's points may raise it. ``worst``: how low conditions may bring
    it, if lower than the minimum. ``better``: whether a high or a low number is good.
    """

    kind: Literal["number"]
    minimum: int = 0
    maximum: int = 99
    worst: int | None = None
    start: int | None = None
    bought_with_points: bool = False
    unit: str = ""
    better: Literal["high", "low"] = "high"


class Pool(Measured):
    """A characteristic that is a pool of dice, "4k2": roll four, keep the best two, add them."""

    kind: Literal["pool"]
    start: str | None = None


class Pair(Measured):
    """A characteristic of two numbers, "3/1", each from 0 to ``maximum``.

    ``parts``: what the two are called; ``falling``: the second is never above the first.
    """

    kind: Literal["pair"]
    parts: tuple[Text, Text]
    maximum: int = 99
    falling: bool = False
    start: str | None = None


class Box(Frozen):
    """One sort of box on a track. ``marked``: it is drawn so that it stands out."""

    letter: Annotated[str, Field(pattern=r"^[A-Z]$")]
    name: Text
    marked: bool = False


class Track(Measured):
    """A characteristic that is a row of boxes to tick, "WWWRRR", each letter one of ``boxes``.

    What is added are boxes of the first sort, at the start. ``drawn``: on paper they are squares in
    a row, or the chambers of a revolver's barrel.
    """

    kind: Literal["track"]
    boxes: Annotated[tuple[Box, ...], Field(min_length=1)]
    drawn: Literal["row", "barrel"] = "row"
    start: str | None = None


class Die(Measured):
    """A characteristic that is the size of a die: one of ``sizes``, the smallest first."""

    kind: Literal["die"]
    sizes: Annotated[tuple[str, ...], Field(min_length=2)]
    start: str | None = None


Characteristic = Annotated[Number | Pool | Pair | Track | Die, Field(discriminator="kind")]


class SquadSize(Frozen):
    """How many members make a squad."""

    minimum: int
    maximum: int


class Rank(Row):
    """What a member is in the gang. A rulebook lists its ranks from the highest down.

    ``points``: characteristic points to spread; ``maximum_traits``: how many traits may be bought
    (none: as many as one likes); ``leads``: members of this rank command. ``worth``: what it adds
    to a rating that does not follow the price. ``experience``: the most one can have at this rank.
    ``recruited``: whether such members can be recruited at all (others appear in scenarios).
    ``squad``: members of this rank act in squads of this size.
    """

    text: Text | None = None
    price: Price
    values: dict[Key, int | str] = {}
    points: int = 0
    maximum_traits: int | None = None
    profession: Literal["none", "required"] = "none"
    leads: bool = False
    worth: int = 0
    experience: Annotated[int, Field(gt=0)] | None = None
    recruited: bool = True
    squad: SquadSize | None = None


class Origin(Row):
    """Where a member comes from: a people, a faction. Its effects change his rank's profile."""

    text: Text
    effects: tuple[Effect, ...] = ()


class Threshold(Frozen):
    """The characteristic value at which a trait comes by itself."""

    characteristic: Key
    value: int


class Trait(Row):
    """A trait or skill: bought for its price, gained by itself at a threshold, or an advance.

    ``level_allowance``: items this many levels too high are handled as if they were not.
    ``requires``: traits that one must have first, all of them; ``ranks``: who may have it (all if
    none); ``counted``: whether it counts against the most traits of a rank; ``sold``: whether it
    can be bought at all, and ``sold_when`` under which settings; ``family``: the list it is in.
    """

    text: Text
    price: Price = 0
    effects: tuple[Effect, ...] = ()
    gained_at: Threshold | None = None
    level_allowance: int = 0
    tags: frozenset[Key] = frozenset()
    worth: int = 0
    requires: tuple[Key, ...] = ()
    ranks: tuple[Key, ...] = ()
    counted: bool = True
    sold: bool = True
    sold_when: When = {}
    family: Text | None = None


class Profession(Row):
    """A calling or role: its effects, what it lets a member do, and what it adds if he leads.

    ``ranks``: who may choose it (all that have a profession, if none).
    """

    text: Text
    leads_text: Text | None = None
    effects: tuple[Effect, ...] = ()
    level_allowance: int = 0
    ranks: tuple[Key, ...] = ()


class Column(Frozen):
    """A column of an item table: what a player looks up at the table. ``minor``: he does
    not, so that sheets and cards leave it out."""

    key: Key
    name: Text
    minor: bool = False


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
    """Something a member carries. ``innate`` items are everybody's without being bought.

    ``effects``: what carrying it changes; ``worth``: as for ranks.
    """

    group: Key
    price: Price = 0
    level: int | None = None
    hands: int | None = None
    columns: dict[Key, str | Text] = {}
    text: Text | None = None
    tags: frozenset[Key] = frozenset()
    innate: bool = False
    effects: tuple[Effect, ...] = ()
    worth: int = 0


class Tick(Row):
    """Boxes that are ticked off at the table besides life: luck, being shaken, a weapon that jams.

    ``boxes``: how many; ``of``: whose. With ``items`` or ``groups`` there are so many for each of
    these items that somebody carries, but for those that are ``not_items``.
    """

    boxes: Annotated[int, Field(ge=1, le=6)] = 1
    of: Selector = Selector()
    items: tuple[Key, ...] = ()
    groups: tuple[Key, ...] = ()
    not_items: tuple[Key, ...] = ()


class Tag(Row):
    """A name for players to a tag, the ``key``, that items, traits or rows of dice tables have.

    ``text``: what it means for the rules, where the name does not say it.
    """

    text: Text | None = None


class Adjustment(Row):
    """Changes what something costs some members: list price × (``times`` − ``less``).

    Several add up: their ``times`` are multiplied, their ``less`` added. ``on``: the rank, traits,
    or items of these ``groups`` and ``item_tags`` (all if none are named). ``first``: only so many
    of a member's items, the dearest first. ``phase``: only before or after the first game.
    """

    of: Selector = Selector()
    on: Literal["rank", "traits", "items"]
    groups: tuple[Key, ...] = ()
    item_tags: tuple[Key, ...] = ()
    times: Share = "1"
    less: Share = "0"
    first: Annotated[int, Field(gt=0)] | None = None
    phase: Phase | None = None


class Rounding(Frozen):
    """What becomes of half points: each line of a receipt rounded ``up``, or kept ``exact``."""

    mode: Literal["up", "exact"]
    when: When = {}


class Budget(Frozen):
    """What a new gang may spend: an amount, or the number that a setting holds.

    ``kept``: what is left of it goes into the treasury when the first game is played.
    """

    amount: int | None = None
    setting: Key | None = None
    kept: bool = False
    when: When = {}
