"""The reference sheet of a game: everything that players look up while playing, with nothing left
out.

The smallest readable letters decide the number of pages; then the largest letters that fit on as
many pages are used. The rules for every turn come first, then weapons, traits and injuries.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.template.loader import render_to_string

from accounts.language import reading_as
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import page_rules
from printing.press.jobs import Job
from printing.reference.length import about_pages
from printing.reference.parts import SIZES, find_groups, name_options, size_class
from rules.book.model import Book
from rules.reference_pages.words import BookWording

# Points, in large print; the smaller size is for when it saves a nearly empty page.
LARGE_SIZE, LARGE_TIGHTER = 11.5, 11.0
STYLES = ("fonts", "reference")


@dataclass(frozen=True)
class ReferenceOrder(Order):
    """Options of a reference sheet. ``settings``: the options of the game, by key."""

    settings: tuple[tuple[str, str | int], ...] = ()


def key(digest: str, order: ReferenceOrder) -> str:
    """Return the key of a printed sheet: a version of a rulebook never changes."""
    return orders.key("reference", digest, order)


def job(book: Book, order: ReferenceOrder) -> Job:
    """Return the sheet for the press."""
    rules = book.under(book.default_settings() | dict(order.settings))
    with reading_as(order.language):
        words = BookWording(book, order.language)
        groups = [group for group in find_groups(words, rules, order.plain) if group.parts]
        html = render_to_string(
            "printing/reference/sheet.html",
            {
                "order": order,
                "book": book,
                "name": book.title.translated(order.language),
                "groups": groups,
                "options": list(name_options(words, rules)),
                "house": any(part.house for group in groups for part in group.parts),
                "measures": page_rules(order, book.look, large=f"{LARGE_SIZE}pt"),
            },
        )
    tables = [part.table for group in groups for part in group.parts if part.table]
    if order.plain:
        return Job(html, STYLES, tighter=f"body {{ font-size: {LARGE_TIGHTER}pt }}")
    return Job(
        html,
        STYLES,
        tries=_tries({table.largest for table in tables}),
        lengths=tuple(about_pages(groups, order.paper, size) for size in SIZES),
    )


def _tries(limits: Collection[float]) -> tuple[str, ...]:
    """Return the rules for each size of letters, the largest first. ``limits``: the sizes above
    which some tables would be wider than a column.
    """

    def size(points: float) -> str:
        tables = (
            f".{size_class(limit)} {{ font-size: {limit:g}pt }} "
            for limit in sorted(limits)
            if limit < points
        )
        return f"html {{ font-size: {points}pt }} {''.join(tables)}"

    return tuple(map(size, SIZES))
