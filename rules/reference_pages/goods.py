"""The chapters on items and on building a gang: budgets, prices, limits."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rules.book.limits import Limit
from rules.book.schema import Adjustment, Item, ItemGroup
from rules.engine.cells import differing
from rules.reference_pages.characters import NONE
from rules.reference_pages.pieces import (
    ColumnHead,
    Fact,
    Link,
    PageCell,
    PageLine,
    PageTable,
    Piece,
    Section,
    fact,
    section,
)
from rules.reference_pages.words import BookWording

SEVERITIES: dict[str, Promise] = {
    "error": gettext_lazy("error"),
    "warning": gettext_lazy("warning"),
    "note": gettext_lazy("note"),
}
PHASES: dict[str, Promise] = {
    "founding": gettext_lazy("before the first game"),
    "playing": gettext_lazy("once the first game is played"),
}
ROUNDINGS: dict[str, Promise] = {
    "up": gettext_lazy("Half points are rounded up, line by line."),
    "exact": gettext_lazy("Half points are kept as they are."),
}
ON: dict[str, Promise] = {
    "rank": gettext_lazy("the price of the rank"),
    "traits": gettext_lazy("traits"),
    "items": gettext_lazy("items"),
}


def items(words: BookWording) -> Iterator[Section]:
    """The sections of the chapter on items: one for each group."""
    for group in words.book.groups:
        rows = [item for item in words.book.items if item.group == group.key]
        if rows or group.text:
            name, text = words.translated(group.name), words.translated(group.text)
            grid = _table(words, group, rows) if rows else None
            yield Section(f"group-{group.key}", name, text, tuple(_about(words, group)), grid)


def _about(words: BookWording, group: ItemGroup) -> Iterator[Piece]:
    """The facts and sources of a whole group."""
    most = group.most_per_member
    against = words.book.characteristic.get(group.level_against or "")
    facts = [
        *fact(_("Places taken by each"), group.slots),
        *fact(_("A member may have"), None if most is None else str(most)),
        *fact(_("Level compared with"), words.translated(against.name) if against else None),
        *fact(_("Price"), _("counts for the gang, not for the member") if group.apart else None),
    ]
    piece = words.piece("", group, (), facts, anchor="", name="", text="")
    if facts or words.source(group).any_house or words.source(group).citations:
        yield piece


def _table(words: BookWording, group: ItemGroup, rows: list[Item]) -> PageTable:
    """The items of a group: price, level, hands and worth if any has one, then its columns."""
    book = words.book
    columns: dict[str, ColumnHead] = {}
    if book.money is not None:
        columns["price"] = ColumnHead(words.translated(book.money.unit), _("Price"))
    if any(item.level is not None for item in rows):
        columns["level"] = ColumnHead(_("Level"))
    if any(item.hands is not None for item in rows):
        columns["hands"] = ColumnHead(_("Hands"))
    if book.rating is not None and any(item.worth for item in rows):
        columns["worth"] = ColumnHead(words.translated(book.rating.name))
    own = {
        column.key: ColumnHead(words.translated(column.name), under=words.only_when(column.when))
        for column in group.columns
    }
    lines = []
    for item in rows:
        values = [(key, getattr(item, key)) for key in columns]
        texts = [(key, NONE if value is None else str(value)) for key, value in values]
        texts += [(key, words.translated(item.columns.get(key)) or NONE) for key in own]
        cells = [PageCell(text, house=key in item.house) for key, text in texts]
        details = [words.translated(item.text), *_ways(words, item), *words.effects(item.effects)]
        details.append(_("Everybody has it.") if item.innate else "")
        if item.key in book.given:
            trait = words.translated(book.given[item.key].name)
            details.append(_("Comes with: %(trait)s.") % {"trait": trait})
        detail = " ".join(filter(None, details))
        lines.append(words.line(item, *cells, anchor=f"item-{item.key}", detail=detail))
    heads = (*columns.values(), *own.values())
    return PageTable(_("Item"), heads, tuple(lines), words.translated(group.name))


def _ways(words: BookWording, item: Item) -> Iterator[str]:
    """The cells that differ when an item is used in another way."""
    for mode in item.modes:
        found = differing(words.book, item, mode)
        cells = [
            f"{words.translated(column.name)} {words.translated(cell)}" for column, cell in found
        ]
        name = words.translated(mode.name)
        if cells:
            yield f"{name[:1].upper()}{name[1:]} ({' · '.join(cells)})."


def building(words: BookWording) -> Iterator[Section]:
    """The sections of the chapter on building a gang."""
    book = words.book
    pieces = [*_budgets(words), *_prices(words)]
    yield from section("prices", _("Budget and prices"), pieces)
    if book.limits:
        lines = tuple(_limit(words, number, row) for number, row in enumerate(book.limits, start=1))
        grid = PageTable(_("Checks"), (ColumnHead(_("Kind")),), lines)
        text = _(
            "The builder checks these. An ellipsis stands for anything that depends on your gang."
        )
        yield Section("limits", _("Checks"), text, grid=grid)


def _budgets(words: BookWording) -> Iterator[Piece]:
    book = words.book
    for number, row in enumerate(book.budgets):
        amount = words.money(row.amount or 0)
        if row.setting is not None:
            setting = book.setting[row.setting]
            amount = f"{words.translated(setting.name)} ({words.money(setting.default)})"
        kept = _("goes into the treasury") if row.kept else _("is not kept")
        facts = (*fact(_("Amount"), amount), *fact(_("What is left"), kept))
        name, terms = _("Budget of a new gang"), words.terms(row.when)
        yield Piece(f"budget-{number}", name, terms=terms, facts=facts)


def _prices(words: BookWording) -> Iterator[Piece]:
    for row in words.book.adjustments:
        yield words.piece("price", row, (), _adjusted(words, row))
    for number, rounding in enumerate(words.book.roundings):
        text, terms = str(ROUNDINGS[rounding.mode]), words.terms(rounding.when)
        yield Piece(f"rounding-{number}", _("Half points"), text, terms=terms)


def _adjusted(words: BookWording, row: Adjustment) -> Iterator[Fact]:
    share = []
    if row.times != "1":
        share.append(_("list price × %(share)s") % {"share": row.times})
    if row.less == "1" and row.times == "1":
        share.append(_("free"))
    elif row.less != "0":
        share.append(_("list price less %(share)s of it") % {"share": row.less})
    yield from fact(_("Price"), ", ".join(share))
    groups = words.named(words.book.group, row.groups)
    tagged = words.tagged(words.book.items, row.item_tags)
    yield from fact(_("On"), " · ".join(filter(None, [str(ON[row.on]), groups, tagged])))
    yield from fact(_("For whom"), words.whom(row.of))
    if row.first is not None:
        count = _("%(count)s, the dearest first") % {"count": row.first}
        yield from fact(_("How many of them"), count)
    yield from fact(_("When"), str(PHASES[row.phase]) if row.phase else None)


def _limit(words: BookWording, number: int, row: Limit) -> PageLine:
    severity = str(SEVERITIES[row.severity])
    if row.later is not None:
        values = {"severity": severity, "later": SEVERITIES[row.later]}
        severity = _("%(severity)s, later %(later)s") % values
    more = (Link(str(PHASES[row.phase])),) if row.phase else ()
    cells, terms = (PageCell(severity, more=more),), words.terms(row.when)
    source = words.cited(row.source)
    return PageLine(words.limit(row), cells, f"limit-{number}", row.code, terms, source)
