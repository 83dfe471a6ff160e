"""The vocabulary for building a gang: options, characteristics, ranks, traits, items, prices.

``rules.book.limits`` has the words for validation, ``rules.book.season`` those for what follows a
game, ``rules.book.reference`` those for texts to look up; ``rules.book.model`` puts all together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import pgettext
from rules.book.labels import Table, Values
from rules.book.vocabulary import (
    Amount,
    CharacteristicKey,
    Costs,
    Effect,
    Frozen,
    GroupKey,
    ItemKey,
    ItemTag,
    Key,
    MemberOrigins,
    Most,
    NumberKey,
    NumberSettingKey,
    Of,
    Phase,
    Price,
    RankKey,
    Row,
    Selector,
    Share,
    Tags,
    Text,
    TraitKey,
    When,
)


class Choice(Frozen):
    """One value that a setting can take."""

    key: Key
    name: Text


class SettingRow(Row):
    """The fields of every option. ``campaign_only``: it matters between games only; ``gang_only``:
    every gang of a campaign chooses for itself."""

    editing = Table(_("Options"), _("Add an option"))
    text: Annotated[Text, _("Text")]
    campaign_only: Annotated[bool, _("Matters in campaigns only")] = False
    gang_only: Annotated[bool, _("Every gang chooses for itself")] = False


class ChoiceSetting(SettingRow):
    """An option with a few named values, such as a reading of an unclear rule."""

    kind: Annotated[Literal["choice"], Values(choice=_("A choice"))]
    choices: Annotated[tuple[Choice, ...], Field(min_length=2), _("Choices")]
    default: Annotated[Key, _("By default")]

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return value in {choice.key for choice in self.choices}


class NumberSetting(SettingRow):
    """An option that is a number."""

    kind: Annotated[Literal["number"], Values(number=_("A number"))]
    default: Annotated[int, _("By default")]
    minimum: Annotated[int, _("Minimum")]
    maximum: Annotated[int, _("Maximum")]

    def accepts(self, value: str | int) -> bool:
        """Whether the setting may have this value."""
        return isinstance(value, int) and self.minimum <= value <= self.maximum


Setting = Annotated[ChoiceSetting | NumberSetting, Field(discriminator="kind")]


class Measured(Row):
    """The fields of every characteristic. ``left``: a short word for what is left of it during a
    game, where its own name may mean something else, as with wounds; ``follows_rank``: its value is
    always that of the present rank, even if a promotion lets a member keep their old profile."""

    editing = Table(_("Characteristics"), _("Add a characteristic"), ordered=True)
    short: Annotated[Text, _("Abbreviation")]
    text: Annotated[Text, _("Text")]
    left: Annotated[Text | None, _("What is left of it during a game")] = None
    follows_rank: Annotated[bool, _("Always that of the current rank")] = False


class Maximum(Frozen):
    """A lower maximum of a number for the members that ``of`` picks."""

    of: Selector = Selector()
    maximum: int


class Number(Measured):
    """A characteristic that is a whole number.

    ``start`` is its value before anything happens (a rank may have another); with
    ``bought_with_points`` a member's points may raise it. ``worst``: the lowest value that
    conditions may bring it to, if lower than the minimum. ``better``: whether a high or a low
    number is good. ``signed``: it is added to dice, and so written with its sign, "+2".
    ``maxima``: the first that picks a member is the most that points, rises and bought traits bring
    them to; automatic traits, items, holdings and conditions may go beyond it.
    """

    kind: Annotated[Literal["number"], Values(number=_("A number"))]
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[int, _("Maximum")] = 99
    maxima: Annotated[tuple[Maximum, ...], _("Lower maximum for some members")] = ()
    worst: Annotated[int | None, _("Lowest by injuries")] = None
    start: Annotated[int | None, _("Start")] = None
    bought_with_points: Annotated[bool, _("Points can raise it")] = False
    unit: Annotated[str, _("Unit")] = ""
    signed: Annotated[bool, _("Written with its sign")] = False
    better: Annotated[
        Literal["high", "low"],
        _("Better is"),
        Values(high=pgettext("a number", "high"), low=pgettext("a number", "low")),
    ] = "high"


class Pool(Measured):
    """A characteristic that is a pool of dice, "4k2": roll four, keep the best two, add them."""

    kind: Annotated[Literal["pool"], Values(pool=_("A pool of dice (4k2)"))]
    start: Annotated[str | None, _("Start")] = None


class Pair(Measured):
    """A characteristic of two numbers, "3/1", each from 0 to ``maximum``.

    ``parts``: the names of the two; ``falling``: the second is never above the first.
    """

    kind: Annotated[Literal["pair"], Values(pair=_("Two numbers (3/1)"))]
    parts: Annotated[tuple[Text, Text], _("Its two parts")]
    maximum: Annotated[int, _("Maximum")] = 99
    falling: Annotated[bool, _("The second is never above the first")] = False
    start: Annotated[str | None, _("Start")] = None


class Box(Frozen):
    """One kind of box on a track. ``marked``: it is drawn so that it stands out."""

    letter: Annotated[str, Field(pattern=r"^[A-Z]$"), _("Letter of the box")]
    name: Text
    marked: bool = False


class TrackCharacteristic(Measured):
    """A characteristic that is a row of boxes to tick, "WWWRRR", each letter one of ``boxes``.

    Effects add boxes of the first kind, at the start. ``drawn``: on paper they are squares in a
    row, or the chambers of a revolver's barrel.
    """

    kind: Annotated[Literal["track"], Values(track=_("Boxes to tick"))]
    boxes: Annotated[tuple[Box, ...], Field(min_length=1), _("Boxes")]
    drawn: Annotated[
        Literal["row", "barrel"],
        _("On paper"),
        Values(row=_("squares in a row"), barrel=_("the chambers of a barrel")),
    ] = "row"
    start: Annotated[str | None, _("Start")] = None


class Die(Measured):
    """A characteristic that is the size of a die: one of ``sizes``, the smallest first."""

    kind: Annotated[Literal["die"], Values(die=_("The size of a die"))]
    sizes: Annotated[tuple[str, ...], Field(min_length=2), _("Sizes of the die")]
    start: Annotated[str | None, _("Start")] = None


class Worded(Measured):
    """A characteristic that is one of a few ``words``, such as how somebody moves."""

    kind: Annotated[Literal["word"], Values(word=_("One of a few words"))]
    words: Annotated[tuple[Choice, ...], Field(min_length=1), _("Words")]
    start: Annotated[Key | None, _("Start")] = None


Characteristic = Annotated[
    Number | Pool | Pair | TrackCharacteristic | Die | Worded, Field(discriminator="kind")
]


class Currency(Row):
    """Something that gangs earn and spend beside money: reputation, favours.

    ``unit``: the word behind an amount; ``start``: the amount that a new gang has, of which it
    keeps what it does not spend.
    """

    editing = Table(_("Other currencies"), _("Add a currency"))
    text: Annotated[Text | None, _("Text")] = None
    unit: Annotated[Text, _("Unit")]
    start: Annotated[Price, _("What a new gang has")] = 0


class SquadSize(Frozen):
    """The smallest and largest number of members in a squad. ``together``: it is a group, which the
    player recruits, equips and teaches as one, and which one card shows."""

    minimum: int
    maximum: int
    together: bool = False


class Belonging(Frozen):
    """The members whom members of a rank belong to, as a pet, a mount or a servant does.

    ``owners``: one of these members owns each of them; nobody who belongs to somebody owns others.
    ``most``: how many of the rank one owner can have. ``moves``: they can be handed to another
    owner; otherwise they stay with the first. ``copies``: numbers with which a recruit starts as
    their owner has them at that moment, without items and conditions, in place of the rank's.
    """

    owners: Annotated[Selector, _("Belong to")] = Selector()
    most: Annotated[Annotated[int, Field(ge=1, le=20)] | None, _("How many one owner can have")] = (
        None
    )
    moves: Annotated[bool, _("Can be handed to another owner")] = False
    copies: Annotated[tuple[NumberKey, ...], _("Start with their owner’s")] = ()


class Rank(Row):
    """A member's position in the gang. A rulebook lists its ranks from the highest down.

    ``points``: characteristic points to spread; ``maximum_traits``: the most traits that may be
    bought (none: no limit); ``leads``: members of this rank command. ``worth``: its share of a
    rating that does not follow the price. ``experience``: the most a member can have at this rank.
    ``recruited``: whether such members can be recruited at all (others appear in scenarios).
    ``squad``: members of this rank act in squads of this size. ``starts_with``: the experience of a
    new member, whose advances count as taken. ``lacks``: characteristics that its members do not
    have (a hound, a vehicle); ``rolled``: numbers that are rolled for a member who joins in a
    post-game, with their dice, which replace the rank's values. ``traits``: those that its members
    have for nothing, for as long as they have this rank. ``origins``: the origins that its members
    may have: any, or only their gang's; None: as the book says. ``belongs_to``: each of its members
    belongs to another, and leaves with them.
    """

    editing = Table(_("Ranks"), _("Add a rank"), offered=True, ordered=True)
    text: Annotated[Text | None, _("Text")] = None
    price: Annotated[Price, _("Price")]
    costs: Costs = {}
    values: Annotated[dict[Key, int | str], _("Characteristics")] = {}
    points: Annotated[int, _("Points")] = 0
    maximum_traits: Annotated[int | None, _("Most traits")] = None
    profession: Annotated[
        Literal["none", "required"],
        _("Profession"),
        Values(none=pgettext("no such thing", "none"), required=_("required")),
    ] = "none"
    leads: Annotated[bool, _("Leads the gang")] = False
    worth: Annotated[int, _("Worth in the rating")] = 0
    experience: Annotated[Annotated[int, Field(gt=0)] | None, _("Most experience")] = None
    starts_with: Annotated[int, Field(ge=0), _("Experience of a new member")] = 0
    recruited: Annotated[bool, _("Can be recruited")] = True
    squad: Annotated[SquadSize | None, _("Size of a squad")] = None
    lacks: Annotated[tuple[CharacteristicKey, ...], _("Does not have")] = ()
    rolled: Annotated[dict[Key, Amount], _("Rolled when they join after a game")] = {}
    traits: Annotated[tuple[TraitKey, ...], _("Traits of everybody of this rank")] = ()
    origins: Annotated[MemberOrigins | None, _("Origin of members")] = None
    belongs_to: Annotated[Belonging | None, _("Belongs to another member")] = None


class Origin(Row):
    """Where a member comes from: a people, a faction. Its effects change their rank's profile."""

    editing = Table(_("Origins"), _("Add an origin"), offered=True)
    text: Annotated[Text, _("Text")]
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()


class Threshold(Frozen):
    """The value of a characteristic at which a member gains a trait automatically."""

    characteristic: NumberKey
    value: int


class Trait(Row):
    """A trait or skill: bought for its price, gained at a threshold, or an advance.

    ``level_allowance``: the member can use items of this many levels above their own.
    ``requires``: traits that a member must have first, all of them; ``ranks``: those that may have
    it (all if none); ``excludes``: traits that nobody has together with this one, whichever came
    first; ``counted``: whether it counts against the most traits of a rank; ``sold``:
    whether it can be bought at all, and ``sold_when`` under which options; ``family``: its list.

    ``experience``: the experience that a member spends on it, and ``dearer`` how much more each
    further time costs.

    A power (a spell, a prayer) has a ``value``, which effects may change; ``most``: how often a
    member can have it; each time after the first adds ``step`` to its value. ``item``: the item
    that those who have the trait can use, which nobody buys: its columns are those of the power.
    """

    editing = Table(_("Traits and skills"), _("Add a trait"), offered=True)
    text: Annotated[Text, _("What it does")]
    price: Annotated[Price, _("Price")] = 0
    costs: Costs = {}
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    gained_at: Annotated[Threshold | None, _("Gained automatically at")] = None
    level_allowance: Annotated[int, _("Levels allowed above their own")] = 0
    tags: Tags = frozenset()
    worth: Annotated[int, _("Worth in the rating")] = 0
    requires: Annotated[tuple[TraitKey, ...], _("Requires")] = ()
    excludes: Annotated[tuple[TraitKey, ...], _("Not together with")] = ()
    ranks: Annotated[tuple[RankKey, ...], _("For these ranks only")] = ()
    counted: Annotated[bool, _("Counts against the most traits")] = True
    sold: Annotated[bool, _("Can be bought")] = True
    sold_when: Annotated[When, _("Can be bought under these options")] = {}
    family: Annotated[Text | None, _("List")] = None
    most: Annotated[int, Field(gt=0, le=20), _("How often a member can have it")] = 1
    experience: Annotated[int, Field(ge=0), _("Price in experience")] = 0
    dearer: Annotated[int, Field(ge=0), _("More experience for each further time")] = 0
    value: Annotated[int | None, _("Value as a power")] = None
    step: Annotated[int, _("Added to its value each further time")] = 1
    item: Annotated[ItemKey | None, _("Gives the item")] = None


class Profession(Row):
    """A calling or role, with its effects, and more for a leader.

    ``ranks``: those that may choose it (if none, all that have a profession).
    """

    editing = Table(_("Professions"), _("Add a profession"), offered=True)
    text: Annotated[Text, _("Text")]
    leads_text: Annotated[Text | None, _("What it does for a leader")] = None
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    level_allowance: Annotated[int, _("Levels allowed above their own")] = 0
    ranks: Annotated[tuple[RankKey, ...], _("For these ranks only")] = ()


class Column(Frozen):
    """A column of an item table. ``minor``: players do not look it up during a game, so that sheets
    and cards leave it out. ``short``: its heading where there is little room.

    ``kind``: the kind of its cells. All but texts are worked out for the bearer of the item, and
    rolls read them: a ``number`` or ``length`` may add dice and ``names`` ("M+1", "Str+1D6"), a
    ``die`` is its sides ("D8"), a ``tick`` is there or not. ``names``: the meaning of a word in a
    cell, as an expression of the bearer ("M" = "by.str"). A cell of "-" or "–" is empty: ``blank``
    is the number that rolls read there, also as an expression of the bearer (0 if it is None, which
    a note mentions). ``when``: sheets and cards show it only under these options.
    """

    key: Key
    name: Text
    short: Text | None = None
    minor: bool = False
    kind: Annotated[
        Literal["text", "number", "length", "die", "tick"],
        Values(
            text=_("text"),
            number=_("a number"),
            length=_("a length"),
            die=_("a die"),
            tick=_("a tick"),
        ),
    ] = "text"
    names: dict[str, int | str] = {}
    blank: int | str | None = None
    when: When = {}


class ItemGroup(Row):
    """A kind of item, with the columns of its table.

    ``slots``: the places that one such item takes; ``level_against``: the characteristic that an
    item's level is compared with; ``most_per_member``: the most a member may have; ``apart``: the
    price counts for the gang, not for the member who has it. ``resale``: the share of its list
    price that a gang gets for selling such an item.
    """

    editing = Table(_("Kinds of items"), _("Add a kind of item"))
    text: Annotated[Text | None, _("Text")] = None
    columns: Annotated[tuple[Column, ...], _("Columns")] = ()
    slots: Annotated[int, _("Places that one takes")] = 0
    level_against: Annotated[NumberKey | None, _("Level compared with")] = None
    most_per_member: Annotated[int | None, _("Most per member")] = None
    apart: Annotated[bool, _("Its price counts for the gang, not the member")] = False
    resale: Annotated[Share, _("Sold for this share of the price")] = "0"


class Mode(Frozen):
    """Another way to use an item: thrown instead of held, its second barrel.

    ``group``, ``columns``: only those that differ; ``tags``: they replace the item's; ``once``: it
    can be used once a game.
    """

    key: Key
    name: Text
    group: GroupKey | None = None
    columns: dict[Key, str | Text] = {}
    tags: Tags = frozenset()
    once: bool = False


class Fitting(Frozen):
    """The items that an item can be fitted to (one of these ``items``, ``groups`` or
    ``item_tags``), as a sight to a rifle, and its changes to them.

    ``most``: the number of items of its kind that one item can have. ``adds``: amounts that it adds
    to columns of numbers and lengths, unless they are empty; ``columns``: cells that it replaces;
    ``tags``: properties that it gives.
    """

    items: Annotated[tuple[ItemKey, ...], _("To these items")] = ()
    groups: Annotated[tuple[GroupKey, ...], _("To items of these kinds")] = ()
    item_tags: Annotated[tuple[ItemTag, ...], _("To items with this property")] = ()
    most: Annotated[int, Field(ge=1, le=9), _("How many of its kind one item can have")] = 1
    adds: Annotated[dict[Key, int], _("Adds to columns")] = {}
    columns: Annotated[dict[Key, str | Text], _("Replaces in columns")] = {}
    tags: Annotated[Tags, _("Gives these properties")] = frozenset()


class Item(Row):
    """Something that a member carries. Every member has ``innate`` items for free.

    ``effects``: changes to the bearer; ``worth``: as for ranks; ``modes``: other ways to use it.
    ``most_per_member``: the most that a member may have of it, unless an offer to them says another
    number. ``excludes``: items that no member has together with this one. ``next_prices``: the list
    prices of a member's second copy, their third and so on; the last is that of all others.
    ``resale``: as for the group, whose share it replaces. ``uses``: the number of uses after which
    the item is used up. ``fits``: the items that it can be fitted to: it is handed on, sold and
    lost with the item that has it.
    """

    editing = Table(_("Weapons and items"), _("Add a weapon or item"), offered=True)
    group: Annotated[GroupKey, _("Kind")]
    price: Annotated[Price, _("Price")] = 0
    costs: Costs = {}
    level: Annotated[int | None, _("Level")] = None
    hands: Annotated[int | None, _("Hands")] = None
    columns: Annotated[dict[Key, str | Text], _("Columns")] = {}
    text: Annotated[Text | None, _("What it does")] = None
    tags: Tags = frozenset()
    innate: Annotated[bool, _("Everybody has it for free")] = False
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    worth: Annotated[int, _("Worth in the rating")] = 0
    modes: Annotated[tuple[Mode, ...], _("Other ways to use it")] = ()
    most_per_member: Annotated[Most | None, _("Most per member")] = None
    excludes: Annotated[tuple[ItemKey, ...], _("Not together with")] = ()
    next_prices: Annotated[tuple[Price, ...], _("Prices of further copies")] = ()
    resale: Annotated[Share | None, _("Sold for this share of the price")] = None
    uses: Annotated[Annotated[int, Field(ge=1, le=99)] | None, _("Number of uses")] = None
    fits: Annotated[Fitting | None, _("Fitted to other items")] = None

    @property
    def row_key(self) -> str:
        """The key of the rulebook's row: an item with others fitted to it has its own key."""
        return self.key

    def list_price(self, copy: int = 0) -> int:
        """The list price of a member's ``copy`` of it, counted from 0."""
        if not copy or not self.next_prices:
            return self.price
        return self.next_prices[min(copy, len(self.next_prices)) - 1]


def find_excluded[R: (Item, Trait)](row: R, others: Iterable[R]) -> R | None:
    """The first of the ``others`` that nobody may have together with ``row``; None if there is
    none."""
    return next((one for one in others if one.key in row.excludes or row.key in one.excludes), None)


class Tick(Row):
    """Boxes to tick at the table, other than life: luck, being shaken, a weapon that jams.

    ``boxes``: their number; ``of``: the members that have them. With ``items`` or ``groups`` they
    have this number for each of these items that they carry, except ``not_items``.
    """

    editing = Table(_("Boxes to tick at the table"), _("Add boxes to tick"), removable=True)
    boxes: Annotated[int, Field(ge=1, le=6), _("How many boxes")] = 1
    of: Of = Selector()
    items: Annotated[tuple[ItemKey, ...], _("For each of these items")] = ()
    groups: Annotated[tuple[GroupKey, ...], _("For each item of these kinds")] = ()
    not_items: Annotated[tuple[ItemKey, ...], _("But not for these items")] = ()


class Tag(Row):
    """The name that players read for a tag (the ``key``) of items, traits or rows of dice tables.

    ``text``: its meaning in the rules, if the name does not say it.
    """

    editing = Table(_("Names of properties"), _("Name a property"), removable=True)
    text: Annotated[Text | None, _("Text")] = None


class Adjustment(Row):
    """Changes a price for some members: list price × (``times`` − ``less``).

    Several combine: their ``times`` are multiplied, their ``less`` added. ``on``: the rank, traits,
    or items of these ``groups`` and ``item_tags`` (all if none are named). ``first``: only this
    number of a member's items, the dearest first. ``phase``: only before or after the first game.
    """

    editing = Table(_("Special prices"), _("Add a special price"), removable=True)
    of: Of = Selector()
    on: Annotated[
        Literal["rank", "traits", "items"],
        _("Price of"),
        Values(rank=_("rank"), traits=_("traits"), items=_("items")),
    ]
    groups: Annotated[tuple[GroupKey, ...], _("Kinds of items")] = ()
    item_tags: Annotated[tuple[ItemTag, ...], _("Items with the property")] = ()
    times: Annotated[Share, _("Times the list price")] = "1"
    less: Annotated[Share, _("Less this share of the list price")] = "0"
    first: Annotated[Annotated[int, Field(gt=0)] | None, _("Only this many of their items")] = None
    phase: Annotated[Phase | None, _("Only at this time")] = None


class Rounding(Frozen):
    """How half points are treated: each line of a receipt is rounded ``up``, or kept ``exact``."""

    editing = Table(_("Rounding"), _("Add a rounding"), removable=True, ordered=True)
    mode: Annotated[
        Literal["up", "exact"], _("Half points are"), Values(up=_("rounded up"), exact=_("kept"))
    ]
    when: When = {}


class Budget(Frozen):
    """The budget of a new gang: an amount, or the number in a setting.

    ``kept``: the rest goes into the treasury when the first game is played.
    """

    editing = Table(_("Budgets"), _("Add a budget"), removable=True, ordered=True)
    amount: Annotated[int | None, _("Amount")] = None
    setting: Annotated[NumberSettingKey | None, _("The number set by this option")] = None
    kept: Annotated[bool, _("What is left goes into the treasury")] = False
    when: When = {}
