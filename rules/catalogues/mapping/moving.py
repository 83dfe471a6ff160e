"""Moves what an entry costs for each of something else into the price of that.

A rulebook cannot say that a leader costs more for each dog in the gang. But where legal lists have
exactly one leader, the gang costs the same if each dog costs that much more. The same is true
inside one thing: a prism that costs more for each oil in its lantern, and an oil that costs more
beside a prism.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.taking import NONE, Taken, find_surcharge
from rules.catalogues.mapping.units import Option, Recruit
from rules.catalogues.mapping.verdicts import WHOLE_LIST, Applied, find_applied, read_number
from rules.catalogues.model import Query

# Members whose cost is moved to others; parts of a member, of which some are unsure; options beside
# one of these. More would take too long.
MOST_ALONE = 100
MOST_PARTS = 1_000
MOST_UNSURE = 50
MOST_BESIDE = 10


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of a cost type for each selection that a query counts; ``least``: the number that
    the price has already."""

    query: Query
    kind: str
    each: Decimal
    least: int


def move_prices(recruits: list[Recruit], log: Log) -> None:
    """Move all amounts that can be moved, with notes."""
    by_catalogue: dict[str, list[Recruit]] = {}
    for recruit in recruits:
        by_catalogue.setdefault(recruit.catalogue, []).append(recruit)
    alone = [(one, part) for one in recruits if _is_alone(one) for part in one.parts if part.unsure]
    for recruit, part in alone[:MOST_ALONE]:
        _move_all(recruit, part, by_catalogue[recruit.catalogue], log)
    for recruit in recruits:
        if len(recruit.options) + len(recruit.bundled) > MOST_PARTS:
            continue
        unsure = [one for one in recruit.options if one.taken.unsure]
        for option in unsure[:MOST_UNSURE]:
            option.is_examined = True
            _pair(recruit, option, log)


def changes(taken: Taken, kind: str) -> list[Applied]:
    """Return the modifiers of a cost, apart from those that raise the prices of parts."""
    rows = find_applied(taken.node.modifiers, taken.place)
    rows = (row for row in rows if row.row.field == kind and not row.row.affects)
    return [row for row in rows if row.times is not None or find_surcharge(row, kind) is None]


def settle(log: Log, taken: Taken, kind: str, rows: Iterable[Applied]) -> None:
    """Count a cost and its modifiers as exact after all."""
    log.settle("costs", f"{taken.node.id} {kind}")
    for one in rows:
        log.settle("modifiers", f"{taken.node.id} {taken.node.modifiers.index(one.row)}")


def _is_alone(recruit: Recruit) -> bool:
    place = recruit.main.place
    found = [place.counts.get(one) for one in recruit.main.node.ids]
    return len(place.steps) == 1 and not recruit.members and (1, 1) in found


def _find_amounts(taken: Taken, kind: str) -> list[Amount] | None:
    """Return the amounts for each of something; None if the cost depends on more than that."""
    found: list[Amount] = []
    for one in changes(taken, kind):
        row, value = one.row, read_number(one.row.value)
        if one.times is not None:
            if found and row.kind not in ("increment", "decrement"):
                return None
            continue
        if not one.is_certain or row.kind not in ("increment", "decrement") or value is None:
            return None
        query = row.repeats[0].query
        is_plain = query.field == "selections" and not query.is_percent and query.value == 1
        if len(row.repeats) != 1 or not is_plain:
            return None
        each = value * row.repeats[0].times * (1 if row.kind == "increment" else -1)
        found.append(Amount(query, kind, each, one.least))
    return found


def _move_all(recruit: Recruit, part: Taken, others: list[Recruit], log: Log) -> None:
    for kind in [*part.unsure]:
        amounts = _find_amounts(part, kind)
        if not amounts or len(amounts) > MOST_BESIDE:
            continue
        plans = [_find_counted(one, others) for one in amounts]
        if any(plan is None for plan in plans):
            continue
        for one, plan in zip(amounts, plans, strict=True):
            recruit.costs[kind] = recruit.costs.get(kind, NONE) - one.each * one.least
            for other, option in plan or ():
                number = 1 if option is None else option.included
                other.costs[kind] = other.costs.get(kind, NONE) + one.each * number
                if option is not None:
                    option.extra[kind] = option.extra.get(kind, NONE) + one.each
                about = f"{part.node.id} {kind} {one.query.child}"
                name = other.name if option is None else option.taken.name
                log.note("price_moved", about, part.names, name=name, cost=f"{one.each:f}")
        if not any(kind in other.unsure for other in recruit.parts if other is not part):
            recruit.unsure.pop(kind, None)
        settle(log, part, kind, changes(part, kind))


def _find_counted(
    amount: Amount, others: list[Recruit]
) -> list[tuple[Recruit, Option | None]] | None:
    """Return the members and options that a query on the whole list counts; None if their prices
    cannot say it."""
    query = amount.query
    if query.scope not in WHOLE_LIST:
        return None
    found: list[tuple[Recruit, Option | None]] = []
    for other in others:
        root = other.main.place.steps[0]
        if root.is_perhaps(query.child):
            return None
        if root.is_instance(query.child):
            cost = other.cost(amount.kind) + amount.each
            if len(other.main.place.steps) != 1 or other.members or cost < 0:
                return None
            found.append((other, None))
        if not query.in_children:
            continue
        parts = [one for one in other.parts if one is not other.main]
        if any(_counts(one, query) for one in (*parts, *_bundled(other))):
            return None
        for option in other.options:
            if _counts(option.taken, query):
                if option.cost(amount.kind) + amount.each < 0 or option.included and option.host:
                    return None
                found.append((other, option))
    return found or None


def _counts(taken: Taken, query: Query) -> bool:
    step = taken.step
    return step.is_instance(query.child) or step.is_perhaps(query.child)


def _bundled(recruit: Recruit) -> Iterator[Taken]:
    """Yield what is always part of options."""
    ahead = [one for option in recruit.options for one, _number in option.taken.fixed]
    while ahead:
        taken = ahead.pop()
        yield taken
        ahead += [one for one, _number in taken.fixed]


def _pair(recruit: Recruit, option: Option, log: Log) -> None:
    """Let the parts beside an option cost more, if it costs more for each of them."""
    for kind in [*option.taken.unsure]:
        amounts = _find_amounts(option.taken, kind)
        if (
            not amounts
            or len(amounts) > MOST_BESIDE
            or option.most != 1
            or not _is_single(option.host)
        ):
            continue
        plans = [_find_beside(one, recruit, option) for one in amounts]
        if any(plan is None for plan in plans):
            continue
        for one, plan in zip(amounts, plans, strict=True):
            number, beside = plan or (0, [])
            option.extra[kind] = option.extra.get(kind, NONE) + one.each * (number - one.least)
            for other in beside:
                other.beside.append((option, kind, one.each))
        option.settled.add(kind)
        settle(log, option.taken, kind, changes(option.taken, kind))


def _is_single(option: Option | None) -> bool:
    """Whether a member has at most one of an option, and of what it is part of."""
    return option is None or (option.most == 1 and _is_single(option.host))


def find_inside(recruit: Recruit, taken: Taken, query: Query) -> list[Taken] | None:
    """Return the selections that a query inside one member counts, options and fixed ones alike;
    None if the query is about something else, or a member can have several of its scope."""
    steps = taken.place.steps
    index = {"self": len(steps) - 1, "parent": len(steps) - 2}.get(query.scope, -1)
    if index < 0:
        named = [number for number, step in enumerate(steps) if query.scope in step.ids]
        index = named[-1] if named else -1
    if index < 0 or query.field != "selections" or query.is_percent:
        return None
    around = steps[index]
    is_member = any(part.step is around for part in recruit.parts)
    hosts = [one for one in recruit.options if one.taken.step is around]
    if not is_member and not (len(hosts) == 1 and _is_single(hosts[0])):
        return None
    every = [*(one.taken for one in recruit.options), *_bundled(recruit)]
    return [
        one
        for one in every
        if len(one.place.steps) > index + 1
        and one.place.steps[index] is around
        and (query.in_children or len(one.place.steps) == index + 2)
        and _counts(one, query)
    ]


def _find_beside(
    amount: Amount, recruit: Recruit, option: Option
) -> tuple[int, list[Option]] | None:
    """Return the number that is always there, and the options that a query counts."""
    found = find_inside(recruit, option.taken, amount.query)
    if not found:
        return None
    paths = {id(one) for one in found}
    options = [one for one in recruit.options if id(one.taken) in paths]
    if len(options) > MOST_BESIDE or any(one.included for one in options):
        return None
    if any(one is option for one in options):
        return None
    number = 0
    known = {one.path for one in found}
    for path, host, count in recruit.bundled:
        if path in known:
            if not _is_single(host):
                return None
            number += count
    return number, options
