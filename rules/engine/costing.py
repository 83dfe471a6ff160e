"""What a member costs and is worth, as a receipt: line by line, so that no total is a mystery."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from rules.book.model import Book, Rules
from rules.book.schema import Adjustment, Item, Trait
from rules.book.vocabulary import Text
from rules.engine.figure import Figure, picks

EXPERIENCE = Text(en="Experience earned", fr="Expérience gagnée")
# Whole points are int; halves, where a rulebook keeps them, are float, which is exact for halves.
Points = int | float


class ReceiptLine(NamedTuple):
    """One thing and its amount. ``apart``: it counts for the gang, not in the member's own sum."""

    name: Text
    amount: Points
    apart: bool = False


@dataclass(frozen=True)
class Receipt:
    """Why something is worth what it is worth."""

    lines: tuple[ReceiptLine, ...]

    @property
    def total(self) -> Points:
        """The sum of all lines."""
        return whole(sum(line.amount for line in self.lines))

    @property
    def of_member(self) -> Receipt:
        """The lines that count for the member alone."""
        return Receipt(tuple(line for line in self.lines if not line.apart))

    @property
    def own(self) -> Points:
        """The sum of the lines that count for the member alone."""
        return self.of_member.total


def whole(amount: Points) -> Points:
    """``amount`` as an int if it is a whole number, so that 12 is never written 12.0."""
    return int(amount) if amount == int(amount) else amount


def price(rules: Rules, figure: Figure, *, playing: bool = False) -> Receipt:
    """What the member costs to recruit as they are: their rank, their traits, their items.

    ``playing``: their gang has played its first game, which some prices depend on.
    """
    book = rules.book
    rank = book.rank[figure.worth_rank]
    traits = [book.trait[key] for key in figure.traits]
    items = [book.item[key] for key in figure.items]
    at_rank, on_traits, on_items = _adjustments(rules, figure, playing)
    exact = _is_exact(rules)
    lines = [ReceiptLine(rank.name, _adjusted(rank.price, at_rank, exact))]
    lines += [ReceiptLine(trait.name, _adjusted(trait.price, on_traits, exact)) for trait in traits]
    due: list[list[Adjustment]] = [[] for _ in items]
    for adjustment in on_items:
        for place in _touched(book, figure, adjustment):
            due[place].append(adjustment)
    for item, adjustments in zip(items, due, strict=True):
        amount = _adjusted(item.price, adjustments, exact)
        lines.append(ReceiptLine(item.name, amount, book.group[item.group].apart))
    return Receipt(tuple(lines))


def item_price(rules: Rules, figure: Figure, key: str, *, playing: bool = False) -> Points:
    """What an item costs by itself for such a member, without what is cheaper only once or so."""
    alone = replace(figure, items=(key,))
    _at_rank, _on_traits, on_items = _adjustments(rules, alone, playing)
    due = [
        adjustment
        for adjustment in on_items
        if adjustment.first is None and _touched(rules.book, alone, adjustment)
    ]
    return _adjusted(rules.book.item[key].price, due, _is_exact(rules))


def worth(book: Book, figure: Figure) -> Receipt:
    """What the member counts in a rating that does not follow the prices."""
    rank = book.rank[figure.rank]
    lines = [ReceiptLine(rank.name, rank.worth)]
    rows: list[Trait | Item] = [book.trait[key] for key in figure.traits]
    rows += [book.item[key] for key in figure.items]
    lines += [ReceiptLine(row.name, row.worth) for row in rows if row.worth]
    return Receipt(tuple(lines))


def rating(rules: Rules, figure: Figure, *, playing: bool = False) -> Receipt:
    """What the member is worth now: by price or worth, and their experience where it counts."""
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


def _adjustments(
    rules: Rules, figure: Figure, playing: bool
) -> tuple[list[Adjustment], list[Adjustment], list[Adjustment]]:
    """The adjustments in force for the member: on their rank, their traits, their items."""
    phase = "playing" if playing else "founding"
    found: dict[str, list[Adjustment]] = {"rank": [], "traits": [], "items": []}
    for adjustment in rules.adjustments:
        if adjustment.phase in (None, phase) and picks(rules.book, adjustment.of, figure):
            found[adjustment.on].append(adjustment)
    return found["rank"], found["traits"], found["items"]


def _touched(book: Book, figure: Figure, adjustment: Adjustment) -> list[int]:
    """The places, among the member's items, of those that the adjustment is about."""
    places = []
    for place, key in enumerate(figure.items):
        item = book.item[key]
        if adjustment.groups and item.group not in adjustment.groups:
            continue
        if adjustment.item_tags and item.tags.isdisjoint(adjustment.item_tags):
            continue
        places.append(place)
    if adjustment.first is None:
        return places
    places.sort(key=lambda place: -book.item[figure.items[place]].price)
    return places[: adjustment.first]


def _adjusted(price: int, adjustments: list[Adjustment], exact: bool) -> Points:
    """The list price after all adjustments; never below nothing."""
    if not adjustments:
        return price
    times, less = Fraction(1), Fraction(0)
    for adjustment in adjustments:
        times *= Fraction(adjustment.times)
        less += Fraction(adjustment.less)
    amount = max(Fraction(0), price * (times - less))
    if exact:
        # Halves of halves would not be halves: round those up to the next half.
        return whole(math.ceil(amount * 2) / 2)
    return math.ceil(amount)
