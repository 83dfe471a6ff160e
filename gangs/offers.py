"""Offers: what a gang or a member may take, at which price, and why not.

An offer that is refused can still be shown; the acts check the same offers, so that the page and
the server never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gangs.findings import Scene, places_taken, recruits_left
from gangs.refusal import Refusal
from gangs.roster import Member
from rules.profiles import excess_level
from rules.schema import CarriedLimit, Item, Profession, Rank, Trait
from rules.vocabulary import applies


@dataclass(frozen=True)
class Offer[R]:
    """One row of the rulebook on offer.

    ``refusal``: why it cannot be taken; ``caution``: why it perhaps should not be.
    """

    row: R
    price: int
    refusal: Refusal | None = None
    caution: Refusal | None = None


def ranks(scene: Scene) -> list[Offer[Rank]]:
    """The ranks that can be recruited."""
    book, settings = scene.book, scene.roster.settings
    room = recruits_left(book, scene.roster)
    refusal = Refusal("recruits_used_up") if room == 0 else None
    offers = []
    for rank in book.in_force(book.ranks, settings):
        offers.append(_priced(scene, Offer(rank, rank.price, refusal)))
    return offers


def traits(scene: Scene, member: Member) -> list[Offer[Trait]]:
    """The traits that can be bought for a member; those that come by themselves are not."""
    book = scene.book
    rank = book.rank[member.rank]
    offers = []
    for trait in book.in_force(book.traits, scene.roster.settings):
        if trait.gained_at:
            continue
        refusal = None
        if trait.key in member.traits:
            refusal = Refusal("has_it")
        elif rank.maximum_traits is not None and len(member.traits) >= rank.maximum_traits:
            refusal = Refusal("traits_full", maximum=rank.maximum_traits, rank=rank.name)
        offers.append(_priced(scene, Offer(trait, trait.price, refusal)))
    return offers


def professions(scene: Scene, member: Member) -> list[Offer[Profession]]:
    """The professions that a member may choose; none if his rank has none."""
    book = scene.book
    rank = book.rank[member.rank]
    if rank.profession == "none":
        return []
    return [
        Offer(profession, 0)
        for profession in book.in_force(book.professions, scene.roster.settings)
    ]


def items(scene: Scene, member: Member | None) -> list[Offer[Item]]:
    """Everything for sale, for a member (or for the stash): what he may take comes first."""
    book = scene.book
    offers = []
    for item in book.in_force(book.items, scene.roster.settings):
        if item.innate:
            continue
        offer = Offer(item, item.price, cannot_take(scene, member, item))
        if member is not None and offer.refusal is None:
            offer = replace(offer, caution=_too_high(scene, member, item))
        offers.append(_priced(scene, offer))
    return sorted(offers, key=lambda offer: offer.refusal is not None)


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


def find[R: (Rank, Trait, Profession, Item)](offers: Iterable[Offer[R]], key: str) -> Offer[R]:
    """The offer with this key. Raises Refusal if there is none, or if it is refused."""
    for offer in offers:
        if offer.row.key == key:
            if offer.refusal is not None:
                raise offer.refusal
            return offer
    raise Refusal("not_offered")


def _carried_limits(scene: Scene) -> Iterator[CarriedLimit]:
    for limit in scene.book.limits:
        if isinstance(limit, CarriedLimit) and applies(limit.when, scene.roster.settings):
            yield limit


def _too_high(scene: Scene, member: Member, item: Item) -> Refusal | None:
    figure = scene.roster.figure(scene.book, member)
    excess = excess_level(scene.book, figure, scene.profiles[member.id], item)
    return Refusal("level_high", excess=excess) if excess else None


def _priced[R](scene: Scene, offer: Offer[R]) -> Offer[R]:
    """A founding budget may be overdrawn for a while, which a finding says; a treasury may not."""
    left = scene.left
    if left is None or offer.refusal is not None or offer.price <= max(left, 0):
        return offer
    missing = offer.price - max(left, 0)
    if scene.roster.playing:
        return replace(offer, refusal=Refusal("too_dear", missing=missing))
    return replace(offer, caution=Refusal("over_budget", missing=missing))
