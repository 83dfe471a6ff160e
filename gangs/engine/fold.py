"""The fold: ``apply(book, roster, seq, entry)`` is the only thing that ever changes a roster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gangs import entries as kinds
from gangs.changing import change, find, give, leave, leave_gear, pay, take
from gangs.entries import Entry
from gangs.misfit import Misfit as Misfit
from gangs.own_items import extended
from gangs.roster import Affliction, Hand, Member, OwnedItem, OwnItem, Rise, Roster
from gangs.upgrading import carried_over
from gangs.worth import gang_price
from rules.book import Book
from rules.costing import whole
from rules.vocabulary import Settings

# Finds the rulebook with a digest. Raises Misfit if there is none.
Books = Callable[[str], Book]


def no_books(digest: str) -> Book:
    """For gangs that were never upgraded: there is no other rulebook than the one given."""
    raise Misfit("unknown_book")


def in_force(book: Book, roster: Roster, books: Books = no_books) -> Book:
    """The rulebook that a gang goes by now, which was founded with ``book``."""
    return book if roster.book in ("", book.digest) else books(roster.book)


def apply(book: Book, roster: Roster, seq: int, entry: Entry, books: Books = no_books) -> Roster:
    """The roster after ``entry``, which is number ``seq`` of the gang's ledger.

    ``book``: the one in force until now; ``books`` finds the one that an upgrade leads to. Raises
    Misfit if the entry speaks of what is not there. It checks no price and no limit: those
    were decided when the entry was made, and findings speak of the outcome.
    """
    try:
        if isinstance(entry, kinds.Upgraded):
            return _upgraded(book, roster, books(entry.digest))
        return _APPLY[type(entry)](book, roster, seq, entry)
    except KeyError:
        raise Misfit("unknown") from None


def fold(
    book: Book,
    numbered: Iterable[tuple[int, Entry]],
    start: Roster | None = None,
    books: Books = no_books,
) -> Roster:
    """Apply all entries in order. Raises Misfit at the first that does not fit.

    ``book``: the one that the gang was founded with; ``books`` finds those of its upgrades.
    """
    roster = start or Roster()
    for seq, entry in numbered:
        roster = apply(in_force(book, roster, books), roster, seq, entry, books)
    return roster


def refold(
    book: Book, numbered: Iterable[tuple[int, Entry]], books: Books = no_books
) -> tuple[Roster, list[tuple[int, Misfit]]]:
    """Apply all entries that fit, in order; those that do not are left out and listed."""
    roster = Roster()
    misfits = []
    for seq, entry in numbered:
        try:
            roster = apply(in_force(book, roster, books), roster, seq, entry, books)
        except Misfit as misfit:
            misfits.append((seq, misfit))
    return roster, misfits


def _upgraded(book: Book, roster: Roster, newer: Book) -> Roster:
    """From here on the gang goes by another rulebook; what that does not know is no more."""
    if newer.slug != book.slug:
        raise Misfit("other_rules")
    return carried_over(book, newer, roster)[0]


def _founded(book: Book, roster: Roster, seq: int, entry: kinds.Founded) -> Roster:
    if seq != 1:
        raise Misfit("no_gang")
    settings = book.default_settings() | entry.settings
    return Roster(name=entry.name, settings=settings)


def _renamed(book: Book, roster: Roster, seq: int, entry: kinds.Renamed) -> Roster:
    return roster.model_copy(update={"name": entry.name})


def _settings(book: Book, roster: Roster, seq: int, entry: kinds.SettingsChosen) -> Roster:
    if _accepted(book, entry.settings) != entry.settings:
        raise Misfit("unknown")
    return roster.model_copy(update={"settings": roster.settings | entry.settings})


def _accepted(book: Book, settings: Settings) -> Settings:
    """Those that the rulebook knows: entries may have been made with another version of it."""
    return {
        key: value
        for key, value in settings.items()
        if key in book.setting and book.setting[key].accepts(value)
    }


def _noted(book: Book, roster: Roster, seq: int, entry: kinds.Noted) -> Roster:
    if entry.member is None:
        return roster.model_copy(update={"notes": entry.text})
    return change(roster, entry.member, notes=entry.text)


def _recruited(book: Book, roster: Roster, seq: int, entry: kinds.Recruited) -> Roster:
    rank = book.rank[entry.rank]
    origin = None if entry.origin is None else book.origin[entry.origin].key
    member = Member(id=seq, name=entry.name, rank=rank.key, worth_rank=rank.key, origin=origin)
    later = 1 if roster.playing else 0
    return pay(roster, entry.paid).model_copy(
        update={
            "members": (*roster.members, member),
            "recruits_since_game": roster.recruits_since_game + later,
            "recruits_since_start": roster.recruits_since_start + later,
            "ranks_since_game": roster.ranks_since_game + (rank.key,) * later,
        }
    )


def _dismissed(book: Book, roster: Roster, seq: int, entry: kinds.Dismissed) -> Roster:
    return leave_gear(roster, find(roster, entry.member), "dismissed")


def _died(book: Book, roster: Roster, seq: int, entry: kinds.Died) -> Roster:
    member = find(roster, entry.member)
    if entry.gear == "stash":
        return leave_gear(roster, member, "dead")
    return leave(roster, member, "dead")


def _left(book: Book, roster: Roster, seq: int, entry: kinds.Left) -> Roster:
    member = find(roster, entry.member)
    if entry.departure not in {row.key for row in book.campaign.departures}:
        raise Misfit("unknown")
    if entry.gear == "stash":
        return leave_gear(roster, member, entry.departure)
    if entry.gear == "lost":
        member = member.model_copy(update={"items": ()})
    return leave(roster, member, entry.departure)


def _named(book: Book, roster: Roster, seq: int, entry: kinds.Named) -> Roster:
    return change(roster, entry.member, name=entry.name)


def _reordered(book: Book, roster: Roster, seq: int, entry: kinds.Reordered) -> Roster:
    member = find(roster, entry.member)
    others = [other for other in roster.members if other.id != member.id]
    others.insert(entry.position, member)
    return roster.model_copy(update={"members": tuple(others)})


def _points(book: Book, roster: Roster, seq: int, entry: kinds.PointsSpread) -> Roster:
    member = find(roster, entry.member)
    key = book.characteristic[entry.characteristic].key
    spread = member.points.get(key, 0) + entry.amount
    points = {name: value for name, value in member.points.items() if name != key}
    if spread:
        points[key] = spread
    return change(roster, member.id, points=dict(sorted(points.items())))


def _profession(book: Book, roster: Roster, seq: int, entry: kinds.ProfessionChosen) -> Roster:
    if entry.profession is not None and entry.profession not in book.profession:
        raise Misfit("unknown")
    return change(roster, entry.member, profession=entry.profession)


def _origin(book: Book, roster: Roster, seq: int, entry: kinds.OriginChosen) -> Roster:
    if entry.origin is not None and entry.origin not in book.origin:
        raise Misfit("unknown")
    return change(roster, entry.member, origin=entry.origin)


def _squad(book: Book, roster: Roster, seq: int, entry: kinds.SquadJoined) -> Roster:
    return change(roster, entry.member, squad=entry.squad)


def _trait_taken(book: Book, roster: Roster, seq: int, entry: kinds.TraitTaken) -> Roster:
    member = find(roster, entry.member)
    key = book.trait[entry.trait].key
    return change(
        pay(roster, entry.paid),
        member.id,
        traits=(*member.traits, key),
        advances=member.advances + entry.advance,
    )


def _trait_dropped(book: Book, roster: Roster, seq: int, entry: kinds.TraitDropped) -> Roster:
    member = find(roster, entry.member)
    if entry.trait not in member.traits:
        raise Misfit("no_trait")
    traits = list(member.traits)
    place = traits.index(entry.trait)
    del traits[place]
    rises = tuple(
        Rise(rank=rise.rank, traits=rise.traits - (place < rise.traits)) for rise in member.rises
    )
    return change(roster, member.id, traits=tuple(traits), rises=rises)


def _bought(book: Book, roster: Roster, seq: int, entry: kinds.Bought) -> Roster:
    item = OwnedItem(id=seq, key=extended(book, roster).item[entry.item].key)
    return give(pay(roster, entry.paid), entry.member, item)


def _item_declared(book: Book, roster: Roster, seq: int, entry: kinds.ItemDeclared) -> Roster:
    if not set(entry.columns) <= {column.key for column in book.group[entry.group].columns}:
        raise Misfit("unknown")
    own = OwnItem(key=f"own-{seq}", **entry.model_dump(exclude={"kind"}))
    return roster.model_copy(update={"own_items": (*roster.own_items, own)})


def _moved(book: Book, roster: Roster, seq: int, entry: kinds.Moved) -> Roster:
    without, item = take(roster, entry.item)
    return give(without, entry.member, item)


def _discarded(book: Book, roster: Roster, seq: int, entry: kinds.Discarded) -> Roster:
    return take(roster, entry.item)[0]


def _item_lost(book: Book, roster: Roster, seq: int, entry: kinds.ItemLost) -> Roster:
    find(roster, entry.member)
    return take(roster, entry.item)[0]


def _joined(book: Book, roster: Roster, seq: int, entry: kinds.Joined) -> Roster:
    update: dict[str, object] = {"settings": roster.settings | _accepted(book, entry.settings)}
    if not entry.elsewhere:
        update["campaigns"] = (*roster.campaigns, entry.campaign)
    return roster.model_copy(update=update)


def _played(book: Book, roster: Roster, seq: int, entry: kinds.Played) -> Roster:
    """A game counts conditions down: those with games left lose one, and end at none."""
    if entry.game in roster.played:
        raise Misfit("played_twice")
    members = []
    for member in roster.members:
        took_part = member.id in entry.fielded
        members.append(
            member.model_copy(
                update={
                    "games": member.games + took_part,
                    "taken_out": member.taken_out + entry.taken_out.get(member.id, 0),
                    "afflictions": _counted_down(member),
                }
            )
        )
    update: dict[str, object] = {
        "members": tuple(members),
        "played": (*roster.played, entry.game),
        "recruits_since_game": 0,
        "ranks_since_game": (),
        "hired": tuple(hand for hand in roster.hired if hand.game != entry.game),
    }
    if not roster.playing:
        update["first_size"] = len(roster.members)
        budget = book.budget(roster.settings)
        if budget is not None:
            left = budget - gang_price(book, roster)
            update["overspent"] = whole(max(0, -left))
            if left > 0 and book.keeps_budget(roster.settings):
                update["earned"] = whole(roster.earned + left)
    return roster.model_copy(update=update)


def _counted_down(member: Member) -> tuple[Affliction, ...]:
    return tuple(
        affliction.model_copy(update={"games_left": max(0, affliction.games_left - 1)})
        for affliction in member.afflictions
        if affliction.games_left != 1
    )


def _rolled(book: Book, roster: Roster, seq: int, entry: kinds.Rolled) -> Roster:
    if entry.table not in book.table:
        raise Misfit("unknown")
    if entry.member is not None:
        find(roster, entry.member)
    return roster


def _suffered(book: Book, roster: Roster, seq: int, entry: kinds.Suffered) -> Roster:
    member = find(roster, entry.member)
    key = book.condition[entry.condition].key
    affliction = Affliction(condition=key, games_left=entry.games, against=entry.against)
    return change(roster, member.id, afflictions=(*member.afflictions, affliction))


def _recovered(book: Book, roster: Roster, seq: int, entry: kinds.Recovered) -> Roster:
    member = find(roster, entry.member)
    afflictions = list(member.afflictions)
    for affliction in afflictions:
        if affliction.condition == entry.condition:
            afflictions.remove(affliction)
            paid = pay(roster, entry.paid)
            return change(paid, member.id, afflictions=tuple(afflictions))
    raise Misfit("no_condition")


def _learned(book: Book, roster: Roster, seq: int, entry: kinds.Learned) -> Roster:
    member = find(roster, entry.member)
    return change(roster, member.id, experience=member.experience + entry.amount)


def _earned(book: Book, roster: Roster, seq: int, entry: kinds.Earned) -> Roster:
    return roster.model_copy(update={"earned": whole(roster.earned + entry.amount)})


def _hired(book: Book, roster: Roster, seq: int, entry: kinds.Hired) -> Roster:
    if entry.game in roster.played:
        raise Misfit("played_already")
    hand = Hand(**entry.model_dump(exclude={"kind"}))
    if (hand.game, hand.gang, hand.member) in {
        (old.game, old.gang, old.member) for old in roster.hired
    }:
        raise Misfit("hired_twice")
    return pay(roster, entry.paid).model_copy(update={"hired": (*roster.hired, hand)})


def _fined(book: Book, roster: Roster, seq: int, entry: kinds.Fined) -> Roster:
    find(roster, entry.member)
    return pay(roster, entry.paid)


def _promoted(book: Book, roster: Roster, seq: int, entry: kinds.Promoted) -> Roster:
    member = find(roster, entry.member)
    rank = book.rank[entry.rank].key
    update: dict[str, object] = {"rank": rank, "advances": member.advances + entry.advance}
    if not entry.keeps_price:
        update["worth_rank"] = rank
    if entry.profile == "new":
        update |= {"base_rank": "", "rises": ()}
    else:
        update["base_rank"] = member.base_rank or member.rank
    if entry.profile == "best":
        update["rises"] = (*member.rises, Rise(rank=rank, traits=len(member.traits)))
    if entry.restarts:
        update |= {"experience_before": member.experience, "advances": 0}
    return change(pay(roster, entry.paid), member.id, **update)


_APPLY: dict[type[Entry], Callable[[Book, Roster, int, Any], Roster]] = {
    kinds.Founded: _founded,
    kinds.Renamed: _renamed,
    kinds.SettingsChosen: _settings,
    kinds.Noted: _noted,
    kinds.Recruited: _recruited,
    kinds.Dismissed: _dismissed,
    kinds.Named: _named,
    kinds.Reordered: _reordered,
    kinds.PointsSpread: _points,
    kinds.ProfessionChosen: _profession,
    kinds.OriginChosen: _origin,
    kinds.SquadJoined: _squad,
    kinds.TraitTaken: _trait_taken,
    kinds.TraitDropped: _trait_dropped,
    kinds.Bought: _bought,
    kinds.ItemDeclared: _item_declared,
    kinds.Moved: _moved,
    kinds.Discarded: _discarded,
    kinds.Joined: _joined,
    kinds.Played: _played,
    kinds.Rolled: _rolled,
    kinds.Died: _died,
    kinds.Left: _left,
    kinds.Suffered: _suffered,
    kinds.Recovered: _recovered,
    kinds.ItemLost: _item_lost,
    kinds.Learned: _learned,
    kinds.Earned: _earned,
    kinds.Hired: _hired,
    kinds.Fined: _fined,
    kinds.Promoted: _promoted,
}
