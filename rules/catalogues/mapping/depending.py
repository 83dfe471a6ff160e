"""Prices of options that depend on what else the member has, or on who is in the gang.

An offer picks members by the things that they have and by the ranks in their gang, so it can say
"9, beside a hook". Other conditions, such as a number in the gang, keep a note.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import combinations, pairwise

from rules.bounds.limits import MOST_INSIDE
from rules.catalogues.mapping.bounding import most_rows
from rules.catalogues.mapping.goods import Good
from rules.catalogues.mapping.limiting import Tags
from rules.catalogues.mapping.moving import changes, find_inside, settle
from rules.catalogues.mapping.state import Game, Special, Trigger
from rules.catalogues.mapping.taking import NONE, Taken
from rules.catalogues.mapping.units import Option, Recruit
from rules.catalogues.mapping.verdicts import (
    ABSENT,
    PRESENT,
    WHOLE_LIST,
    Applied,
    Place,
    change_number,
)
from rules.catalogues.model import Condition, ConditionGroup

# Changes of one price that are combined with each other.
MOST_CHANGES = 3
MOST_TRIGGERS = 4
# Entries and categories that are looked for among all ranks.
MOST_ASKED = 200
ITEMS, RANKS = ("item_tags", "not_item_tags"), ("gang_ranks", "not_gang_ranks")


MOST_COPIES = 20
COMPARED: Mapping[str, Callable[[int, Decimal], bool]] = {
    "atLeast": operator.ge,
    "greaterThan": operator.gt,
    "atMost": operator.le,
    "lessThan": operator.lt,
    "equalTo": operator.eq,
    "notEqualTo": operator.ne,
}


@dataclass(slots=True)
class _Change:
    """A change of a price: the triggers of which one is enough, and the modifier or the amount."""

    triggers: list[Trigger]
    applied: Applied | None
    amount: Decimal = NONE


@dataclass(slots=True)
class _Found:
    triggers: list[Trigger] = field(default_factory=list)
    is_whole: bool = True


def find_specials(game: Game, tags: Tags) -> None:
    """Find the special prices of all options, and want the tags that they need."""
    find_next_prices(game)
    names = {good.key: good.name for good in game.stock.goods.values()}
    for good in game.stock.goods.values():
        if good.is_trait or not good.key:
            continue
        by_rank: dict[str, list[Option]] = {}
        for use in good.uses.values():
            key = game.rank_of[id(use.recruit)].key
            by_rank.setdefault(key, []).extend(use.options if use.is_bought else ())
        for rank, options in by_rank.items():
            if good.key not in game.copies and any(
                one.taken.unsure or one.beside for one in options
            ):
                _find_for_rank(game, good, rank, tags, names)


def _find_for_rank(game: Game, good: Good, rank: str, tags: Tags, names: Mapping[str, str]) -> None:
    """Find the special prices of one thing for a rank, which are the same in all catalogues."""
    uses = [one for one in good.uses.values() if game.rank_of[id(one.recruit)].key == rank]
    found = [_find_for_one(game, use.recruit, one) for use in uses for one in use.options]
    if any(one != found[0] for one in found):
        return
    specials, is_whole = found[0]
    wanted = {one.keys for row in specials for one in row.triggers if one.field in ITEMS}
    if len(tags.names) + len(wanted) > most_rows("tags"):
        return
    for keys in wanted:
        tags.want("items", keys, names[min(keys)])
    wanted = {one.keys for row in specials for one in row.triggers if one.field in RANKS}
    if any(len(keys) > MOST_INSIDE for keys in wanted):
        return
    if specials:
        game.specials[good.key, rank] = specials
    for option in (one for use in uses for one in use.options) if is_whole else ():
        money = game.answers.money
        option.settled.add(money)
        settle(game.log, option.taken, money, changes(option.taken, money))


def find_next_prices(game: Game) -> None:
    """Find the prices of further copies, of things whose price depends on their own number."""
    money = game.answers.money
    for good in game.stock.goods.values():
        uses = [one for one in good.uses.values() if one.is_bought]
        if good.is_trait or not good.key or any(len(one.options) > 1 for one in uses):
            continue
        pairs = [(one.recruit, one.options[0]) for one in uses]
        if not pairs or any(money not in one.taken.unsure for _recruit, one in pairs):
            continue
        found = {_find_copies(game, *pair) for pair in pairs}
        costs = {one.cost(money) for _recruit, one in pairs}
        prices = found.pop()
        if found or len(costs) > 1 or not prices:
            continue
        game.copies[good.key] = [*prices]
        for _recruit, option in pairs:
            option.settled.add(money)
            settle(game.log, option.taken, money, changes(option.taken, money))


def _find_copies(game: Game, recruit: Recruit, option: Option) -> tuple[int, ...]:
    """Return the prices of the second copy of an option, the third, and so on; () if its cost does
    not depend on its number alone."""
    money, taken = game.answers.money, option.taken
    if not option.is_examined:
        return ()
    rows = changes(taken, money)
    if option.included or option.beside or not _is_alone(game, recruit, option):
        return ()
    thresholds: list[Decimal] = []
    for row in rows:
        if row.times is None:
            leaf = row.row.when.conditions[0] if len(row.row.when.conditions) == 1 else None
            if leaf is None or row.row.when.groups or row.row.repeats or leaf.kind not in COMPARED:
                return ()
            if find_inside(recruit, taken, leaf.query) != [taken]:
                return ()
            thresholds.append(leaf.query.value)
    last = int(max(thresholds, default=NONE)) + 2
    last = last if option.most is None else min(last, option.most)
    if last > MOST_COPIES:
        return ()
    usual = _replay(option, money, rows, [])
    sums = [NONE]
    for count in range(1, last + 1):
        some = [
            _Change([], row)
            for row in rows
            if row.times is None and _passes(row.row.when.conditions[0], count)
        ]
        sums.append(count * (option.cost(money) + _replay(option, money, rows, some) - usual))
    prices = [after - before for before, after in pairwise(sums)]
    is_whole = all(one >= 0 and one == one.to_integral_value() for one in prices)
    return tuple(int(one) for one in prices[1:]) if is_whole and sums[1:2] == prices[:1] else ()


def _is_alone(game: Game, recruit: Recruit, option: Option) -> bool:
    """Whether no other option of a rank is the same thing."""
    good = game.stock.of_option[id(option)]
    return sum(game.stock.of_option[id(one)] is good for one in recruit.options) == 1


def _passes(leaf: Condition, count: int) -> bool:
    return COMPARED[leaf.kind](count, leaf.query.value)


def _find_for_one(game: Game, recruit: Recruit, option: Option) -> tuple[list[Special], bool]:
    """Return the special prices of an option for one rank, the most special first, and whether the
    option's cost is exact with them."""
    money, taken = game.answers.money, option.taken
    if not money or not (option.is_examined or option.beside):
        return [], False
    if len(option.beside) > MOST_CHANGES:
        return [], False
    found = [
        _Change(_have(game, recruit, [other]), None, amount)
        for other, kind, amount in option.beside
        if kind == money
    ]
    is_whole = all(one.triggers for one in found)
    is_open = option.is_examined and money in taken.unsure and money not in option.settled
    rows = changes(taken, money) if is_open else []
    for row in rows:
        if row.times is not None:
            continue
        facts = _find_facts(game, recruit, taken.place, row)
        is_whole = is_whole and facts.is_whole
        if facts.triggers:
            found.append(_Change(facts.triggers, row))
    found = [one for one in found if one.triggers]
    if not found or len(found) > MOST_CHANGES:
        return [], False
    usual, specials = _replay(option, money, rows, []), dict[tuple[Trigger, ...], Special]()
    for number in range(len(found), 0, -1):
        for some in combinations(found, number):
            price = option.cost(money) + _replay(option, money, rows, some) - usual
            for triggers in _join(one.triggers for one in some):
                if triggers is None:
                    is_whole = False
                else:
                    specials.setdefault(triggers, Special(triggers, price))
    return [*specials.values()], is_whole


def _replay(option: Option, kind: str, rows: Iterable[Applied], some: Iterable[_Change]) -> Decimal:
    """Return a cost after its modifiers, those of some changes among them."""
    chosen = [*some]
    amount = option.taken.node.costs.get(kind, NONE)
    for row in rows:
        times = row.times
        if times is None:
            is_chosen = any(one.applied is row for one in chosen)
            times = 1 if is_chosen else row.least if row.is_certain else 0
        if times or row.times is not None:
            changed = change_number(amount, row.row, times)
            amount = amount if changed is None else changed
    return amount + sum((one.amount for one in chosen), NONE)


def _join(every: Iterable[list[Trigger]]) -> Iterator[tuple[Trigger, ...] | None]:
    """Yield the ways in which each of some changes has one of its triggers; None for a way that one
    selector cannot say."""
    ways: list[tuple[Trigger, ...]] = [()]
    for triggers in every:
        ways = [(*way, one) for way in ways for one in triggers if one not in way] + [
            way for way in ways if any(one in way for one in triggers)
        ]
    for way in dict.fromkeys(ways):
        fields = [one.field for one in way]
        is_sayable = len({*fields}) == len(fields)
        yield tuple(sorted(way, key=lambda one: one.field)) if is_sayable else None


def _find_facts(game: Game, recruit: Recruit, place: Place, row: Applied) -> _Found:
    """Return the triggers of a modifier, and whether there are no others."""
    if row.row.repeats:
        return _Found(is_whole=False)
    found = _Found()
    _add_facts(game, recruit, place, row.row.when, found)
    if len(found.triggers) > MOST_TRIGGERS:
        return _Found(is_whole=False)
    return found


def _add_facts(
    game: Game, recruit: Recruit, place: Place, group: ConditionGroup, found: _Found
) -> None:
    leaves = [one for one in group.conditions if place.judge(ConditionGroup("and", (one,))) is None]
    groups = [one for one in group.groups if place.judge(one) is None]
    if len(leaves) > MOST_TRIGGERS:
        found.is_whole = False
        return
    if group.kind == "and" and len(leaves) + len(groups) > 1:
        found.is_whole = False
        return
    for inner in groups:
        _add_facts(game, recruit, place, inner, found)
    for leaf in leaves:
        _add_fact(game, recruit, place, leaf, found)


def _add_fact(game: Game, recruit: Recruit, place: Place, leaf: Condition, found: _Found) -> None:
    if leaf.kind == "instanceOf":
        _add_category(game, recruit, place, leaf, found)
        return
    query = leaf.query
    pair = (leaf.kind, query.value)
    is_plain = query.field == "selections" and not query.is_percent
    triggers: list[Trigger] = []
    if is_plain and pair in PRESENT + ABSENT:
        if query.scope in WHOLE_LIST:
            triggers = _find_ranks(game, recruit, query.child, in_children=query.in_children)
        else:
            holder = _find_entry(recruit, place)
            inside = find_inside(recruit, holder, query) if holder is not None else None
            own = {id(one) for one in inside or ()}
            options = [one for one in recruit.options if id(one.taken) in own]
            if len(options) == len(own):
                triggers = _have(game, recruit, options)
    if pair in ABSENT:
        triggers = [Trigger(f"not_{one.field}", one.keys) for one in triggers]
    found.triggers += triggers
    found.is_whole = found.is_whole and bool(triggers)


def _find_entry(recruit: Recruit, place: Place) -> Taken | None:
    """Return the entry of a rank that has a place."""
    every = (*recruit.parts, *(one.taken for one in recruit.options))
    return next((one for one in every if one.place.steps == place.steps), None)


def _add_category(
    game: Game, recruit: Recruit, place: Place, leaf: Condition, found: _Found
) -> None:
    """Add the triggers that give one of the selections around a category."""
    query, last = leaf.query, len(place.steps)
    ends = {"self": [last], "parent": [last - 1], "ancestor": [*range(1, last)]}.get(query.scope)
    if ends is None:
        named = [n + 1 for n, step in enumerate(place.steps) if query.scope in step.ids]
        ends = named[-1:]
    givers = [
        (end, row)
        for end in ends
        for category, row in place.steps[end - 1].perhaps
        if category == query.child
    ]
    if len(givers) != 1 or givers[0][1].kind not in ("add", "set-primary"):
        found.is_whole = False
        return
    end, row = givers[0]
    if row.repeats:
        found.is_whole = False
        return
    _add_facts(game, recruit, replace(place, steps=place.steps[:end]), row.when, found)


def _have(game: Game, recruit: Recruit, options: list[Option]) -> list[Trigger]:
    """Return the trigger that a member has one of some options, if items or traits say that."""
    if not options or any(one.included for one in options):
        return []
    goods = {id(one): one for one in (game.stock.of_option[id(option)] for option in options)}
    others = [one for one in recruit.options if id(game.stock.of_option[id(one)]) in goods]
    keys = frozenset(one.key for one in goods.values())
    tables = {one.table for one in goods.values()}
    if len(others) != len(options) or len(tables) != 1 or "" in keys:
        return []
    return [Trigger("traits" if tables == {"traits"} else "item_tags", keys)]


def _find_ranks(game: Game, recruit: Recruit, child: str, *, in_children: bool) -> list[Trigger]:
    """Return the trigger that the gang has somebody of an entry or category."""
    about = recruit.catalogue, child, in_children
    if about not in game.present and len(game.present) < MOST_ASKED:
        game.present[about] = _look_for_ranks(game, recruit, child, in_children=in_children)
    return game.present.get(about, [])


def _look_for_ranks(
    game: Game, recruit: Recruit, child: str, *, in_children: bool
) -> list[Trigger]:
    keys: set[str] = set()
    for rank in game.ranks:
        for other in rank.recruits:
            if other.catalogue != recruit.catalogue:
                continue
            root = other.main.place.steps[0]
            inner = [one.taken for one in other.options]
            inner += [one for one in other.parts if one is not other.main]
            if root.is_perhaps(child) or (in_children and any(_is(one, child) for one in inner)):
                return []
            if root.is_instance(child):
                keys.add(rank.key)
    return [Trigger("gang_ranks", frozenset(keys))] if keys else []


def _is(taken: Taken, child: str) -> bool:
    return taken.step.is_instance(child) or taken.step.is_perhaps(child)
