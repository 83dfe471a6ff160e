"""The timeline: the games of a gang and the lives of its members, as its entries tell them.

The pages of a campaign show every gang after each game, and the fate of everybody in it. That takes
all entries of all its gangs, so each timeline is worked out at a change and stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import Books, Step, book_now, no_books, steps
from gangs.engine.purses import balance
from gangs.engine.roster import Departed, Member, Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.engine.costing import Points

# "gained" is a trait that a game brought without being an advance, "rose" a characteristic that
# went up for good; "fined" and "recovered" may have
# cost something.
Kind = Literal[
    "died",
    "left",
    "dismissed",
    "recruited",
    "hired",
    "promoted",
    "advance",
    "gained",
    "rose",
    "suffered",
    "recovered",
    "lost",
    "fined",
]
How = Literal["", "promotion", "succession", "advance"]


def tells(entry: Entry) -> bool:
    """Whether this entry of a gang that has played may change its timeline."""
    # A game's other traits come with the game.
    return entry.in_timeline or (isinstance(entry, kinds.TraitTaken) and entry.advance)


class LedgerLine(NamedTuple):
    """An entry that is not struck, and its place. Entries with one ``batch`` were made together."""

    place: int
    number: int
    entry: Entry
    at: datetime
    batch: str


class Moment(Frozen):
    """A gang after one of its games and everything that the game brought.

    ``place``: the place of the last such entry in the ledger; ``games``: how many the gang had
    played; ``purses``: the amount of each currency beside money. The moment before the first game
    has neither game nor title.
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
    purses: dict[str, int] = {}


class Event(Frozen):
    """Something notable that happened to a member.

    ``name`` ("" if there was none) and ``rank`` are from that time; for a promotion, the rank
    before it. ``key``: the departure, the new rank, the trait, the characteristic, the condition or
    the item (the name of one of the gang's own); ``how``: the cause of a promotion or a trait.
    ``amount``: the payment, the rise, or the number of games that it lasts; ``costs``: the payment
    in other currencies. ``against``: the gang
    that caused a condition. ``game``: the game that brought it, "" between games; ``games``: how
    many had been played by then. Somebody hired is or was a ``member`` of the gang ``key``, and is
    hired for ``game``.
    """

    kind: Kind
    number: int
    member: int
    name: str = ""
    rank: str
    key: str = ""
    how: How = ""
    amount: Points = 0
    costs: dict[str, int] = {}
    against: str = ""
    game: str = ""
    games: int = 0
    at: datetime


class Person(Frozen):
    """Somebody who has played at least one game of the gang.

    ``fate``: "" for members, else "dead", "dismissed" or the key of a departure; ``last_game``
    brought it ("" between games), and ``gone_at`` is its time.
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


class GangTimeline(Frozen):
    """The games and events of a gang. ``start``: the gang before its first game; None while it has
    played none, and then the rest is empty, too."""

    start: Moment | None = None
    moments: tuple[Moment, ...] = ()
    events: tuple[Event, ...] = ()
    people: tuple[Person, ...] = ()

    def __bool__(self) -> bool:
        return self.start is not None


def replay(
    book: Book,
    lines: Iterable[LedgerLine],
    books: Books = no_books,
    roster: Roster | None = None,
    timeline: GangTimeline | None = None,
) -> tuple[Roster, GangTimeline]:
    """Return what the standing entries of a gang, ``lines`` in order, fold to, and their timeline.

    ``book``: the one that it was founded with; ``books`` finds those of its upgrades; ``roster``
    and ``timeline``: those of a gang that has played, if ``lines`` are only its newest, in batches
    of their own. Raises Misfit if the entries do not fold.
    """
    lines = list(lines)
    roster, known = roster or Roster(), timeline or GangTimeline()
    brought_by = {line.batch: line.entry for line in lines if isinstance(line.entry, kinds.Played)}
    last = {line.batch: index for index, line in enumerate(lines)}
    ends = {last[batch]: played for batch, played in brought_by.items()}
    start, moments, events = known.start, [*known.moments], [*known.events]
    ends_of = _ends(known)
    numbered = ((line.number, line.entry) for line in lines)
    applied = steps(book, numbered, books, roster)
    for index, (line, step) in enumerate(zip(lines, applied, strict=True)):
        played = brought_by.get(line.batch)
        game = played.game if played is not None else ""
        if start is None and isinstance(line.entry, kinds.Played):
            start = _moment(step.book, step.before, line)
        roster = step.after
        if roster.playing or isinstance(line.entry, kinds.Hired):
            events += _events(step, line.at, game)
            ends_of |= {gone.member.id: (game, line.at) for gone in _gone(step)}
        if index in ends:
            moments.append(_moment(book_now(book, roster, books), roster, line, ends[index]))
    if start is None:
        return roster, GangTimeline()
    return roster, GangTimeline(
        start=start,
        moments=tuple(moments),
        events=tuple(events),
        people=_people(roster, ends_of),
    )


def shorten(timeline: GangTimeline, roster: Roster, undone: Collection[int]) -> GangTimeline:
    """The timeline without the last entries of a ledger, ``undone`` by number.

    ``roster``: what the rest folds to. The undone entries are all that the ledger has from some
    place on, and none of them shares a batch with the rest.
    """
    if not roster.playing:
        return GangTimeline()
    return GangTimeline(
        start=timeline.start,
        moments=tuple(row for row in timeline.moments if row.game in roster.played),
        events=tuple(event for event in timeline.events if event.number not in undone),
        people=_people(roster, _ends(timeline)),
    )


def _ends(timeline: GangTimeline) -> dict[int, tuple[str, datetime]]:
    """The game and the time at which members left, by member."""
    return {who.id: (who.last_game, who.gone_at) for who in timeline.people if who.gone_at}


def _moment(
    book: Book, roster: Roster, line: LedgerLine, played: kinds.Played | None = None
) -> Moment:
    """The gang after the game ``played``, or before its first."""
    fields = {"title", "scenario", "result", "side", "game"}
    return Moment(
        place=line.place if played else line.place - 1,
        at=line.at,
        games=roster.games,
        rating=gang_rating(book, roster).total,
        size=len(roster.members),
        treasury=roster.treasury,
        purses=balance(book, roster),
        **(played.model_dump(include=fields) if played else {}),
    )


def _gone(step: Step) -> tuple[Departed, ...]:
    """The members that an entry removed; even an upgrade may do so."""
    return step.after.departed[len(step.before.departed) :]


def _people(roster: Roster, ends: Mapping[int, tuple[str, datetime]]) -> tuple[Person, ...]:
    """Everybody who has played, in the order of their numbers. ``ends``: as of ``_ends``."""
    people = [_person(member) for member in roster.members if member.games]
    for departed in roster.departed:
        if departed.member.games:
            game, at = ends[departed.member.id]
            people.append(_person(departed.member, fate=departed.fate, last_game=game, gone_at=at))
    return tuple(sorted(people, key=attrgetter("id")))


def _person(member: Member, **gone: Any) -> Person:
    same = {"id", "name", "rank", "games", "taken_out", "experience"}
    return Person(**{field: getattr(member, field) for field in same}, **gone)


def _events(step: Step, at: datetime, game: str) -> Iterator[Event]:
    """The events in an entry of a gang that has played; most entries have none."""
    number, entry, book, before, after = step

    def event(kind: Kind, whom: Member | int, **more: Any) -> Event:
        member = before.member(whom) if isinstance(whom, int) else whom
        who: dict[str, Any] = {"member": member.id, "name": member.name, "rank": member.rank}
        when = {"number": number, "games": after.games, "at": at, "game": game}
        return Event(kind=kind, **(who | when | more))

    for gone in _gone(step):
        if gone.fate in ("dead", "dismissed"):
            yield event("died" if gone.fate == "dead" else "dismissed", gone.member)
        else:
            yield event("left", gone.member, key=gone.fate)
    match entry:
        case kinds.Recruited():
            yield event("recruited", after.member(number), amount=entry.paid)
        case kinds.Hired():
            hired = Member(id=entry.member, name=entry.name, rank=entry.rank, worth_rank="")
            yield event("hired", hired, key=entry.gang, amount=entry.paid, game=entry.game)
        case kinds.Promoted():
            how = _how_promoted(book, before.member(entry.member), entry)
            yield event("promoted", entry.member, key=entry.rank, how=how, amount=entry.paid)
        case kinds.TraitTaken() if entry.advance:
            yield event("advance", entry.member, key=entry.trait, how="advance", amount=entry.paid)
        case kinds.TraitTaken() if game:
            succeeds = any(row.trait == entry.trait for row in book.campaign.successions)
            how = "succession" if succeeds else ""
            yield event("gained", entry.member, key=entry.trait, how=how, amount=entry.paid)
        case kinds.Suffered():
            values = {"amount": entry.games, "against": entry.against}
            yield event("suffered", entry.member, key=entry.condition, **values)
        case kinds.Recovered():
            paid = {"amount": entry.paid, "costs": entry.costs}
            yield event("recovered", entry.member, key=entry.condition, **paid)
        case kinds.ItemLost():
            yield event("lost", entry.member, key=_item(before, entry.item))
        case kinds.Rose():
            yield event("rose", entry.member, key=entry.characteristic, amount=entry.amount)
        case kinds.Fined() if entry.member is not None:
            yield event("fined", entry.member, amount=entry.paid, costs=entry.costs)


def _item(roster: Roster, item: int) -> str:
    key = roster.holder(item)[1].key
    return next((own.name for own in roster.own_items if own.key == key), key)


def _how_promoted(book: Book, member: Member, entry: kinds.Promoted) -> How:
    """The cause of a promotion: experience, a choice or an empty post."""
    if entry.advance:
        return "advance"
    if entry.by_roll:
        return ""
    chosen = any(
        (row.start, row.to, row.price) == (member.rank, entry.rank, entry.paid)
        for row in book.campaign.promotions
        if row.trigger != "advance"
    )
    return "promotion" if chosen else "succession"
