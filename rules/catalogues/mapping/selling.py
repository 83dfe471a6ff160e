"""Offers and list prices of a game in the making."""

from __future__ import annotations

from typing import Any

from rules.catalogues.mapping import bounding
from rules.catalogues.mapping.limiting import Tags
from rules.catalogues.mapping.naming import NOTHING, short_name
from rules.catalogues.mapping.offers import ListPrice, Sale, find_list_price, make_offers
from rules.catalogues.mapping.rows import Priced
from rules.catalogues.mapping.state import SOURCE, Game, Special


def write_offers(
    game: Game, data: dict[str, Any], tags: Tags
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the offers, and the ranks that can buy nothing; give the items their list prices."""
    money = game.answers.money
    items = {row["key"]: row for row in data["items"]}
    sales: dict[str, list[Sale]] = {key: [] for key in items}
    for good in game.stock.goods.values():
        if good.is_trait or good.key not in items:
            continue
        seen: set[str] = set()
        shown: set[str] = set()
        for use in good.uses.values():
            rank = game.rank_of[id(use.recruit)]
            if rank.key in seen:
                continue
            seen.add(rank.key)
            price = None
            if use.is_bought:
                option = next(
                    one for one in use.options if one.most is None or one.most > one.included
                )
                place = option.taken.names
                priced = Priced(good.own_id, place, ("items", good.key))
                rest = priced.fields(game, option.cost)
                priced.note_unsure(game, option.doubts())
                price = rest.pop("price", 0)
                shown.add(repr(rest))
                if len(shown) == 1:
                    items[good.key] |= rest
                else:
                    game.log.note("worth_differs", good.own_id, place, ("items", good.key))
            sales[good.key].append(Sale(rank.key, good.key, use.included, use.most, price))
    lists = {key: find_list_price(rows) for key, rows in sales.items()}
    for good in game.stock.goods.values():
        if good.key in lists and not any(use.is_bought for use in good.uses.values()):
            options = [*good.options]
            if options and money:
                # Everybody who has it has paid it with their rank, but it has a price.
                cost, place = options[0].cost(money), options[0].taken.names
                price = Priced(good.own_id, place, ("items", good.key)).price(game, cost, money)
                lists[good.key] = ListPrice(price, None)
    for key, one in lists.items():
        if one.price:
            items[key]["price"] = one.price
        if one.most is not None:
            items[key]["most_per_member"] = one.most
    for key, prices in game.copies.items():
        if key in items:
            items[key]["next_prices"] = prices
    order = [rank.key for rank in game.ranks]
    every = [row for rows in sales.values() for row in rows]
    buyers = {row.rank for row in every if row.price is not None}
    for row in every:
        if row.rank not in buyers and row.included:
            # An offer of what they have already keeps them from everything else.
            buyers.add(row.rank)
            price = lists[row.item].price
            every = [*every, Sale(row.rank, row.item, 0, row.included, price)]
    offers = _write_specials(game, tags)
    offers += make_offers(every, lists, order, game.text, lambda *keys: _offer_name(game, *keys))
    for offer in offers[bounding.most_rows("offers") :]:
        for key in offer["items"] if "price" in offer else ():
            game.log.note("price_cut", key, (key,), price=offer["price"])
    kept = bounding.cut_rows(offers, "offers", game.log)
    return kept, [one for one in order if one not in buyers]


def _write_specials(game: Game, tags: Tags) -> list[dict[str, Any]]:
    """Return the offers at prices that depend on what else a member or the gang has. The first one
    that picks a member counts."""
    ranks: dict[tuple[str, Special], list[str]] = {}
    for (item, rank), specials in game.specials.items():
        for one in specials:
            ranks.setdefault((item, one), []).append(rank)
    goods = {good.key: good for good in game.stock.goods.values() if not good.is_trait}
    found: list[dict[str, Any]] = []
    for item, one in sorted(ranks, key=lambda pair: -len(pair[1].triggers)):
        place = next((option.taken.names for option in goods[item].options), (item,))
        priced = Priced(goods[item].own_id, place, ("items", item))
        price = priced.price(game, one.price, game.answers.money)
        of: dict[str, list[str]] = {}
        for trigger in one.triggers:
            is_item = trigger.field.endswith("item_tags")
            of[trigger.field] = (
                [tags.keys["items", trigger.keys]] if is_item else sorted(trigger.keys)
            )
        for some in bounding.split(ranks[item, one]):
            found.append(
                {
                    "key": f"special-{len(found) + 1}",
                    "name": game.text(_offer_name(game, some, [item])),
                    "of": {"ranks": some, **of},
                    "items": [item],
                    "price": price,
                    "source": SOURCE,
                }
            )
    return found


def _offer_name(game: Game, ranks: list[str], items: list[str]) -> str:
    names = {rank.key: rank.first.name for rank in game.ranks}
    first = short_name(names.get(ranks[0], NOTHING), 60)
    return first if len(ranks) == 1 else f"{first} + {len(ranks) - 1}"


def settle_worths(game: Game, data: dict[str, Any]) -> None:
    """Take what members join with out of the worth of their rank: a rating adds it up again."""
    worths = {row["key"]: row["worth"] for row in data["items"] if row.get("worth")}
    for row, rank in zip(data["ranks"], game.ranks, strict=False):
        for good in game.stock.goods.values() if worths and "worth" in row else ():
            use = good.uses.get(id(rank.first))
            if use is not None and not good.is_trait:
                row["worth"] -= use.included * worths.get(good.key, 0)
