"""Doubts: entries that can be carried out where they stand, but that nobody would have made there.

After a correction the entries behind it still fold, and yet money may be spent that was not there,
or an advance taken that no experience had earned. The players decide what becomes of such entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gangs import entries as kinds
from gangs.entries import Entry
from gangs.findings import quota_left, recruits_left
from gangs.fold import Books, apply, in_force, no_books
from gangs.misfit import Misfit
from gangs.own_items import extended
from gangs.refusal import Value
from gangs.roster import Member, Roster
from rules.book import Book
from rules.costing import whole
from rules.season import Promotion


@dataclass(frozen=True)
class Doubt:
    """Why an entry is in doubt.

    ``code``: unpaid, unearned, absent, missing, has_it, requires, traits_full, group_full or
    recruits_used_up; ``values`` fill its sentence.
    """

    code: str
    values: Mapping[str, Value] = field(default_factory=dict)


def doubts_along(
    book: Book, numbered: Iterable[tuple[int, Entry]], books: Books = no_books
) -> dict[int, list[Doubt]]:
    """The doubts about each of the entries, by number, as they are carried out in order.

    Those that do not fit are left out, as in ``gangs.fold.refold``.
    """
    roster = Roster()
    found: dict[int, list[Doubt]] = {}
    for number, entry in numbered:
        try:
            known = in_force(book, roster, books)
            after = apply(known, roster, number, entry, books)
        except Misfit:
            continue
        listed = list(doubts(known, roster, entry))
        if listed:
            found[number] = listed
        roster = after
    return found


def doubts(book: Book, roster: Roster, entry: Entry) -> Iterator[Doubt]:
    """What is to be doubted about an entry that fits ``roster``, the gang as it stood before it."""
    missing = whole(getattr(entry, "paid", 0) - roster.treasury)
    if roster.playing and missing > 0 and entry_pays(entry) and book.pays(roster.settings):
        yield Doubt("unpaid", {"missing": missing})
    ask = _ASK.get(type(entry))
    if ask is not None:
        yield from ask(book, roster, entry)


def entry_pays(entry: Entry) -> bool:
    """Whether anything is paid with the entry."""
    return bool(getattr(entry, "paid", 0))


def _played(book: Book, roster: Roster, entry: kinds.Played) -> Iterator[Doubt]:
    """Those who took part were in the gang, and nothing held them."""
    there = {member.id: member for member in roster.members}
    gone = sum(member not in there for member in entry.fielded)
    if gone:
        yield Doubt("missing", {"count": gone})
    for key in entry.fielded:
        if key in there and _is_held(book, there[key]):
            yield Doubt("absent", {"name": _name(book, there[key])})


def _is_held(book: Book, member: Member) -> bool:
    conditions = (book.condition.get(one.condition) for one in member.afflictions)
    return any(condition is not None and condition.absent for condition in conditions)


def _name(book: Book, member: Member) -> Value:
    return member.name or book.rank[member.rank].name


def _recruited(book: Book, roster: Roster, entry: kinds.Recruited) -> Iterator[Doubt]:
    left = (recruits_left(book, roster), quota_left(book, roster, entry.rank))
    if 0 in left:
        yield Doubt("recruits_used_up")


def _trait_taken(book: Book, roster: Roster, entry: kinds.TraitTaken) -> Iterator[Doubt]:
    member = roster.member(entry.member)
    trait = book.trait[entry.trait]
    if entry.advance and not _has_advance(book, member):
        yield Doubt("unearned")
    if trait.key in member.traits:
        yield Doubt("has_it")
    lacking = next((key for key in trait.requires if key not in member.traits), None)
    if lacking is not None:
        yield Doubt("requires", {"trait": book.trait[lacking].name})
    rank = book.rank[member.rank]
    count = sum(book.trait[key].counted for key in member.traits)
    if trait.counted and rank.maximum_traits is not None and count >= rank.maximum_traits:
        yield Doubt("traits_full", {"rank": rank.name, "maximum": rank.maximum_traits})


def _has_advance(book: Book, member: Member) -> bool:
    """Whether experience has earned the member another advance."""
    advancement = book.campaign.advancement
    if advancement is None:
        return True
    return member.experience_at_rank // advancement.experience > member.advances


def _promoted(book: Book, roster: Roster, entry: kinds.Promoted) -> Iterator[Doubt]:
    member = roster.member(entry.member)
    if entry.advance:
        if not _has_advance(book, member):
            yield Doubt("unearned")
        return
    ways = [
        row
        for row in book.in_force(book.campaign.promotions, roster.settings)
        if (row.start, row.to) == (member.rank, entry.rank) and row.trigger != "advance"
    ]
    # Without any it was a post that had to be filled: no experience is asked for.
    if ways and not any(_is_earned(book, row, member) for row in ways):
        yield Doubt("unearned")


def _is_earned(book: Book, promotion: Promotion, member: Member) -> bool:
    if promotion.trigger == "experience":
        return member.experience_at_rank >= promotion.experience
    if promotion.trigger == "full":
        most = book.rank[member.rank].experience
        return most is not None and member.experience_at_rank >= most
    return True


def _bought(book: Book, roster: Roster, entry: kinds.Bought) -> Iterator[Doubt]:
    yield from _too_many(book, roster, entry.member, entry.item)


def _moved(book: Book, roster: Roster, entry: kinds.Moved) -> Iterator[Doubt]:
    yield from _too_many(book, roster, entry.member, roster.holder(entry.item)[1].key)


def _too_many(book: Book, roster: Roster, member: int | None, item: str) -> Iterator[Doubt]:
    if member is None:
        return
    book = extended(book, roster)
    group = book.group[book.item[item].group]
    carried = [book.item[owned.key].group for owned in roster.member(member).items]
    if group.most_per_member is not None and carried.count(group.key) >= group.most_per_member:
        yield Doubt("group_full", {"group": group.name, "maximum": group.most_per_member})


_ASK: dict[type[Entry], Callable[[Book, Roster, Any], Iterator[Doubt]]] = {
    kinds.Played: _played,
    kinds.Recruited: _recruited,
    kinds.TraitTaken: _trait_taken,
    kinds.Promoted: _promoted,
    kinds.Bought: _bought,
    kinds.Moved: _moved,
}
