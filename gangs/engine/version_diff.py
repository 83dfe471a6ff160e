"""What another version of its rulebook would change for a gang, as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from gangs.engine.validation import Finding, findings
from gangs.engine.valuation import gang_rating, member_rating
from gangs.engine.version_change import Loss, carried_over
from rules.book.model import Book
from rules.book.vocabulary import Row, Settings, Text
from rules.engine.costing import Points

Amount = Literal[
    "price",
    "rating",
    "budget",
    "left",
    "treasury",
    "size",
    "games",
    "taken_out",
    "experience",
    "name",
    "rank",
    "profession",
    "origin",
    "squad",
]
# Of a row, what does not make it another one.
BESIDE = {"price", "source", "house"}
Value = Text | str | int | float | None


@dataclass(frozen=True)
class Shift:
    """One value before and after, None where there is none. ``what``: an amount or a row."""

    what: Amount | Text
    before: Value
    after: Value


@dataclass(frozen=True)
class MemberChanges:
    """What would change for one member. ``name``: their own, or their rank's."""

    id: int
    name: str | Text
    leaves: bool
    shifts: tuple[Shift, ...]
    losses: tuple[Loss, ...]

    def __bool__(self) -> bool:
        return bool(self.leaves or self.shifts or self.losses)


@dataclass(frozen=True)
class Changes:
    """What would change for a gang, and nothing else.

    ``reads``: what the gang has that is not what it was, beyond its price; ``come`` and ``go``:
    findings.
    """

    shifts: tuple[Shift, ...]
    members: tuple[MemberChanges, ...]
    losses: tuple[Loss, ...]
    reads: tuple[Text, ...]
    come: tuple[Finding, ...]
    go: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return any(vars(self).values())


def changes(old: Book, new: Book, roster: Roster) -> Changes:
    """What would change for a gang that went on with ``new`` instead of ``old``."""
    carried, losses = carried_over(old, new, roster)
    before, after = ComputedGang.of(old, roster), ComputedGang.of(new, carried)
    was, will_be = findings(old, roster, before), findings(new, carried, after)
    members = (_member(before, after, member, losses) for member in roster.members)
    return Changes(
        shifts=(*_gang(before, after), *setting_shifts(before, after)),
        members=tuple(changed for changed in members if changed),
        losses=tuple(loss for loss in losses if loss.member is None),
        reads=tuple(_reads(before, after)),
        come=tuple(_beyond(will_be, was)),
        go=tuple(_beyond(was, will_be)),
    )


def _gang(before: ComputedGang, after: ComputedGang) -> Iterator[Shift]:
    return shifts(
        ("rating", rating_of(before), rating_of(after)),
        ("price", _price(before), _price(after)),
        ("budget", _budget(before), _budget(after)),
        ("left", before.left, after.left),
    )


def shifts(*values: tuple[Amount, Value, Value]) -> Iterator[Shift]:
    """Those that differ. What a gang costs is named once where it is also what it is worth."""
    named = set()
    for what, old, new in values:
        if old != new and not (what == "price" and (old, new) in named):
            named.add((old, new))
            yield Shift(what, old, new)


def rating_of(computed: ComputedGang) -> Points | None:
    """What the gang is worth; None in a game without ratings."""
    return gang_rating(computed.book, computed.roster).total if computed.book.rating else None


def _price(computed: ComputedGang) -> Points | None:
    return computed.price if computed.book.money else None


def _budget(computed: ComputedGang) -> Points | None:
    """The founding budget counts until the first game."""
    return None if computed.roster.playing else computed.book.budget(computed.roster.settings)


def setting_shifts(before: ComputedGang, after: ComputedGang) -> Iterator[Shift]:
    """The options that are chosen otherwise."""
    for key in dict.fromkeys((*before.book.setting, *after.book.setting)):
        old = _chosen(before.book, before.roster.settings, key)
        new = _chosen(after.book, after.roster.settings, key)
        if old != new:
            row = after.book.setting.get(key) or before.book.setting[key]
            yield Shift(row.name, old, new)


def _chosen(book: Book, settings: Settings, key: str) -> Value:
    """What is chosen for a setting, a choice by its name."""
    value = settings.get(key)
    if key not in book.setting or value is None:
        return None
    row = book.setting[key]
    if row.kind == "choice":
        names = {choice.key: choice.name for choice in row.choices}
        return names.get(str(value), value)
    return value


def _member(
    before: ComputedGang, after: ComputedGang, member: Member, losses: Iterable[Loss]
) -> MemberChanges:
    own = [loss for loss in losses if loss.member == member.id]
    leaves = member.id not in after.figures
    return MemberChanges(
        id=member.id,
        name=member.name_or_rank(before.book),
        leaves=leaves,
        shifts=() if leaves else tuple(member_shifts(before, after, member.id)),
        losses=tuple(loss for loss in own if loss.kind != "rank"),
    )


def member_shifts(before: ComputedGang, after: ComputedGang, member: int) -> Iterator[Shift]:
    """What a member who is in both is worth, and their characteristics, where they differ."""
    was, now = before.roster.member(member), after.roster.member(member)
    yield from shifts(
        ("rating", _member_rating(before, was), _member_rating(after, now)),
        ("price", _member_price(before, was), _member_price(after, now)),
    )
    old, new = before.profiles[member].scores, after.profiles[member].scores
    for key in dict.fromkeys((*old, *new)):
        value = str(old[key].value) if key in old else None
        other = str(new[key].value) if key in new else None
        if value != other:
            row = (new.get(key) or old[key]).characteristic
            yield Shift(row.name, value, other)


def _member_rating(computed: ComputedGang, member: Member) -> Points | None:
    book = computed.book
    return member_rating(book, computed.roster, member).total if book.rating else None


def _member_price(computed: ComputedGang, member: Member) -> Points | None:
    return computed.cost(computed.figures[member.id]) if computed.book.money else None


def _reads(before: ComputedGang, after: ComputedGang) -> Iterator[Text]:
    """What the gang has that both rulebooks know, but not as the same."""
    members = after.roster.members
    items = [*after.roster.stash, *(owned for member in members for owned in member.items)]
    yield from _other(before.book.item, after.book.item, (owned.key for owned in items))
    traits = (key for member in members for key in member.traits)
    yield from _other(before.book.trait, after.book.trait, traits)
    professions = (member.profession for member in members if member.profession)
    yield from _other(before.book.profession, after.book.profession, professions)
    suffered = (one.condition for member in members for one in member.afflictions)
    yield from _other(before.book.condition, after.book.condition, suffered)


def _other(old: Mapping[str, Row], new: Mapping[str, Row], keys: Iterable[str]) -> Iterator[Text]:
    """Of the rows with ``keys``, those that differ by more than their price."""
    for key in dict.fromkeys(keys):
        if key in old and key in new:
            was, now = (row.model_dump(exclude=BESIDE) for row in (old[key], new[key]))
            if was != now:
                yield new[key].name


def _beyond(some: Iterable[Finding], others: Iterable[Finding]) -> Iterator[Finding]:
    """Those of ``some`` that are not among ``others``; other words for the same do not count."""
    facts = attrgetter("code", "severity", "members", "values")
    known = list(map(facts, others))
    return (finding for finding in some if facts(finding) not in known)
