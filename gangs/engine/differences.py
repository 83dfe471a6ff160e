"""Differences between two moments of a gang, or between two versions of its rulebook, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from gangs.engine.computed import ComputedGang
from gangs.engine.purses import balance
from gangs.engine.roster import Member, Roster
from gangs.engine.validation import Finding, findings
from gangs.engine.valuation import gang_rating, member_rating
from gangs.engine.version_change import Loss, carry_over
from rules.book.characteristics import Word
from rules.book.model import Book
from rules.book.vocabulary import Row, Settings, Text, name_of
from rules.engine.costing import Points
from rules.engine.profiles import Score

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
    "owner",
]
# Fields of a row that may differ although players read the same rule.
BESIDE = {"price", "source", "house"}
Value = Text | str | int | float | None
Facts = Mapping[Amount, Value]


@dataclass(frozen=True)
class Shift:
    """One value before and after, None where there is none. ``what``: an amount or a row."""

    what: Amount | Text
    before: Value
    after: Value


@dataclass(frozen=True)
class MemberChanges:
    """Changes for one member under another rulebook. ``name``: their own, or their rank's."""

    id: int
    name: str | Text
    leaves: bool
    shifts: tuple[Shift, ...]
    losses: tuple[Loss, ...]

    def __bool__(self) -> bool:
        return bool(self.leaves or self.shifts or self.losses)


@dataclass(frozen=True)
class Changes:
    """Changes for a gang under another rulebook.

    ``reads``: things of the gang whose rules change, not only their prices; ``come`` and ``go``:
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
    """Work out the changes for a gang that goes over from ``old`` to ``new``."""
    carried, losses = carry_over(old, new, roster)
    before, after = ComputedGang.of(old, roster), ComputedGang.of(new, carried)
    was, will_be = findings(old, roster, before), findings(new, carried, after)
    members = (_member(before, after, member, losses) for member in roster.members)
    return Changes(
        shifts=(
            *_shifts(_amounts(before), _amounts(after)),
            *_purse_shifts(before, after),
            *_setting_shifts(before, after),
        ),
        members=tuple(changed for changed in members if changed),
        losses=tuple(loss for loss in losses if loss.member is None),
        reads=tuple(_reads(before, after)),
        come=tuple(_beyond(will_be, was)),
        go=tuple(_beyond(was, will_be)),
    )


def _shifts(before: Facts, after: Facts) -> Iterator[Shift]:
    """The facts that differ; the price only where it does not change as the rating does."""
    yielded = set()
    for what, old in before.items():
        new = after[what]
        if old != new and not (what == "price" and (old, new) in yielded):
            yielded.add((old, new))
            yield Shift(what, old, new)


def _amounts(computed: ComputedGang) -> Facts:
    """The gang's rating, price, budget and money left; None where the game does not count that."""
    roster = computed.roster
    return {
        "rating": _rating(computed),
        "price": computed.price if computed.book.money else None,
        "budget": None if roster.playing else computed.rules.budget,
        "left": computed.left,
    }


def _rating(computed: ComputedGang) -> Points | None:
    return gang_rating(computed.book, computed.roster).total if computed.book.rating else None


def _setting_shifts(before: ComputedGang, after: ComputedGang) -> Iterator[Shift]:
    """The options that differ."""
    for key in dict.fromkeys((*before.book.setting, *after.book.setting)):
        old = _chosen(before.book, before.roster.settings, key)
        new = _chosen(after.book, after.roster.settings, key)
        if old != new:
            row = after.book.setting.get(key) or before.book.setting[key]
            yield Shift(row.name, old, new)


def _chosen(book: Book, settings: Settings, key: str) -> Value:
    """The value of a setting, a choice by its name."""
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
        shifts=() if leaves else tuple(_member_shifts(before, after, member.id)),
        losses=tuple(loss for loss in own if loss.kind != "rank"),
    )


def _member_shifts(before: ComputedGang, after: ComputedGang, member: int) -> Iterator[Shift]:
    """The worth and the characteristics of a member of both gangs, where they differ."""
    yield from _shifts(_worth(before, member), _worth(after, member))
    old, new = before.profiles[member].scores, after.profiles[member].scores
    for key in dict.fromkeys((*old, *new)):
        value, other = (_shown(scores.get(key)) for scores in (old, new))
        if value != other:
            row = (new.get(key) or old[key]).characteristic
            yield Shift(row.name, value, other)


def _shown(score: Score | None) -> str | Text | None:
    if score is None:
        return None
    return score.value.name if isinstance(score.value, Word) else str(score.value)


def _worth(computed: ComputedGang, member: int) -> Facts:
    book, roster = computed.book, computed.roster
    rated = book.rating is not None
    return {
        "rating": member_rating(book, roster, roster.member(member)).own if rated else None,
        "price": computed.cost(computed.figures[member]) if book.money else None,
    }


def _reads(before: ComputedGang, after: ComputedGang) -> Iterator[Text]:
    """The names of the gang's things with different rows in the two rulebooks."""
    members = after.roster.members
    items = [*after.roster.stash, *(owned for member in members for owned in member.items)]
    yield from _other(before.book.item, after.book.item, (owned.key for owned in items))
    traits = (key for member in members for key in member.traits)
    yield from _other(before.book.trait, after.book.trait, traits)
    professions = (member.profession for member in members if member.profession)
    yield from _other(before.book.profession, after.book.profession, professions)
    held = (one.key for one in after.roster.holdings)
    yield from _other(before.book.holding, after.book.holding, held)
    suffered = (ailment.condition for member in members for ailment in member.afflictions)
    yield from _other(before.book.condition, after.book.condition, suffered)


def _other(old: Mapping[str, Row], new: Mapping[str, Row], keys: Iterable[str]) -> Iterator[Text]:
    """The names of the rows with ``keys`` that differ by more than their price."""
    for key in dict.fromkeys(keys):
        if key in old and key in new:
            was, now = (row.model_dump(exclude=BESIDE) for row in (old[key], new[key]))
            if was != now:
                yield new[key].name


def _beyond(some: Iterable[Finding], others: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of ``some`` that are not among ``others``, whatever their words are."""
    facts = attrgetter("code", "severity", "members", "values")
    other_facts = list(map(facts, others))
    return (finding for finding in some if facts(finding) not in other_facts)


# Two moments

Sort = Literal["traits", "items", "conditions", "holdings"]


@dataclass(frozen=True)
class Difference:
    """Things of one sort that somebody has ``more`` now, and ``less``."""

    sort: Sort
    more: tuple[str | Text, ...]
    less: tuple[str | Text, ...]


@dataclass(frozen=True)
class Changed:
    """A member then and now. ``was``: None if they had not joined yet; ``now``: None if they have
    left, by ``fate``. ``name`` and ``rank`` are the last that they had."""

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
    """Changes of the gang, its options, its stash and its holdings, and of each member who changed,
    came or left."""

    shifts: tuple[Shift, ...]
    stash: tuple[Difference, ...]
    holdings: tuple[Difference, ...]
    members: tuple[Changed, ...]

    def __bool__(self) -> bool:
        return any(vars(self).values())


def between(before: ComputedGang, after: ComputedGang) -> Between:
    """Work out the changes from ``before`` to ``after``, two states of the same gang."""
    had, has = ([owned.key for owned in state.roster.stash] for state in (before, after))
    # A treasury is compared only if one of them has it.
    pays = any(state.left is not None and state.roster.playing for state in (before, after))
    totals = _shifts(_totals(before, pays), _totals(after, pays))
    purses = _purse_shifts(before, after)
    return Between(
        shifts=(*totals, *purses, *_setting_shifts(before, after)),
        stash=tuple(_differences(before, after, {"items": had}, {"items": has})),
        holdings=tuple(_holdings(before, after)),
        members=tuple(changed for changed in _members(before, after) if changed),
    )


def _purse_shifts(before: ComputedGang, after: ComputedGang) -> Iterator[Shift]:
    """The currencies beside money of which the gang has another amount, by the later rulebook."""
    had, has = (balance(state.book, state.roster) for state in (before, after))
    for row in after.rules.currencies:
        if had.get(row.key, 0) != has[row.key]:
            yield Shift(row.name, had.get(row.key, 0), has[row.key])


def _holdings(before: ComputedGang, after: ComputedGang) -> Iterator[Difference]:
    """The holdings gained and lost, each by its own name."""
    had = {held.id: held for held in before.roster.holdings}
    has = {held.id: held for held in after.roster.holdings}
    more = tuple(held.own_name(after.book) for key, held in has.items() if key not in had)
    less = tuple(held.own_name(before.book) for key, held in had.items() if key not in has)
    if more or less:
        yield Difference("holdings", more, less)


def _totals(computed: ComputedGang, pays: bool) -> Facts:
    roster = computed.roster
    return {
        "name": roster.name,
        "rating": _rating(computed),
        "treasury": roster.treasury if pays else None,
        "size": len(roster.members),
        "games": roster.games,
    }


def _members(before: ComputedGang, after: ComputedGang) -> Iterator[Changed]:
    """The present members in their order, then the members who have left since."""
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
    """A member who is now, or was when they left by ``fate``, as ``last``."""
    shifts: tuple[Shift, ...] = ()
    if was is not None and not fate:
        standing = _shifts(_standing(before.book, was), _standing(after.book, last))
        lasting = _track_shifts(after.book, was, last)
        owners = _owner_shifts(before, after, was, last)
        shifts = (*standing, *owners, *lasting, *_member_shifts(before, after, last.id))
    had, has = _things(was), _things(last)
    return Changed(
        id=last.id,
        name=last.name_or_rank(after.book),
        rank=name_of(after.book.rank, last.rank),
        was=was,
        now=None if fate else last,
        fate=fate,
        shifts=shifts,
        differences=() if fate else tuple(_differences(before, after, had, has)),
    )


def _track_shifts(book: Book, was: Member, now: Member) -> Iterator[Shift]:
    """The numbers of a member's lasting trackers that differ."""
    for key, row in book.track.items():
        old, new = was.tracks.get(key), now.tracks.get(key)
        if old != new:
            yield Shift(row.name, old, new)


def _owner_shifts(
    before: ComputedGang, after: ComputedGang, was: Member, now: Member
) -> Iterator[Shift]:
    """The members whom a member belonged and belongs to, if they differ."""
    if was.owner != now.owner:
        old, new = before.roster.owner(was), after.roster.owner(now)
        yield Shift(
            "owner",
            old.name_or_rank(before.book) if old else None,
            new.name_or_rank(after.book) if new else None,
        )


def _standing(book: Book, member: Member) -> Facts:
    """A member's name, rank and so on, and their record."""
    return {
        "name": member.name or None,
        "rank": name_of(book.rank, member.rank),
        "profession": name_of(book.profession, member.profession) if member.profession else None,
        "origin": name_of(book.origin, member.origin) if member.origin else None,
        "squad": member.squad or None,
        "games": member.games,
        "taken_out": member.taken_out,
        "experience": member.experience,
    }


def _things(member: Member | None) -> dict[Sort, list[str]]:
    """The keys of a member's things, by sort."""
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
        "holdings": book.holding,
    }
    return tuple(name_of(rows[sort], key) for key in keys)
