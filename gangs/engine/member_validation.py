"""Checks that every member passes through, one kind of limit after the other."""

from __future__ import annotations

from collections.abc import Iterator

from gangs.roster import Member
from gangs.scene import Scene
from rules.book import Book
from rules.limits import MemberLimit
from rules.profiles import excess_level, points_allowed
from rules.vocabulary import Row, Text, applies

Values = dict[str, int | float | str | Text]


def member_values(scene: Scene, limit: MemberLimit, member: Member) -> Iterator[Values]:
    """The values of each finding that ``limit`` has about ``member``."""
    book = scene.book
    rank = book.rank[member.rank]
    match limit.kind:
        case "level":
            yield from _levels(scene, member)
        case "points_over" | "points_left":
            spread = sum(member.points.values())
            allowed = points_allowed(book, scene.figures[member.id])
            over = spread > allowed if limit.kind == "points_over" else spread < allowed
            if over:
                yield {"count": spread, "maximum": allowed}
        case "range":
            yield from _ranges(scene, member)
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
            yield from _unavailable(scene, member)
        case "unfit":
            yield from _unfit(scene, member)


def _levels(scene: Scene, member: Member) -> Iterator[Values]:
    book = scene.book
    figure = scene.figures[member.id]
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
    origin = scene.figures[member.id].origin
    if origin in book.origin:
        rows.append(book.origin[origin])
    rows += [book.trait[key] for key in member.traits]
    rows += [book.item[owned.key] for owned in member.items]
    if member.profession:
        rows.append(book.profession[member.profession])
    for row in rows:
        if row.status == "banned" or not applies(row.when, scene.roster.settings):
            yield {"what": row.name}


def _unfit(scene: Scene, member: Member) -> Iterator[Values]:
    book = scene.book
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
