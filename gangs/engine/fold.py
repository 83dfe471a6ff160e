"""The fold: ``apply(book, roster, seq, entry)`` is the only thing that ever changes a roster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import singledispatch
from typing import NamedTuple

from gangs.engine import entries as kinds
from gangs.engine.advances import advances_of_rank, begin_with, experience_price
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.mutations import (
    belong,
    change,
    gather,
    give,
    leave,
    leave_gear,
    pay,
    receive,
    take,
    use,
)
from gangs.engine.own_items import extend_book, rules_for
from gangs.engine.purses import balance
from gangs.engine.roster import (
    Affliction,
    HeldPlace,
    HiredHand,
    Member,
    OwnedItem,
    OwnItem,
    Rise,
    Roster,
)
from gangs.engine.shelf import find_opened, find_terms
from gangs.engine.valuation import gang_price
from gangs.engine.version_change import carry_over
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.costing import whole
from rules.engine.profiles import profile

# The costs of an entry that costs nothing in other currencies.
NOTHING: Mapping[str, int] = {}
# Finds the rulebook with a digest. Raises Misfit if there is none.
Books = Callable[[str], Book]


def no_books(digest: str) -> Book:
    """For gangs that were never upgraded: the given rulebook is the only one."""
    raise Misfit("unknown_book")


class State(NamedTuple):
    """A gang before the entry with this ``number``; the entry's price is paid already. ``book``:
    the rulebook in force until then.
    """

    book: Book
    roster: Roster
    number: int
    books: Books


class Step(NamedTuple):
    """An entry that was applied. ``book``: the one in force before it."""

    number: int
    entry: Entry
    book: Book
    before: Roster
    after: Roster


def book_now(book: Book, roster: Roster, books: Books = no_books) -> Book:
    """The rulebook that a gang founded with ``book`` uses now."""
    return book if roster.book in ("", book.digest) else books(roster.book)


def apply(book: Book, roster: Roster, seq: int, entry: Entry, books: Books = no_books) -> Roster:
    """The roster after ``entry``, which is number ``seq`` of the gang's ledger.

    ``book``: the one in force until now; ``books`` finds the one that an upgrade leads to. Raises
    Misfit if the entry refers to something that is not there. Prices and limits were checked when
    the entry was made, and findings judge the outcome: here every price is simply paid.
    """
    # Not ``getattr``: pydantic takes five microseconds to say that a field is missing.
    fields = vars(entry)
    after_payment = pay(roster, fields.get("paid", 0), fields.get("costs", NOTHING))
    try:
        return apply_entry(entry, State(book, after_payment, seq, books))
    except KeyError:
        raise Misfit("unknown") from None


def steps(
    book: Book,
    numbered: Iterable[tuple[int, Entry]],
    books: Books = no_books,
    start: Roster | None = None,
    misfits: list[tuple[int, Misfit]] | None = None,
) -> Iterator[Step]:
    """Apply all entries in order, and yield each with the gang before and after it.

    ``book``: the rulebook that the gang was founded with; ``books`` finds later ones after
    upgrades; ``start``: the roster before the first of them. Raises Misfit at the first that does
    not fit; or lists it among ``misfits``, if there is such a list, and leaves it out.
    """
    roster = start or Roster()
    for number, entry in numbered:
        try:
            current = book_now(book, roster, books)
            after = apply(current, roster, number, entry, books)
        except Misfit as misfit:
            if misfits is None:
                raise
            misfits.append((number, misfit))
            continue
        yield Step(number, entry, current, roster, after)
        roster = after


def fold(
    book: Book,
    numbered: Iterable[tuple[int, Entry]],
    start: Roster | None = None,
    books: Books = no_books,
) -> Roster:
    """The roster after all entries. Parameters and exceptions as for ``steps``."""
    roster = start or Roster()
    for step in steps(book, numbered, books, roster):
        roster = step.after
    return roster


def refold(
    book: Book,
    numbered: Iterable[tuple[int, Entry]],
    books: Books = no_books,
    start: Roster | None = None,
) -> tuple[Roster, list[tuple[int, Misfit]]]:
    """Apply all entries that fit, in order; list those that do not, and leave them out."""
    roster = start or Roster()
    misfits: list[tuple[int, Misfit]] = []
    for step in steps(book, numbered, books, roster, misfits):
        roster = step.after
    return roster, misfits


@singledispatch
def apply_entry(entry: Entry, to: State) -> Roster:
    """The roster after ``entry``: every kind of entry registers how. Raises Misfit, and KeyError
    for rows that the rulebook does not have."""
    raise NotImplementedError(entry.kind)


@apply_entry.register
def _(entry: kinds.Upgraded, to: State) -> Roster:
    """The gang uses another rulebook from here on; things that it does not have are dropped."""
    newer = to.books(entry.digest)
    if newer.slug != to.book.slug:
        raise Misfit("other_rules")
    return carry_over(to.book, newer, to.roster)[0]


@apply_entry.register
def _(entry: kinds.Founded, to: State) -> Roster:
    if to.number != 1:
        raise Misfit("no_gang")
    return Roster(name=entry.name, settings=to.book.default_settings() | entry.settings)


@apply_entry.register
def _(entry: kinds.Renamed, to: State) -> Roster:
    return to.roster.changed(name=entry.name)


@apply_entry.register
def _(entry: kinds.SettingsChosen, to: State) -> Roster:
    if _accepted(to.book, entry.settings) != entry.settings:
        raise Misfit("unknown")
    return to.roster.changed(settings=to.roster.settings | entry.settings)


def _accepted(book: Book, settings: Settings) -> Settings:
    """The settings that the rulebook knows: the entry may come from another version of it."""
    return {
        key: value
        for key, value in settings.items()
        if key in book.setting and book.setting[key].accepts(value)
    }


@apply_entry.register
def _(entry: kinds.Noted, to: State) -> Roster:
    if entry.member is None:
        return to.roster.changed(notes=entry.text)
    return change(to.roster, entry.member, notes=entry.text)


@apply_entry.register
def _(entry: kinds.Recruited, to: State) -> Roster:
    roster = to.roster
    row = to.book.rank[entry.rank]
    rank = row.key
    origin = entry.origin and to.book.origin[entry.origin].key
    member = Member(id=to.number, name=entry.name, rank=rank, worth_rank=rank, origin=origin)
    if row.starts_with:
        member = begin_with(to.book, roster, member, row.starts_with)
    later = 1 if roster.playing and not entry.by_roll else 0
    copies = row.belongs_to.copies if row.belongs_to is not None else ()
    rolled = {key: entry.numbers[key] for key in copies if key in entry.numbers}
    if entry.owner is not None and copies and not rolled:
        rolled = _copied(to.book, roster, entry.owner, copies)
    joined = roster.changed(members=(*roster.members, member.changed(rolled=rolled)))
    if entry.owner is not None:
        joined = belong(joined, member.id, entry.owner)
    return joined.changed(
        recruits_since_game=roster.recruits_since_game + later,
        recruits_since_start=roster.recruits_since_start + later,
        ranks_since_game=roster.ranks_since_game + (rank,) * later,
    )


def _copied(book: Book, roster: Roster, owner: int, keys: Iterable[str]) -> dict[str, int]:
    """The numbers of an owner with which those who belong to them start."""
    extended = extend_book(book, roster)
    figure = replace(roster.figure(extended, roster.member(owner)), items=(), holdings=())
    known = profile(extended.under(roster.settings), figure)
    return {key: known.natural(key) for key in keys if key in known.scores}


@apply_entry.register
def _(entry: kinds.Dismissed, to: State) -> Roster:
    return leave_gear(to.roster, to.roster.member(entry.member), "dismissed")


@apply_entry.register
def _(entry: kinds.Died, to: State) -> Roster:
    member = to.roster.member(entry.member)
    return (leave_gear if entry.gear == "stash" else leave)(to.roster, member, "dead")


@apply_entry.register
def _(entry: kinds.Left, to: State) -> Roster:
    member = to.roster.member(entry.member)
    if entry.departure not in {row.key for row in to.book.campaign.departures}:
        raise Misfit("unknown")
    if entry.gear == "stash":
        return leave_gear(to.roster, member, entry.departure)
    return leave(to.roster, member, entry.departure, with_items=entry.gear == "kept")


@apply_entry.register
def _(entry: kinds.Reordered, to: State) -> Roster:
    member = to.roster.member(entry.member)
    others = [other for other in to.roster.members if other.id != member.id]
    others.insert(entry.position, member)
    return gather(to.roster.changed(members=tuple(others)))


@apply_entry.register
def _(entry: kinds.OwnerChosen, to: State) -> Roster:
    return belong(to.roster, entry.member, entry.owner)


@apply_entry.register
def _(entry: kinds.PointsSpread, to: State) -> Roster:
    member = to.roster.member(entry.member)
    key = to.book.characteristic[entry.characteristic].key
    points = member.points | {key: member.points.get(key, 0) + entry.amount}
    kept = {name: points[name] for name in sorted(points) if name != key or points[name]}
    return change(to.roster, member.id, points=kept)


@apply_entry.register
def _(entry: kinds.ProfileRolled, to: State) -> Roster:
    member = to.roster.member(entry.member)
    row = to.book.characteristic[entry.characteristic]
    if row.kind != "number":
        raise Misfit("unknown")
    return change(to.roster, member.id, rolled=member.rolled | {row.key: entry.amount})


@apply_entry.register
def _(entry: kinds.ProfessionChosen, to: State) -> Roster:
    profession = entry.profession and to.book.profession[entry.profession].key
    return change(to.roster, entry.member, profession=profession)


@apply_entry.register
def _(entry: kinds.OriginChosen, to: State) -> Roster:
    origin = entry.origin and to.book.origin[entry.origin].key
    return change(to.roster, entry.member, origin=origin)


@apply_entry.register
def _(entry: kinds.Named | kinds.SquadJoined, to: State) -> Roster:
    return change(to.roster, **entry.model_dump())


@apply_entry.register
def _(entry: kinds.TraitTaken, to: State) -> Roster:
    member = to.roster.member(entry.member)
    if entry.teacher is not None:
        to.roster.member(entry.teacher)
    traits = (*member.traits, to.book.trait[entry.trait].key)
    update: dict[str, object] = {"traits": traits, "advances": member.advances + entry.advance}
    if entry.experience:
        update["experience_spent"] = member.experience_spent + entry.experience
    return change(to.roster, member.id, **update)


@apply_entry.register
def _(entry: kinds.TraitDropped, to: State) -> Roster:
    member = to.roster.member(entry.member)
    if entry.trait not in member.traits:
        raise Misfit("no_trait")
    place = member.traits.index(entry.trait)
    traits = member.traits[:place] + member.traits[place + 1 :]
    rises = tuple(rise.changed(traits=rise.traits - (place < rise.traits)) for rise in member.rises)
    update: dict[str, object] = {"traits": traits, "rises": rises}
    if member.experience_spent and not to.roster.playing:
        # Until the first game, nothing is final.
        back = experience_price(member.changed(traits=traits), to.book.trait[entry.trait])
        update["experience_spent"] = max(0, member.experience_spent - back)
    return change(to.roster, member.id, **update)


@apply_entry.register
def _(entry: kinds.Bought, to: State) -> Roster:
    key = extend_book(to.book, to.roster).item[entry.item].key
    item = OwnedItem(id=to.number, key=key, included=entry.included, on=entry.on)
    roster = give(to.roster, entry.member, item)
    if to.roster.found_left and not (entry.included or entry.by_roll):
        roster = _take_from_stock(to, entry, roster)
    return roster


def _take_from_stock(to: State, entry: kinds.Bought, roster: Roster) -> Roster:
    """Count a purchase against the stock of the found offer that it came from, if it has one."""
    rules = rules_for(to.book, to.roster)
    buyer = None if entry.member is None else to.roster.member(entry.member)
    figure = None if buyer is None else to.roster.figure(rules.book, buyer)
    offer = find_opened(rules, to.roster, figure, rules.book.item[entry.item])
    if offer is None or offer.key not in roster.found_left:
        return roster
    left = roster.found_left[offer.key] - 1
    return roster.changed(found_left=roster.found_left | {offer.key: left})


@apply_entry.register
def _(entry: kinds.ItemDeclared, to: State) -> Roster:
    if not set(entry.columns) <= {column.key for column in to.book.group[entry.group].columns}:
        raise Misfit("unknown")
    own = OwnItem(key=f"own-{to.number}", **entry.model_dump())
    return to.roster.changed(own_items=(*to.roster.own_items, own))


@apply_entry.register
def _(entry: kinds.Moved, to: State) -> Roster:
    without, (item, *parts) = take(to.roster, entry.item)
    return give(without, entry.member, item.changed(on=entry.on), *parts)


@apply_entry.register
def _(entry: kinds.Discarded, to: State) -> Roster:
    return take(to.roster, entry.item)[0]


@apply_entry.register
def _(entry: kinds.Searched, to: State) -> Roster:
    to.roster.member(entry.member)
    offer = to.book.offer[entry.offer]
    if not offer.is_found(entry.roll.total + entry.plus) or offer.key in to.roster.found:
        return to.roster
    price, stock = find_terms(offer, entry)
    prices, left = to.roster.found_prices, to.roster.found_left
    return to.roster.changed(
        found=(*to.roster.found, offer.key),
        found_prices=prices if price is None else prices | {offer.key: price},
        found_left=left if stock is None else left | {offer.key: stock},
    )


@apply_entry.register
def _(entry: kinds.Sold, to: State) -> Roster:
    without = take(to.roster, entry.item)[0]
    return without.changed(earned=whole(without.earned + entry.amount))


@apply_entry.register
def _(entry: kinds.Used, to: State) -> Roster:
    owned = to.roster.holder(entry.item)[1]
    uses = extend_book(to.book, to.roster).item[owned.key].uses
    if uses is None:
        raise Misfit("unknown")
    return use(to.roster, entry.item, entry.uses, uses)


@apply_entry.register
def _(entry: kinds.Tracked, to: State) -> Roster:
    member, row = to.roster.member(entry.member), to.book.track[entry.track]
    if not row.lasts:
        raise Misfit("unknown")
    number = max(row.minimum, entry.to)
    return change(to.roster, member.id, tracks={**member.tracks, row.key: number})


@apply_entry.register
def _(entry: kinds.ItemLost, to: State) -> Roster:
    to.roster.member(entry.member)
    return take(to.roster, entry.item)[0]


@apply_entry.register
def _(entry: kinds.Joined, to: State) -> Roster:
    here = () if entry.elsewhere else (entry.campaign,)
    return to.roster.changed(
        settings=to.roster.settings | _accepted(to.book, entry.settings),
        campaigns=to.roster.campaigns + here,
    )


@apply_entry.register
def _(entry: kinds.Played, to: State) -> Roster:
    """Conditions with games left lose one, and end with the last."""
    book, roster = to.book, to.roster
    if entry.game in roster.played:
        raise Misfit("played_twice")
    update: dict[str, object] = {}
    if not roster.playing:
        update["first_size"] = len(roster.members)
        if book.currencies:
            update["purses"] = balance(extend_book(book, roster), roster)
        rules = book.under(roster.settings)
        budget = rules.budget
        if budget is not None:
            left = budget - gang_price(book, roster)
            update["overspent"] = whole(max(0, -left))
            if left > 0 and rules.keeps_budget:
                update["earned"] = whole(roster.earned + left)
    return roster.changed(
        members=tuple(
            member.changed(
                games=member.games + (member.id in entry.fielded),
                taken_out=member.taken_out + entry.taken_out.get(member.id, 0),
                afflictions=_counted_down(member),
            )
            for member in roster.members
        ),
        played=(*roster.played, entry.game),
        recruits_since_game=0,
        ranks_since_game=(),
        found=(),
        found_prices={},
        found_left={},
        hired=tuple(hired for hired in roster.hired if hired.game != entry.game),
        **update,
    )


def _counted_down(member: Member) -> tuple[Affliction, ...]:
    return tuple(
        affliction.changed(games_left=max(0, affliction.games_left - 1))
        for affliction in member.afflictions
        if affliction.games_left != 1
    )


@apply_entry.register
def _(entry: kinds.Rolled, to: State) -> Roster:
    if entry.table not in to.book.table:
        raise Misfit("unknown")
    if entry.member is None:
        return to.roster
    member = to.roster.member(entry.member)
    return (
        change(to.roster, member.id, advances=member.advances + 1) if entry.advance else to.roster
    )


@apply_entry.register
def _(entry: kinds.Suffered, to: State) -> Roster:
    member = to.roster.member(entry.member)
    key = to.book.condition[entry.condition].key
    affliction = Affliction(
        condition=key, games_left=entry.games, against=entry.against, captors=entry.captors
    )
    return change(to.roster, member.id, afflictions=(*member.afflictions, affliction))


@apply_entry.register
def _(entry: kinds.Recovered, to: State) -> Roster:
    member = to.roster.member(entry.member)
    suffered = [affliction.condition for affliction in member.afflictions]
    if entry.condition not in suffered:
        raise Misfit("no_condition")
    first = suffered.index(entry.condition)
    left = member.afflictions[:first] + member.afflictions[first + 1 :]
    return change(to.roster, member.id, afflictions=left)


@apply_entry.register
def _(entry: kinds.Learned, to: State) -> Roster:
    member = to.roster.member(entry.member)
    return change(to.roster, member.id, experience=member.experience + entry.amount)


@apply_entry.register
def _(entry: kinds.Earned, to: State) -> Roster:
    if entry.currency is not None:
        return receive(to.roster, {to.book.currency[entry.currency].key: int(entry.amount)})
    return to.roster.changed(earned=whole(to.roster.earned + entry.amount))


@apply_entry.register
def _(entry: kinds.Hired, to: State) -> Roster:
    if entry.game in to.roster.played:
        raise Misfit("played_already")
    hand = HiredHand(**entry.model_dump())
    hired = to.roster.hired
    if (hand.game, hand.gang, hand.member) in {(old.game, old.gang, old.member) for old in hired}:
        raise Misfit("hired_twice")
    return to.roster.changed(hired=(*hired, hand))


@apply_entry.register
def _(entry: kinds.Fined, to: State) -> Roster:
    if entry.member is not None:
        to.roster.member(entry.member)
    return to.roster


@apply_entry.register
def _(entry: kinds.Rose, to: State) -> Roster:
    member = to.roster.member(entry.member)
    key = to.book.characteristic[entry.characteristic].key
    raised = member.raised | {key: member.raised.get(key, 0) + entry.amount}
    return change(to.roster, member.id, raised={name: raised[name] for name in sorted(raised)})


@apply_entry.register
def _(entry: kinds.HoldingGained, to: State) -> Roster:
    """Whether another gang has it is checked when the entry is written, not here."""
    key = to.book.holding[entry.holding].key
    held = HeldPlace(id=to.number, key=key, name=entry.name)
    return to.roster.changed(holdings=(*to.roster.holdings, held))


@apply_entry.register
def _(entry: kinds.HoldingLost, to: State) -> Roster:
    lost = to.roster.place(entry.place)
    return to.roster.changed(
        holdings=tuple(held for held in to.roster.holdings if held.id != lost.id)
    )


@apply_entry.register
def _(entry: kinds.UpkeepPaid, to: State) -> Roster:
    if entry.upkeep not in {row.key for row in to.book.campaign.upkeep}:
        raise Misfit("unknown")
    for member in entry.members:
        to.roster.member(member)
    for place in entry.places:
        to.roster.place(place)
    return to.roster


@apply_entry.register
def _(entry: kinds.Promoted, to: State) -> Roster:
    member = to.roster.member(entry.member)
    rank = to.book.rank[entry.rank].key
    update: dict[str, object] = {"rank": rank, "advances": member.advances + entry.advance}
    if not entry.keeps_price:
        update["worth_rank"] = rank
    if entry.profile == "new":
        update |= {"base_rank": "", "rises": (), "rolled": {}}
    else:
        update["base_rank"] = member.base_rank or member.rank
    if entry.profile == "best":
        update["rises"] = (*member.rises, Rise(rank=rank, traits=len(member.traits)))
    if to.book.rank[rank].belongs_to is None:
        update["owner"] = None
    if entry.restarts:
        update |= {"experience_before": member.experience, "advances": 0}
    risen = gather(change(to.roster, member.id, **update))
    if not to.book.campaign.advancements or entry.restarts:
        return risen
    advances = advances_of_rank(to.book, to.roster, member, risen.member(member.id))
    return change(risen, member.id, advances=advances)
