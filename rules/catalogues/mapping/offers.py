"""Offers of a rulebook: what each rank may buy, for how much, and what it joins with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rules.catalogues.mapping.bounding import split

# A number that an offer can have.
MOST_COPIES = 99


@dataclass(frozen=True, slots=True)
class Sale:
    """An item as members of one rank have it. ``price``: what one more costs, None if they cannot
    buy it; ``most``: None without a limit."""

    rank: str
    item: str
    included: int
    most: int | None
    price: int | None


@dataclass(frozen=True, slots=True)
class ListPrice:
    """The price and the maximum of an item, which count where no offer has others."""

    price: int
    most: int | None


def find_list_price(sales: Iterable[Sale]) -> ListPrice:
    """Return the most common price of an item, and its maximum if each rank has one."""
    rows = [row for row in sales if row.price is not None]
    if not rows:
        return ListPrice(0, None)
    prices: dict[int, int] = defaultdict(int)
    mosts: dict[int, int] = defaultdict(int)
    for row in rows:
        prices[row.price or 0] += 1
        if row.most is not None and 1 <= row.most <= MOST_COPIES:
            mosts[row.most] += 1
    price = max(sorted(prices), key=lambda one: prices[one])
    is_limited = sum(mosts.values()) == len(rows)
    return ListPrice(price, max(sorted(mosts), key=lambda one: mosts[one]) if is_limited else None)


def make_offers(
    sales: list[Sale], lists: dict[str, ListPrice], ranks: list[str], text: Any, name: Any
) -> list[dict[str, Any]]:
    """Return the offers, the most important first: what ranks may buy, what they join with, other
    prices, other maxima. ``ranks``: all ranks, in order; ``name``: makes a name of keys."""
    bought: dict[tuple[str, str], None] = {}
    kits: dict[str, list[str]] = {}
    prices: dict[int, dict[tuple[str, str], None]] = {}
    mosts: dict[int, dict[tuple[str, str], None]] = {}
    for row in sales:
        pair = (row.rank, row.item)
        if row.included:
            kits.setdefault(row.rank, []).extend([row.item] * row.included)
        usual = lists[row.item].most
        if row.price is None:
            if usual is not None and row.included > usual:
                mosts.setdefault(row.included, {})[pair] = None
            continue
        bought[pair] = None
        if row.price != lists[row.item].price:
            prices.setdefault(row.price, {})[pair] = None
        if row.most != usual and row.most and row.most <= MOST_COPIES:
            mosts.setdefault(row.most, {})[pair] = None
    found: list[dict[str, Any]] = []
    every = set(ranks)

    def add(members: Iterable[str], items: list[str], **fields: Any) -> None:
        chosen = [one for one in ranks if one in {*members}]
        for some in split(chosen):
            for part in split(items):
                row: dict[str, Any] = {
                    "key": f"offer-{len(found) + 1}",
                    "name": text(name(some, part)),
                    "items": part,
                    "source": "catalogues",
                }
                if set(chosen) != every:
                    row["of"] = {"ranks": some}
                found.append(row | fields)

    for members, items in rectangles(bought):
        add(members, items, only=True)
    by_kit: dict[tuple[str, ...], list[str]] = {}
    for rank, kit in kits.items():
        by_kit.setdefault(tuple(kit), []).append(rank)
    for kit_items, members in by_kit.items():
        add(members, [*kit_items], included=True)
    for price in sorted(prices):
        for members, items in rectangles(prices[price]):
            add(members, items, price=price)
    for most in sorted(mosts):
        for members, items in rectangles(mosts[most]):
            add(members, items, most_per_member=most)
    return found


def rectangles(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield ranks and items that together are exactly these pairs, in as few rows as one of two
    ways gives: ranks with the same items, or items with the same ranks."""
    by_rank: dict[str, list[str]] = {}
    by_item: dict[str, list[str]] = {}
    for rank, item in pairs:
        by_rank.setdefault(rank, []).append(item)
        by_item.setdefault(item, []).append(rank)
    same_items: dict[tuple[str, ...], list[str]] = {}
    for rank, items in by_rank.items():
        same_items.setdefault(tuple(sorted(items)), []).append(rank)
    same_ranks: dict[tuple[str, ...], list[str]] = {}
    for item, ranks in by_item.items():
        same_ranks.setdefault(tuple(sorted(ranks)), []).append(item)
    if len(same_items) <= len(same_ranks):
        for items_key, members in same_items.items():
            yield members, [*items_key]
    else:
        for ranks_key, goods in same_ranks.items():
            yield [*ranks_key], goods
