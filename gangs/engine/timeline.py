"""The story: what a gang's entries tell of its games and its people.

The pages of a campaign show how every gang stood after each game, and what became of everybody in
it. That takes all the entries of all its gangs, so what they tell is worked out once for each
change, and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from gangs import entries as kinds
from gangs.entries import Entry
from gangs.fold import Books, apply, in_force, no_books
from gangs.roster import Departed, Member, Roster
from gangs.worth import gang_rating
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Frozen

# Dismissed, dead and left are told however it came about; "gained" is a trait that a game brought
# without being an advance, "fined" and "recovered" may have cost something.
Kind = Literal[
    "died",
    "left",
    "dismissed",
    "recruited",
    "hired",
    "promoted",
    "advance",
    "gained",
    "suffered",
    "recovered",
    "lost",
    "fined",
]
How = Literal["", "promotion", "succession", "advance"]

# Kinds of entries that change what is told.
TELLING = frozenset(
    {
        "played",
        "upgraded",
        "recruited",
        "hired",
        "dismissed",
        "named",
        "died",
        "left",
        "promoted",
        "suffered",
        "recovered",
        "item_lost",
        "learned",
        "fined",
    }
)


def tells(entry: Entry) -> bool:
    """Whether a story is another one after this entry of a gang that has played."""
    if isinstance(entry, kinds.TraitTaken):
        # A game's other traits come with the game.
        return entry.advance
    return entry.kind in TELLING


class Line(NamedTuple):
    """An entry that stands, and where. ``batch`` binds what was done at once."""

    place: int
    number: int
    entry: Entry
    at: datetime
    batch: str


class Moment(Frozen):
    """How a gang stood after one of its games and all that the game brought.

    ``place``: where the last of that stands in the ledger; ``games``: how many it had played.
    Before the first game there is one with neither game nor title: the gang as it was founded.
    """

    game: str = ""
    title: str = ""
    scenario: str | None = None
    result: str = ""
    side: str = ""
    place: int
    at: datetime
    games: int = 0
    rating: Points = 0
    size: int = 0
    treasury: Points = 0


class Happening(Frozen):
    """Something notable that happened to a member.

    ``name`` ("" if he had none) and ``rank`` as they were then: before a promotion, the lower one.
    ``key``: what it is about: the departure, the rank risen to, the trait, the condition or the
    item (of one of the gang's own, its name); ``how``: what brought a promotion or a trait.
    ``amount``: what was paid, or for how many games it lasts. ``against``: the gang that a
    condition was got from. ``game``: the one that brought it, "" if it happened between games;
    ``games``: how many had been played by then. Somebody hired is a ``member`` of the gang ``key``,
    or was; ``game`` is the one that he is hired for.
    """

    kind: Kind
    number: int
    member: int
    name: str = ""
    rank: str
    key: str = ""
    how: How = ""
    amount: Points = 0
    against: str = ""
    game: str = ""
    games: int = 0
    at: datetime


class Person(Frozen):
    """Somebody who has played at least one game of the gang.

    ``fate``: "" while he is there, else "dead", "dismissed" or the key of a departure; then
    ``last_game`` brought it ("" if it was between games) and ``gone_at`` says when.
    """

    id: int
    name: str = ""
    rank: str
    games: int = 0
    taken_out: int = 0
    experience: int = 0
    fate: str = ""
    last_game: str = ""
    gone_at: datetime | None = None


class Story(Frozen):
    """What there is to tell of a gang. ``start``: how it stood before its first game, None while
    it has played none: then there is nothing else to tell either."""

    start: Moment | None = None
    moments: tuple[Moment, ...] = ()
    happenings: tuple[Happening, ...] = ()
    people: tuple[Person, ...] = ()

    def __bool__(self) -> bool:
        return self.start is not None


def story(book: Book, lines: Iterable[Line], books: Books = no_books) -> Story:
    """The story of a gang whose standing entries are ``lines``, in order.

    ``book``: the one that it was founded with; ``books`` finds those of its upgrades. Raises Misfit
    if the entries do not fold.
    """
    lines = list(lines)
    brought_by = {one.batch: one.entry for one in lines if isinstance(one.entry, kinds.Played)}
    last = {one.batch: index for index, one in enumerate(lines)}
    ends = {last[batch]: played for batch, played in brought_by.items()}
    roster = Roster()
    start = None
    moments = []
    happenings: list[Happening] = []
    ends_of: dict[int, tuple[str, datetime]] = {}
    for index, line in enumerate(lines):
        played = brought_by.get(line.batch)
        game = played.game if played is not None else ""
        known = in_force(book, roster, books)
        after = apply(known, roster, line.number, line.entry, books)
        if isinstance(line.entry, kinds.Played) and start is None:
            start = _moment(known, roster, line)
        if after.playing or isinstance(line.entry, kinds.Hired):
            happenings += _happenings(known, roster, after, line, game)
            ends_of |= {gone.member.id: (game, line.at) for gone in _gone(roster, after)}
        roster = after
        if index in ends:
            moments.append(_moment(in_force(book, roster, books), roster, line, ends[index]))
    if start is None:
        return Story()
    return Story(
        start=start,
        moments=tuple(moments),
        happenings=tuple(happenings),
        people=tuple(sorted(_people(roster, ends_of), key=lambda person: person.id)),
    )


def _moment(book: Book, roster: Roster, line: Line, played: kinds.Played | None = None) -> Moment:
    """How the gang stands: after a game, or, without one, before the first."""
    stand = Moment(
        place=line.place if played else line.place - 1,
        at=line.at,
        games=roster.games,
        rating=gang_rating(book, roster).total,
        size=len(roster.members),
        treasury=roster.treasury,
    )
    if played is None:
        return stand
    told = {"title", "scenario", "result", "side", "game"}
    return stand.model_copy(update=played.model_dump(include=told))


def _gone(before: Roster, after: Roster) -> tuple[Departed, ...]:
    """Those whom an entry sent away, whichever it was: an upgrade may do that, too."""
    return after.departed[len(before.departed) :]


def _people(roster: Roster, ends: dict[int, tuple[str, datetime]]) -> Iterator[Person]:
    for member in roster.members:
        if member.games:
            yield _person(member)
    for departed in roster.departed:
        if departed.member.games:
            game, at = ends[departed.member.id]
            gone = {"fate": departed.fate, "last_game": game, "gone_at": at}
            yield _person(departed.member).model_copy(update=gone)


def _person(member: Member) -> Person:
    return Person(
        id=member.id,
        name=member.name,
        rank=member.rank,
        games=member.games,
        taken_out=member.taken_out,
        experience=member.experience,
    )


def _happenings(
    book: Book, before: Roster, after: Roster, line: Line, game: str
) -> Iterator[Happening]:
    """What an entry of a gang that has played tells; nothing, most of the time."""

    def told(kind: Kind, member: Member, **more: object) -> Happening:
        return Happening.model_validate(
            {
                "kind": kind,
                "number": line.number,
                "member": member.id,
                "name": member.name,
                "rank": member.rank,
                "game": game,
                "games": after.games,
                "at": line.at,
                **more,
            }
        )

    for gone in _gone(before, after):
        match gone.fate:
            case "dead":
                yield told("died", gone.member)
            case "dismissed":
                yield told("dismissed", gone.member)
            case departure:
                yield told("left", gone.member, key=departure)
    entry = line.entry
    if isinstance(entry, kinds.Recruited):
        yield told("recruited", after.member(line.number), amount=entry.paid)
        return
    if isinstance(entry, kinds.Hired):
        hand = Member(id=entry.member, name=entry.name, rank=entry.rank, worth_rank="")
        yield told("hired", hand, key=entry.gang, amount=entry.paid, game=entry.game)
        return
    subject = getattr(entry, "member", None)
    if subject not in {member.id for member in before.members}:
        return
    member = before.member(subject)
    match entry:
        case kinds.Promoted():
            how = _how_promoted(book, member, entry)
            yield told("promoted", member, key=entry.rank, how=how, amount=entry.paid)
        case kinds.TraitTaken() if entry.advance:
            yield told("advance", member, key=entry.trait, how="advance", amount=entry.paid)
        case kinds.TraitTaken() if game:
            succeeds = any(row.trait == entry.trait for row in book.campaign.successions)
            how = "succession" if succeeds else ""
            yield told("gained", member, key=entry.trait, how=how, amount=entry.paid)
        case kinds.Suffered():
            yield told(
                "suffered",
                member,
                key=entry.condition,
                amount=entry.games,
                against=entry.against,
            )
        case kinds.Recovered():
            yield told("recovered", member, key=entry.condition, amount=entry.paid)
        case kinds.ItemLost():
            yield told("lost", member, key=_item(before, entry.item))
        case kinds.Fined():
            yield told("fined", member, amount=entry.paid)


def _item(roster: Roster, item: int) -> str:
    key = roster.holder(item)[1].key
    return next((own.name for own in roster.own_items if own.key == key), key)


def _how_promoted(book: Book, member: Member, entry: kinds.Promoted) -> How:
    """Whether his experience, a choice or an empty post made somebody rise."""
    if entry.advance:
        return "advance"
    chosen = any(
        (row.start, row.to, row.price) == (member.rank, entry.rank, entry.paid)
        for row in book.campaign.promotions
        if row.trigger != "advance"
    )
    return "promotion" if chosen else "succession"
