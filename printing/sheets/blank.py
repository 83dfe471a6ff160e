"""Blank forms of a game, to fill in with a pencil: from founding a gang to its tenth game.

The rules for founding a gang, a roster sheet with empty blocks, and a log of its games. All that
differs from game to game comes from the rulebook, under the options in play.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.template.loader import render_to_string

from accounts.language import reading_as
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import page_rules
from printing.press.jobs import Job
from printing.sheets.founding import founding
from printing.sheets.game_log import game_log
from printing.sheets.roster_form import roster_form
from printing.sheets.written import mm, sheet_of
from rules.blank_forms import Part
from rules.book.model import Book, Rules
from rules.reference_pages.words import BookWording

# The size of the letters of the founding's lists, in points, and the height of a row of its sums,
# in millimetres: from the roomiest to the tightest.
SIZES = ((11.0, 9.0), (10.0, 7.8), (9.0, 6.8), (8.0, 6.0))
LARGE_SIZES = tuple((12.0, high) for high in (18.0, 15.0, 12.0, 10.0, 8.0))


@dataclass(frozen=True)
class BlankOrder(Order):
    """Options of blank forms. ``part``: which of them; ``settings``: the options of the game, by
    key.
    """

    part: Part = "all"
    settings: tuple[tuple[str, str | int], ...] = ()


def key(digest: str, order: BlankOrder) -> str:
    """Return the key of a print: a version of a rulebook never changes."""
    return orders.key("blank", digest, order)


def job(book: Book, order: BlankOrder) -> Job:
    """Return the forms for the press."""
    rules = book.under(book.default_settings() | dict(order.settings))
    with reading_as(order.language):
        words = BookWording(book, order.language)
        html = render_to_string(
            "printing/sheets/blank.html",
            {
                "order": order,
                "book": book,
                "name": book.title.translated(order.language),
                "options": options(words, rules),
                "founding": founding(words, rules, order) if _has(order, "founding") else None,
                "roster": roster_form(words, rules, order) if _has(order, "roster") else None,
                "log": game_log(words, rules, order) if _has(order, "log") else None,
                "measures": page_rules(order, book.look, side=mm(sheet_of(order).margin)),
            },
        )
    sizes = LARGE_SIZES if order.plain else SIZES
    tries = tuple(
        f".lists {{ font-size: {size}pt }} .sums tbody td {{ height: {high}mm }}"
        for size, high in sizes
    )
    return Job(html, ("fonts", "blank"), tries=tries if _has(order, "founding") else ())


def _has(order: BlankOrder, part: Part) -> bool:
    return order.part in ("all", part)


def options(words: BookWording, rules: Rules) -> list[str]:
    """Return the options that differ from the default."""
    usual = words.book.default_settings()
    chosen = []
    for row in words.book.settings:
        value = rules.settings.get(row.key)
        if value != usual[row.key]:
            shown = words.only_when({row.key: (str(value),)})
            chosen.append(shown or f"{words.translated(row.name)}: {value}")
    return chosen
