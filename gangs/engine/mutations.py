"""Small changes of a roster, used by several kinds of entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from gangs.engine.errors import Misfit
from gangs.engine.roster import FOLLOWED, Departed, Member, OwnedItem, Roster
from rules.engine.costing import Points, whole


def change(roster: Roster, member: int, **values: Any) -> Roster:
    """The roster with other values for a member. Raises Misfit if they are not in the gang."""
    old = roster.member(member)
    new = old.changed(**values)
    return roster.changed(members=tuple(new if other is old else other for other in roster.members))


def pay(roster: Roster, amount: Points, costs: Mapping[str, int]) -> Roster:
    """The roster after a payment, with ``costs`` in other currencies. Until the first game the
    founding budget pays, by prices."""
    if not roster.playing:
        return roster
    if amount:
        roster = roster.changed(spent=whole(roster.spent + amount))
    return receive(roster, {key: -cost for key, cost in costs.items()})


def receive(roster: Roster, amounts: Mapping[str, int]) -> Roster:
    """The roster with more of some currencies, or less if an amount is below zero."""
    if not amounts:
        return roster
    purses = Counter(roster.purses)
    purses.update(amounts)
    return roster.changed(purses={key: purses[key] for key in sorted(purses)})


def belong(roster: Roster, member: int, owner: int) -> Roster:
    """The roster with a member who belongs to another one and stands behind them. Raises Misfit if
    one of them is not in the gang, or cannot own or belong to anybody."""
    of, pet = roster.member(owner), roster.member(member)
    if of.owner is not None or of is pet or roster.belongings(member):
        raise Misfit("no_owner")
    return gather(change(roster, member, owner=owner))


def gather(roster: Roster) -> Roster:
    """The roster with everybody who belongs to a member right behind them."""
    if all(member.owner is None for member in roster.members):
        return roster
    behind: dict[int, list[Member]] = {}
    for member in roster.members:
        if member.owner is not None:
            behind.setdefault(member.owner, []).append(member)
    free = (member for member in roster.members if member.owner is None)
    members = (one for member in free for one in (member, *behind.get(member.id, ())))
    return roster.changed(members=tuple(members))


def leave(roster: Roster, member: Member, fate: str, *, with_items: bool = True) -> Roster:
    """Remove a member, and those who belong to them; the roster remembers those who leave after the
    first game, perhaps without their items."""
    pets, departed = roster.belongings(member.id), roster.departed
    if roster.playing:
        fates = (fate, *(FOLLOWED for _pet in pets))
        departed += tuple(
            Departed(member=one if with_items else one.changed(items=()), fate=how)
            for one, how in zip((member, *pets), fates, strict=True)
        )
    members = tuple(one for one in roster.members if member.id not in (one.id, one.owner))
    return roster.changed(members=members, departed=departed)


def leave_gear(roster: Roster, member: Member, fate: str) -> Roster:
    """Remove a member, and those who belong to them, and put their items into the stash; before the
    first game, delete the items.
    """
    left = leave(roster, member, fate, with_items=False)
    if not roster.playing:
        return left
    items = (item for one in (member, *roster.belongings(member.id)) for item in one.items)
    return left.changed(stash=(*left.stash, *items))


def give(roster: Roster, member: int | None, *items: OwnedItem) -> Roster:
    """The roster with more items, a member's or the stash's. Raises Misfit if one is fitted to
    something that is not there."""
    had = roster.stash if member is None else roster.member(member).items
    has = (*had, *items)
    hosts = {owned.id for owned in has if owned.on is None}
    if any(owned.on is not None and owned.on not in hosts for owned in has):
        raise Misfit("no_item")
    if member is None:
        return roster.changed(stash=has)
    return change(roster, member, items=has)


def take(roster: Roster, item: int) -> tuple[Roster, tuple[OwnedItem, ...]]:
    """The roster without an item and those fitted to it, and these items, it first. Raises Misfit
    if nobody has it."""
    holder, owned = roster.holder(item)
    had = roster.beside(item)
    taken = (owned, *(other for other in had if other.on == item))
    items = tuple(other for other in had if other not in taken)
    if holder is None:
        return roster.changed(stash=items), taken
    return change(roster, holder.id, items=items), taken


def use(roster: Roster, item: int, uses: int, most: int) -> Roster:
    """The roster after some uses of an item that has ``most``; without it after the last of them.

    Raises Misfit if nobody has it.
    """
    holder, owned = roster.holder(item)
    if owned.used + uses >= most:
        return take(roster, item)[0]
    worn = owned.changed(used=owned.used + uses)
    if holder is None:
        return roster.changed(stash=tuple(worn if one is owned else one for one in roster.stash))
    return change(
        roster, holder.id, items=tuple(worn if one is owned else one for one in holder.items)
    )
