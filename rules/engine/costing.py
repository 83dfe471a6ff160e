"""Prices and ratings of members, as receipts that show how each total was added up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from common.wording.sentences import gettext_noop as _
from rules.book.model import Book, Rules
from rules.book.schema import Adjustment, Item, Trait
from rules.book.vocabulary import Text, is_now
from rules.engine.figure import Figure, offers_of, picks

EXPERIENCE = _("Experience earned")
# Whole points are int. Where a rulebook keeps halves, they are float, which is exact for halves.
Points = int | float


class ReceiptLine(NamedTuple):
    """A thing and its amount. ``apart``: it counts for the gang, not in the member's own sum."""

    name: Text | str
    amount: Points
    apart: bool = False


@dataclass(frozen=True)
class Receipt:
    """The lines that add up to a price or rating."""

    lines: tuple[ReceiptLine, ...]

    @property
    def total(self) -> Points:
        """The sum of all lines."""
        return whole(sum(line.amount for line in self.lines))

    @property
    def of_member(self) -> Receipt:
        """The lines that count in the member's own sum."""
        return Receipt(tuple(line for line in self.lines if not line.apart))

    @property
    def own(self) -> Points:
        """The member's own sum."""
        return self.of_member.total


def whole(amount: Points) -> Points:
    """Return ``amount`` as an int if it is whole, so that 12 is never written 12.0."""
    return int(amount) if amount == int(amount) else amount


def price(rules: Rules, figure: Figure, *, playing: bool = False) -> Receipt:
    """Price a member as they are now: rank, traits and items.

    ``playing``: the gang has played its first game, which changes some prices.
    """
    book = rules.book
    rank = book.rank[figure.worth_rank]
    traits = [book.trait[key] for key in figure.traits]
    items = [book.item[key] for key in figure.items]
    due = _adjustments(rules, figure, playing)
    exact = _is_exact(rules)
    prices = _list_prices(rules, figure, items, playing)
    lines = [ReceiptLine(rank.name, _adjust(rank.price, due["rank"], exact))]
    lines += [ReceiptLine(row.name, _adjust(row.price, due["traits"], exact)) for row in traits]
    on_items: list[list[Adjustment]] = [[] for _ in items]
    for adjustment in due["items"]:
        for place in _find_touched(items, prices, adjustment):
            on_items[place].append(adjustment)
    for item, list_price, adjustments in zip(items, prices, on_items, strict=True):
        amount = _adjust(list_price, adjustments, exact)
        lines.append(ReceiptLine(item.name, amount, book.group[item.group].apart))
    return Receipt(tuple(lines))


def item_price(
    rules: Rules, figure: Figure, key: str, *, playing: bool = False, copy: int = 0
) -> Points:
    """Price a member's ``copy`` of an item, counted from 0, without discounts that apply only to
    their first few items."""
    alone, item = replace(figure, items=(key,), kit=()), rules.book.item[key]
    amount = _list_price(rules, figure, item, copy, playing)
    due = [
        row
        for row in _adjustments(rules, alone, playing)["items"]
        if row.first is None and _find_touched([item], [amount], row)
    ]
    return _adjust(amount, due, _is_exact(rules))


def resale_price(rules: Rules, item: Item) -> Points:
    """The money that a gang gets for selling an item: a share of its list price, rounded down."""
    share = item.resale if item.resale is not None else rules.book.group[item.group].resale
    amount = Fraction(share) * item.price
    return whole(math.floor(amount * 2) / 2) if _is_exact(rules) else math.floor(amount)


def worth(book: Book, figure: Figure) -> Receipt:
    """The member's share of a rating that does not follow the prices."""
    rank = book.rank[figure.rank]
    lines = [ReceiptLine(rank.name, rank.worth)]
    rows: list[Trait | Item] = [book.trait[key] for key in figure.traits]
    rows += [book.item[key] for key in figure.items]
    lines += [ReceiptLine(row.name, row.worth) for row in rows if row.worth]
    return Receipt(tuple(lines))


def rating(rules: Rules, figure: Figure, *, playing: bool = False) -> Receipt:
    """Rate a member now: their price or worth, and their experience where it counts.

    Empty if the rulebook has no rating.
    """
    book = rules.book
    if book.rating is None:
        return Receipt(())
    if book.rating.counts == "worth":
        lines = worth(book, figure).lines
    else:
        lines = price(rules, figure, playing=playing).lines
    earned = figure.experience // book.rating.experience_step
    if book.rating.counts_experience and earned:
        lines += (ReceiptLine(EXPERIENCE, earned),)
    return Receipt(lines)


def _is_exact(rules: Rules) -> bool:
    return any(rounding.mode == "exact" for rounding in rules.roundings[:1])


def _adjustments(rules: Rules, figure: Figure, playing: bool) -> dict[str, list[Adjustment]]:
    """The adjustments in force for a member, by what they change: "rank", "traits", "items"."""
    found: dict[str, list[Adjustment]] = {"rank": [], "traits": [], "items": []}
    for adjustment in rules.adjustments:
        now = is_now(adjustment.phase, playing=playing)
        if now and picks(rules.book, adjustment.of, figure):
            found[adjustment.on].append(adjustment)
    return found


def _list_prices(rules: Rules, figure: Figure, items: Sequence[Item], playing: bool) -> list[int]:
    """The prices of a member's items before adjustments, in order: those of offers to the member,
    else list prices, which further copies may have of their own; 0 for the kit that they joined
    with."""
    if not (rules.offers or figure.kit or any(item.next_prices for item in items)):
        return [item.price for item in items]
    copies: Counter[str] = Counter()
    kit = Counter(figure.kit)
    prices = []
    for item in items:
        if kit[item.key]:
            kit[item.key] -= 1
            prices.append(0)
        else:
            prices.append(_list_price(rules, figure, item, copies[item.key], playing))
            copies[item.key] += 1
    return prices


def _list_price(rules: Rules, figure: Figure, item: Item, copy: int, playing: bool) -> int:
    """The price of a member's ``copy`` of an item, counted from 0, before adjustments."""
    for row in offers_of(rules, figure, item, playing=playing):
        if row.price is not None:
            return row.price
    return item.list_price(copy)


def _find_touched(
    items: Sequence[Item], prices: Sequence[int], adjustment: Adjustment
) -> list[int]:
    """The indexes of a member's items that an adjustment changes; ``prices``: their list prices."""
    places = [
        place
        for place, item in enumerate(items)
        if not (adjustment.groups and item.group not in adjustment.groups)
        and not (adjustment.item_tags and item.tags.isdisjoint(adjustment.item_tags))
    ]
    if adjustment.first is not None:
        places.sort(key=lambda place: -prices[place])
    return places[: adjustment.first]


def _adjust(price: int, adjustments: list[Adjustment], exact: bool) -> Points:
    """The list price after all adjustments, at least 0."""
    if not adjustments:
        return price
    times, less = Fraction(1), Fraction(0)
    for adjustment in adjustments:
        times *= Fraction(adjustment.times)
        less += Fraction(adjustment.less)
    amount = max(Fraction(0), price * (times - less))
    if exact:
        # Round quarters and the like up to the next half.
        return whole(math.ceil(amount * 2) / 2)
    return math.ceil(amount)
