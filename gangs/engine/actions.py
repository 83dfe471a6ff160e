"""Acts: decisions of a player who builds a gang, turned into entries or refused in words.

Every function looks at the present gang and returns the entries to append; ``next_id`` is the
number that the first of them will get. Raises Refusal where the decision cannot be carried out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.belonging import choose_owner, find_owners, may_change_owner, why_not_owner
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit, too_dear
from gangs.engine.fitting import find_host, fit_out, hosts, in_order, parts_of
from gangs.engine.groups import after, is_together
from gangs.engine.purses import cannot_pay, costs_of_outfit
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.shelf import kit
from gangs.engine.validation import quota_left, recruits_left
from gangs.engine.valuation import newcomer
from rules.book.model import Book, Sample
from rules.book.outfits import Outfit
from rules.book.vocabulary import Settings
from rules.engine.costing import Points
from rules.engine.profiles import evenly

MOST_MEMBERS = 60
MOST_AT_ONCE = 10
MOST_OWN_ITEMS = 40
# A name with a number behind it; the letters that leave room for one.
NUMBERED = re.compile(r"(.+) ([0-9]{1,4})")
MOST_LETTERS = 75


def found(book: Book, name: str, settings: Settings) -> list[Entry]:
    """Found a gang with a name and the rulebook's options."""
    return [kinds.Founded(name=name, settings=book.default_settings() | settings)]


def found_from_sample(book: Book, sample: Sample, name: str = "") -> list[Entry]:
    """Found a ready-made gang, under its own name or another."""
    settings = book.default_settings() | sample.settings
    entries: list[Entry] = found(book, name or sample.name, sample.settings)
    numbers: dict[str, int] = {}
    for member in sample.members:
        owner = numbers.get(member.owner)
        entries.append(
            kinds.Recruited(rank=member.rank, name=member.name, origin=member.origin, owner=owner)
        )
        subject = len(entries)
        numbers.setdefault(member.name, subject)
        figure = newcomer(book, Roster(settings=settings), member.rank, member.origin)
        entries.extend(kit(book.under(settings), figure, subject, playing=False))
        if member.squad:
            entries.append(kinds.SquadJoined(member=subject, squad=member.squad))
        entries.extend(_chosen(member, subject))
        entries.extend(kinds.TraitTaken(member=subject, trait=key) for key in member.traits)
        entries.extend(
            kinds.Bought(item=owned.key, member=subject, on=owned.on)
            for owned in fit_out(book, member.items, len(entries) + 1)
        )
    return entries


def _chosen(outfit: Outfit | Member, member: int) -> Iterator[Entry]:
    """Entries for everything in an outfit that costs nothing: the profession, and points spread."""
    if outfit.profession is not None:
        yield kinds.ProfessionChosen(member=member, profession=outfit.profession)
    for key, amount in outfit.points.items():
        yield kinds.PointsSpread(member=member, characteristic=key, amount=amount)


def recruit(
    computed: ComputedGang,
    rank: str,
    name: str,
    count: int = 1,
    origin: str | None = None,
    next_id: int | None = None,
    owner: int | None = None,
) -> list[Entry]:
    """Recruit one member, or several of one rank; several get the name with a number.

    ``origin``: their own, if it differs from the gang's. ``owner``: the member whom they belong to,
    if they belong to one; None: the only one possible. ``next_id``: the recruits get the kit that
    they join with; without it, the caller adds the kit.
    """
    offers.check_origin(computed, origin, rank)
    offer = offers.rank(computed, rank, origin)
    if not 1 <= count <= MOST_AT_ONCE:
        raise Refusal("how_many", maximum=MOST_AT_ONCE)
    if len(computed.roster.members) + count > MOST_MEMBERS:
        raise Refusal("gang_full", maximum=MOST_MEMBERS)
    book, roster = computed.book, computed.roster
    for left in (recruits_left(book, roster), quota_left(book, roster, rank)):
        if left is not None and count > left:
            raise Refusal("recruits_left", count=left)
    if roster.playing:
        figure = newcomer(book, roster, rank, origin)
        if refusal := offers.beyond_maximum(computed, figure, count):
            raise refusal
    owner = choose_owner(computed, offer.row, owner, count)
    paid = _paid(computed, offer.price, count)
    together = {key: cost * count for key, cost in offer.row.costs.items()}
    if refusal := cannot_pay(book, roster, together):
        raise refusal
    names = [name] * count if count == 1 or not name else _numbered(computed.roster, name, 1, count)
    entries: list[Entry] = []
    for each in names:
        entries.append(
            kinds.Recruited(
                rank=rank,
                name=each,
                paid=paid,
                origin=origin,
                owner=owner,
                costs=offer.row.costs,
            )
        )
        if next_id is not None and computed.rules.offers:
            figure = newcomer(book, roster, rank, origin)
            recruit = next_id + len(entries) - 1
            entries.extend(kit(computed.rules, figure, recruit, playing=roster.playing))
    return entries


def _numbered(roster: Roster, name: str, first: int, count: int = 1) -> list[str]:
    """The name with numbers behind it that nobody has had yet, from ``first`` on."""
    name = name[:MOST_LETTERS].rstrip()
    found = [NUMBERED.fullmatch(other.name) for other in roster.everyone()]
    taken = [int(match[2]) for match in found if match and match[1] == name]
    start = max([first, *(number + 1 for number in taken)])
    return [f"{name} {number}" for number in range(start, start + count)]


def duplicate(computed: ComputedGang, member: int, next_id: int) -> list[Entry]:
    """Recruit another like this member: rank, profession, points, traits, items and group. Their
    name gets the next number."""
    model = _member(computed.roster, member)
    # A promoted member's double is recruited at the rank they had: ranks above are not for sale.
    rules = computed.rules
    origins = {offer.row.key for offer in offers.origins(computed, model.worth_rank)}
    origin = model.origin if model.origin in origins else None
    match = NUMBERED.fullmatch(model.name)
    name = _numbered(computed.roster, match[1] if match else model.name, 2)[0] if model.name else ""
    # The double has not earned traits that are not for sale, such as advances.
    sold = {offer.row.key for offer in offers.traits(computed, model)}
    for_sale = {row.key for row in rules.items}
    outfit = Outfit(
        rank=model.worth_rank,
        origin=origin,
        profession=model.profession,
        squad=model.squad if is_together(computed.book, model) else "",
        points=model.points,
        traits=tuple(
            key for key in model.traits if key in sold and not computed.book.trait[key].experience
        ),
        items=tuple(
            owned.key
            for owned in in_order(model.items)
            if owned.key in for_sale
            and not owned.included
            and not offers.not_offered(computed, model, computed.book.item[owned.key])
            # A find with its own price, or of which there are few, is bought by itself.
            and not offers.is_by_dice(computed, model, computed.book.item[owned.key])
        ),
    )
    return _recruit_complete(computed, outfit, name, next_id, model.owner)


def recruit_archetype(computed: ComputedGang, archetype: str, next_id: int) -> list[Entry]:
    """Recruit a complete member of the rulebook's."""
    ranks = {row.rank for row in computed.rules.archetypes if row.key == archetype}
    found = offers.archetypes(computed, offers.ranks_among(computed, ranks))
    offer = offers.find(found, archetype)
    return _recruit_complete(computed, offer.row, "", next_id)


def recruit_alike(computed: ComputedGang, archetype: str, count: int, next_id: int) -> list[Entry]:
    """Recruit several complete members of the rulebook's of one kind, one after the other, so that
    each sees what the others cost. Raises the Refusal of the first who cannot be had."""
    if not 1 <= count <= MOST_AT_ONCE:
        raise Refusal("how_many", maximum=MOST_AT_ONCE)
    entries: list[Entry] = []
    for _each in range(count):
        made = recruit_archetype(computed, archetype, next_id + len(entries))
        computed = after(computed, made, next_id + len(entries))
        entries += made
    return entries


def _recruit_complete(
    computed: ComputedGang, outfit: Outfit, name: str, next_id: int, owner: int | None = None
) -> list[Entry]:
    """Recruit somebody with everything in the outfit, except a profession that is not on offer, and
    points once the gang has played. They belong to ``owner`` or, if that cannot be, to the first
    member who can own them."""
    book = computed.book
    able = [one.id for one in find_owners(computed, book.rank[outfit.rank])]
    owner = owner if owner in able else next(iter(able), None)
    entries = recruit(
        computed, outfit.rank, name, origin=outfit.origin, next_id=next_id, owner=owner
    )
    professions = {offer.row.key for offer in offers.professions_of(computed, outfit.rank)}
    if outfit.profession not in professions:
        outfit = outfit.model_copy(update={"profession": None})
    if computed.roster.playing:
        outfit = outfit.model_copy(update={"points": {}})
    if outfit.squad:
        entries.append(kinds.SquadJoined(member=next_id, squad=outfit.squad))
    entries.extend(_chosen(outfit, next_id))
    figure = newcomer(book, computed.roster, outfit.rank, outfit.origin)
    figure = replace(figure, profession=outfit.profession)
    for key in outfit.traits:
        more = replace(figure, traits=(*figure.traits, key))
        paid, figure = _paid(computed, computed.extra(figure, more)), more
        entries.append(
            kinds.TraitTaken(member=next_id, trait=key, paid=paid, costs=book.trait[key].costs)
        )
    for owned in fit_out(book, outfit.items, next_id + len(entries)):
        more = replace(figure, items=(*figure.items, owned.key))
        paid, figure = _paid(computed, computed.extra(figure, more)), more
        entries.append(
            kinds.Bought(
                item=owned.key,
                member=next_id,
                paid=paid,
                on=owned.on,
                costs=book.item[owned.key].costs,
            )
        )
    if refusal := cannot_pay(book, computed.roster, costs_of_outfit(book, outfit)):
        raise refusal
    if computed.roster.playing:
        total = sum(getattr(entry, "paid", 0) for entry in entries)
        if computed.left is not None and total > computed.left:
            raise too_dear(book, total - computed.roster.treasury)
    return entries


def dismiss(computed: ComputedGang, member: int) -> list[Entry]:
    """Send a member away, with those who belong to them."""
    subject = _member(computed.roster, member)
    for one in (subject, *computed.roster.belongings(member)):
        _present(computed, one)
    return [kinds.Dismissed(member=member)]


def describe(
    computed: ComputedGang,
    member: int,
    *,
    name: str,
    notes: str,
    profession: str | None,
    origin: str | None = None,
    squad: str = "",
    owner: int | None = None,
) -> list[Entry]:
    """Change a member's name, note, profession, origin, squad or owner; record only the changes.

    ``origin`` None: the gang's; ``owner`` None: as it is.
    """
    subject = _member(computed.roster, member)
    entries: list[Entry] = []
    if owner not in (None, subject.owner):
        entries += hand_over(computed, subject, owner)
    if origin != subject.origin:
        if computed.roster.playing:
            raise Refusal("origin_stays")
        offers.check_origin(computed, origin, subject.rank)
        entries.append(kinds.OriginChosen(member=member, origin=origin))
    if squad != subject.squad:
        entries.append(kinds.SquadJoined(member=member, squad=squad))
    if name != subject.name:
        entries.append(kinds.Named(member=member, name=name))
    if profession != subject.profession:
        if profession is not None:
            offers.find(offers.professions(computed, subject), profession)
        entries.append(kinds.ProfessionChosen(member=member, profession=profession))
    if notes != subject.notes:
        entries.append(kinds.Noted(member=member, text=notes))
    return entries


def hand_over(computed: ComputedGang, member: Member, owner: int | None) -> list[Entry]:
    """Let a member belong to another one."""
    if owner is None or not may_change_owner(computed, member):
        raise Refusal("owner_stays")
    _present(computed, member)
    rank, taker = computed.book.rank[member.rank], _member(computed.roster, owner)
    refusal = why_not_owner(computed.book, computed.roster, rank, taker, member=member.id)
    if refusal is not None:
        raise refusal
    return [kinds.OwnerChosen(member=member.id, owner=owner)]


def name_members(computed: ComputedGang, names: Mapping[int, str]) -> list[Entry]:
    """Name members, by their ids; record only the changes."""
    return [
        kinds.Named(member=member, name=name)
        for member, name in names.items()
        if _member(computed.roster, member).name != name
    ]


def name_everybody(computed: ComputedGang, names: Sequence[str]) -> list[Entry]:
    """Give every member without a name the next of ``names`` that nobody has had; with a number
    behind it once all are taken. Raises Refusal if there are no names, or all members have one."""
    unnamed = [member.id for member in computed.roster.members if not member.name]
    if not unnamed or not names:
        raise Refusal("not_offered")
    taken = {other.name.casefold() for other in computed.roster.everyone()}
    free = [name for name in names if name.casefold() not in taken]
    for place in range(len(unnamed) - len(free)):
        round_, name = 2 + place // len(names), names[place % len(names)]
        free += _numbered(computed.roster, name, round_)
    return name_members(computed, dict(zip(unnamed, free, strict=False)))


def spread_points(computed: ComputedGang, member: int, amounts: Mapping[str, int]) -> list[Entry]:
    """Put points into characteristics, or take them back (an amount below zero); by key."""
    subject = _member(computed.roster, member)
    amounts = {key: amount for key, amount in amounts.items() if amount}
    for key, amount in amounts.items():
        row = computed.book.characteristic.get(key)
        if row is None or row.kind != "number" or not row.bought_with_points:
            raise Refusal("not_offered")
        score = computed.profiles[member].scores.get(key)
        room = row.maximum if score is None else score.room_to_rise
        if amount > 0 and room < amount:
            natural = computed.profiles[member].natural(key)
            raise Refusal("at_maximum", characteristic=row.name, maximum=natural + max(0, room))
        if amount < 0 and subject.points.get(key, 0) + amount < 0:
            raise Refusal("at_start", characteristic=row.name)
    total = sum(amounts.values())
    if total > 0 and total > computed.points_left(subject):
        raise Refusal("points_used_up")
    return [
        kinds.PointsSpread(member=member, characteristic=key, amount=amount)
        for key, amount in amounts.items()
    ]


def spread_evenly(computed: ComputedGang, member: int) -> list[Entry]:
    """Spread all points that a member has left as evenly as the maximums allow."""
    left = computed.points_left(_member(computed.roster, member))
    if left <= 0:
        raise Refusal("points_used_up")
    scores = computed.profiles[member].scores
    room = {
        row.key: max(0, scores[row.key].room_to_rise) if row.key in scores else row.maximum
        for row in computed.book.characteristics
        if row.kind == "number" and row.bought_with_points
    }
    return spread_points(computed, member, evenly(room, left))


def spread_all_evenly(computed: ComputedGang) -> list[Entry]:
    """Spread the points that all members have left as evenly as the maximums allow."""
    members = [one for one in computed.roster.members if computed.points_left(one) > 0]
    if not members:
        raise Refusal("points_used_up")
    return [entry for one in members for entry in spread_evenly(computed, one.id)]


def take_trait(computed: ComputedGang, member: int, trait: str) -> list[Entry]:
    """Buy a trait for a member."""
    offer = offers.trait(computed, _member(computed.roster, member), trait)
    paid = _paid(computed, offer.price)
    return [
        kinds.TraitTaken(
            member=member,
            trait=trait,
            paid=paid,
            experience=offer.experience,
            costs=offer.row.costs,
        )
    ]


def drop_trait(computed: ComputedGang, member: int, trait: str) -> list[Entry]:
    """Give a trait back; once the gang has played, its price is lost."""
    if trait not in _member(computed.roster, member).traits:
        raise Refusal("gone")
    return [kinds.TraitDropped(member=member, trait=trait)]


def buy(computed: ComputedGang, member: int | None, item: str) -> list[Entry]:
    """Buy an item for a member, or for the stash. It is fitted to the nearest of the member's items
    that can take it."""
    holder = None if member is None else _member(computed.roster, member)
    offer = offers.item(computed, holder, item)
    on = find_host(computed.book, holder.items, item) if holder else None
    paid, costs = _paid(computed, offer.price), offer.row.costs
    return [kinds.Bought(item=item, member=member, paid=paid, on=on, costs=costs)]


def declare_item(computed: ComputedGang, declared: kinds.ItemDeclared) -> list[Entry]:
    """Declare an item of the gang's own."""
    known = declared.adds.keys() <= computed.book.characteristic.keys()
    if declared.group not in computed.book.group or not known:
        raise Refusal("not_offered")
    if len(computed.roster.own_items) >= MOST_OWN_ITEMS:
        raise Refusal("own_items_full", maximum=MOST_OWN_ITEMS)
    return [declared]


def move(
    computed: ComputedGang, item: int, member: int | None, on: int | None = None
) -> list[Entry]:
    """Hand an item to a member, or put it in the stash, with those that are fitted to it.

    ``on``: fit it to this item there; None: take it off the item that has it.
    """
    holder, owned = _owned(computed.roster, item)
    stays = (holder.id if holder else None) == member
    if stays and owned.on == on:
        return []
    handed = (owned, *parts_of(computed.roster.beside(item), owned))
    if holder is not None:
        _present(computed, holder)
        if not stays and any(one.included for one in handed):
            raise Refusal("kit_stays")
    if member is not None and not stays:
        taker = _member(computed.roster, member)
        rows = [computed.book.item[one.key] for one in handed]
        for place, row in enumerate(rows):
            refusal = offers.cannot_take(computed, taker, row, rows[:place])
            if refusal is not None:
                raise refusal
    if on is not None and on not in {
        host.id
        for owner, host in hosts(computed.book, computed.roster, owned)
        if (owner.id if owner else None) == member
    }:
        raise Refusal("not_fitting")
    return [kinds.Moved(item=item, member=member, on=on)]


def fit(computed: ComputedGang, item: int, host: int) -> list[Entry]:
    """Fit an item to another one of the gang's."""
    owner, _host = _owned(computed.roster, host)
    return move(computed, item, owner.id if owner else None, host)


def discard(computed: ComputedGang, item: int) -> list[Entry]:
    """Give an item back; once the gang has played, it is thrown away without a refund."""
    holder, _owned_item = _owned(computed.roster, item)
    if holder is not None:
        _present(computed, holder)
    return [kinds.Discarded(item=item)]


def sell(computed: ComputedGang, item: int) -> list[Entry]:
    """Sell an item for a share of its price, with those that are fitted to it."""
    holder, owned = _owned(computed.roster, item)
    if holder is not None:
        _present(computed, holder)
    if owned.used:
        raise Refusal("worn")
    amount = offers.find_resale(computed, owned)
    if amount is None:
        raise Refusal("not_sold")
    return [kinds.Sold(item=item, amount=amount)]


def use_item(computed: ComputedGang, item: int) -> list[Entry]:
    """Use an item that has a number of uses, once."""
    _holder, owned = _owned(computed.roster, item)
    if offers.find_uses_left(computed, owned) is None:
        raise Refusal("not_offered")
    return [kinds.Used(item=item)]


def reorder(computed: ComputedGang, member: int, by: int) -> list[Entry]:
    """Move a member up (``by`` = -1) or down (1) in the list."""
    subject, members = _member(computed.roster, member), computed.roster.members
    others = [other.id for other in members if other.id != member]
    # Others stand where their owners stand, so a member changes places with equals only.
    equals = [other.id for other in members if other.owner == subject.owner]
    place = equals.index(member)
    target = min(max(place + by, 0), len(equals) - 1)
    if target == place:
        return []
    position = others.index(equals[target]) + (target > place)
    return [kinds.Reordered(member=member, position=position)]


def change_gang(
    computed: ComputedGang, *, name: str, notes: str, settings: Settings | None = None
) -> list[Entry]:
    """Change the gang's name, note or options; record only the changes.

    A gang without a name keeps the one it has.
    """
    entries: list[Entry] = []
    if name and name != computed.roster.name:
        entries.append(kinds.Renamed(name=name))
    if notes != computed.roster.notes:
        entries.append(kinds.Noted(text=notes))
    changed = {
        key: value
        for key, value in (settings or {}).items()
        if computed.roster.settings.get(key) != value
    }
    if changed:
        shared = computed.book.campaign_settings(changed)
        if computed.roster.campaigns and (shared or computed.roster.playing):
            raise Refusal("settings_of_campaign")
        entries.append(kinds.SettingsChosen(settings=changed))
    return entries


def _paid(computed: ComputedGang, due: Points, count: int = 1) -> Points:
    """The price to write into the entry. Raises Refusal if the treasury cannot pay ``count`` times
    as much."""
    if not computed.roster.playing:
        return due
    if computed.left is None:
        return 0
    if due * count > computed.roster.treasury:
        raise too_dear(computed.book, due * count - computed.roster.treasury)
    return due


def _present(computed: ComputedGang, member: Member) -> Member:
    """The member. Raises Refusal if another gang holds them: nobody can reach their things."""
    if computed.roster.absences(computed.book, member):
        raise Refusal("absent")
    return member


def _member(roster: Roster, member: int) -> Member:
    try:
        return roster.member(member)
    except Misfit:
        raise Refusal("gone") from None


def _owned(roster: Roster, item: int) -> tuple[Member | None, OwnedItem]:
    try:
        return roster.holder(item)
    except Misfit:
        raise Refusal("gone") from None
