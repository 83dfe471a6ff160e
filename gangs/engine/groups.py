"""Groups: members of one rank and squad whom the player recruits, equips and teaches together.

A group is no entry: it follows from the rank, its rulebook and the name of the squad. A promotion
therefore splits it, and everything that happens in games stays with each member.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fitting import parts_of
from gangs.engine.fold import apply
from gangs.engine.roster import Member, OwnedItem, Roster
from rules.book.model import Book
from rules.engine.profiles import profile

# Decides about one member of a gang.
Decision = Callable[[ComputedGang, int], list[Entry]]
# Numbers of entries that are only tried.
TRIED = 1_000_000
LONGEST_NAME = 40


def is_together(book: Book, member: Member) -> bool:
    """Whether the member is in a group."""
    rank = book.rank.get(member.rank)
    return (
        bool(member.squad) and rank is not None and rank.squad is not None and rank.squad.together
    )


def group_of(book: Book, roster: Roster, member: Member) -> tuple[Member, ...]:
    """The members of the member's group who are still like the member."""
    if not is_together(book, member):
        return (member,)
    return next(one for one in alike(book, roster) if member in one)


def alike(book: Book, roster: Roster) -> list[tuple[Member, ...]]:
    """The members of a gang, those of a group together who differ only in their names, games and
    victims: one card can show them."""
    found: dict[object, list[Member]] = {}
    for member in roster.members:
        # Without a group, everybody has a card.
        key: object = member.id
        # An animal belongs to one of them, who is therefore not like the others.
        if is_together(book, member) and not roster.belongings(member.id):
            items = sorted(_describe_item(member, owned) for owned in member.items)
            own = {"id": 0, "name": "", "items": (), "games": 0, "taken_out": 0}
            key = (member.model_copy(update=own).model_dump_json(), *items)
        found.setdefault(key, []).append(member)
    return [tuple(members) for members in found.values()]


def _describe_item(member: Member, owned: OwnedItem) -> tuple[object, ...]:
    """Everything that tells an item of a member from another: its row, its state, the item that it
    is fitted to and the items that are fitted to either."""
    host = next((one for one in member.items if one.id == owned.on), None)
    return (*_assembly(member, owned), *(_assembly(member, host) if host else ()))


def _assembly(member: Member, owned: OwnedItem) -> tuple[object, ...]:
    """An item's row and state, with those of the items that are fitted to it."""
    parts = parts_of(member.items, owned)
    fitted = tuple(sorted((one.key, one.used, one.included) for one in parts))
    return owned.key, owned.used, owned.included, fitted


def do_together(
    computed: ComputedGang, member: int, decide: Decision, number: int = TRIED
) -> list[Entry]:
    """Decide the same for everybody in the member's group, one after the other, so that each sees
    what the others have paid and taken.

    Raises the Refusal of ``decide``, for the member or for one of the others.
    """
    members = [one for one in computed.roster.members if one.id == member]
    mates = group_of(computed.book, computed.roster, members[0]) if members else ()
    if len(mates) < 2:
        return decide(computed, member)
    entries: list[Entry] = []
    for mate in mates:
        made = decide(computed, mate.id)
        computed = after(computed, made, number + len(entries))
        entries += made
    return entries


def discard_together(computed: ComputedGang, item: int, decide: Decision) -> list[Entry]:
    """Discard an item and, of the other members of its owner's group, one like it each.

    ``decide``: discards the item with a number.
    """
    entries = decide(computed, item)
    owner, owned = computed.roster.holder(item)
    if owner is None:
        return entries
    looks = _describe_item(owner, owned)
    for mate in group_of(computed.book, computed.roster, owner):
        same = [one.id for one in mate.items if _describe_item(mate, one) == looks]
        if mate is not owner and same:
            entries += decide(computed, same[0])
    return entries


def join_squad(
    computed: ComputedGang, recruits: Sequence[Entry], name: str, next_id: int
) -> list[Entry]:
    """Add to the entries of recruits that they join a group, if their rank has groups.

    ``name``: the group's, a new one or one that there is; "" for a new one with the next number.
    ``next_id``: the number of the first recruit.
    """
    book, roster = computed.book, computed.roster
    first = recruits[0] if recruits else None
    if not isinstance(first, kinds.Recruited):
        return [*recruits]
    size = book.rank[first.rank].squad
    if size is None or not size.together:
        return [*recruits]
    taken = {other.squad for other in roster.everyone() if other.rank == first.rank}
    numbers = (str(number) for number in range(1, len(taken) + 2))
    squad = name[:LONGEST_NAME].rstrip() or next(one for one in numbers if one not in taken)
    # Each recruit may be followed by the kit that they join with.
    joined = (
        kinds.SquadJoined(member=next_id + place, squad=squad)
        for place, entry in enumerate(recruits)
        if isinstance(entry, kinds.Recruited)
    )
    return [*recruits, *joined]


def after(computed: ComputedGang, entries: Sequence[Entry], number: int) -> ComputedGang:
    """The gang after some entries, which are only tried. ``number``: of the first."""
    roster, book = computed.roster, computed.book
    for place, entry in enumerate(entries):
        roster = apply(book, roster, number + place, entry)
    figures = {member.id: roster.figure(book, member) for member in roster.members}
    profiles = {
        key: computed.profiles[key]
        if computed.figures.get(key) == figure
        else profile(computed.rules, figure)
        for key, figure in figures.items()
    }
    return replace(computed, roster=roster, figures=figures, profiles=profiles)
