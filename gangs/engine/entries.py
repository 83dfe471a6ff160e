"""The kinds of entry: what people decided, what was paid, what the dice showed.

An entry never holds what can be worked out. A member or an item is known by the number (``seq``)
of the entry that brought it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from rules.costing import whole
from rules.dice import Roll
from rules.season import RisenProfile
from rules.vocabulary import Frozen, Key, Settings

# Neither control characters nor marks that turn the direction of writing; notes may have lines.
Name = Annotated[
    str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]*$")
]
Note = Annotated[str, Field(max_length=4000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$")]
Reference = Annotated[str, Field(max_length=64, pattern=r"^[0-9A-Za-z-]*$")]
Id = Annotated[int, Field(ge=1)]
Amount = Annotated[int, Field(ge=0, le=1_000_000)]
# What is paid or earned: whole points, or halves where a rulebook keeps them.
Sum = Annotated[
    int | float,
    Field(ge=0, le=1_000_000, multiple_of=0.5, allow_inf_nan=False),
    AfterValidator(whole),
]


class Founded(Frozen):
    """The gang begins."""

    kind: Literal["founded"] = "founded"
    name: Name
    settings: Settings


class Renamed(Frozen):
    """The gang has another name."""

    kind: Literal["renamed"] = "renamed"
    name: Name


class SettingsChosen(Frozen):
    """Options of the rulebook are chosen anew."""

    kind: Literal["settings"] = "settings"
    settings: Settings


class Noted(Frozen):
    """The notes of the gang, or of a member, now read so."""

    kind: Literal["noted"] = "noted"
    member: Id | None = None
    text: Note


class Recruited(Frozen):
    """Somebody joins."""

    kind: Literal["recruited"] = "recruited"
    rank: Key
    name: Name = ""
    paid: Sum = 0
    origin: Key | None = None


class Dismissed(Frozen):
    """A member is sent away; what he carried goes to the stash."""

    kind: Literal["dismissed"] = "dismissed"
    member: Id


class Named(Frozen):
    """A member has a name."""

    kind: Literal["named"] = "named"
    member: Id
    name: Name


class Reordered(Frozen):
    """A member takes another place in the list, counted from 0."""

    kind: Literal["reordered"] = "reordered"
    member: Id
    position: Annotated[int, Field(ge=0, le=1_000)]


class PointsSpread(Frozen):
    """Points go into a characteristic (or come back, if negative)."""

    kind: Literal["points"] = "points"
    member: Id
    characteristic: Key
    amount: Annotated[int, Field(ge=-100, le=100)]


class ProfessionChosen(Frozen):
    """A member takes up a profession, or none."""

    kind: Literal["profession"] = "profession"
    member: Id
    profession: Key | None


class OriginChosen(Frozen):
    """A member is of another origin than his gang, or of its own again (None)."""

    kind: Literal["origin"] = "origin"
    member: Id
    origin: Key | None


class SquadJoined(Frozen):
    """A member acts with a squad, known by its name, or with none ("")."""

    kind: Literal["squad"] = "squad"
    member: Id
    squad: Annotated[Name, Field(max_length=40)]


class TraitTaken(Frozen):
    """A member gets a trait: bought, or as an ``advance`` that his experience earned."""

    kind: Literal["trait_taken"] = "trait_taken"
    member: Id
    trait: Key
    paid: Sum = 0
    advance: bool = False


class TraitDropped(Frozen):
    """A member gives a trait back."""

    kind: Literal["trait_dropped"] = "trait_dropped"
    member: Id
    trait: Key


class Bought(Frozen):
    """An item is bought, for a member or for the stash."""

    kind: Literal["bought"] = "bought"
    item: Key
    member: Id | None = None
    paid: Sum = 0


class ItemDeclared(Frozen):
    """The gang has an item of its own, to be bought like those of the rulebook.

    ``columns``: what stands in its group's columns; ``text``: what it does; ``tags``: what the
    rulebook's limits and prices are to take it for.
    """

    kind: Literal["item_declared"] = "item_declared"
    name: Annotated[Name, Field(min_length=1)]
    group: Key
    price: Annotated[int, Field(ge=0, le=10_000)]
    level: Annotated[int, Field(ge=0, le=100)] | None = None
    hands: Annotated[int, Field(ge=0, le=9)] | None = None
    columns: dict[Key, Annotated[Name, Field(max_length=40)]] = {}
    text: Annotated[Name, Field(max_length=80)] = ""
    tags: Annotated[tuple[Key, ...], Field(max_length=20)] = ()


class Moved(Frozen):
    """An item changes hands; None is the stash."""

    kind: Literal["moved"] = "moved"
    item: Id
    member: Id | None


class Discarded(Frozen):
    """An item is given back (before the first game) or thrown away."""

    kind: Literal["discarded"] = "discarded"
    item: Id


class Joined(Frozen):
    """The gang joins a campaign, and plays by its settings.

    ``elsewhere``: the campaign is one of another site, which the gang has left by being exported.
    """

    kind: Literal["joined"] = "joined"
    campaign: Reference
    name: Name
    settings: Settings
    elsewhere: bool = False


class Played(Frozen):
    """A game was played and its result agreed on: the post-game begins.

    ``fielded``: who took part; ``taken_out``: enemies that each member put out of action;
    ``marks``: how members ended, by the book's marks; ``side``: winner, loser or level.
    """

    kind: Literal["played"] = "played"
    game: Reference
    title: Name
    scenario: Key | None = None
    result: Key
    side: Literal["winner", "loser", "level"]
    fielded: tuple[Id, ...]
    marks: dict[Id, Key] = {}
    taken_out: dict[Id, Amount] = {}


class Rolled(Frozen):
    """Dice were rolled on a table, for a member. What follows from it comes as further entries."""

    kind: Literal["rolled"] = "rolled"
    member: Id | None = None
    table: Key
    roll: Roll


class Died(Frozen):
    """A member is dead. What he carried is lost with him, or comes to the stash."""

    kind: Literal["died"] = "died"
    member: Id
    gear: Literal["lost", "stash"] = "lost"


class Left(Frozen):
    """A member has left for good, by one of the rulebook's departures."""

    kind: Literal["left"] = "left"
    member: Id
    departure: Key
    gear: Literal["lost", "stash", "kept"] = "kept"
    roll: Roll | None = None


class Suffered(Frozen):
    """A member gets a condition, for a number of games (0: until something ends it).

    ``roll``: the dice that said how many; ``against``: the gang that he got it from.
    """

    kind: Literal["suffered"] = "suffered"
    member: Id
    condition: Key
    games: Amount = 0
    roll: Roll | None = None
    against: Name = ""


class Recovered(Frozen):
    """A condition ends, perhaps for money (a ransom)."""

    kind: Literal["recovered"] = "recovered"
    member: Id
    condition: Key
    paid: Sum = 0


class ItemLost(Frozen):
    """A member loses an item: picked by a die, or the only one that it could be."""

    kind: Literal["item_lost"] = "item_lost"
    member: Id
    item: Id
    roll: Roll | None = None


class Learned(Frozen):
    """A member earns experience, for an award of the book or from a roll."""

    kind: Literal["learned"] = "learned"
    member: Id
    amount: Amount
    award: Key | None = None
    roll: Roll | None = None


class Earned(Frozen):
    """Money comes in: the result's, a tally's, an underdog's, or a ransom from another gang."""

    kind: Literal["earned"] = "earned"
    amount: Sum
    why: Literal["result", "tally", "gift", "underdog", "ransom"]
    key: Key | None = None


class Hired(Frozen):
    """Somebody who left another gang, or this one, plays for this one in one game.

    ``gang`` and ``member``: where he comes from, and who he was there; ``name`` and ``rank``: what
    he is called.
    """

    kind: Literal["hired"] = "hired"
    game: Reference
    gang: Reference
    member: Id
    name: Name = ""
    rank: Key
    paid: Sum = 0


class Fined(Frozen):
    """The gang pays for a member what a table says."""

    kind: Literal["fined"] = "fined"
    member: Id
    paid: Sum
    roll: Roll | None = None


class Promoted(Frozen):
    """A member rises to another rank; with ``keeps_price`` he is worth what he was.

    ``profile``: the values that he has from then on (the new rank's, his old ones, the better of
    each); ``restarts``: his experience at the new rank begins at 0; ``advance``: his experience
    earned it as an advance.
    """

    kind: Literal["promoted"] = "promoted"
    member: Id
    rank: Key
    paid: Sum = 0
    keeps_price: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False
    advance: bool = False


class Upgraded(Frozen):
    """From here on the gang goes by the version of the rulebook with this digest."""

    kind: Literal["upgraded"] = "upgraded"
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


Entry = Annotated[
    Founded
    | Renamed
    | SettingsChosen
    | Noted
    | Recruited
    | Dismissed
    | Named
    | Reordered
    | PointsSpread
    | ProfessionChosen
    | OriginChosen
    | SquadJoined
    | TraitTaken
    | TraitDropped
    | Bought
    | ItemDeclared
    | Moved
    | Discarded
    | Joined
    | Played
    | Rolled
    | Died
    | Left
    | Suffered
    | Recovered
    | ItemLost
    | Learned
    | Earned
    | Hired
    | Fined
    | Promoted
    | Upgraded,
    Field(discriminator="kind"),
]
ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
