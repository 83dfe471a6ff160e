"""Members who belong to members: who can own whom."""

from __future__ import annotations

from common.errors import Refusal
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from rules.book.model import Book
from rules.book.schema import Rank
from rules.engine.figure import picks


def why_not_owner(
    book: Book,
    roster: Roster,
    rank: Rank,
    owner: Member,
    *,
    more: int = 1,
    member: int | None = None,
) -> Refusal | None:
    """Why a member cannot own ``more`` of a rank, or this ``member``; None if they can.

    ``book``: with the gang's own items.
    """
    row, name = rank.belongs_to, owner.name_or_rank(book)
    is_owned = owner.rank in book.rank and book.rank[owner.rank].belongs_to is not None
    if row is None or is_owned or not picks(book, row.owners, roster.figure(book, owner)):
        return Refusal("not_owner", name=name, rank=rank.name)
    if member is not None and roster.belongings(member):
        # Nobody who is owned owns others.
        return Refusal("not_owner", name=name, rank=rank.name)
    had = sum(one.rank == rank.key and one.id != member for one in roster.belongings(owner.id))
    if row.most is not None and had + more > row.most:
        return Refusal("owner_full", name=name, rank=rank.name, maximum=row.most)
    return None


def find_owners(computed: ComputedGang, rank: Rank, member: int | None = None) -> list[Member]:
    """The members who can own one more of a rank, or this ``member``."""
    book, roster = computed.book, computed.roster
    return [
        one
        for one in roster.members
        if one.id != member and why_not_owner(book, roster, rank, one, member=member) is None
    ]


def choose_owner(
    computed: ComputedGang, rank: Rank, owner: int | None, count: int = 1
) -> int | None:
    """The owner of ``count`` recruits of a rank: the one chosen, or the only one possible; None for
    a rank whose members belong to nobody. Raises Refusal."""
    if rank.belongs_to is None:
        return None
    if owner is None:
        able = find_owners(computed, rank)
        if not able:
            raise Refusal("nobody_owns", rank=rank.name)
        if len(able) > 1:
            raise Refusal("choose_owner", rank=rank.name)
        owner = able[0].id
    chosen = next((one for one in computed.roster.members if one.id == owner), None)
    if chosen is None:
        raise Refusal("gone")
    refusal = why_not_owner(computed.book, computed.roster, rank, chosen, more=count)
    if refusal is not None:
        raise refusal
    return owner


def may_change_owner(computed: ComputedGang, member: Member) -> bool:
    """Whether a member may belong to somebody else from now on: until the first game, if the rank
    says so, or while they belong to nobody who can have them."""
    book, roster = computed.book, computed.roster
    rank, owner = book.rank[member.rank], roster.owner(member)
    if rank.belongs_to is None or roster.belongings(member.id):
        return False
    if rank.belongs_to.moves or not roster.playing or owner is None:
        return True
    return why_not_owner(book, roster, rank, owner, member=member.id) is not None
