"""Tables of items on the pages of the rules and on the reference sheet: ways to use a weapon are
rows, heads are short, and values do not break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from printing.reference.parts import PrintedTable, find_groups
from rules.book.model import Book
from rules.reference_pages.goods import items
from rules.reference_pages.pieces import ColumnHead, PageCell, PageLine, PageTable
from rules.reference_pages.words import BookWording
from tests.rules.small import SMALL, Data, row, small, text


def column(key: str, short: str = "", **fields: Any) -> Data:
    """Return a column of a group of items."""
    named = {"short": text(short)} if short else {}
    return {"key": key, "name": text(key.capitalize()), **named, **fields}


@pytest.fixture
def book() -> Book:
    """Return the small rulebook with a rifle that fires in two ways, and an axe to throw."""
    arms = [column("firepower", "Fire"), column("recoil"), column("special")]
    auto = {
        "key": "auto",
        "name": text("automatic"),
        "columns": {"firepower": "3", "recoil": "14 / 0"},
    }
    thrown = {"key": "thrown", "name": text("thrown"), "group": "thrown", "columns": {"reach": "3"}}
    rifle = row(
        "rifle",
        group="arms",
        price=9,
        hands=2,
        columns={"firepower": "1", "recoil": "2", "special": "Jams on any roll of a natural one."},
        modes=[auto, {"key": "same", "name": text("at the hip")}],
    )
    axe = row("axe", group="arms", columns={"firepower": "1"}, modes=[thrown])
    groups = [row("arms", columns=arms), row("thrown", columns=[column("reach")]), row("goods")]
    rope = [one for one in SMALL["items"] if one["key"] == "rope"]
    return small(groups=groups, items=[rifle, axe, *rope])


def find_printed(book: Book) -> PrintedTable:
    with override("en"):
        groups = list(find_groups(BookWording(book, "en"), book.usual, False))
    tables = [part.table for group in groups for part in group.parts if part.piece.name == "Arms"]
    assert tables[0] is not None
    return tables[0]


def test_ways_to_use_an_item_are_rows_of_the_rules_page(book: Book) -> None:
    with override("en"):
        grid = next(items(BookWording(book, "en"))).grid
    assert grid is not None
    shown = {line.name: [cell.text for cell in line.cells] for line in grid.lines}
    assert list(shown) == ["Rifle", "– Automatic", "Axe", "– Thrown"]
    # Price and hands are the item's; a long text is not repeated.
    assert shown["– Automatic"] == ["", "", "3", "14 / 0", ""]
    # Another kind of item has other columns.
    [thrown] = [line for line in grid.lines if line.name == "– Thrown"]
    assert (set(shown["– Thrown"]), thrown.detail) == ({""}, "Reach 3")


def test_ways_to_use_an_item_are_rows_of_the_reference_sheet(book: Book) -> None:
    table = find_printed(book)
    shown = {line.name: [cell.text for cell, _short in cells] for line, cells, _note in table.rows}
    assert shown["Rifle"] == ["2", "1", "2"]
    assert shown["– Automatic"] == ["", "3", "14 / 0"]
    notes = {line.name: note for line, _cells, note in table.rows}
    assert notes["– Thrown"] == "Reach 3"
    assert notes["– Automatic"] == ""


def test_tables_use_the_short_names_of_columns(book: Book) -> None:
    with override("en"):
        grid = next(items(BookWording(book, "en"))).grid
    assert grid is not None
    fire = next(column for column in grid.columns if column.name == "Fire")
    assert fire.title == "Firepower"
    assert fire in grid.explained
    assert [head.name for head, _short in find_printed(book).heads][1] == "Fire"


def test_values_do_not_break() -> None:
    cells = (PageCell("14 / 0"), PageCell("twice a game"))
    grid = PageTable("Item", (ColumnHead("Recoil"), ColumnHead("Use")), (PageLine("Gun", cells),))
    with override("en"):
        html = render_to_string("rules/_grid.html", {"grid": grid})
    assert '<td class="is-value">' in html
    assert html.count("is-value") == 1


def test_styles_keep_values_and_heads_whole() -> None:
    css = Path(settings.BASE_DIR / "static" / "skirmish.css").read_text("utf-8")
    assert ".rule-table .is-value { white-space: nowrap; }" in css
    [head] = [line for line in css.splitlines() if line.startswith(".rule-table thead th")]
    assert "overflow-wrap: normal" in head
    assert "td.s { white-space: nowrap }" in Path(
        settings.BASE_DIR / "static" / "print" / "reference.css"
    ).read_text("utf-8")
