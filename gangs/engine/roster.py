"""The roster: the state of a gang that its entries fold to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from gangs.engine.errors import Misfit
from rules.book.model import Book
from rules.book.vocabulary import Frozen, Settings, Text, name_of
from rules.engine.costing import Points, whole
from rules.engine.figure import Figure, Raise

# The fate of members who left with the one whom they belonged to; no departure has such a key.
FOLLOWED = "-followed"


class Value(Frozen):
    """A part of a roster."""

    def changed(self, **fields: Any) -> Self:
        """A copy with other values for some fields, which are not checked.

        Faster than ``model_copy(update=...)``, which also copies the replaced values: a fold spends
        most of its time here.
        """
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **fields)
        object.__setattr__(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy


class OwnedItem(Value):
    """One item that somebody has; ``id`` is the entry that brought it. ``used``: how many of its
    uses are over; ``included``: it belongs to the kit that its bearer joined with; ``on``: the id
    of the item that it is fitted to, which the same member or the stash has."""

    id: int
    key: str
    used: int = 0
    included: bool = False
    on: int | None = None


class OwnItem(Value):
    """An item that the gang declared itself; ``key`` distinguishes it from the rulebook's."""

    key: str
    name: str
    group: str
    price: int
    level: int | None = None
    hands: int | None = None
    columns: dict[str, str] = {}
    text: str = ""
    tags: tuple[str, ...] = ()
    adds: dict[str, int] = {}


class HeldPlace(Value):
    """A holding that the gang has; ``id`` is the entry that brought it; ``name``: the players' own
    name for it ("": the rulebook's)."""

    id: int
    key: str
    name: str = ""

    def own_name(self, book: Book) -> Text | str:
        """Its own name or, if it has none, the rulebook's."""
        return self.name or name_of(book.holding, self.key)


class Affliction(Value):
    """A condition a member has; ``games_left`` counts down, 0 means until something ends it.

    ``against``: the name of the gang that caused it, where that matters; ``captors``: the gangs of
    which one may hold the member.
    """

    condition: str
    games_left: int = 0
    against: str = ""
    captors: tuple[str, ...] = ()


class Rise(Value):
    """A promotion that gave a member the better of two profiles. ``traits``: the number they
    had.
    """

    rank: str
    traits: int


class Member(Value):
    """One member. ``id`` is the number of the entry that recruited them and never changes.

    ``worth_rank``: the rank that their price and points come from, left behind by a promotion that
    keeps the price; ``base_rank`` ("": that of their rank): the one that their profile comes from;
    ``rises``: promotions that gave them the better of two profiles. ``origin``: their own, if not
    the gang's; ``squad``: the name of the one they act with. ``raised``: by how much each
    characteristic rose in games; ``rolled``: those that were rolled, or taken from their owner,
    when they joined.
    ``experience`` is all they ever earned, of which ``experience_before`` was earned at lower ranks
    that no longer count for advances, ``experience_spent`` paid for traits, and ``advances`` is how
    many they have taken since (with those that their experience had earned before it counted).
    ``tracks``: the numbers of the table's trackers that last, by key. ``owner``: the id of the
    member whom they belong to.
    """

    id: int
    name: str
    rank: str
    worth_rank: str
    base_rank: str = ""
    rises: tuple[Rise, ...] = ()
    origin: str | None = None
    squad: str = ""
    profession: str | None = None
    points: dict[str, int] = {}
    raised: dict[str, int] = {}
    rolled: dict[str, int] = {}
    traits: tuple[str, ...] = ()
    items: tuple[OwnedItem, ...] = ()
    notes: str = ""
    experience: int = 0
    experience_before: int = 0
    experience_spent: int = 0
    advances: int = 0
    afflictions: tuple[Affliction, ...] = ()
    games: int = 0
    taken_out: int = 0
    tracks: dict[str, int] = {}
    owner: int | None = None

    def name_or_rank(self, book: Book) -> Text | str:
        """Their name or, if they have none, their rank's."""
        return name_or_rank(book, self.name, self.rank)

    def absences(self, book: Book, scenario: str = "") -> tuple[Affliction, ...]:
        """The conditions that keep them away from games, or from a game of this scenario: none if
        it brings in members with all of these conditions."""
        found = tuple(
            suffered
            for suffered in self.afflictions
            if (row := book.condition.get(suffered.condition)) is not None and row.absent
        )
        brings = book.scenario[scenario].brings if scenario in book.scenario else ()
        brought = {row.condition for row in brings}
        return () if {one.condition for one in found} <= brought else found

    @property
    def experience_at_rank(self) -> int:
        """The experience that counts for advances and promotions: that on their present sheet."""
        return self.experience - self.experience_before

    @property
    def experience_left(self) -> int:
        """The experience that they can spend on traits."""
        return max(0, self.experience - self.experience_spent)


def name_or_rank(book: Book, name: str, rank: str) -> Text | str:
    """The name of somebody or, if they have none, of their rank."""
    return name or name_of(book.rank, rank)


class Departed(Value):
    """A member who left after the gang's first game.

    ``fate``: "dead", "dismissed", FOLLOWED, or the key of one of the rulebook's departures.
    """

    member: Member
    fate: str


class HiredHand(Value):
    """Somebody hired for one ``game``. ``member``: their number in the ``gang`` that they left."""

    game: str
    gang: str
    member: int
    name: str
    rank: str
    paid: Points = 0


class Roster(Value):
    """A gang. ``earned`` minus ``spent`` is the treasury; before the first game the founding budget
    pays, and neither changes.

    ``played``: the games, of which the first ended the founding; ``first_size`` and ``overspent``:
    how many members the gang had then, and how far over its budget it was.
    ``ranks_since_game``: those of the recruits since the last game. ``book``: the digest of the
    rulebook's version that the gang was upgraded to; "" while it uses the one it began with.
    ``hired``: those who play for the gang in games to come; ``holdings``: what the gang holds;
    ``found``: the offers that members found since the last game, by key; ``found_prices``: the
    prices that dice gave them; ``found_left``: how many items can still be bought, of offers with
    a stock. ``purses``: the balance of each currency beside money; before the first game without
    what was there from the start.
    """

    name: str = ""
    settings: Settings = {}
    members: tuple[Member, ...] = ()
    stash: tuple[OwnedItem, ...] = ()
    own_items: tuple[OwnItem, ...] = ()
    departed: tuple[Departed, ...] = ()
    notes: str = ""
    earned: Points = 0
    spent: Points = 0
    played: tuple[str, ...] = ()
    first_size: int = 0
    overspent: Points = 0
    recruits_since_game: int = 0
    recruits_since_start: int = 0
    ranks_since_game: tuple[str, ...] = ()
    campaigns: tuple[str, ...] = ()
    book: str = ""
    hired: tuple[HiredHand, ...] = ()
    holdings: tuple[HeldPlace, ...] = ()
    found: tuple[str, ...] = ()
    found_prices: dict[str, int] = {}
    found_left: dict[str, int] = {}
    purses: dict[str, int] = {}

    @property
    def playing(self) -> bool:
        """Whether the gang has played its first game: from then on the treasury pays."""
        return bool(self.played)

    @property
    def games(self) -> int:
        """How many games the gang has played."""
        return len(self.played)

    @property
    def treasury(self) -> Points:
        """The money that the gang has earned and not spent."""
        return whole(self.earned - self.spent)

    def member(self, member: int) -> Member:
        """The member with this id. Raises Misfit if they are not in the gang."""
        for candidate in self.members:
            if candidate.id == member:
                return candidate
        raise Misfit("no_member")

    def holder(self, item: int) -> tuple[Member | None, OwnedItem]:
        """The owner of an item (None: the stash) and the item. Raises Misfit if there is none."""
        for owned in self.stash:
            if owned.id == item:
                return None, owned
        for member in self.members:
            for owned in member.items:
                if owned.id == item:
                    return member, owned
        raise Misfit("no_item")

    def beside(self, item: int) -> tuple[OwnedItem, ...]:
        """All items of the owner of an item. Raises Misfit if nobody has it."""
        holder = self.holder(item)[0]
        return self.stash if holder is None else holder.items

    def place(self, place: int) -> HeldPlace:
        """The holding with this id. Raises Misfit if the gang does not have it."""
        for held in self.holdings:
            if held.id == place:
                return held
        raise Misfit("no_holding")

    def everyone(self) -> Iterator[Member]:
        """Everybody who is or was in the gang since its first game."""
        yield from self.members
        yield from (departed.member for departed in self.departed)

    def belongings(self, member: int) -> tuple[Member, ...]:
        """The members who belong to this one."""
        return tuple(other for other in self.members if other.owner == member)

    def owner(self, member: Member) -> Member | None:
        """The member whom this one belongs to; None if they belong to nobody."""
        if member.owner is None:
            return None
        return next((other for other in self.members if other.id == member.owner), None)

    def absences(self, book: Book, member: Member, scenario: str = "") -> tuple[Affliction, ...]:
        """The conditions that keep a member away, as ``Member.absences``: their own or, if they
        have none, their owner's."""
        own = member.absences(book, scenario)
        owner = None if own else self.owner(member)
        return owner.absences(book, scenario) if owner else own

    def counted(self, book: Book) -> tuple[Member, ...]:
        """The members that count in limits, size and rating; some conditions keep a member out of
        the count, with everybody who belongs to them."""
        apart = {row.key for row in book.conditions if row.uncounted}
        if not apart:
            return self.members
        out = {
            member.id
            for member in self.members
            if not apart.isdisjoint(suffered.condition for suffered in member.afflictions)
        }
        return tuple(one for one in self.members if out.isdisjoint((one.id, one.owner)))

    def origin_of(self, book: Book, member: Member) -> str | None:
        """Where the member is from: their own origin, or else the gang's."""
        if member.origin is not None:
            return member.origin
        if book.origin_setting is None:
            return None
        gangs = str(self.settings.get(book.origin_setting, ""))
        return gangs if gangs in book.origin else None

    def is_first(self, book: Book, member: Member) -> bool:
        """Whether the member was the first of their profession: leaders before others, then by age.

        Sticks to the rank they were recruited with, so a promotion moves no bonus.
        """
        if member.profession is None:
            return False

        def seniority(peer: Member) -> tuple[bool, int]:
            # Of those who left, some were of ranks that the rulebook no longer has.
            rank = book.rank.get(peer.worth_rank)
            return (rank is None or not rank.leads, peer.id)

        peers = [peer for peer in self.everyone() if peer.profession == member.profession]
        return min(peers, key=seniority).id == member.id

    def figure(self, book: Book, member: Member) -> Figure:
        """The member as the rules see them."""
        return Figure(
            rank=member.rank,
            worth_rank=member.worth_rank,
            base_rank=member.base_rank,
            raises=tuple(Raise(rise.rank, rise.traits) for rise in member.rises),
            origin=self.origin_of(book, member),
            profession=member.profession,
            first=self.is_first(book, member),
            points=member.points,
            raised=member.raised,
            traits=member.traits,
            items=tuple(owned.key for owned in member.items),
            kit=tuple(owned.key for owned in member.items if owned.included),
            experience=member.experience,
            conditions=tuple(affliction.condition for affliction in member.afflictions),
            holdings=tuple(held.key for held in self.holdings),
            gang_ranks=frozenset(one.rank for one in (*self.members, member)),
            rolled=member.rolled,
            tracks=member.tracks,
            settings=self.settings,
        )
