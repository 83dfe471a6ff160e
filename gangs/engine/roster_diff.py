"""What changed in a gang between two moments, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member
from gangs.engine.version_diff import Shift, member_shifts, rating_of, setting_shifts, shifts
from rules.book.model import Book
from rules.book.vocabulary import Row, Text, named

Sort = Literal["traits", "items", "conditions"]


@dataclass(frozen=True)
class Difference:
    """Of one sort of things, those that somebody has now and had not, and those that are gone."""

    sort: Sort
    more: tuple[str | Text, ...]
    less: tuple[str | Text, ...]


@dataclass(frozen=True)
class Changed:
    """A member then and now. ``was``: None if they had not come yet; ``now``: None if they have
    gone, by ``fate``. ``name`` and ``rank`` are their last."""

    id: int
    name: str | Text
    rank: str | Text
    was: Member | None
    now: Member | None
    fate: str = ""
    shifts: tuple[Shift, ...] = ()
    differences: tuple[Difference, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.was is None or self.now is None or self.shifts or self.differences)


@dataclass(frozen=True)
class Between:
    """What changed: of the gang, its options and its stash, and for each member who is not as they
    were, came or went."""

    shifts: tuple[Shift, ...]
    stash: tuple[Difference, ...]
    members: tuple[Changed, ...]

    def __bool__(self) -> bool:
        return any(vars(self).values())


def between(before: ComputedGang, after: ComputedGang) -> Between:
    """What changed from ``before`` to ``after``, two states of the same gang."""
    had, has = ([owned.key for owned in state.roster.stash] for state in (before, after))
    return Between(
        shifts=(*_gang(before, after), *setting_shifts(before, after)),
        stash=tuple(_differences(before, after, {"items": had}, {"items": has})),
        members=tuple(changed for changed in _members(before, after) if changed),
    )


def _gang(before: ComputedGang, after: ComputedGang) -> Iterator[Shift]:
    old, new = before.roster, after.roster
    pays = any(
        computed.left is not None and computed.roster.playing for computed in (before, after)
    )
    return shifts(
        ("name", old.name, new.name),
        ("rating", rating_of(before), rating_of(after)),
        ("treasury", old.treasury if pays else None, new.treasury if pays else None),
        ("size", len(old.members), len(new.members)),
        ("games", old.games, new.games),
    )


def _members(before: ComputedGang, after: ComputedGang) -> Iterator[Changed]:
    """Those who are there now, in their order; then those who have gone since."""
    known = {member.id: member for member in before.roster.members}
    for member in after.roster.members:
        yield _changed(before, after, known.pop(member.id, None), member)
    earlier = {gone.member.id for gone in before.roster.departed}
    for gone in after.roster.departed:
        if gone.member.id not in earlier:
            yield _changed(before, after, known.pop(gone.member.id, None), gone.member, gone.fate)
    # Nobody remembers those who were sent away while the gang was being built.
    for member in known.values():
        yield _changed(before, after, member, member, "dismissed")


def _changed(
    before: ComputedGang, after: ComputedGang, was: Member | None, last: Member, fate: str = ""
) -> Changed:
    """A member who is there now as ``last``; or as whom they left, by ``fate``."""
    shifts: tuple[Shift, ...] = ()
    if was is not None and not fate:
        shifts = (*_standing(before, after, was, last), *member_shifts(before, after, last.id))
    had, has = _things(was), _things(last)
    return Changed(
        id=last.id,
        name=last.name_or_rank(after.book),
        rank=named(after.book.rank, last.rank),
        was=was,
        now=None if fate else last,
        fate=fate,
        shifts=shifts,
        differences=() if fate else tuple(_differences(before, after, had, has)),
    )


def _standing(
    before: ComputedGang, after: ComputedGang, was: Member, now: Member
) -> Iterator[Shift]:
    """What they are, and what they have done."""
    old, new = before.book, after.book
    return shifts(
        ("name", was.name or None, now.name or None),
        ("rank", named(old.rank, was.rank), named(new.rank, now.rank)),
        (
            "profession",
            _row(old.profession, was.profession),
            _row(new.profession, now.profession),
        ),
        ("origin", _row(old.origin, was.origin), _row(new.origin, now.origin)),
        ("squad", was.squad or None, now.squad or None),
        ("games", was.games, now.games),
        ("taken_out", was.taken_out, now.taken_out),
        ("experience", was.experience, now.experience),
    )


def _things(member: Member | None) -> dict[Sort, list[str]]:
    """What they have, by sort."""
    if member is None:
        return {}
    return {
        "traits": list(member.traits),
        "items": [owned.key for owned in member.items],
        "conditions": [suffered.condition for suffered in member.afflictions],
    }


def _differences(
    before: ComputedGang,
    after: ComputedGang,
    had: Mapping[Sort, list[str]],
    has: Mapping[Sort, list[str]],
) -> Iterator[Difference]:
    for sort, keys in has.items():
        old, new = Counter(had.get(sort, ())), Counter(keys)
        more, less = new - old, old - new
        if more or less:
            gained = _names(after.book, sort, more.elements())
            yield Difference(sort, gained, _names(before.book, sort, less.elements()))


def _names(book: Book, sort: Sort, keys: Iterable[str]) -> tuple[str | Text, ...]:
    rows: dict[Sort, Mapping[str, Row]] = {
        "traits": book.trait,
        "items": book.item,
        "conditions": book.condition,
    }
    return tuple(named(rows[sort], key) for key in keys)


def _row(rows: Mapping[str, Row], key: str | None) -> str | Text | None:
    return None if key is None else named(rows, key)
