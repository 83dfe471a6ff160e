"""The chapters on items and on building a gang: budgets, prices, limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rules.book.limits import Limit
from rules.book.offers import ItemOffer
from rules.book.schema import Adjustment, Column, Fitting, Item, ItemGroup
from rules.engine.cells import columns_of, differing, written_cells
from rules.reference_pages.characters import NONE
from rules.reference_pages.pieces import (
    VALUE,
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
from rules.reference_pages.tables import amount_in_words
from rules.reference_pages.words import BookWording

# Before the name of a way to use the item above.
INSIDE = "– "
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
        *fact(_("Resale"), say_resale(group.resale) if group.resale != "0" else None),
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
    own = {column.key: head_of(words, column) for column in group.columns}
    lines = []
    for item in rows:
        values = [(key, getattr(item, key)) for key in columns]
        texts = [(key, NONE if value is None else str(value)) for key, value in values]
        texts += [(key, words.translated(item.columns.get(key)) or NONE) for key in own]
        cells = [PageCell(text, house=key in item.house) for key, text in texts]
        details = [words.translated(item.text), *words.effects(item.effects)]
        details += _dealings(words, item)
        details.append(_("Everybody has it.") if item.innate else "")
        if item.key in book.given:
            trait = words.translated(book.given[item.key].name)
            details.append(_("Comes with: %(trait)s.") % {"trait": trait})
        detail = " ".join(filter(None, details))
        lines.append(words.line(item, *cells, anchor=f"item-{item.key}", detail=detail))
        for name, cells_there, more in mode_rows(words, item, own):
            told = (_unless_repeated(words, item, key, cells_there.get(key, "")) for key in own)
            cells = [PageCell()] * len(columns) + [PageCell(text) for text in told]
            lines.append(PageLine(name, tuple(cells), detail=more))
    heads = (*columns.values(), *own.values())
    return PageTable(_("Item"), heads, tuple(lines), words.translated(group.name))


def _dealings(words: BookWording, item: Item) -> Iterator[str]:
    """The most that a member may have of an item, what it rules out, the prices of further copies,
    its price when it is sold, and its uses."""
    if item.most_per_member is not None:
        yield _("At most %(count)s per member.") % {"count": item.most_per_member}
    excluded = words.excluded(words.book.items, item)
    if excluded:
        names = words.named(words.book.item, excluded)
        yield _("Not together with: %(other)s") % {"other": names} + "."
    yield from say_costs(words, item.costs)
    if item.next_prices and words.book.money is not None:
        prices = ", ".join(words.money(price) for price in item.next_prices)
        yield _("A member’s further copies: %(prices)s.") % {"prices": prices}
    if item.resale is not None and words.book.money is not None:
        yield say_resale(item.resale)
    if item.uses is not None:
        yield say_uses(item.uses)
    if item.fits is not None:
        yield from _say_fitting(words, item.fits)


def _say_fitting(words: BookWording, row: Fitting) -> Iterator[str]:
    """The items that one is fitted to, and its changes to them."""
    yield _("Fitted to: %(items)s.") % {"items": list_offered(words, row)}
    columns = {column.key: column for group in words.book.groups for column in group.columns}
    changes = [f"{words.translated(columns[key].name)} {more:+d}" for key, more in row.adds.items()]
    changes += [
        f"{words.translated(columns[key].name)} {words.translated(cell)}"
        for key, cell in row.columns.items()
    ]
    changes.append(words.named(words.book.tag, sorted(row.tags)))
    if any(changes):
        yield _("That item: %(changes)s.") % {"changes": ", ".join(filter(None, changes))}
    if row.most > 1:
        yield _("One item can have %(most)s of this kind.") % {"most": row.most}


def say_costs(words: BookWording, costs: Mapping[str, int]) -> Iterator[str]:
    """The sentence about the costs of something in other currencies than money."""
    if costs:
        yield _("Costs %(costs)s.") % {"costs": words.costs(costs)}


def say_uses(count: int) -> str:
    """The number of uses of an item."""
    return ngettext("%(count)s use.", "%(count)s uses.", count) % {"count": count}


def say_resale(share: str) -> str:
    """The share of the list price that a gang gets for an item."""
    if Fraction(share) == 0:
        return _("Cannot be sold.")
    return _("Sold for %(share)s of its price.") % {"share": share}


def _unless_repeated(words: BookWording, item: Item, key: str, text: str) -> str:
    """A cell of a way to use an item, without a long text that the item's own line has already."""
    return "" if len(text) > VALUE and text == words.translated(item.columns.get(key)) else text


def head_of(words: BookWording, column: Column) -> ColumnHead:
    """The head of a column of items: its short name, with the full one to explain it."""
    name, short = words.translated(column.name), words.translated(column.short)
    under = words.only_when(column.when)
    if not short or short == name:
        return ColumnHead(name, under=under)
    return ColumnHead(short, title=name, under=under)


def mode_rows(
    words: BookWording, item: Item, columns: Collection[str]
) -> Iterator[tuple[str, dict[str, str], str]]:
    """The ways to use an item that differ in any value: each with its name, its values in these
    ``columns``, and in words its values in columns of another kind of item."""
    for mode in item.modes:
        changed = [*differing(words.book, item, mode)]
        if not changed:
            continue
        there = columns_of(words.book, item, mode)
        values = {
            key: words.translated(cell)
            for key, cell in written_cells(item, mode).items()
            if key in columns and key in there
        }
        more = [
            f"{words.translated(column.name)} {words.translated(cell)}"
            for column, cell in changed
            if column.key not in columns
        ]
        name = words.translated(mode.name)
        yield f"{INSIDE}{name[:1].upper()}{name[1:]}", values, " · ".join(more)


def building(words: BookWording) -> Iterator[Section]:
    """The sections of the chapter on building a gang."""
    book = words.book
    pieces = [*_budgets(words), *_currencies(words), *_prices(words)]
    yield from section("prices", _("Budget and prices"), pieces)
    offers = [words.piece("offer", row, (), _offered(words, row)) for row in book.offers]
    yield from section("offers", _("Who can buy what"), offers)
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


def _currencies(words: BookWording) -> Iterator[Piece]:
    for row in words.book.currencies:
        start = f"{row.start} {words.translated(row.unit)}" if row.start else None
        yield words.piece("currency", row, (), fact(_("What a new gang has"), start))


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


def _offered(words: BookWording, row: ItemOffer) -> Iterator[Fact]:
    yield from fact(_("Items"), list_offered(words, row))
    yield from fact(_("For whom"), words.whom(row.of))
    yield from fact(_("Price"), None if row.price is None else words.money(row.price))
    if row.price_dice is not None:
        yield from fact(_("Price"), words.money(amount_in_words(row.price_dice)))
    yield from fact(_("How many"), amount_in_words(row.stock) if row.stock else None)
    most = row.most_per_member
    yield from fact(_("Most per member"), None if most is None else str(most))
    yield from fact(_("Only these"), _("they can buy nothing else") if row.only else None)
    yield from fact(_("Included"), _("they join with these") if row.included else None)
    when = [str(PHASES[row.phase])] if row.phase else []
    if row.availability is not None:
        when.append(_("found with %(dice)s after a game, until the next") % {"dice": row.terms})
    yield from fact(_("When"), *when)


def list_offered(words: BookWording, row: ItemOffer | Fitting) -> str:
    """The items, kinds and properties that a row names, in a line."""
    names = [words.named(words.book.item, row.items), words.named(words.book.group, row.groups)]
    names.append(words.tagged(words.book.items, row.item_tags))
    return " · ".join(filter(None, names))


def _limit(words: BookWording, number: int, row: Limit) -> PageLine:
    severity = str(SEVERITIES[row.severity])
    if row.later is not None:
        values = {"severity": severity, "later": SEVERITIES[row.later]}
        severity = _("%(severity)s, later %(later)s") % values
    more = (Link(str(PHASES[row.phase])),) if row.phase else ()
    cells, terms = (PageCell(severity, more=more),), words.terms(row.when)
    source = words.cited(row.source)
    # The editor makes such a code from the sentence itself.
    code = "" if "-" in row.code and row.code.islower() else row.code
    return PageLine(words.limit(row), cells, f"limit-{number}", code, terms, source)
