"""Limits of a rulebook from constraints: on members, on what each has, and on what the gang has.

Limits on the same things are one row: the strictest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.catalogues.mapping.bounding import split
from rules.catalogues.mapping.goods import Good, Stock
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.naming import escape_braces, give_keys, short_name, slug
from rules.catalogues.mapping.taking import Group
from rules.catalogues.mapping.units import Option, Recruit

# Names in one sentence.
MOST_NAMES = 4
# Groups of one rank that are compared with each other.
MOST_SLOTS = 200
# Rounds in which traits become items.
MOST_ROUNDS = 10


@dataclass(slots=True)
class Bound:
    """A limit in the making. ``kind``: "count", "items", "traits" or "holdings"; ``counted``: keys
    of the rows that it counts; ``ranks``: the members that it is about (none: all); ``per``:
    "member", "gang" or "copies"; ``when``: the choices under which it applies, by option."""

    kind: str
    name: str
    counted: frozenset[str]
    ranks: set[str] = field(default_factory=set)
    per: str = "gang"
    minimum: int = 0
    maximum: int | None = None
    when: dict[str, tuple[str, ...]] = field(default_factory=dict)
    about: str = ""
    place: tuple[str, ...] = ()


def merge(bounds: Iterable[Bound]) -> list[Bound]:
    """Return limits of which no two are on the same things."""
    found: dict[tuple[object, ...], Bound] = {}
    for one in bounds:
        when = tuple(sorted(one.when.items()))
        same = (one.kind, one.counted, one.per, frozenset(one.ranks), when)
        known = found.get(same)
        if known is None:
            found[same] = one
            continue
        known.minimum = max(known.minimum, one.minimum)
        if one.maximum is not None:
            known.maximum = (
                one.maximum if known.maximum is None else min(known.maximum, one.maximum)
            )
    joined: dict[tuple[object, ...], Bound] = {}
    for one in found.values():
        when = tuple(sorted(one.when.items()))
        number = (one.minimum, one.maximum)
        alike = (one.kind, one.counted, one.per, *number, when, not one.ranks)
        if alike in joined:
            joined[alike].ranks |= one.ranks
        else:
            joined[alike] = one
    return [one for one in joined.values() if one.minimum or one.maximum is not None]


@dataclass(frozen=True, slots=True)
class Slot:
    """A group in a rank: its options, and their least and most number for one member."""

    group: Group
    options: tuple[Option, ...]
    least: int
    most: int | None
    is_nested: bool


def find_slots(recruit: Recruit) -> list[Slot]:
    """Return the groups of a rank that limit something."""
    by_place: dict[tuple[str, int], list[Option]] = {}
    for one in recruit.options:
        by_place.setdefault((one.taken.path, id(one.host)), []).append(one)
    fixed: dict[tuple[str, int], int] = {}
    for path, option, number in recruit.bundled:
        fixed[path, id(option)] = fixed.get((path, id(option)), 0) + number
    slots = []
    for group, host, times in recruit.groups:
        options = [one for path in group.members for one in by_place.get((path, id(host)), ())]
        # No row stands for things that an option always has, so no limit counts them.
        bundled = sum(fixed.get((path, id(host)), 0) for path in {*group.members})
        least = max(0, group.minimum * times - bundled) * (host.included if host else 1)
        most = None
        if group.maximum is not None and (host is None or host.most is not None):
            copies = host.most if host and host.most is not None else 1
            most = max(0, group.maximum * times - bundled) * copies
        is_nested = host is not None and not host.included and group.minimum * times > bundled
        if options and (least or most is not None or is_nested):
            slots.append(Slot(group, tuple(options), least, most, is_nested))
    return slots


def find_group_bounds(
    recruits: Iterable[Recruit], stock: Stock, key_of: Mapping[int, str], log: Log
) -> list[Bound]:
    """Return the limits of groups of options, each for the members of a rank."""
    found: list[Bound] = []
    for recruit in recruits:
        slots = find_slots(recruit)
        having: dict[int, list[Option]] = {}
        for option in recruit.options:
            having.setdefault(id(stock.of_option[id(option)]), []).append(option)
        for slot in slots:
            about, place = f"{slot.group.id} group", slot.group.place
            rows_of_it = (stock.of_option[id(one)] for one in slot.options)
            goods = {id(good): good for good in rows_of_it}
            if slot.is_nested:
                # It concerns only members that have what the group is part of.
                log.note("limit_nested", about, place)
                log.mark("limits", about, "noted")
            inside = {id(one) for one in slot.options}
            others = [one for key in goods for one in having[key] if id(one) not in inside]
            most = slot.most
            if others and most is not None:
                more = count_others(others, slots) if len(slots) <= MOST_SLOTS else None
                most = None if more is None else most + more
                if more is None or not _are_alike(slot, others, slots, stock):
                    log.note("limit_shared", about, place)
                    log.mark("limits", about, "noted")
            if not slot.least and most is None:
                continue
            is_of_traits = all(good.is_trait for good in goods.values())
            keys = frozenset(good.key for good in goods.values())
            found.append(
                Bound(
                    "traits" if is_of_traits else "items",
                    slot.group.name,
                    keys,
                    {key_of[id(recruit)]},
                    "member",
                    slot.least,
                    most,
                    about=about,
                    place=place,
                )
            )
    return found


def _are_alike(slot: Slot, others: list[Option], slots: list[Slot], stock: Stock) -> bool:
    """Whether other options are all in groups of the same things, so that the sum of their limits
    says all."""

    def things(one: Slot) -> set[int]:
        return {id(stock.of_option[id(option)]) for option in one.options}

    same, size = things(slot), len(slot.options)
    alike = [
        one
        for one in slots
        if one.most is not None and len(one.options) == size and things(one) == same
    ]
    covered = {id(option) for one in alike for option in one.options}
    return all(id(option) in covered for option in others)


def count_others(options: list[Option], slots: list[Slot]) -> int | None:
    """Return the most of some options together, as their own groups limit them; None if there is no
    such limit."""
    left, total = {id(one): one for one in options}, 0
    for slot in slots:
        part = [one for one in slot.options if id(one) in left]
        if part and slot.most is not None:
            numbers = [one.most for one in part]
            alone = None if None in numbers else sum(one or 0 for one in numbers)
            total += slot.most if alone is None else min(alone, slot.most)
            for one in part:
                del left[id(one)]
    rest = [one.most for one in left.values()]
    return None if None in rest else total + sum(one or 0 for one in rest)


def join_mixed(recruits: Iterable[Recruit], stock: Stock) -> None:
    """Make items of traits that share a limited group with items, so that a limit counts all."""
    recruits = [*recruits]
    for number in range(MOST_ROUNDS):
        is_changed = False
        for recruit in recruits:
            paths: dict[str, list[Good]] = {}
            for one in recruit.options:
                paths.setdefault(one.taken.path, []).append(stock.of_option[id(one)])
            for group, _host, _times in recruit.groups:
                goods = [good for path in group.members for good in paths.get(path, ())]
                is_mixed = len({good.is_trait for good in goods}) > 1
                if is_mixed or number == MOST_ROUNDS - 1:
                    is_changed = True
                    for good in goods:
                        good.is_trait = False
        if not is_changed:
            return


@dataclass(slots=True)
class Tags:
    """Tags by which limits pick rows: one for each set of items, and one of traits."""

    names: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)
    keys: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)

    def want(self, table: str, rows: frozenset[str], name: str) -> None:
        """Keep a set of rows that needs a tag."""
        self.names.setdefault((table, rows), name)

    def give(self) -> None:
        """Give every set a key."""
        ids = {f"{table} {' '.join(sorted(rows))}": (table, rows) for table, rows in self.names}
        keys = give_keys(((one, self.names[ids[one]]) for one in ids), "tag")
        self.keys = {ids[one]: keys[one] for one in ids}


def write_bounds(
    bounds: list[Bound],
    tags: Tags,
    names: Mapping[str, str],
    phrases: Mapping[str, str],
    text: Any,
    every: frozenset[str],
) -> list[dict[str, Any]]:
    """Return the rows of limits. ``names``: of ranks and holdings, by key; ``every``: all ranks."""
    rows: list[dict[str, Any]] = []
    for one in bounds:
        row: dict[str, Any] = {
            "kind": {"traits": "trait_count"}.get(one.kind, one.kind),
            "code": f"{slug(one.name, 'limit', one.about)[:30]}",
            "severity": "error",
            "source": "catalogues",
        }
        if one.minimum:
            row["minimum"] = one.minimum
        if one.maximum is not None:
            row["maximum"] = max(one.maximum, one.minimum)
        if one.when:
            row["when"] = {key: [*values] for key, values in one.when.items()}
        label = one.name
        if one.kind == "count":
            if one.counted != every:
                row["of"] = {"ranks": sorted(one.counted)}
            label = _join([names[key] for key in sorted(one.counted)], one.name, phrases)
        elif one.kind == "holdings":
            row["holdings"] = sorted(one.counted)
        else:
            row["per"] = one.per
            field_name = "item_tags" if one.kind == "items" else "trait_tags"
            row[field_name] = [tags.keys[one.kind, one.counted]]
            if one.ranks:
                row["of"] = {"ranks": sorted(one.ranks)}
        label = escape_braces(short_name(label, 160))
        if one.per == "member" and one.kind in ("items", "traits"):
            label = f"{{name}}: {label}"
        row["text"] = text(_sentence(one, label, phrases))
        rows += _parts(row)
    return rows


def _parts(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a limit, in parts if it names more ranks than a row can hold and is about each of
    them."""
    ranks = row.get("of", {}).get("ranks", [])
    if row["kind"] == "count":
        # One sum cannot be divided.
        return [row] if len([*split(ranks)]) <= 1 else []
    return [row | {"of": {"ranks": part}} for part in split(ranks)] if ranks else [row]


def _sentence(one: Bound, label: str, phrases: Mapping[str, str]) -> str:
    if one.per == "copies":
        return phrases["each"]
    if one.maximum is None:
        form = "at_least"
    elif one.minimum == one.maximum:
        form = "exactly"
    else:
        form = "between" if one.minimum else "at_most"
    return phrases[form].replace("{names}", label)


def _join(names: list[str], whole: str, phrases: Mapping[str, str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) == 1 or not whole:
        more = len(names) - MOST_NAMES
        ends = [phrases["and_more"].replace("{number}", str(more))] if more > 0 else []
        return ", ".join([*names[:MOST_NAMES], *ends])
    return whole


def cut_bounds(bounds: list[Bound], room: int, log: Log) -> list[Bound]:
    """Return as many limits as a rulebook may have, those on most rows first."""
    if len(bounds) <= room:
        return bounds
    order = {"count": 0, "holdings": 1, "items": 2, "traits": 2}
    ranked = sorted(bounds, key=lambda one: (order[one.kind], -len(one.ranks)))
    for one in ranked[room:]:
        log.mark("limits", one.about, "noted")
    log.note_cut("limits", len(bounds) - room)
    return ranked[:room]
