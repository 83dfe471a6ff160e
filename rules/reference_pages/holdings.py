"""The sections on holdings and on what a gang's things bring and cost."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rules.book.holdings import Haul, Holding, PerHolder, Upkeep, Yield
from rules.reference_pages.pieces import (
    ColumnHead,
    Fact,
    Link,
    PageCell,
    PageLine,
    PageTable,
    Section,
    fact,
    section,
)
from rules.reference_pages.tables import outcomes
from rules.reference_pages.words import BookWording

SIDES: dict[str, Promise] = {
    "winner": gettext_lazy("the winner"),
    "loser": gettext_lazy("the loser"),
    "level": gettext_lazy("each side of a level game"),
}


def holdings(words: BookWording) -> Iterator[Section]:
    """The sections on holdings, income per holder and upkeep; none in a game without them."""
    book, campaign = words.book, words.book.campaign
    places = (
        words.piece("holding", row, _chips(row), _holding(words, row)) for row in book.holdings
    )
    yield from section("holdings", _("Holdings"), places, brief=True)
    income = [words.piece("yield", row, (), _yield(words, row)) for row in campaign.yields]
    income += [
        words.piece("haul", row, (), _haul(words, row), grid=_grid(row)) for row in campaign.hauls
    ]
    yield from section("income", _("What comes in"), income, brief=True)
    due = (words.piece("upkeep", row, (), _upkeep(words, row)) for row in campaign.upkeep)
    yield from section("upkeep", _("Upkeep"), due, brief=True)


def _chips(row: Holding) -> list[str]:
    return [
        _("several gangs may have one") if row.shared else "",
        _("players name it") if row.named else "",
        "" if row.captured else _("cannot be captured"),
    ]


def _holding(words: BookWording, row: Holding) -> Iterator[Fact]:
    yield from fact(_("Price"), None if row.price is None else words.money(row.price))
    yield from fact(_("Also costs"), words.costs(row.costs))
    yield from fact(_("Changes"), *words.effects(row.effects))
    yield from fact(_("For whom"), words.whom(row.of))


def _counted(words: BookWording, row: PerHolder) -> Iterator[Fact]:
    """The things that a sum is for."""
    book = words.book
    if row.of is not None:
        took_part = _("those who took part") if row.fielded else ""
        whom = ", ".join(filter(None, (words.whom(row.of), took_part)))
        yield from fact(_("For each member"), whom or _("Everybody"))
    yield from fact(_("For each item"), words.tagged(book.items, row.item_tags))
    yield from fact(_("For each holding"), words.named(book.holding, row.holdings))


def _yield(words: BookWording, row: Yield) -> Iterator[Fact]:
    yield from fact(_("Money"), words.money(row.amount.upper(), row.currency))
    yield from _counted(words, row)
    yield from fact(_("Sides"), ", ".join(str(SIDES[side]) for side in row.sides))


def _haul(words: BookWording, row: Haul) -> Iterator[Fact]:
    yield from fact(_("For each"), words.counted(row.tally))
    if row.currency is not None:
        yield from fact(_("Currency"), words.named(words.book.currency, [row.currency]))


def _grid(row: Haul) -> PageTable:
    """The amounts: a line for each count, a column for each size."""
    columns = [ColumnHead(_("%(count)s+ members") % {"count": size}) for size in row.sizes]
    last = row.rows[-1]
    lines = [
        PageLine(
            f"{one.count}+" if one is last else str(one.count),
            tuple(PageCell(str(amount)) for amount in one.amounts),
        )
        for one in row.rows
    ]
    return PageTable(_("Count"), tuple(columns), tuple(lines))


def _upkeep(words: BookWording, row: Upkeep) -> Iterator[Fact]:
    yield from fact(_("Price"), words.money(row.amount, row.currency))
    yield from _counted(words, row)
    unpaid = outcomes(words, row.unpaid) or [Link(_("the holding is lost"))]
    yield from fact(_("If it is not paid"), *unpaid)
