"""Findings: everything validation has to say about a gang, each with whom it concerns.

The rulebook's limits say what is checked, under which code and with which words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gangs.own_items import extended
from gangs.roster import Member, Roster
from gangs.worth import gang_price
from rules.book import Book
from rules.profiles import Profile, excess_level, points_allowed, profile
from rules.schema import (
    CarriedLimit,
    CountLimit,
    Limit,
    MemberLimit,
    PurseLimit,
    Selector,
    Severity,
    ShareLimit,
)
from rules.vocabulary import Row, Text, applies

ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
Values = dict[str, int | str | Text]


@dataclass(frozen=True)
class Finding:
    """One thing to say. ``members``: the ids of those it concerns; none: the gang as a whole."""

    code: str
    severity: Severity
    text: Text
    members: tuple[int, ...] = ()
    values: Values = field(default_factory=dict)

    def said(self, language: str) -> str:
        """The sentence in ``language``, with its values filled in."""
        values = {
            key: value.said(language) if isinstance(value, Text) else value
            for key, value in self.values.items()
        }
        return self.text.said(language).format_map(values)


@dataclass(frozen=True)
class Scene:
    """A gang with every profile worked out once: what the checks look at."""

    book: Book
    roster: Roster
    profiles: dict[int, Profile]

    @classmethod
    def of(cls, book: Book, roster: Roster) -> Scene:
        """Work out the profiles of all members; the gang's own items join the rulebook's."""
        book = extended(book, roster)
        profiles = {
            member.id: profile(book, roster.settings, roster.figure(book, member))
            for member in roster.members
        }
        return cls(book, roster, profiles)

    @cached_property
    def price(self) -> int:
        """What the whole gang would cost to recruit as it is, stash included."""
        return gang_price(self.book, self.roster)

    @property
    def left(self) -> int | None:
        """What may still be spent: of the founding budget, or of the treasury once playing; None
        where the game, or the campaign by its settings, counts no money.
        """
        if self.roster.playing:
            return self.roster.treasury if self.book.pays(self.roster.settings) else None
        budget = self.book.budget(self.roster.settings)
        return None if budget is None else budget - self.price


def findings(book: Book, roster: Roster, scene: Scene | None = None) -> tuple[Finding, ...]:
    """Everything there is to say about ``roster``, most serious first."""
    scene = scene or Scene.of(book, roster)
    found = [
        finding
        for limit in book.limits
        if applies(limit.when, roster.settings)
        for finding in _check(scene, limit)
    ]
    return tuple(sorted(found, key=lambda finding: ORDER[finding.severity]))


def chosen(scene: Scene, selector: Selector) -> list[Member]:
    """The members that ``selector`` picks."""
    return [member for member in scene.roster.members if _picks(scene.book, selector, member)]


def places_taken(book: Book, member: Member) -> int:
    """How many places the member's items take."""
    return sum(book.group[book.item[owned.key].group].slots for owned in member.items)


def recruits_left(book: Book, roster: Roster) -> int | None:
    """How many more may be recruited before the next game; None: as many as one likes."""
    recruiting = book.campaign.recruiting
    if recruiting is None or not roster.playing:
        return None
    match roster.settings.get(recruiting.cap):
        case "session":
            return max(0, roster.first_size - roster.recruits_since_game)
        case "total":
            return max(0, roster.first_size - roster.recruits_since_start)
        case "size":
            return max(0, roster.first_size - len(roster.members))
    return None


def _picks(book: Book, selector: Selector, member: Member) -> bool:
    if selector.ranks and member.rank not in selector.ranks:
        return False
    if member.rank in selector.not_ranks:
        return False
    if selector.item_tags:
        tags = {tag for owned in member.items for tag in book.item[owned.key].tags}
        if not tags.intersection(selector.item_tags):
            return False
    if selector.trait_tags:
        tags = {tag for key in member.traits for tag in book.trait[key].tags}
        if not tags.intersection(selector.trait_tags):
            return False
    return True


def _check(scene: Scene, limit: Limit) -> Iterator[Finding]:
    match limit:
        case CountLimit():
            yield from _count(scene, limit)
        case ShareLimit():
            yield from _share(scene, limit)
        case CarriedLimit():
            yield from _carried(scene, limit)
        case PurseLimit():
            yield from _purse(scene, limit)
        case MemberLimit():
            for member in scene.roster.members:
                for values in _member(scene, limit, member):
                    yield _finding(scene, limit, values, [member])


def _finding(scene: Scene, limit: Limit, values: Values, members: Sequence[Member] = ()) -> Finding:
    severity = limit.severity
    if scene.roster.playing and limit.later:
        severity = limit.later
    if len(members) == 1:
        values = {"name": _name(scene.book, members[0]), **values}
    ids = tuple(member.id for member in members)
    return Finding(limit.code, severity, limit.text, ids, values)


def _name(book: Book, member: Member) -> str | Text:
    return member.name or book.rank[member.rank].name


def _count(scene: Scene, limit: CountLimit) -> Iterator[Finding]:
    members = chosen(scene, limit.of)
    maximum = limit.maximum
    for step in limit.maximum_by_size:
        if len(scene.roster.members) <= step.size:
            maximum = step.maximum
            break
    count = len(members)
    if count < limit.minimum or (maximum is not None and count > maximum):
        values: Values = {
            "count": count,
            "minimum": limit.minimum,
            "maximum": count if maximum is None else maximum,
        }
        too_many = maximum is not None and count > maximum and limit.of != Selector()
        yield _finding(scene, limit, values, members if too_many else [])


def _share(scene: Scene, limit: ShareLimit) -> Iterator[Finding]:
    count = len(chosen(scene, limit.of))
    among = len(chosen(scene, limit.among))
    if count * limit.whole < among * limit.part:
        needed = -(-among * limit.part // limit.whole)
        yield _finding(scene, limit, {"count": count, "among": among, "needed": needed})


def _carried(scene: Scene, limit: CarriedLimit) -> Iterator[Finding]:
    for member in scene.roster.members:
        places = places_taken(scene.book, member)
        allowed = scene.profiles[member.id].natural(limit.characteristic)
        if places > allowed:
            yield _finding(scene, limit, {"count": places, "maximum": allowed}, [member])


def _purse(scene: Scene, limit: PurseLimit) -> Iterator[Finding]:
    roster, left = scene.roster, scene.left
    if roster.playing:
        # What the founding cost too much is never forgotten; what is left of its budget is lost.
        amount = {"debt": -roster.treasury, "overspent": roster.overspent}.get(limit.kind, 0)
        budget = scene.book.budget(roster.settings) or 0
    elif left is not None:
        amount = {"unspent": left, "overspent": -left}.get(limit.kind, 0)
        budget = left + scene.price
    else:
        return
    if amount > 0:
        yield _finding(scene, limit, {"amount": amount, "budget": budget})


def _member(scene: Scene, limit: MemberLimit, member: Member) -> Iterator[Values]:
    """The values of each finding that ``limit`` has about ``member``."""
    book = scene.book
    rank = book.rank[member.rank]
    match limit.kind:
        case "level":
            yield from _levels(scene, member)
        case "points_over" | "points_left":
            spread = sum(member.points.values())
            allowed = points_allowed(book, scene.roster.figure(book, member))
            over = spread > allowed if limit.kind == "points_over" else spread < allowed
            if over:
                yield {"count": spread, "maximum": allowed}
        case "range":
            yield from _ranges(scene, member)
        case "traits":
            maximum = rank.maximum_traits
            if maximum is not None and len(member.traits) > maximum:
                yield {"count": len(member.traits), "maximum": maximum}
        case "repeated":
            for key in sorted({key for key in member.traits if member.traits.count(key) > 1}):
                yield {"trait": book.trait[key].name}
        case "profession":
            if (rank.profession == "required") != (member.profession is not None):
                yield {}
        case "unnamed":
            if not member.name:
                yield {}
        case "group":
            yield from _groups(book, member)
        case "unavailable":
            yield from _unavailable(scene, member)


def _levels(scene: Scene, member: Member) -> Iterator[Values]:
    book = scene.book
    figure = scene.roster.figure(book, member)
    known = scene.profiles[member.id]
    for key in dict.fromkeys(owned.key for owned in member.items):
        item = book.item[key]
        against = book.group[item.group].level_against
        if against is not None and excess_level(book, figure, known, item):
            level, value = item.level or 0, known.number(against)
            yield {"item": item.name, "level": level, "value": value}


def _ranges(scene: Scene, member: Member) -> Iterator[Values]:
    for score in scene.profiles[member.id].scores.values():
        row = score.characteristic
        if row.kind != "number" or not isinstance(score.natural, int):
            continue
        if not row.minimum <= score.natural <= row.maximum:
            yield {
                "characteristic": row.name,
                "value": score.natural,
                "minimum": row.minimum,
                "maximum": row.maximum,
            }


def _groups(book: Book, member: Member) -> Iterator[Values]:
    for group in book.groups:
        maximum = group.most_per_member
        count = sum(book.item[owned.key].group == group.key for owned in member.items)
        if maximum is not None and count > maximum:
            yield {"group": group.name, "count": count, "maximum": maximum}


def _unavailable(scene: Scene, member: Member) -> Iterator[Values]:
    book = scene.book
    rows: list[Row] = [book.rank[member.rank]]
    rows += [book.trait[key] for key in member.traits]
    rows += [book.item[owned.key] for owned in member.items]
    if member.profession:
        rows.append(book.profession[member.profession])
    for row in rows:
        if not applies(row.when, scene.roster.settings):
            yield {"what": row.name}
