"""The kinds of entry: what people decided, what was paid, what the dice showed.

An entry never holds what can be worked out. A member or an item is known by the number (``seq``)
of the entry that brought it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator

from common.text import lines, of_text, one_line
from rules.book.season import RisenProfile
from rules.book.vocabulary import Frozen, Key, Settings
from rules.engine.costing import whole
from rules.engine.dice import DiceRoll

# Cleaned as what is typed into a form is, wherever it comes from.
ONE_LINE = BeforeValidator(of_text(one_line))
LINES = BeforeValidator(of_text(lines))
Name = Annotated[str, Field(max_length=80), ONE_LINE]
Note = Annotated[str, Field(max_length=4000), LINES]
Reference = Annotated[str, Field(max_length=64, pattern=r"^[0-9A-Za-z-]*$")]
Id = Annotated[int, Field(ge=1)]
Amount = Annotated[int, Field(ge=0, le=1_000_000)]
# No gang has so many, and no member so many columns.
SOME = Field(max_length=300)
# A file must be able to hold a whole ledger, and a request to fold it.
MOST_ENTRIES = 10_000
# What is paid or earned: whole points, or halves where a rulebook keeps them.
Sum = Annotated[
    int | float,
    Field(ge=0, le=1_000_000, multiple_of=0.5, allow_inf_nan=False),
    AfterValidator(whole),
]


class Entry(Frozen):
    """One thing that happened to a gang. A kind of entry is a class; how it is applied is said in
    ``gangs.engine.fold``, how it is described in ``gangs.text.entries``, and nowhere else.

    ``kind``: what it is called where it is stored; ``harmless``: it changes nothing that a game
    could depend on, so that it is allowed in a locked gang; ``editable``: a history may put another
    in its place; ``stays``: the code of the refusal if a history may not take it back; it is
    ``in_timeline`` if a gang's timeline is another one after it, and ``in_career`` if it belongs to
    the life of the member whom it concerns.
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
            # An AttributeError, if that is nothing to be said of a kind.
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
    """The gang has another name."""

    name: Name


class SettingsChosen(Entry, kind="settings", editable=False):
    """Options of the rulebook are chosen again."""

    settings: Settings


class Noted(Entry, kind="noted", harmless=True, in_career=False):
    """The notes of the gang, or of a member, now read so."""

    member: Id | None = None
    text: Note


class Recruited(Entry, kind="recruited", in_timeline=True):
    """Somebody joins."""

    rank: Key
    name: Name = ""
    paid: Sum = 0
    origin: Key | None = None


class Dismissed(Entry, kind="dismissed", in_timeline=True):
    """A member is sent away; what they carried goes to the stash."""

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


class ProfessionChosen(Entry, kind="profession"):
    """A member takes up a profession, or none."""

    member: Id
    profession: Key | None


class OriginChosen(Entry, kind="origin"):
    """A member is of another origin than their gang, or of its own again (None)."""

    member: Id
    origin: Key | None


class SquadJoined(Entry, kind="squad", in_career=False):
    """A member acts with a squad, known by its name, or with none ("")."""

    member: Id
    squad: Annotated[Name, Field(max_length=40)]


class TraitTaken(Entry, kind="trait_taken"):
    """A member gets a trait: bought, or as an ``advance`` that their experience earned."""

    member: Id
    trait: Key
    paid: Sum = 0
    advance: bool = False


class TraitDropped(Entry, kind="trait_dropped"):
    """A member gives a trait back."""

    member: Id
    trait: Key


class Bought(Entry, kind="bought"):
    """An item is bought, for a member or for the stash."""

    item: Key
    member: Id | None = None
    paid: Sum = 0


class ItemDeclared(Entry, kind="item_declared"):
    """The gang has an item of its own, to be bought like those of the rulebook.

    ``columns``: what stands in its group's columns; ``text``: what it does; ``tags``: what the
    rulebook's limits and prices are to take it for; ``adds``: what carrying it adds to
    characteristics, or takes from them.
    """

    name: Annotated[Name, Field(min_length=1)]
    group: Key
    price: Annotated[int, Field(ge=0, le=10_000)]
    level: Annotated[int, Field(ge=0, le=100)] | None = None
    hands: Annotated[int, Field(ge=0, le=9)] | None = None
    columns: Annotated[dict[Key, Annotated[Name, Field(max_length=40)]], SOME] = {}
    text: Annotated[Name, Field(max_length=80)] = ""
    tags: Annotated[tuple[Key, ...], Field(max_length=20)] = ()
    adds: Annotated[dict[Key, Annotated[int, Field(ge=-20, le=20)]], SOME] = {}


class Moved(Entry, kind="moved"):
    """An item changes hands; None is the stash."""

    item: Id
    member: Id | None


class Discarded(Entry, kind="discarded"):
    """An item is given back (before the first game) or thrown away."""

    item: Id


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

    ``fielded``: who took part; ``taken_out``: enemies that each member put out of action;
    ``marks``: how members ended, by the book's marks; ``side``: winner, loser or level.
    """

    game: Reference
    title: Name
    scenario: Key | None = None
    result: Key
    side: Literal["winner", "loser", "level"]
    fielded: Annotated[tuple[Id, ...], SOME]
    marks: Annotated[dict[Id, Key], SOME] = {}
    taken_out: Annotated[dict[Id, Amount], SOME] = {}


class Rolled(Entry, kind="rolled"):
    """Dice were rolled on a table, for a member. What follows from it comes as further entries."""

    member: Id | None = None
    table: Key
    roll: DiceRoll


class Died(Entry, kind="died", in_timeline=True):
    """A member is dead. What they carried is lost with them, or comes to the stash."""

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

    ``roll``: the dice that said how many; ``against``: what the gang was called that they got it
    from; ``captors``: the gangs of which one may hold them for it.
    """

    member: Id
    condition: Key
    games: Amount = 0
    roll: DiceRoll | None = None
    against: Name = ""
    captors: Annotated[tuple[Reference, ...], Field(max_length=100)] = ()


class Recovered(Entry, kind="recovered", in_timeline=True):
    """A condition ends, perhaps for money (a ransom)."""

    member: Id
    condition: Key
    paid: Sum = 0


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
    """Money comes in: the result's, a tally's, an underdog's, or a ransom from another gang."""

    amount: Sum
    why: Literal["result", "tally", "gift", "underdog", "ransom"]
    key: Key | None = None


class Hired(Entry, kind="hired", editable=False, in_timeline=True, in_career=False):
    """Somebody who left another gang, or this one, plays for this one in one game.

    ``gang`` and ``member``: where they come from, and who they were there; ``name`` and ``rank``:
    what they are called.
    """

    game: Reference
    gang: Reference
    member: Id
    name: Name = ""
    rank: Key
    paid: Sum = 0


class Fined(Entry, kind="fined", in_timeline=True):
    """The gang pays for a member what a table says."""

    member: Id
    paid: Sum
    roll: DiceRoll | None = None


class Promoted(Entry, kind="promoted", in_timeline=True):
    """A member rises to another rank; with ``keeps_price`` they are worth what they were.

    ``profile``: the values that they have from then on (the new rank's, their old ones, the better
    of each); ``restarts``: their experience at the new rank begins at 0; ``advance``: it was
    earned by their experience, as an advance.
    """

    member: Id
    rank: Key
    paid: Sum = 0
    keeps_price: bool = False
    profile: RisenProfile = "new"
    restarts: bool = False
    advance: bool = False


class Upgraded(Entry, kind="upgraded", editable=False, in_timeline=True):
    """From here on the gang uses the version of the rulebook with this digest."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def parse(data: object) -> Entry:
    """The entry in ``data``, which comes from outside. Raises ValueError if it is none."""
    if isinstance(data, Entry):
        return data
    if not isinstance(data, dict) or str(data.get("kind")) not in KINDS:
        raise ValueError("no kind of entry")
    values = {key: value for key, value in data.items() if key != "kind"}
    return KINDS[str(data["kind"])].model_validate(values)


def dump(entry: Entry) -> dict[str, object]:
    """The entry as JSON holds it, its kind with it."""
    return {"kind": entry.kind, **entry.model_dump(mode="json")}


# An entry of whichever kind, as part of a file.
AnyEntry = Annotated[Entry, PlainValidator(parse), PlainSerializer(dump)]
