"""Checks whether the prices of a well-formed rulebook make sense: further copies, resale."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rules.book import schema
from rules.book.model import Book
from rules.loading.checks import Path, Wrong


def check_item_prices(book: Book, path: Path, item: schema.Item) -> Wrong:
    """Check that nobody gains by buying an item and selling it, and that free items have no other
    price."""
    share, field = item.resale, "resale"
    if share is None:
        share, field = book.group[item.group].resale if item.group in book.group else "0", "group"
    for paid, why in _shares_paid(book, item) if Fraction(share) else ():
        if Fraction(share) > paid:
            yield (*path, field), f"is sold for {share} of the price, and {why}"
            break
    if item.innate and (item.uses is not None or item.next_prices):
        field = "next_prices" if item.next_prices else "uses"
        yield (*path, field), "is for items that are bought, and everybody has this one (innate)"


def _shares_paid(book: Book, item: schema.Item) -> Iterator[tuple[Fraction, str]]:
    """Yield the shares of its list price that members may pay for an item once the gang has played,
    each with the reason why selling it must not bring more."""
    yield Fraction(1), "a gang could buy and sell it for ever"
    for row in book.adjustments:
        named = not row.groups or item.group in row.groups
        tagged = not row.item_tags or not item.tags.isdisjoint(row.item_tags)
        if row.on == "items" and row.phase != "founding" and named and tagged:
            yield (
                Fraction(row.times) - Fraction(row.less),
                f"“{row.key}” makes it cheaper than that",
            )
