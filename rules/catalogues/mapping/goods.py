"""Items and traits from the options of all ranks: one for each thing, however often it is written.

Two options are the same thing if they have the same name, profiles and rules. A thing is a trait
if it has no profile of a weapon or the like, its words say that it is a skill, and every rank pays
the same for it; everything else is an item, because items can have a price for each rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from rules.catalogues.mapping.describing import Describer, Shown
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.taking import MOST_LIMIT
from rules.catalogues.mapping.units import MODELS, Option, Recruit
from rules.catalogues.mapping.words import SKILLS

MOST_TIMES = 20
DEAREST = 100_000

Signature = tuple[object, ...]


@dataclass(slots=True, eq=False)
class Use:
    """A thing in a rank: the numbers that everybody has and may have, and what one more costs."""

    recruit: Recruit
    options: list[Option]
    included: int
    most: int | None
    is_bought: bool


@dataclass(slots=True, eq=False)
class Good:
    """A thing that members can have. ``own_id``: the smallest id of its entries; ``is_trait``: a
    trait rather than an item; ``is_free``: it comes with a rank only, as its rule."""

    signature: Signature
    name: str
    shown: tuple[Shown, ...]
    own_id: str
    is_model: bool = False
    is_trait: bool = False
    is_rule: bool = False
    uses: dict[int, Use] = field(default_factory=dict)
    categories: set[str] = field(default_factory=set)
    key: str = ""

    @property
    def table(self) -> str:
        """The table of its row."""
        return "traits" if self.is_trait else "items"

    @property
    def options(self) -> Iterator[Option]:
        """The options that became this thing."""
        for use in self.uses.values():
            yield from use.options


@dataclass(slots=True)
class Stock:
    """All things of a game. ``of_option``: the thing that an option became; ``of_rule``: the trait
    for a rule of a rank."""

    goods: dict[Signature, Good] = field(default_factory=dict)
    of_option: dict[int, Good] = field(default_factory=dict)
    rules: dict[int, list[Good]] = field(default_factory=dict)


def collect(
    recruits: Iterable[Recruit],
    describer: Describer,
    kinds: tuple[str, ...],
    columns: set[str],
    member: str,
) -> Stock:
    """Return the things of all ranks. ``columns``: the types of profiles that items have as
    columns; ``member``: the type of profiles of members."""
    stock = Stock()
    for recruit in recruits:
        by_price: dict[Signature, list[tuple[Decimal, ...]]] = {}
        for option in recruit.options:
            shown = describer.describe_all(option.taken)
            is_model = option.taken.node.kind in MODELS
            signature: Signature = (option.taken.name, shown, is_model)
            if option.most is None or option.most > option.included:
                prices = by_price.setdefault(signature, [])
                price = tuple(option.cost(kind) for kind in kinds)
                if price not in prices:
                    prices.append(price)
                if prices.index(price):
                    # The same thing for another price: another row.
                    signature = (*signature, price)
            good = stock.goods.get(signature)
            node = option.taken.node
            if good is None:
                good = Good(signature, option.taken.name, shown, node.id, is_model)
                stock.goods[signature] = good
            good.own_id = min(good.own_id, node.id)
            good.categories |= option.taken.step.categories
            stock.of_option[id(option)] = good
            _use(good, recruit, option)
        for good in {id(one): one for one in _goods_of(stock, recruit)}.values():
            _limit_together(good.uses[id(recruit)])
        stock.rules[id(recruit)] = _find_rules(stock, recruit, describer, columns, member)
    return stock


def _use(good: Good, recruit: Recruit, option: Option) -> None:
    use = good.uses.get(id(recruit))
    is_bought = option.most is None or option.most > option.included
    if use is None:
        good.uses[id(recruit)] = Use(
            recruit, [option], option.included, option.most, is_bought=is_bought
        )
        return
    use.options.append(option)
    use.included += option.included
    use.most = None if use.most is None or option.most is None else use.most + option.most
    use.is_bought = use.is_bought or is_bought


def _goods_of(stock: Stock, recruit: Recruit) -> Iterator[Good]:
    return (stock.of_option[id(option)] for option in recruit.options)


def _limit_together(use: Use) -> None:
    """Limit what a member has by several ways to what one entry allows for all of them."""
    if len(use.options) < 2 or len({option.taken.node.id for option in use.options}) > 1:
        return
    every = [_most_of_member(option, use.recruit) for option in use.options]
    known = [one for one in every if one is not None]
    if len(known) == len(every):
        most = max(known) if use.most is None else min(max(known), use.most)
        use.most = max(use.included, most)


def _most_of_member(option: Option, recruit: Recruit) -> int | None:
    """Return the most of an entry, by whatever way, that its own limits allow a member; None if
    none of them is about the member."""
    node, main = option.taken.node, recruit.main
    # An option right inside the member has the member around it.
    is_inside = option.host is None and len(option.taken.place.steps) == len(main.place.steps) + 1
    changed = {row.field for row in node.modifiers}
    found = [
        int(min(row.query.value, MOST_LIMIT))
        for row in node.constraints
        if row.kind == "max"
        and row.query.field == "selections"
        and row.query.is_shared
        and not row.query.is_percent
        and row.id not in changed
        and row.query.value.is_finite()
        and row.query.value >= 0
        and row.query.scope in {"parent" if is_inside else "", *main.node.ids}
        and (is_inside or row.query.in_children)
    ]
    return min(found, default=None)


def _find_rules(
    stock: Stock, recruit: Recruit, describer: Describer, columns: set[str], member: str
) -> list[Good]:
    """Return the rules of a rank as traits, and its own weapons as things that it has."""
    found: list[Good] = []
    for part in (*recruit.parts, *recruit.shown):
        for one in describer.describe(part):
            if (member and one.type_id == member) or not one.name.strip():
                continue
            is_weapon = one.type_id in columns
            signature: Signature = (one.name, (one,), "own" if is_weapon else "rule")
            good = stock.goods.get(signature)
            if good is None:
                good = Good(signature, one.name, (one,), one.id)
                good.is_trait = good.is_rule = not is_weapon
                stock.goods[signature] = good
            if id(recruit) not in good.uses:
                good.uses[id(recruit)] = Use(recruit, [], 1, 1, is_bought=False)
                found.append(good)
    return found


def decide_traits(
    stock: Stock,
    kinds: tuple[str, ...],
    columns: set[str],
    type_names: Mapping[str, str],
    limited: set[int],
) -> None:
    """Decide which things are traits. ``limited``: those that the whole list limits."""
    for good in stock.goods.values():
        if good.is_rule:
            continue
        good.is_trait = (
            not good.is_model
            and id(good) not in limited
            and not any(one.type_id in columns for one in good.shown)
            and _is_skill(good, kinds, type_names)
            and _is_uniform(good, kinds)
        )


def _is_skill(good: Good, kinds: tuple[str, ...], type_names: Mapping[str, str]) -> bool:
    words = [type_names.get(one.type_id, "") for one in good.shown]
    words += [name for option in good.options for name in option.taken.names[1:-1][-2:]]
    if any(SKILLS.search(word) for word in words):
        return True
    is_free = all(not option.cost(kind) for option in good.options for kind in kinds)
    return is_free and bool(good.shown) and not any(option.host for option in good.options)


def _is_uniform(good: Good, kinds: tuple[str, ...]) -> bool:
    """Whether all ranks pay the same, and may have it equally often."""
    prices = {
        tuple(option.cost(kind) for kind in kinds)
        for use in good.uses.values()
        if use.is_bought
        for option in use.options
    }
    most = {use.most for use in good.uses.values()}
    is_sure = not any(option.doubts() or option.beside for option in good.options)
    return (
        len(prices) <= 1
        and len(most) == 1
        and None not in most
        and max(one or 0 for one in most) <= MOST_TIMES
        and is_sure
    )


def to_price(
    amount: Decimal,
    log: Log,
    about: str,
    place: tuple[str, ...],
    kind: str = "",
    row: tuple[str, str] = ("", ""),
) -> int:
    """Return a cost as a rulebook can say it, with a note if that is another amount."""
    whole = int(amount.to_integral_value(ROUND_HALF_UP))
    if whole != amount:
        log.note("cost_fraction", about, place, row, cost=f"{amount.normalize():f}", price=whole)
        log.mark("costs", f"{about} {kind}", "noted")
    if not 0 <= whole <= DEAREST:
        log.note("cost_range", about, place, row, cost=f"{amount.normalize():f}")
        log.mark("costs", f"{about} {kind}", "noted")
    return max(0, min(whole, DEAREST))


def most_common[T](values: Iterable[T]) -> T:
    """Return the most common of some values; of equally common ones, the first."""
    return Counter(values).most_common(1)[0][0]
