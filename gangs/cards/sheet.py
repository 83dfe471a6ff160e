"""The sheet: the page of a gang for readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.cache import computed_gang, page_of
from gangs.cards.groups import gather_cards
from gangs.cards.item_tables import named_kits
from gangs.cards.render import named_text
from gangs.cards.values import AmountLine, Card, ItemLine, NamedText, Page
from gangs.engine.computed import ComputedGang
from gangs.models import GangView, StoredEntry
from gangs.text.formats import with_unit
from rules.book.model import Book
from rules.book.schema import Characteristic, Origin, Rank
from rules.engine.costing import Points
from typesetting.tables import NOTHING


class SheetParts(NamedTuple):
    """The parts of a sheet: the names in its head, and its two columns as HTML."""

    book: Book
    campaigns: str
    members: SafeString
    side: SafeString


def sheet_parts(gang: GangView, language: str, key: str = "") -> SheetParts:
    """Render the parts of a sheet. ``key``: of the shared link, for readers who came by it."""
    computed, page = computed_gang(gang), page_of(gang)
    below = {
        "book": computed.book,
        "legend": legend(computed.book, language),
        "ranks": ranks(computed, language),
        "house": shows_house(computed.book, page),
    }
    context = {
        "gang": gang,
        "book": computed.book,
        "shared_by": key,
        "page": page,
        "groups": gather_cards(computed, page),
        "stash": item_rows(page.stash),
        "innate": item_rows(page.innate),
        "notes": render_to_string("gangs/cards/_sheet_legend.html", below),
    }
    return SheetParts(
        computed.book,
        ", ".join(campaigns(gang)),
        render_to_string("gangs/cards/_sheet_members.html", context),
        render_to_string("gangs/cards/_sheet_side.html", context),
    )


def campaigns(gang: GangView) -> list[str]:
    """The names of the campaigns that the gang is in."""
    known = gang.roster.campaigns
    if not known:
        return []
    joined = StoredEntry.objects.live().filter(gang=gang.pk, kind="joined")
    return [entry.data["name"] for entry in joined if entry.data["campaign"] in known]


def item_rows(items: Sequence[ItemLine]) -> list[tuple[ItemLine, str]]:
    """Items, with equal ones joined, each with all its columns in one line."""
    rows = []
    for kit in named_kits(items):
        for item, values in kit.rows:
            pairs = zip(kit.columns, values, strict=True)
            cells = [f"{column} {value}" for column, value in pairs if value != NOTHING]
            rows.append((item, " · ".join(cells)))
    return rows


def member_worth(page: Page, card: Card) -> str:
    """A member's price, if it differs from the rating, and their rating."""
    cost = with_unit(card.cost, page.money_unit) if card.cost is not None else ""
    worth = with_unit(card.rating, page.rating_unit) if page.rating_name else ""
    costs = [with_unit(one.amount, one.unit) for one in card.costs]
    return " · ".join(filter(None, (cost, *costs, worth)))


def sum_up(lines: Sequence[AmountLine], total: Points, unit: str) -> str:
    """A receipt as one line, "Leader 100 + Knife 3 = 103 XP"; "" if there is nothing to add up."""
    parts = [f"{line.name} {number_format(line.amount)}" for line in lines if line.amount]
    return " + ".join(parts) + f" = {with_unit(total, unit)}" if len(parts) > 1 else ""


def legend(book: Book, language: str) -> list[tuple[str, str, bool]]:
    """The meaning of the characteristics' labels: label, name, and whether it is a house value."""
    return [
        (row.short.translated(language), _meaning(row, language), row.is_house)
        for row in book.characteristics
    ]


def _meaning(row: Characteristic, language: str) -> str:
    """A characteristic's name, with the meaning of its two numbers or of its sorts of boxes."""
    name = row.name.translated(language)
    if row.kind == "pair":
        return f"{name} ({' / '.join(part.translated(language) for part in row.parts)})"
    if row.kind == "track" and len(row.boxes) > 1:
        inside = _("%(box)s with a mark inside")
        sorts = [
            inside % {"box": box.name.translated(language)}
            if box.marked
            else box.name.translated(language)
            for box in row.boxes
        ]
        return f"{name} ({', '.join(sorts)})"
    return name


def ranks(computed: ComputedGang, language: str) -> list[NamedText]:
    """The texts of the members' ranks and origins."""
    figures = computed.figures.values()
    ranks, origins = {figure.rank for figure in figures}, {figure.origin for figure in figures}
    rows: list[Rank | Origin] = [row for row in computed.book.ranks if row.key in ranks]
    rows += [row for row in computed.book.origins if row.key in origins]
    return [named_text(row, language) for row in rows if row.text]


def life_label(book: Book, language: str) -> str:
    """The label of the characteristic that players tick off in a game; "" if there is none."""
    return book.characteristic[book.life].short.translated(language) if book.life else ""


def shows_house(book: Book, page: Page) -> bool:
    """Whether anything on the sheet is a house value."""
    if any(row.is_house for row in [*book.characteristics, *book.ranks, *book.origins]):
        return True
    if any(card.marks_house for card in page.cards):
        return True
    if any(held.house for held in page.holdings):
        return True
    return any(item.house for item in [*page.stash, *page.innate])
