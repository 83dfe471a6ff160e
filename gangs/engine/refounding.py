"""The entries that found a gang once more: with the same members, kit, stash and names.

Only for gangs as they were before their first game, so nothing here was earned or suffered in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gangs.engine import entries as kinds
from gangs.engine.advances import experience_price
from gangs.engine.entries import Entry
from gangs.engine.fitting import in_order
from gangs.engine.mutations import gather
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.version_change import carry_over, fit_settings
from rules.book.model import Book
from rules.bounds.limits import MOST_NUMBER


@dataclass(frozen=True)
class Refounding:
    """The entries of a gang founded once more. ``members``: the new numbers, by the old ones."""

    entries: tuple[Entry, ...]
    members: Mapping[int, int]


def refound(
    old: Book, new: Book, roster: Roster, name: str, rolls: Iterable[kinds.ProfileRolled] = ()
) -> Refounding:
    """Found a gang like ``roster``, which uses ``old``, under ``new``.

    Things that ``new`` does not have are left out, as when a gang changes its rules. Campaigns,
    money that came in, hired hands and the gangs that caused a condition stay behind. ``rolls``:
    those of the members' profiles.
    """
    if new.digest != old.digest:
        roster = carry_over(old, new, roster)[0]
    founding = _Founding(old, new, roster, list(rolls))
    founding.begin(name)
    # By age: the first of a profession may have a bonus.
    for member in sorted(roster.members, key=lambda one: one.id):
        founding.recruit(member)
    founding.hand_over()
    for owned in in_order(roster.stash):
        founding.buy(owned, None)
    for held in roster.holdings:
        founding.add(kinds.HoldingGained(holding=held.key, name=held.name))
    founding.reorder()
    return Refounding(tuple(founding.entries), founding.members)


class _Founding:
    """Entries in the making. ``members``, ``bought`` and ``own``: the new numbers of members and
    items and the new keys of the gang's own items, by their old ones."""

    def __init__(
        self, old: Book, new: Book, roster: Roster, rolls: list[kinds.ProfileRolled]
    ) -> None:
        self.old, self.new, self.roster, self.rolls = old, new, roster, rolls
        self.entries: list[Entry] = []
        self.members: dict[int, int] = {}
        self.own: dict[str, str] = {}
        self.bought: dict[int, int] = {}

    def add(self, entry: Entry) -> int:
        """Add an entry; returns its number."""
        self.entries.append(entry)
        return len(self.entries)

    def begin(self, name: str) -> None:
        """Add the founding itself, the gang's notes and its own items."""
        settings = fit_settings(self.new, self.roster.settings)
        self.add(kinds.Founded(name=name, settings=settings))
        if self.roster.notes:
            self.add(kinds.Noted(text=self.roster.notes))
        for own in self.roster.own_items:
            number = self.add(kinds.ItemDeclared(**own.model_dump(exclude={"key"})))
            self.own[own.key] = f"own-{number}"

    def recruit(self, member: Member) -> None:
        """Add a member with everything that makes them."""
        rank = member.base_rank or member.worth_rank
        subject = self.add(
            kinds.Recruited(
                rank=rank,
                name=member.name,
                origin=member.origin,
                owner=self.members.get(member.owner or 0),
                numbers=self._copied_numbers(member, rank),
            )
        )
        self.members[member.id] = subject
        if member.squad:
            self.add(kinds.SquadJoined(member=subject, squad=member.squad))
        if member.profession is not None:
            self.add(kinds.ProfessionChosen(member=subject, profession=member.profession))
        for key, amount in member.points.items():
            self.add(kinds.PointsSpread(member=subject, characteristic=key, amount=amount))
        for roll in self.rolls:
            if roll.member == member.id and member.rolled.get(roll.characteristic) == roll.amount:
                self.add(roll.model_copy(update={"member": subject}))
        for key, amount in member.raised.items():
            self.add(kinds.Rose(member=subject, characteristic=key, amount=amount))
        if (more := member.experience - self._first_experience(rank)) > 0:
            self.add(kinds.Learned(member=subject, amount=more))
        self._take_traits(member, subject, rank)
        for owned in in_order(member.items):
            self.buy(owned, subject)
        for suffered in member.afflictions:
            condition, games = suffered.condition, suffered.games_left
            self.add(kinds.Suffered(member=subject, condition=condition, games=games))
        for key, number in member.tracks.items():
            self.add(kinds.Tracked(member=subject, track=key, to=number))
        if member.notes:
            self.add(kinds.Noted(member=subject, text=member.notes))

    def _copied_numbers(self, member: Member, rank: str) -> dict[str, int]:
        """The numbers that a member took from their owner, who may have others by now. Those beyond
        the numbers of a rulebook, by effects that add up, are its largest."""
        row = self.new.rank.get(rank)
        copies = row.belongs_to.copies if row and row.belongs_to else ()
        return {
            key: max(-MOST_NUMBER, min(member.rolled[key], MOST_NUMBER))
            for key in copies
            if key in member.rolled
        }

    def _first_experience(self, rank: str) -> int:
        row = self.old.rank.get(rank)
        return row.starts_with if row else 0

    def _take_traits(self, member: Member, subject: int, rank: str) -> None:
        """Add the member's traits and, among them, where it was, a rise to another rank."""
        rises = bool(member.base_rank or member.rises or rank != member.rank)
        rise_at = member.rises[0].traits if member.rises else 0
        for place, key in enumerate(member.traits):
            if rises and place == rise_at:
                self._rise(member, subject)
                rises = False
            before = member.changed(traits=member.traits[:place])
            price = experience_price(before, self.new.trait[key]) if member.experience_spent else 0
            self.add(kinds.TraitTaken(member=subject, trait=key, experience=price))
        if rises:
            self._rise(member, subject)

    def _rise(self, member: Member, subject: int) -> None:
        self.add(
            kinds.Promoted(
                member=subject,
                rank=member.rank,
                keeps_price=member.worth_rank != member.rank,
                profile="best" if member.rises else "kept" if member.base_rank else "new",
            )
        )

    def buy(self, owned: OwnedItem, member: int | None) -> None:
        """Add an item, with the uses that are over."""
        key = self.own.get(owned.key, owned.key)
        on = self.bought.get(owned.on or 0)
        number = self.add(kinds.Bought(item=key, member=member, included=owned.included, on=on))
        self.bought[owned.id] = number
        if owned.used:
            self.add(kinds.Used(item=number, uses=owned.used))

    def hand_over(self) -> None:
        """Give members to owners who joined after them."""
        for member in self.roster.members:
            if member.owner is not None and member.owner > member.id:
                subject, owner = self.members[member.id], self.members[member.owner]
                self.add(kinds.OwnerChosen(member=subject, owner=owner))

    def reorder(self) -> None:
        """Bring the members into the order of the list."""
        by_age = sorted(self.roster.members, key=lambda one: one.id)
        order = gather(self.roster.changed(members=tuple(by_age)))
        for position, member in enumerate(self.roster.members):
            if order.members[position].id != member.id:
                others = [one for one in order.members if one.id != member.id]
                others.insert(position, member)
                order = gather(order.changed(members=tuple(others)))
                subject = self.members[member.id]
                self.add(kinds.Reordered(member=subject, position=position))
