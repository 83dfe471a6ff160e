"""What a member costs and is worth, as a receipt: line by line, so that no total is a mystery."""

from __future__ import annotations

from dataclasses import dataclass

from rules.book import Book
from rules.figure import Figure
from rules.vocabulary import Text

EXPERIENCE = Text(en="Experience earned", fr="Expérience gagnée")


@dataclass(frozen=True)
class ReceiptLine:
    """One thing and its amount. ``apart``: it counts for the gang, not in the member's own sum."""

    name: Text
    amount: int
    apart: bool = False


@dataclass(frozen=True)
class Receipt:
    """Why something is worth what it is worth."""

    lines: tuple[ReceiptLine, ...]

    @property
    def total(self) -> int:
        """The sum of all lines."""
        return sum(line.amount for line in self.lines)

    @property
    def own(self) -> int:
        """The sum of the lines that count for the member himself."""
        return sum(line.amount for line in self.lines if not line.apart)


def item_line(book: Book, key: str) -> ReceiptLine:
    """The receipt line of one item."""
    item = book.item[key]
    return ReceiptLine(item.name, item.price, book.group[item.group].apart)


def price(book: Book, figure: Figure) -> Receipt:
    """What the member costs to recruit as he is: his rank, his traits, his items."""
    rank = book.rank[figure.worth_rank]
    lines = [ReceiptLine(rank.name, rank.price)]
    for key in figure.traits:
        lines.append(ReceiptLine(book.trait[key].name, book.trait[key].price))
    lines.extend(item_line(book, key) for key in figure.items)
    return Receipt(tuple(lines))


def rating(book: Book, figure: Figure) -> Receipt:
    """What the member is worth now: his price, and his experience where the game counts it."""
    lines = price(book, figure).lines
    if book.rating.counts_experience and figure.experience:
        lines += (ReceiptLine(EXPERIENCE, figure.experience),)
    return Receipt(lines)
