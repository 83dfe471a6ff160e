"""What changed in a gang between two moments, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from gangs.roster import Departed, Member
from gangs.scene import Scene
from gangs.upgrade_changes import Shift, member_shifts, rating_of, setting_shifts, shifts
from rules.book import Book
from rules.vocabulary import Row, Text

Sort = Literal["traits", "items", "conditions"]


@dataclass(frozen=True)
class Difference:
    """Of one sort of things, those that somebody has now and had not, and those that are gone."""

    sort: Sort
    more: tuple[str | Text, ...]
    less: tuple[str | Text, ...]


@dataclass(frozen=True)
class Changed:
    """A member then and now. ``was``: None if he had not come yet; ``now``: None if he has gone,
    by ``fate``. ``name`` and ``rank`` are his last."""

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
    """What changed: of the gang, its options and its stash, and for each member who is not as he
    was, came or went."""

    shifts: tuple[Shift, ...]
    stash: tuple[Difference, ...]
    members: tuple[Changed, ...]

    def __bool__(self) -> bool:
        return bool(self.shifts or self.stash or self.members)


def between(before: Scene, after: Scene) -> Between:
    """What changed from ``before`` to ``after``, two states of the same gang."""
    return Between(
        shifts=(*_gang(before, after), *setting_shifts(before, after)),
        stash=tuple(
            _differences(
                before,
                after,
                {"items": [one.key for one in before.roster.stash]},
                {"items": [one.key for one in after.roster.stash]},
            )
        ),
        members=tuple(changed for changed in _members(before, after) if changed),
    )


def _gang(before: Scene, after: Scene) -> Iterator[Shift]:
    old, new = before.roster, after.roster
    pays = any(scene.left is not None and scene.roster.playing for scene in (before, after))
    yield from shifts(
        [
            ("name", old.name, new.name),
            ("rating", rating_of(before), rating_of(after)),
            ("treasury", old.treasury if pays else None, new.treasury if pays else None),
            ("size", len(old.members), len(new.members)),
            ("games", old.games, new.games),
        ]
    )


def _members(before: Scene, after: Scene) -> Iterator[Changed]:
    """Those who are there now, in their order; then those who have gone since."""
    known = {member.id: member for member in before.roster.members}
    for member in after.roster.members:
        was = known.pop(member.id, None)
        yield _changed(before, after, was, member)
    for gone in _gone(before, after):
        known.pop(gone.member.id, None)
        yield _went(before, after, gone.member, gone.fate)
    # Nobody remembers those who were sent away while the gang was being built.
    for member in known.values():
        yield _went(before, after, member, "dismissed")


def _gone(before: Scene, after: Scene) -> Iterator[Departed]:
    """Those whom the gang remembers, and did not yet."""
    earlier = {gone.member.id for gone in before.roster.departed}
    return (gone for gone in after.roster.departed if gone.member.id not in earlier)


def _went(before: Scene, after: Scene, member: Member, fate: str) -> Changed:
    came = all(one.id != member.id for one in before.roster.members)
    return Changed(
        id=member.id,
        name=_name(after.book, member),
        rank=_called(after.book.rank, member.rank),
        was=None if came else before.roster.member(member.id),
        now=None,
        fate=fate,
    )


def _changed(before: Scene, after: Scene, was: Member | None, now: Member) -> Changed:
    told: tuple[Shift, ...] = ()
    if was is not None:
        told = (*_standing(before, after, was, now), *member_shifts(before, after, now.id))
    had = _things(was) if was is not None else {}
    return Changed(
        id=now.id,
        name=_name(after.book, now),
        rank=_called(after.book.rank, now.rank),
        was=was,
        now=now,
        shifts=told,
        differences=tuple(_differences(before, after, had, _things(now))),
    )


def _standing(before: Scene, after: Scene, was: Member, now: Member) -> Iterator[Shift]:
    """What he is, and what he has done."""
    old, new = before.book, after.book
    yield from shifts(
        [
            ("name", was.name or None, now.name or None),
            ("rank", _row(old.rank, was.rank), _row(new.rank, now.rank)),
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
        ]
    )


def _things(member: Member) -> dict[Sort, list[str]]:
    """What he has, by sort."""
    return {
        "traits": list(member.traits),
        "items": [owned.key for owned in member.items],
        "conditions": [suffered.condition for suffered in member.afflictions],
    }


def _differences(
    before: Scene,
    after: Scene,
    had: Mapping[Sort, list[str]],
    has: Mapping[Sort, list[str]],
) -> Iterator[Difference]:
    for sort, keys in has.items():
        old, new = Counter(had.get(sort, ())), Counter(keys)
        more, less = new - old, old - new
        if more or less:
            yield Difference(
                sort,
                tuple(_named(_rows(after.book, sort), more.elements())),
                tuple(_named(_rows(before.book, sort), less.elements())),
            )


def _rows(book: Book, sort: Sort) -> Mapping[str, Row]:
    rows: dict[Sort, Mapping[str, Row]] = {
        "traits": book.trait,
        "items": book.item,
        "conditions": book.condition,
    }
    return rows[sort]


def _named(rows: Mapping[str, Row], keys: Iterable[str]) -> Iterator[str | Text]:
    return (_called(rows, key) for key in keys)


def _row(rows: Mapping[str, Row], key: str | None) -> str | Text | None:
    return None if key is None else _called(rows, key)


def _called(rows: Mapping[str, Row], key: str) -> str | Text:
    """The name of a row; its key if a newer rulebook no longer has it."""
    return rows[key].name if key in rows else key


def _name(book: Book, member: Member) -> str | Text:
    return member.name or _called(book.rank, member.rank)
