"""Tasks before a gang's first game: the rulebook's minimums, each with how far it is done.

Breaches of rules are not tasks but findings (``gangs.engine.validation``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gangs.engine import holdings as places
from gangs.engine import offers, reserve, validation
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member
from gangs.engine.validation import (
    ORDER,
    choose_members,
    count_holdings,
    count_traits,
    counts_trait,
    items_of,
    limits_of,
    measure_limit,
    severity,
    wanted_items,
)
from rules.book import limits
from rules.engine.profiles import points_allowed

Kind = Literal[
    "recruit",
    "trait",
    "profession",
    "points",
    "learn",
    "skills",
    "items",
    "gear",
    "holding",
    "name",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Tasks that each limit on traits, items or holdings has for itself.
OF_THINGS = ("learn", "skills", "items", "gear", "holding")
MEMBER_KINDS: dict[str, Kind] = {
    "points_left": "points",
    "profession": "profession",
    "unnamed": "name",
}


@dataclass(frozen=True)
class Task:
    """One thing to do before the first game.

    ``have`` of ``need`` are done. ``limit``: the limit that requires it, whose words describe it;
    ``ranks``: the ranks to recruit, none if any will do; ``trait``: the trait that somebody has to
    take; ``members``: the members who still have to do something, or could take the trait or one of
    the traits (``skills``) or items (``gear``) that the gang lacks; ``is_stuck``: it cannot be
    done, unless something else is undone.
    """

    kind: Kind
    limit: limits.Limit
    have: int
    need: int
    ranks: tuple[str, ...] = ()
    trait: str | None = None
    members: tuple[int, ...] = ()
    is_stuck: bool = False


def tasks(computed: ComputedGang) -> tuple[Task, ...]:
    """Everything that a new gang has to do or has done, recruits first; notes are left out. Nothing
    once it has played."""
    if computed.roster.playing:
        return ()
    found: dict[object, Task] = {}
    for limit in limits_of(computed, limits.LimitRow):
        if ORDER[severity(computed, limit)] > ORDER["warning"]:
            continue
        for task in _task(computed, limit):
            key = (
                task.kind,
                task.ranks,
                task.trait,
                task.limit.code if task.kind in OF_THINGS else "",
            )
            if key not in found or task.need > found[key].need:
                found[key] = task
    # Recruits of certain ranks come before recruits of any rank.
    order = sorted(found.values(), key=lambda task: (KINDS.index(task.kind), not task.ranks))
    return tuple(replace(task, is_stuck=_is_stuck(computed, task)) for task in order)


def _is_stuck(computed: ComputedGang, task: Task) -> bool:
    """Whether the gang has no money, or no room, for what a task still needs."""
    if task.have >= task.need:
        return False
    if task.kind == "recruit":
        return not offers.may_recruit(computed, task.ranks)
    if isinstance(task.limit, limits.HoldingsLimit):
        return not any(
            offer.refusal is None and offer.caution is None
            for offer in places.offers(computed)
            if validation.counts_holding(task.limit, offer.row.key)
        )
    left = computed.left
    if not isinstance(task.limit, limits.ItemsLimit) or left is None:
        return False
    stashed = wanted_items(computed, task.limit, (one.key for one in computed.roster.stash))
    prices = [row.price for row in reserve.items_for(computed, task.limit)]
    return not stashed and min(prices, default=0) > max(left, 0)


def _task(computed: ComputedGang, limit: limits.LimitRow) -> Iterator[Task]:
    if isinstance(limit, limits.CountLimit):
        yield from _count(computed, limit)
    elif isinstance(limit, limits.ShareLimit):
        among = len(choose_members(computed, limit.among))
        need = -(-among * limit.part // limit.whole)
        if need:
            have = min(need, len(choose_members(computed, limit.of)))
            yield Task("recruit", limit, have, need, tuple(limit.of.ranks))
    elif isinstance(limit, limits.ItemsLimit) and limit.minimum and limit.per == "gang":
        yield _gear(computed, limit)
    elif isinstance(limit, limits.ItemsLimit) and limit.minimum and limit.per == "member":
        holders = choose_members(computed, limit.of)
        enough = [
            one
            for one in holders
            if measure_limit(limit, items_of(computed, limit, [one])) >= limit.minimum
        ]
        if holders:
            yield _of_members("items", limit, holders, lambda one: one in enough)
    elif isinstance(limit, limits.TraitsLimit) and limit.minimum:
        yield from _skills(computed, limit)
    elif isinstance(limit, limits.HoldingsLimit) and limit.minimum:
        have = min(limit.minimum, count_holdings(computed, limit))
        yield Task("holding", limit, have, limit.minimum)
    elif isinstance(limit, limits.MemberLimit) and limit.kind in MEMBER_KINDS:
        yield from _members(computed, limit)


def _count(computed: ComputedGang, limit: limits.CountLimit) -> Iterator[Task]:
    if not limit.minimum:
        return
    have = min(len(choose_members(computed, limit.of)), limit.minimum)
    if not (limit.of.trait_tags or limit.of.traits):
        yield Task("recruit", limit, have, limit.minimum, tuple(limit.of.ranks))
        return
    tags, keys = set(limit.of.trait_tags), limit.of.traits
    wanted = {row.key for row in computed.book.traits if row.key in keys or row.tags & tags}
    trait = next((key for key in computed.book.trait if key in wanted), None)
    able = (
        []
        if have >= limit.minimum
        else [
            one
            for one in _highest(computed)
            for offer in offers.traits(computed, one)
            if offer.row.key == trait and offer.refusal is None
        ]
    )
    members = tuple(one.id for one in able)
    yield Task("trait", limit, have, limit.minimum, trait=trait, members=members)


def _skills(computed: ComputedGang, limit: limits.TraitsLimit) -> Iterator[Task]:
    """The task of members who each need a number of traits, or of a gang that needs them
    altogether, with the members who could take one of them."""
    holders = choose_members(computed, limit.of)

    def count(*members: Member) -> int:
        figures = (computed.figures[one.id] for one in members)
        return count_traits(computed.book, limit, figures)

    if limit.per == "member":
        if holders:
            yield _of_members("learn", limit, holders, lambda one: count(one) >= limit.minimum)
        return
    have = min(limit.minimum, count(*holders))
    able = [
        one.id
        for one in holders
        if have < limit.minimum
        and any(
            offer.refusal is None and counts_trait(limit, offer.row)
            for offer in offers.traits(computed, one)
        )
    ]
    yield Task("skills", limit, have, limit.minimum, members=tuple(able))


def _gear(computed: ComputedGang, limit: limits.ItemsLimit) -> Task:
    """The task of a gang that needs a number of items altogether, and the members who could take
    one of them."""
    holders = choose_members(computed, limit.of)
    have = min(limit.minimum, measure_limit(limit, items_of(computed, limit, holders)))
    for_sale = (row.key for row in computed.rules.items if not row.innate)
    wanted = wanted_items(computed, limit, for_sale)
    able = [
        one.id
        for one in holders
        if have < limit.minimum
        and any(offers.cannot_take(computed, one, item) is None for item in wanted)
    ]
    return Task("gear", limit, have, limit.minimum, members=tuple(able))


def _highest(computed: ComputedGang) -> list[Member]:
    """The members of the highest rank in the gang."""
    order = [rank.key for rank in computed.book.ranks]
    places = [order.index(one.rank) for one in computed.counted]
    return [
        one for one, place in zip(computed.counted, places, strict=True) if place == min(places)
    ]


def _members(computed: ComputedGang, limit: limits.MemberLimit) -> Iterator[Task]:
    kind = MEMBER_KINDS[limit.kind]
    book = computed.book
    match kind:
        case "points":
            allowed = {
                one.id: points_allowed(book, computed.figures[one.id]) for one in computed.counted
            }
            lacking = [one.id for one in computed.counted if computed.points_left(one) > 0]
            need = sum(allowed.values())
            left = sum(computed.points_left(one) for one in computed.counted if one.id in lacking)
            if need:
                yield Task(kind, limit, need - left, need, members=tuple(lacking))
        case "profession":
            those = [
                one for one in computed.counted if book.rank[one.rank].profession == "required"
            ]
            if those:
                yield _of_members(kind, limit, those, lambda one: one.profession is not None)
        case _:
            if computed.counted:
                yield _of_members(kind, limit, computed.counted, lambda one: bool(one.name))


def _of_members(
    kind: Kind,
    limit: limits.Limit,
    members: list[Member] | tuple[Member, ...],
    done: Callable[[Member], bool],
) -> Task:
    """A task that each of the members has, with the number who are ``done``."""
    lacking = tuple(one.id for one in members if not done(one))
    return Task(kind, limit, len(members) - len(lacking), len(members), members=lacking)
