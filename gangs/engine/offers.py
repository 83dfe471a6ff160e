"""Offers: what a gang or a member may take, at which price, and why not.

An offer that is refused can still be shown; the acts check the same offers, so that the page and
the server never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gangs.findings import (
    called,
    chosen,
    forbidden,
    in_force,
    measured,
    never_recruited,
    places_taken,
    quota_left,
    recruits_left,
    severity,
    wanted_items,
)
from gangs.refusal import Refusal, over_budget, too_dear
from gangs.roster import Member
from gangs.scene import Scene
from gangs.worth import newcomer, stash_price
from rules.costing import Points, price, whole
from rules.figure import Figure
from rules.limits import CarriedLimit, CountLimit, ItemsLimit
from rules.profiles import excess_level
from rules.schema import Item, Origin, Profession, Rank, Trait
from rules.selecting import EVERYBODY, picks
from rules.vocabulary import Selector, applies


@dataclass(frozen=True)
class Offer[R]:
    """One row of the rulebook on offer.

    ``refusal``: why it cannot be taken; ``caution``: why it perhaps should not be.
    """

    row: R
    price: Points
    refusal: Refusal | None = None
    caution: Refusal | None = None


def ranks(scene: Scene, origin: str | None = None) -> list[Offer[Rank]]:
    """The ranks that can be recruited, for a member of the gang's origin or of another."""
    book, roster = scene.book, scene.roster
    room = recruits_left(book, roster)
    refusal = Refusal("recruits_used_up") if room == 0 else None
    offers = []
    for rank in book.in_force(book.ranks, roster.settings):
        if not rank.recruited:
            continue
        refused = refusal
        if roster.playing and rank.key in never_recruited(book):
            refused = Refusal("never_recruited", rank=rank.name)
        elif quota_left(book, roster, rank.key) == 0:
            refused = refused or Refusal("quota_used_up", rank=rank.name)
        cost = _cost(scene, newcomer(book, roster, rank.key, origin))
        caution = None if refused else _crowded(scene, rank)
        offers.append(_priced(scene, Offer(rank, cost, refused, caution)))
    return offers


def _crowded(scene: Scene, rank: Rank) -> Refusal | None:
    """Why one more of this rank would be an error, by the limits that ask for nothing but ranks."""
    for limit in in_force(scene):
        if (
            isinstance(limit, CountLimit)
            and limit.maximum is not None
            and not limit.maximum_by_size
            and severity(scene, limit) == "error"
            and (limit.of == EVERYBODY or rank.key in limit.of.ranks)
            and limit.of == Selector(ranks=limit.of.ranks)
            and len(chosen(scene, limit.of)) >= limit.maximum
        ):
            if limit.maximum == 0:
                return forbidden(limit, 1)
            return Refusal("beyond_limit", maximum=limit.maximum)
    return None


def origins(scene: Scene) -> list[Offer[Origin]]:
    """The origins that a member may have."""
    book = scene.book
    return [Offer(row, 0) for row in book.in_force(book.origins, scene.roster.settings)]


def traits(scene: Scene, member: Member) -> list[Offer[Trait]]:
    """The traits that can be bought for a member; those that come by themselves are not."""
    settings = scene.roster.settings
    offers = []
    for trait in _fitting(scene, member):
        if trait.gained_at or not trait.sold or not applies(trait.sold_when, settings):
            continue
        offer = Offer(trait, trait_price(scene, member, trait), _cannot_learn(scene, member, trait))
        offers.append(_priced(scene, offer))
    return offers


def trait_price(scene: Scene, member: Member, trait: Trait) -> Points:
    """What the trait costs this member."""
    figure = scene.figures[member.id]
    more = replace(figure, traits=(*figure.traits, trait.key))
    return whole(max(0, _cost(scene, more) - _cost(scene, figure)))


def advances(scene: Scene, member: Member) -> list[Offer[Trait]]:
    """The traits that a member may take as an advance."""
    advancement = scene.book.campaign.advancement
    if advancement is None:
        return []
    return [
        Offer(trait, 0, _cannot_learn(scene, member, trait))
        for trait in _fitting(scene, member)
        if not advancement.trait_tags or not trait.tags.isdisjoint(advancement.trait_tags)
    ]


def _fitting(scene: Scene, member: Member) -> Iterator[Trait]:
    """The traits that are for members of this rank."""
    book = scene.book
    for trait in book.in_force(book.traits, scene.roster.settings):
        if not trait.ranks or member.rank in trait.ranks:
            yield trait


def _cannot_learn(scene: Scene, member: Member, trait: Trait) -> Refusal | None:
    book = scene.book
    rank = book.rank[member.rank]
    if trait.key in member.traits:
        return Refusal("has_it")
    lacking = next((key for key in trait.requires if key not in member.traits), None)
    if lacking is not None:
        return Refusal("requires", trait=book.trait[lacking].name)
    if trait.counted and rank.maximum_traits is not None:
        count = sum(book.trait[key].counted for key in member.traits)
        if not rank.maximum_traits:
            return Refusal("no_traits", rank=rank.name)
        if count >= rank.maximum_traits:
            return Refusal("traits_full", maximum=rank.maximum_traits, rank=rank.name)
    return None


def professions(scene: Scene, member: Member) -> list[Offer[Profession]]:
    """The professions that a member may choose; none if his rank has none."""
    book = scene.book
    rank = book.rank[member.rank]
    if rank.profession == "none":
        return []
    return [
        Offer(profession, 0)
        for profession in book.in_force(book.professions, scene.roster.settings)
        if not profession.ranks or member.rank in profession.ranks
    ]


def items(scene: Scene, member: Member | None) -> list[Offer[Item]]:
    """Everything for sale, for a member (or for the stash): what he may take comes first."""
    book = scene.book
    limits = [limit for limit in in_force(scene) if isinstance(limit, ItemsLimit)]
    offers = []
    for item in book.in_force(book.items, scene.roster.settings):
        if item.innate:
            continue
        cost = item_price(scene, member, item)
        offer = Offer(item, cost, cannot_take(scene, member, item))
        if offer.refusal is None:
            caution = _beyond(scene, limits, member, item)
            if member is not None:
                caution = caution or _too_high(scene, member, item)
            offer = replace(offer, caution=caution)
        offers.append(_priced(scene, offer))
    return sorted(offers, key=lambda offer: offer.refusal is not None)


def item_price(scene: Scene, member: Member | None, item: Item) -> Points:
    """What one more of this item costs the member: the price depends on who he is and has."""
    if member is None:
        return stash_price(scene.book, scene.roster, item.key)
    if not scene.book.adjustments:
        return item.price
    figure = scene.figures[member.id]
    more = replace(figure, items=(*figure.items, item.key))
    return whole(max(0, _cost(scene, more) - _cost(scene, figure)))


def _cost(scene: Scene, figure: Figure) -> Points:
    roster = scene.roster
    return price(scene.book, roster.settings, figure, playing=roster.playing).total


def _beyond(
    scene: Scene, limits: Iterable[ItemsLimit], member: Member | None, item: Item
) -> Refusal | None:
    """The words of a limit on items that one more of this item would break, or break further."""
    for limit in limits:
        if limit.maximum is None or not wanted_items(scene, limit, [item.key]):
            continue
        # What this one has does not concern a limit on others.
        if member is None:
            if limit.per == "member" or limit.of != EVERYBODY:
                continue
        elif not picks(scene.book, limit.of, scene.figures[member.id]):
            continue
        owners = chosen(scene, limit.of)
        if limit.per == "member":
            owners = [owner for owner in owners if member is not None and owner.id == member.id]
        keys = [owned.key for owner in owners for owned in owner.items]
        if limit.per != "member" and limit.of == EVERYBODY:
            keys += [owned.key for owned in scene.roster.stash]
        if limit.per == "copies":
            keys = [key for key in keys if key == item.key]
        count = measured(limit, wanted_items(scene, limit, [*keys, item.key]))
        if count > limit.maximum:
            if limit.maximum == 0:
                name = called(scene.book, member) if member else ""
                return forbidden(limit, count, item=item.name, name=name)
            return Refusal("beyond_limit", maximum=limit.maximum)
    return None


def cannot_take(scene: Scene, member: Member | None, item: Item) -> Refusal | None:
    """Why ``member`` cannot carry ``item`` on top of what he has; None if he can."""
    if member is None:
        return None
    book = scene.book
    group = book.group[item.group]
    if group.slots:
        for limit in _carried_limits(scene):
            allowed = scene.profiles[member.id].natural(limit.characteristic)
            if places_taken(book, member) + group.slots > allowed:
                name = book.characteristic[limit.characteristic].name
                return Refusal("no_place", maximum=allowed, characteristic=name)
    if group.most_per_member is not None:
        count = sum(book.item[owned.key].group == group.key for owned in member.items)
        if count >= group.most_per_member:
            return Refusal("group_full", maximum=group.most_per_member, group=group.name)
    return None


def find[R: (Rank, Origin, Trait, Profession, Item)](
    offers: Iterable[Offer[R]], key: str
) -> Offer[R]:
    """The offer with this key. Raises Refusal if there is none, or if it is refused."""
    for offer in offers:
        if offer.row.key == key:
            if offer.refusal is not None:
                raise offer.refusal
            return offer
    raise Refusal("not_offered")


def _carried_limits(scene: Scene) -> Iterator[CarriedLimit]:
    return (limit for limit in in_force(scene) if isinstance(limit, CarriedLimit))


def _too_high(scene: Scene, member: Member, item: Item) -> Refusal | None:
    figure = scene.figures[member.id]
    excess = excess_level(scene.book, figure, scene.profiles[member.id], item)
    return Refusal("level_high", excess=excess) if excess else None


def _priced[R](scene: Scene, offer: Offer[R]) -> Offer[R]:
    """A founding budget may be overdrawn for a while, which a finding says; a treasury may not."""
    left = scene.left
    if left is None or offer.refusal is not None or offer.price <= max(left, 0):
        return offer
    missing = offer.price - left
    if scene.roster.playing:
        return replace(offer, refusal=too_dear(scene.book, missing))
    # That the budget is overdrawn the summary says, too: a limit's word comes first.
    return replace(offer, caution=offer.caution or over_budget(scene.book, missing))
