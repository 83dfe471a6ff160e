"""Offers: rows of the rulebook that a gang or a member may take, with prices and refusals.

An offer that is refused can still be shown; the acts check the same offers, so that the page and
the server never disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from common.errors import Refusal
from gangs.engine import reserve, validation
from gangs.engine.advances import experience_price
from gangs.engine.belonging import find_owners
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import keep_for, over_budget, too_dear
from gangs.engine.fitting import parts_of
from gangs.engine.purses import Costs, cannot_pay, costs_of
from gangs.engine.reserve import Need
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.shelf import find_opened, why_not_offered
from gangs.engine.valuation import STASH, newcomer, stash_price
from rules.book.holdings import Holding
from rules.book.limits import (
    CarriedLimit,
    CountLimit,
    ItemsLimit,
    MemberLimit,
    Severity,
    TraitsLimit,
)
from rules.book.model import Archetype, Book
from rules.book.offers import ItemOffer
from rules.book.outfits import Outfit
from rules.book.schema import Item, Origin, Profession, Rank, Trait
from rules.book.vocabulary import Row, Selector
from rules.engine.costing import Points, resale_price, whole
from rules.engine.figure import EVERYBODY, Figure, advancement_of, all_traits, picks

# Cautions about money alone.
OF_MONEY = ("over_budget", "keep_for")
# Refusals because the gang cannot pay.
CANNOT_PAY = ("too_dear", "lacks_currency")


@dataclass(frozen=True)
class Offer[R]:
    """One row of the rulebook on offer.

    ``refusal``: why it cannot be taken; ``caution``: why it perhaps should not be; ``experience``:
    what a member spends on it; ``costs``: its price in other currencies than money; ``teacher``:
    the member from whom somebody learns it.
    """

    row: R
    price: Points
    refusal: Refusal | None = None
    caution: Refusal | None = None
    experience: int = 0
    costs: Costs = field(default_factory=dict)
    teacher: Member | None = None


def ranks(computed: ComputedGang, origin: str | None = None) -> list[Offer[Rank]]:
    """The ranks that can be recruited, for a member of the gang's origin or of another."""
    needs = reserve.needs(computed)
    return [_recruit(computed, row, origin, needs) for row in computed.rules.recruited]


def ranks_among(computed: ComputedGang, keys: Collection[str]) -> list[Offer[Rank]]:
    """Of the ranks that can be recruited, these."""
    needs = reserve.needs(computed)
    rows = (row for row in computed.rules.recruited if row.key in keys)
    return [_recruit(computed, row, None, needs) for row in rows]


def may_recruit(computed: ComputedGang, ranks: Collection[str]) -> bool:
    """Whether somebody of one of these ranks, of any if none, can be recruited now without a breach
    of the rules or of the budget."""
    rows = (row for row in computed.rules.recruited if not ranks or row.key in ranks)
    offers = (_recruit(computed, row, None) for row in rows)
    return any(offer.refusal is None and offer.caution is None for offer in offers)


def ranks_of_others(computed: ComputedGang) -> list[Offer[Rank]]:
    """The ranks that can be recruited from another origin only: its people cost less, or there is
    room for them."""
    found: dict[str, Offer[Rank]] = {}
    refused = {offer.row.key for offer in ranks(computed) if offer.refusal is not None}
    for origin in origins(computed) if refused else ():
        for offer in ranks(computed, origin.row.key):
            if computed.book.keeps_origin(offer.row.key):
                continue
            if offer.refusal is None and offer.row.key in refused:
                found.setdefault(offer.row.key, offer)
    return list(found.values())


def archetypes(
    computed: ComputedGang, on_offer: Iterable[Offer[Rank]] | None = None
) -> list[Offer[Archetype]]:
    """The complete recruits that the gang may have now, each with what they cost altogether: of a
    rank that may be recruited, with nothing that the options rule out, within all limits on who
    is in a gang and on what it has. The gang may not be able to afford them.

    ``on_offer``: the ranks that may be recruited, where they are known already.
    """
    book, roster = computed.book, computed.roster
    by_rank = {offer.row.key: offer for offer in on_offer or ranks(computed)}
    limits = list(validation.limits_of(computed, ItemsLimit))
    needs = reserve.needs(computed)
    found = []
    for row in computed.rules.archetypes:
        recruit = by_rank.get(row.rank)
        if recruit is None or not _is_on_offer(computed, row):
            continue
        figure = replace(
            newcomer(book, roster, row.rank, row.origin),
            profession=row.profession,
            traits=row.traits,
            items=row.items,
        )
        over = recruit.caution is not None and recruit.caution.code not in OF_MONEY
        barred = recruit.refusal is not None and recruit.refusal.code not in CANNOT_PAY
        if over or barred or beyond_maximum(computed, figure):
            continue
        fits = not any(_breaks(computed, limit, figure) for limit in limits) and not any(
            validation.has_too_many_traits(computed, limit, figure)
            for limit in validation.limits_of(computed, TraitsLimit)
        )
        if fits and not _refused_gear(computed, figure):
            found.append(_priced(computed, Offer(row, computed.cost(figure)), needs))
    return found


def _is_on_offer(computed: ComputedGang, outfit: Outfit) -> bool:
    """Whether everything that somebody is to have is on offer under the gang's options."""
    book = computed.book
    rows: list[Row] = [book.item[key] for key in outfit.items]
    rows += [book.trait[key] for key in outfit.traits]
    if outfit.profession is not None:
        rows.append(book.profession[outfit.profession])
    return all(map(computed.rules.has, rows))


def _refused_gear(computed: ComputedGang, figure: Figure) -> bool:
    """Whether somebody like this has an item that the rulebook does not offer them, or more of one
    than it lets them have."""
    rules, roster = computed.rules, computed.roster
    for place, key in enumerate(figure.items):
        item, before = computed.book.item[key], replace(figure, items=figure.items[:place])
        full = validation.why_not_item(rules, before, item, playing=roster.playing)
        if full or why_not_offered(rules, roster, figure, item):
            return True
    return False


def _breaks(computed: ComputedGang, limit: ItemsLimit, figure: Figure) -> bool:
    """Whether somebody like this would have more items than a limit allows them, or would bring a
    gang beyond it."""
    if limit.maximum is None or not picks(computed.book, limit.of, figure):
        return False
    brought = validation.wanted_items(computed, limit, figure.items)
    held: list[Item] = []
    if limit.per != "member":
        held = validation.items_of(computed, limit, validation.choose_members(computed, limit.of))
    if limit.per != "copies":
        return bool(brought) and validation.measure_limit(limit, [*held, *brought]) > limit.maximum
    return any([*held, *brought].count(row) > limit.maximum for row in brought)


def rank(computed: ComputedGang, key: str, origin: str | None = None) -> Offer[Rank]:
    """The offer of one rank. Raises Refusal as ``find``."""
    rows = (row for row in computed.rules.recruited if row.key == key)
    return find((_recruit(computed, row, origin) for row in rows), key)


def rank_prices(computed: ComputedGang, origin: str | None = None) -> dict[str, Points]:
    """The price of a recruit of this origin, or of the gang's, by rank."""
    return {row.key: _rank_price(computed, row, origin) for row in computed.rules.recruited}


def _rank_price(computed: ComputedGang, rank: Rank, origin: str | None) -> Points:
    return computed.cost(newcomer(computed.book, computed.roster, rank.key, origin))


def _recruit(
    computed: ComputedGang, rank: Rank, origin: str | None, needs: Sequence[Need] = ()
) -> Offer[Rank]:
    book, roster = computed.book, computed.roster
    refused = Refusal("recruits_used_up") if validation.recruits_left(book, roster) == 0 else None
    if roster.playing and rank.key in validation.never_recruited(book):
        refused = Refusal("never_recruited", rank=rank.name)
    elif validation.quota_left(book, roster, rank.key) == 0:
        refused = refused or Refusal("quota_used_up", rank=rank.name)
    if rank.belongs_to is not None and not refused and not find_owners(computed, rank):
        refused = Refusal("nobody_owns", rank=rank.name)
    if roster.playing:
        # Payments are final, so nobody may be hired against the rules.
        figure = newcomer(book, roster, rank.key, origin)
        refused, caution = refused or beyond_maximum(computed, figure), None
    else:
        caution = None if refused else _crowded(computed, rank)
    offer = Offer(rank, _rank_price(computed, rank, origin), refused, caution)
    return _priced(computed, offer, needs)


def beyond_maximum(computed: ComputedGang, figure: Figure, count: int = 1) -> Refusal | None:
    """Why ``count`` more like this would be an error; None if they would not."""
    found = validation.find_crowding(computed, figure, count)
    if found is None:
        return None
    limit, maximum = found
    if maximum == 0:
        return validation.find_forbidding(limit, count)
    return Refusal("beyond_limit", maximum=maximum)


def _crowded(computed: ComputedGang, rank: Rank) -> Refusal | None:
    """Why one more of this rank would be an error, by the limits on ranks only: the size of the
    gang and the choices of its members are still open while it is founded."""
    for limit in validation.limits_of(computed, CountLimit):
        if (
            limit.maximum is not None
            and not limit.maximum_by_size
            and validation.severity(computed, limit) == "error"
            and (limit.of == EVERYBODY or rank.key in limit.of.ranks)
            and limit.of == Selector(ranks=limit.of.ranks)
            and len(validation.choose_members(computed, limit.of)) >= limit.maximum
        ):
            if limit.maximum == 0:
                return validation.find_forbidding(limit, 1)
            return Refusal("beyond_limit", maximum=limit.maximum)
    return None


def origins(computed: ComputedGang, rank: str | None = None) -> list[Offer[Origin]]:
    """The origins that a member of a rank, or any recruit, may have other than that of the gang."""
    ranks = [row.key for row in computed.rules.recruited] if rank is None else [rank]
    if all(map(computed.book.keeps_origin, ranks)):
        return []
    return [Offer(row, 0) for row in computed.rules.origins]


def check_origin(computed: ComputedGang, origin: str | None, rank: str) -> None:
    """Raise Refusal if a member of the rank cannot have this origin (None: the gang's)."""
    if origin is None:
        return
    if rank in computed.book.rank and computed.book.keeps_origin(rank):
        raise Refusal("origin_of_gang", rank=computed.book.rank[rank].name)
    find(origins(computed), origin)


def traits(computed: ComputedGang, member: Member) -> list[Offer[Trait]]:
    """The traits that can be bought for a member; those that come by themselves are not."""
    needs = reserve.needs(computed)
    return [
        _priced(computed, _teach(computed, member, row), needs) for row in _sold(computed, member)
    ]


def trait(computed: ComputedGang, member: Member, key: str) -> Offer[Trait]:
    """The offer of one trait to a member, without cautions about money. Raises Refusal as
    ``find``."""
    rows = (row for row in _sold(computed, member) if row.key == key)
    return find((_priced(computed, _teach(computed, member, row)) for row in rows), key)


def _sold(computed: ComputedGang, member: Member) -> Iterator[Trait]:
    """The traits that a member may buy, perhaps not now."""
    for row in _fitting(computed, member):
        if not row.gained_at and computed.rules.sells(row):
            yield row


def _teach(computed: ComputedGang, member: Member, row: Trait) -> Offer[Trait]:
    price = trait_price(computed, member, row)
    refusal = _cannot_learn(computed, member, row) or _cannot_spend(computed, member, row)
    return _limited(computed, member, row, price, refusal, experience_price(member, row))


def _limited(
    computed: ComputedGang,
    member: Member,
    trait: Trait,
    price: Points,
    refusal: Refusal | None,
    experience: int = 0,
) -> Offer[Trait]:
    """The offer of a trait: refused, or only warned of, if a limit allows no more of its kind."""
    figure = computed.figures[member.id]
    more, caution = replace(figure, traits=(*figure.traits, trait.key)), None
    for limit in validation.limits_of(computed, TraitsLimit) if refusal is None else ():
        if not validation.counts_trait(limit, trait):
            continue
        if validation.has_too_many_traits(computed, limit, more, member.id):
            why = Refusal("beyond_limit", maximum=limit.maximum)
            if limit.maximum == 0:
                name = member.name_or_rank(computed.book)
                why = validation.find_forbidding(limit, 1, name=name)
            if computed.roster.playing and validation.severity(computed, limit) == "error":
                refusal = refusal or why
            else:
                caution = caution or why
    return Offer(trait, price, refusal, caution, experience)


def _cannot_spend(computed: ComputedGang, member: Member, trait: Trait) -> Refusal | None:
    missing = experience_price(member, trait) - member.experience_left
    if not trait.experience or missing <= 0:
        return None
    return Refusal("lacks_experience", missing=missing, experience=computed.book.experience_word)


def trait_price(computed: ComputedGang, member: Member, trait: Trait) -> Points:
    """The price of the trait for this member."""
    figure = computed.figures[member.id]
    return computed.extra(figure, replace(figure, traits=(*figure.traits, trait.key)))


def advances(computed: ComputedGang, member: Member) -> list[Offer[Trait]]:
    """The traits that a member may take as an advance."""
    advancement = advancement_of(computed.rules, computed.figures[member.id])
    if advancement is None:
        return []
    return tagged_traits(computed, member, advancement.trait_tags, advancement.teachers)


def tagged_traits(
    computed: ComputedGang,
    member: Member,
    tags: Collection[str],
    teachers: Selector | None = None,
) -> list[Offer[Trait]]:
    """The traits with one of these tags (any if none) that a member may take for nothing.

    ``teachers``: only traits that another of these members has and can teach, once for each.
    """
    found = [
        _limited(computed, member, trait, 0, _cannot_learn(computed, member, trait))
        for trait in _fitting(computed, member)
        if not tags or not trait.tags.isdisjoint(tags)
    ]
    if teachers is None:
        return found
    able = find_teachers(computed.book, computed.roster, teachers, member)
    known = {one.id: all_traits(computed.book, computed.figures[one.id]) for one in able}
    return [
        replace(offer, teacher=one)
        for offer in found
        for one in able
        if offer.row.key in known[one.id]
    ]


def find_teachers(book: Book, roster: Roster, teachers: Selector, member: Member) -> list[Member]:
    """The other members of a kind who are there to teach a member."""
    return [
        one
        for one in roster.members
        if one.id != member.id
        and not roster.absences(book, one)
        and picks(book, teachers, roster.figure(book, one))
    ]


def _fitting(computed: ComputedGang, member: Member) -> Iterator[Trait]:
    """The traits that are for members of this rank."""
    for trait in computed.rules.traits:
        if not trait.ranks or member.rank in trait.ranks:
            yield trait


def _cannot_learn(computed: ComputedGang, member: Member, trait: Trait) -> Refusal | None:
    figure = computed.figures[member.id]
    refusal = next(validation.why_not_trait(computed.book, figure, trait), None)
    if refusal and refusal.code == "traits_full" and not refusal.values["maximum"]:
        return Refusal("no_traits", rank=refusal.values["rank"])
    return refusal


def professions(computed: ComputedGang, member: Member) -> list[Offer[Profession]]:
    """The professions that a member may choose; none if their rank has none."""
    return professions_of(computed, member.rank)


def professions_of(computed: ComputedGang, rank: str) -> list[Offer[Profession]]:
    """The professions that members of a rank may choose; none if it has none."""
    book = computed.book
    if book.rank[rank].profession == "none":
        return []
    return [
        Offer(profession, 0)
        for profession in computed.rules.professions
        if not profession.ranks or rank in profession.ranks
    ]


def items(computed: ComputedGang, member: Member | None) -> list[Offer[Item]]:
    """Everything for sale to a member, or for the stash: items that they may take come first.

    Items that the options rule out are for sale, too, where the rulebook only warns about them.
    """
    return sorted(_items(computed, member), key=lambda offer: offer.refusal is not None)


def item(computed: ComputedGang, member: Member | None, key: str) -> Offer[Item]:
    """The offer of one item to a member, or for the stash. Raises Refusal as ``find``."""
    return find(_items(computed, member, key), key)


def _items(
    computed: ComputedGang, member: Member | None, only: str | None = None
) -> Iterator[Offer[Item]]:
    """Yield everything for sale to a member, or for the stash; or only the item with this key."""
    book = computed.book
    limits = _limits_on(computed, member)
    needs = reserve.needs(computed)
    usual = computed.rules.items
    warned = _only_warned_of(computed)
    known = {item.key for item in usual}
    others = [row for row in book.items if row.status == "offered" and row.key not in known]
    for item in (*usual, *(others if warned else ())):
        if book.is_free(item) or only not in (None, item.key):
            continue
        cost = item_price(computed, member, item)
        refusal = cannot_take(computed, member, item) or not_offered(computed, member, item)
        caution, severity = _beyond(computed, limits, member, item)
        if severity == "error" and computed.roster.playing:
            refusal, caution = refusal or caution, None
        elif member is not None:
            caution = caution or validation.level_too_high(computed, member, item)
        caution = caution or _few_left(computed, member, item)
        if warned and item.key not in known:
            who = member.name_or_rank(book) if member else STASH
            caution = validation.refuse_by(warned, name=who, what=item.name)
        yield _priced(computed, Offer(item, cost, refusal, caution), needs)


def _only_warned_of(computed: ComputedGang) -> MemberLimit | None:
    """The limit that warns about rows that the options rule out; None if there is none, or if it
    makes them an error."""
    for limit in validation.limits_of(computed, MemberLimit):
        if limit.kind == "unavailable" and validation.severity(computed, limit) != "error":
            return limit
    return None


def item_price(computed: ComputedGang, member: Member | None, item: Item) -> Points:
    """The price of one more of this item for the member, or for the stash. Dice may have set
    the price of something found."""
    opened = _opened(computed, member, item)
    if opened is not None and opened.key in computed.roster.found_prices:
        return computed.roster.found_prices[opened.key]
    if member is None:
        return stash_price(computed.book, computed.roster, item.key)
    if computed.book.has_fixed_prices:
        return item.price
    figure = computed.figures[member.id]
    return computed.extra(figure, replace(figure, items=(*figure.items, item.key)))


def _opened(computed: ComputedGang, member: Member | None, item: Item) -> ItemOffer | None:
    """The found offer that the member, or the stash, would buy an item from."""
    buyer = computed.figures[member.id] if member is not None else None
    return find_opened(computed.rules, computed.roster, buyer, item)


def is_by_dice(computed: ComputedGang, member: Member, item: Item) -> bool:
    """Whether the member would buy an item from a found offer with a price or number of its own."""
    opened, roster = _opened(computed, member, item), computed.roster
    return opened is not None and opened.key in {*roster.found_prices, *roster.found_left}


def _few_left(computed: ComputedGang, member: Member | None, item: Item) -> Refusal | None:
    """How many of an item can be bought until the next game; None if there is no limit."""
    opened = _opened(computed, member, item)
    left = computed.roster.found_left.get(opened.key) if opened is not None else None
    return Refusal("few_left", count=left) if left is not None else None


def find_resale(computed: ComputedGang, owned: OwnedItem) -> Points | None:
    """The money for selling an item; None if it cannot be sold: before the first game everything
    can be given back; something that has been used, or that a member joined with, is worth
    nothing. Items that are fitted to it are sold with it."""
    own = _resale(computed, owned)
    if not own or owned.on is not None:
        return own
    parts = parts_of(computed.roster.beside(owned.id), owned)
    return whole(own + sum(_resale(computed, part) or 0 for part in parts))


def _resale(computed: ComputedGang, owned: OwnedItem) -> Points | None:
    if owned.used or owned.included or not computed.roster.playing or not computed.rules.pays:
        return None
    return resale_price(computed.rules, computed.book.item[owned.key]) or None


def find_uses_left(computed: ComputedGang, owned: OwnedItem) -> int | None:
    """The number of uses that an item has left; None if it has no number of uses."""
    uses = computed.book.item[owned.key].uses
    return None if uses is None else uses - owned.used


def not_offered(computed: ComputedGang, member: Member | None, item: Item) -> Refusal | None:
    """Why the rulebook does not offer the item to a member, or for the stash; None if it does."""
    rules, roster = computed.rules, computed.roster
    if member is None:
        return why_not_offered(rules, roster, None, item, computed.shelves)
    return why_not_offered(rules, roster, computed.figures[member.id], item)


def _limits_on(computed: ComputedGang, member: Member | None) -> list[ItemsLimit]:
    """The limits that one more item of this member, or of the stash, may break: items of a member
    do not concern a limit on others."""
    limits = (row for row in validation.limits_of(computed, ItemsLimit) if row.maximum is not None)
    if member is None:
        return [row for row in limits if row.per != "member" and row.of == EVERYBODY]
    figure = computed.figures[member.id]
    return [row for row in limits if picks(computed.book, row.of, figure)]


def _beyond(
    computed: ComputedGang, limits: Iterable[ItemsLimit], member: Member | None, item: Item
) -> tuple[Refusal | None, Severity | None]:
    """The gravest refusal by a limit on items that one more of this item would break, or break
    further, and its severity."""
    found: list[tuple[Refusal, Severity]] = []
    for limit in limits:
        if limit.maximum is None or not validation.counts_item(limit, item):
            continue
        owners = validation.choose_members(computed, limit.of)
        if limit.per == "member":
            owners = [owner for owner in owners if member is not None and owner.id == member.id]
        keys = [owned.key for owner in owners for owned in owner.items]
        if limit.per != "member" and limit.of == EVERYBODY:
            keys += [owned.key for owned in computed.roster.stash]
        if limit.per == "copies":
            keys = [key for key in keys if key == item.key]
        count = validation.measure_limit(
            limit, validation.wanted_items(computed, limit, [*keys, item.key])
        )
        if count > limit.maximum:
            if limit.maximum == 0:
                name = member.name_or_rank(computed.book) if member else ""
                refusal = validation.find_forbidding(limit, count, item=item.name, name=name)
            else:
                refusal = Refusal("beyond_limit", maximum=limit.maximum)
            found.append((refusal, validation.severity(computed, limit)))
    return min(found, key=lambda one: validation.ORDER[one[1]]) if found else (None, None)


def cannot_take(
    computed: ComputedGang, member: Member | None, item: Item, beside: Sequence[Item] = ()
) -> Refusal | None:
    """Why ``member`` cannot carry ``item`` in addition to their other items; None if they can.
    ``beside``: other items that they take with it."""
    if member is None:
        return None
    book = computed.book
    group = book.group[item.group]
    if group.slots:
        taken = validation.places_taken(book, member)
        taken += sum(book.group[one.group].slots for one in beside)
        for limit in validation.limits_of(computed, CarriedLimit):
            allowed = computed.profiles[member.id].natural(limit.characteristic)
            if taken + group.slots > allowed:
                name = book.characteristic[limit.characteristic].name
                return Refusal("no_place", maximum=allowed, characteristic=name)
    figure, playing = computed.figures[member.id], computed.roster.playing
    figure = replace(figure, items=(*figure.items, *(one.key for one in beside)))
    return validation.why_not_item(computed.rules, figure, item, playing=playing)


def find[R: (Rank, Archetype, Origin, Trait, Profession, Item, Holding)](
    offers: Iterable[Offer[R]], key: str
) -> Offer[R]:
    """The offer with this key. Raises Refusal if there is none, or if it is refused."""
    for offer in offers:
        if offer.row.key == key:
            if offer.refusal is not None:
                raise offer.refusal
            return offer
    raise Refusal("not_offered")


def _priced[R: Row](
    computed: ComputedGang, offer: Offer[R], needs: Sequence[Need] = ()
) -> Offer[R]:
    """Refuse an offer beyond the treasury, or beyond what the gang has of another currency.

    An offer beyond the founding budget gets a caution, and so does one that the budget can pay but
    then not the ``needs`` of the gang.
    """
    costs = costs_of(computed.book, offer.row)
    if costs and offer.refusal is None:
        refusal = cannot_pay(computed.book, computed.roster, costs)
        offer = replace(offer, costs=costs, refusal=refusal)
    left = computed.left
    if left is None or offer.refusal is not None:
        return offer
    missing = offer.price - max(left, 0)
    if missing > 0:
        if computed.roster.playing:
            return replace(offer, refusal=too_dear(computed.book, offer.price - left))
        # The summary also warns about the budget, so a limit's caution comes first.
        over = over_budget(computed.book, offer.price - left)
        return replace(offer, caution=offer.caution or over)
    if not needs or not offer.price or offer.caution is not None:
        return offer
    row = offer.row
    of_members = isinstance(row, Rank | Archetype)
    key = row.rank if isinstance(row, Archetype) else row.key
    rest = reserve.needs_after(needs, key, of_members=of_members)
    kept = reserve.amount_to_keep(rest)
    if left - offer.price >= kept:
        return offer
    caution = keep_for(computed.book, kept, reserve.name_needs(rest))
    return replace(offer, caution=caution)
