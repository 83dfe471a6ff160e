"""Checks that every member passes through, one kind of limit after the other."""

from __future__ import annotations

from collections.abc import Iterator

from common.errors import Refusal
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member
from rules.book.limits import MemberLimit
from rules.book.model import Book
from rules.book.schema import ItemGroup, Trait
from rules.book.vocabulary import Row, Text, applies
from rules.engine.profiles import excess_level

Values = dict[str, int | float | str | Text]


def member_values(computed: ComputedGang, limit: MemberLimit, member: Member) -> Iterator[Values]:
    """The values of each finding that ``limit`` has about ``member``."""
    book = computed.book
    rank = book.rank[member.rank]
    match limit.kind:
        case "level":
            yield from _levels(computed, member)
        case "points_over" | "points_left":
            left = computed.points_left(member)
            if left < 0 if limit.kind == "points_over" else left > 0:
                spread = sum(member.points.values())
                yield {"count": spread, "maximum": spread + left}
        case "range":
            yield from _ranges(computed, member)
        case "traits":
            maximum = rank.maximum_traits
            count = sum(book.trait[key].counted for key in member.traits)
            if maximum is not None and count > maximum:
                yield {"count": count, "maximum": maximum}
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
            yield from _unavailable(computed, member)
        case "unfit":
            yield from _unfit(computed, member)


def why_not_trait(book: Book, member: Member, trait: Trait) -> Iterator[Refusal]:
    """What keeps a member from learning a trait."""
    rank = book.rank[member.rank]
    if trait.key in member.traits:
        yield Refusal("has_it")
    lacking = next((key for key in trait.requires if key not in member.traits), None)
    if lacking is not None:
        yield Refusal("requires", trait=book.trait[lacking].name)
    count = sum(book.trait[key].counted for key in member.traits)
    if trait.counted and rank.maximum_traits is not None and count >= rank.maximum_traits:
        yield Refusal("traits_full", maximum=rank.maximum_traits, rank=rank.name)


def group_is_full(book: Book, member: Member, group: ItemGroup) -> bool:
    """Whether the member has as many items of a group as may be carried."""
    count = sum(book.item[owned.key].group == group.key for owned in member.items)
    return group.most_per_member is not None and count >= group.most_per_member


def _levels(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    figure = computed.figures[member.id]
    known = computed.profiles[member.id]
    for key in dict.fromkeys(owned.key for owned in member.items):
        item = book.item[key]
        against = book.group[item.group].level_against
        if against is not None and excess_level(book, figure, known, item):
            level, value = item.level or 0, known.number(against)
            yield {"item": item.name, "level": level, "value": value}


def _ranges(computed: ComputedGang, member: Member) -> Iterator[Values]:
    for score in computed.profiles[member.id].scores.values():
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


def _unavailable(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    rows: list[Row] = [book.rank[member.rank]]
    origin = computed.figures[member.id].origin
    if origin in book.origin:
        rows.append(book.origin[origin])
    rows += [book.trait[key] for key in member.traits]
    rows += [book.item[owned.key] for owned in member.items]
    if member.profession:
        rows.append(book.profession[member.profession])
    for row in rows:
        if row.status == "banned" or not applies(row.when, computed.roster.settings):
            yield {"what": row.name}


def _unfit(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    for key in member.traits:
        trait = book.trait[key]
        if (
            not set(trait.requires) <= set(member.traits)
            or trait.ranks
            and member.rank not in trait.ranks
        ):
            yield {"what": trait.name}
    if member.profession is not None:
        profession = book.profession[member.profession]
        if profession.ranks and member.rank not in profession.ranks:
            yield {"what": profession.name}
