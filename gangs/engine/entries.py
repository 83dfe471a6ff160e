"""The kinds of entry: decisions of people, payments, and results of dice.

An entry never holds anything that can be worked out. A member or an item is known by the number of
the entry that brought it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator

from common.text import lines, of_text, one_line
from rules.book.vocabulary import Frozen, Key, RisenProfile, Settings
from rules.bounds.limits import MOST_NUMBER
from rules.engine.costing import whole
from rules.engine.dice import DiceRoll

# Cleaned like text that is typed into a form, wherever it comes from.
ONE_LINE = BeforeValidator(of_text(one_line))
LINES = BeforeValidator(of_text(lines))
Name = Annotated[str, Field(max_length=80), ONE_LINE]
Note = Annotated[str, Field(max_length=4000), LINES]
Reference = Annotated[str, Field(max_length=64, pattern=r"^[0-9A-Za-z-]*$")]
Id = Annotated[int, Field(ge=1)]
Amount = Annotated[int, Field(ge=0, le=1_000_000)]
# Sums in other currencies than money, by the rulebook's key; left out if there are none.
Costs = Annotated[
    dict[Key, Amount], Field(max_length=20), Field(exclude_if=lambda costs: not costs)
]
# Values of characteristics by key, as large as those of a rulebook; left out if there are none.
Numbers = Annotated[
    dict[Key, Annotated[int, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)]],
    Field(max_length=300),
    Field(exclude_if=lambda numbers: not numbers),
]
# The currency of a sum, left out for money.
InCurrency = Annotated[Key | None, Field(exclude_if=lambda currency: currency is None)]
# A mark that is left out of stored data unless it is set: older sites do not know it.
Marked = Annotated[bool, Field(exclude_if=lambda mark: not mark)]
# As such a mark: the item that another is fitted to.
Host = Annotated[Id | None, Field(exclude_if=lambda host: host is None)]
# As such a mark: another member whom an entry is about, an owner or a teacher.
Other = Annotated[Id | None, Field(exclude_if=lambda other: other is None)]
# More than any gang has members, or any item columns.
SOME = Field(max_length=300)
# A file must be able to hold a whole ledger, and a request to fold it.
MOST_ENTRIES = 10_000
# A payment: whole points, or halves where a rulebook has them.
Sum = Annotated[
    int | float,
    Field(ge=0, le=1_000_000, multiple_of=0.5, allow_inf_nan=False),
    AfterValidator(whole),
]


class Entry(Frozen):
    """One thing that happened to a gang. Each kind of entry is a class; only ``gangs.engine.fold``
    applies it, and only ``gangs.text.entries`` describes it.

    ``kind``: its stored name; ``harmless``: no game depends on it, so a locked gang allows it;
    ``editable``: a history may replace it; ``stays``: the code of the refusal if a history may not
    take it back; ``in_timeline``: it may change the gang's timeline; ``in_career``: it belongs to
    the life of the member in it.
    """

    kind: ClassVar[str]
    harmless: ClassVar[bool] = False
    editable: ClassVar[bool] = True
    stays: ClassVar[str] = ""
    in_timeline: ClassVar[bool] = False
    in_career: ClassVar[bool] = True

    def __init_subclass__(cls, *, kind: str, **facts: bool | str) -> None:
        super().__init_subclass__()
        cls.kind = kind
        for name, value in facts.items():
            # Raises AttributeError if a kind has no such fact.
            getattr(cls, name)
            setattr(cls, name, value)
        KINDS[kind] = cls


# Every kind of entry by its name.
KINDS: dict[str, type[Entry]] = {}


class Founded(Entry, kind="founded", editable=False, stays="founding_stays"):
    """The gang begins."""

    name: Name
    settings: Settings


class Renamed(Entry, kind="renamed", harmless=True):
    """The gang changes its name."""

    name: Name


class SettingsChosen(Entry, kind="settings", editable=False):
    """Options of the rulebook change."""

    settings: Settings


class Noted(Entry, kind="noted", harmless=True, in_career=False):
    """The notes of the gang, or of a member, change to ``text``."""

    member: Id | None = None
    text: Note


class Recruited(Entry, kind="recruited", in_timeline=True):
    """Somebody joins. ``by_roll``: a dice table brought them, for nothing and beyond the limits on
    recruits; ``owner``: the member whom they belong to; ``numbers``: those that their rank takes
    from an owner, as they were in the gang of which this one is a copy."""

    rank: Key
    name: Name = ""
    paid: Sum = 0
    origin: Key | None = None
    by_roll: Marked = False
    owner: Other = None
    costs: Costs = {}
    numbers: Numbers = {}


class Dismissed(Entry, kind="dismissed", in_timeline=True):
    """A member is sent away; their items go to the stash."""

    member: Id


class Named(Entry, kind="named", harmless=True, in_timeline=True):
    """A member has a name."""

    member: Id
    name: Name


class Reordered(Entry, kind="reordered", harmless=True, in_career=False):
    """A member takes another place in the list, counted from 0."""

    member: Id
    position: Annotated[int, Field(ge=0, le=1_000)]


class PointsSpread(Entry, kind="points", in_career=False):
    """Points go into a characteristic (or come back, if negative)."""

    member: Id
    characteristic: Key
    amount: Annotated[int, Field(ge=-100, le=100)]


class ProfileRolled(Entry, kind="profile_rolled"):
    """A characteristic of a member who joined is rolled; ``amount`` is its value."""

    member: Id
    characteristic: Key
    amount: Annotated[int, Field(ge=-1_000, le=10_000)]
    roll: DiceRoll


class ProfessionChosen(Entry, kind="profession"):
    """A member takes up a profession, or none."""

    member: Id
    profession: Key | None


class OriginChosen(Entry, kind="origin"):
    """A member has another origin than their gang, or the gang's again (None)."""

    member: Id
    origin: Key | None


class SquadJoined(Entry, kind="squad", in_career=False):
    """A member acts with a squad, known by its name, or with none ("")."""

    member: Id
    squad: Annotated[Name, Field(max_length=40)]


class OwnerChosen(Entry, kind="owner", in_career=False):
    """A member belongs to another one from now on."""

    member: Id
    owner: Id


class TraitTaken(Entry, kind="trait_taken"):
    """A member gets a trait: bought, or as an ``advance`` that their experience earned.

    ``experience``: what they spent of it; ``teacher``: the member from whom they learned it.
    """

    member: Id
    trait: Key
    paid: Sum = 0
    advance: bool = False
    experience: Annotated[Amount, Field(exclude_if=lambda amount: not amount)] = 0
    teacher: Other = None
    costs: Costs = {}


class TraitDropped(Entry, kind="trait_dropped"):
    """A member gives a trait back."""

    member: Id
    trait: Key


class Bought(Entry, kind="bought"):
    """An item is bought, for a member or for the stash, or ``included`` in the kit that a member
    joins with; ``by_roll``: a dice table gave it; ``on``: it is fitted to this item of theirs."""

    item: Key
    member: Id | None = None
    paid: Sum = 0
    by_roll: Marked = False
    on: Host = None
    costs: Costs = {}
    # Left out where it says nothing, so that sites without offers can still read the entry.
    included: bool = Field(default=False, exclude_if=lambda included: not included)


class ItemDeclared(Entry, kind="item_declared"):
    """The gang declares an item of its own, to be bought like the rulebook's.

    ``columns``: the values of its group's columns; ``text``: its effect; ``tags``: used by the
    rulebook's limits and prices; ``adds``: amounts, perhaps negative, that carrying it adds to
    characteristics.
    """

    name: Annotated[Name, Field(min_length=1)]
    group: Key
    price: Annotated[int, Field(ge=0, le=10_000)]
    level: Annotated[int, Field(ge=0, le=100)] | None = None
    hands: Annotated[int, Field(ge=0, le=9)] | None = None
    columns: Annotated[dict[Key, Annotated[Name, Field(max_length=40)]], SOME] = {}
    text: Annotated[Name, Field(max_length=80)] = ""
    tags: Annotated[tuple[Key, ...], Field(max_length=20)] = ()
    adds: Annotated[
        dict[Key, Annotated[int, Field(ge=-20, le=20)]],
        SOME,
        Field(exclude_if=lambda adds: not adds),
    ] = {}


class Moved(Entry, kind="moved"):
    """An item changes hands, with those that are fitted to it; None is the stash. ``on``: it is
    fitted to this item there; None: to nothing."""

    item: Id
    member: Id | None
    on: Host = None


class Discarded(Entry, kind="discarded"):
    """An item is given back (before the first game) or thrown away."""

    item: Id


class Sold(Entry, kind="sold"):
    """An item is sold, and its price goes into the treasury."""

    item: Id
    amount: Sum


class Used(Entry, kind="used"):
    """Some uses of an item are over; after the last, the item is used up."""

    item: Id
    uses: Annotated[int, Field(ge=1, le=99)] = 1


class Joined(Entry, kind="joined", editable=False, stays="joined_stays"):
    """The gang joins a campaign, and plays by its settings.

    ``elsewhere``: the campaign is one of another site, which the gang has left by being exported.
    """

    campaign: Reference
    name: Name
    settings: Settings
    elsewhere: bool = False


class Played(Entry, kind="played", editable=False, in_timeline=True):
    """A game was played and its result agreed on: the post-game begins.

    ``result``: "" if the rulebook has no such result.
    ``fielded``: the members who took part; ``taken_out``: how many enemies each took out of action;
    ``marks``: how the game ended for members, by the book's marks.
    """

    game: Reference
    title: Name
    scenario: Key | None = None
    result: Key | Literal[""]
    side: Literal["winner", "loser", "level"]
    fielded: Annotated[tuple[Id, ...], SOME]
    marks: Annotated[dict[Id, Key], SOME] = {}
    taken_out: Annotated[dict[Id, Amount], SOME] = {}


class Rolled(Entry, kind="rolled"):
    """Somebody rolled on a dice table, for a member. The effects are separate entries.

    ``advance``: the roll is an advance that the member's experience earned.
    """

    member: Id | None = None
    table: Key
    roll: DiceRoll
    advance: Marked = False


class Searched(Entry, kind="searched"):
    """A member looks for the items of an ``offer``: the dice, and a number added to them, say
    whether they are on offer until the next game. ``price_roll`` and ``stock_roll``: the dice for
    their price and for how many there are, if the offer has such dice."""

    member: Id
    offer: Key
    roll: DiceRoll
    plus: Annotated[int, Field(ge=-1000, le=1000, exclude_if=lambda plus: not plus)] = 0
    price_roll: Annotated[DiceRoll | None, Field(exclude_if=lambda roll: roll is None)] = None
    stock_roll: Annotated[DiceRoll | None, Field(exclude_if=lambda roll: roll is None)] = None


class Died(Entry, kind="died", in_timeline=True):
    """A member dies. Their items are lost with them, or go to the stash."""

    member: Id
    gear: Literal["lost", "stash"] = "lost"


class Left(Entry, kind="left", in_timeline=True):
    """A member has left for good, by one of the rulebook's departures."""

    member: Id
    departure: Key
    gear: Literal["lost", "stash", "kept"] = "kept"
    roll: DiceRoll | None = None


class Suffered(Entry, kind="suffered", in_timeline=True):
    """A member gets a condition, for a number of games (0: until something ends it).

    ``roll``: the dice for how many; ``against``: the name of the gang that caused it; ``captors``:
    the gangs that may hold the member, one of them.
    """

    member: Id
    condition: Key
    games: Amount = 0
    roll: DiceRoll | None = None
    against: Name = ""
    captors: Annotated[tuple[Reference, ...], Field(max_length=100)] = ()


class Recovered(Entry, kind="recovered", in_timeline=True):
    """A condition ends, perhaps for money or another currency (a ransom)."""

    member: Id
    condition: Key
    paid: Sum = 0
    costs: Costs = {}


class ItemLost(Entry, kind="item_lost", in_timeline=True):
    """A member loses an item: picked by a die, or the only one that it could be."""

    member: Id
    item: Id
    roll: DiceRoll | None = None


class Learned(Entry, kind="learned", in_timeline=True):
    """A member earns experience, for an award of the book or from a roll."""

    member: Id
    amount: Amount
    award: Key | None = None
    roll: DiceRoll | None = None


class Earned(Entry, kind="earned"):
    """Money, or another ``currency``, comes in: for a result or a tally, for an underdog, as a
    ransom, from a dice table, from an income of the rulebook's (``yield``, ``haul``), or for a game
    without a battle (``unfought``).

    ``key``: the tally, the dice table or the income; ``roll``: the dice for how much.
    """

    amount: Sum
    why: Literal[
        "result", "tally", "gift", "underdog", "ransom", "roll", "yield", "haul", "unfought"
    ]
    key: Key | None = None
    roll: Annotated[DiceRoll | None, Field(exclude_if=lambda roll: roll is None)] = None
    currency: InCurrency = None


class Hired(Entry, kind="hired", editable=False, in_timeline=True, in_career=False):
    """Somebody who left another gang, or this one, plays for this one in one game.

    ``gang`` and ``member``: the gang that they left, and their number there.
    """

    game: Reference
    gang: Reference
    member: Id
    name: Name = ""
    rank: Key
    paid: Sum = 0


class Fined(Entry, kind="fined", in_timeline=True):
    """The gang pays a sum from a table, for a member or for all of them."""

    member: Id | None = None
    paid: Sum
    roll: DiceRoll | None = None
    costs: Costs = {}


class Promoted(Entry, kind="promoted", in_timeline=True):
    """A member rises to another rank; with ``keeps_price`` their worth stays the same.

    ``profile``: their values from then on (the new rank's, their old ones, the better of each);
    ``restarts``: their experience at the new rank begins at 0; ``advance``: the promotion is an
    advance that their experience earned; ``by_roll``: a dice table brought it.
    """

    member: Id
    rank: Key
    paid: Sum = 0
    keeps_price: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False
    advance: bool = False
    by_roll: Marked = False


class Rose(Entry, kind="rose", in_timeline=True):
    """A member's characteristic rises for good by an ``amount``, or falls if it is negative."""

    member: Id
    characteristic: Key
    amount: Annotated[int, Field(ge=-100, le=100)]


class Tracked(Entry, kind="tracked"):
    """A member's number of a tracker that lasts after games is ``to`` from then on."""

    member: Id
    track: Key
    to: Annotated[int, Field(ge=-999, le=999)]


class HoldingGained(Entry, kind="holding_gained", in_career=False):
    """The gang gets a holding: taken at its price, from a dice table, or captured in a game.

    ``name``: the players' own name for it; ``captured_from``: the name of the gang that had it.
    """

    holding: Key
    name: Name = ""
    paid: Sum = 0
    captured_from: Name = ""
    costs: Costs = {}


class HoldingLost(Entry, kind="holding_lost", in_career=False):
    """The gang gives a holding up, or another gang (``captured_by``, its name) captures it.

    ``unpaid``: its upkeep was not paid.
    """

    place: Id
    captured_by: Name = ""
    unpaid: bool = False


class UpkeepPaid(Entry, kind="upkeep_paid", in_career=False):
    """The gang pays an upkeep of the rulebook's, for these members or holdings."""

    upkeep: Key
    paid: Sum
    costs: Costs = {}
    members: Annotated[tuple[Id, ...], SOME] = ()
    places: Annotated[tuple[Id, ...], SOME] = ()


class Upgraded(Entry, kind="upgraded", editable=False, in_timeline=True):
    """From here on the gang uses the version of the rulebook with this digest."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def parse(data: object) -> Entry:
    """Read the entry in ``data`` from outside. Raises ValueError if it is not an entry."""
    if isinstance(data, Entry):
        return data
    if not isinstance(data, dict) or str(data.get("kind")) not in KINDS:
        raise ValueError("no kind of entry")
    values = {key: value for key, value in data.items() if key != "kind"}
    return KINDS[str(data["kind"])].model_validate(values)


def dump(entry: Entry) -> dict[str, object]:
    """The entry as JSON, with its kind."""
    return {"kind": entry.kind, **entry.model_dump(mode="json")}


# An entry of whichever kind, as part of a file.
AnyEntry = Annotated[Entry, PlainValidator(parse), PlainSerializer(dump)]
