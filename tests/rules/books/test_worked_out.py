"""Chances that rulebooks once had as typed numbers now come from the rolls."""

from __future__ import annotations

import re
from fractions import Fraction
from math import floor

import pytest

from rules.engine.reference_odds import work_out_cells
from tests.world.gangs import SLUGS, shipped

# The typed chances in whole per cent, line by line, without cells that are no chance. Where 100
# was typed for an uncertain result, pages say "> 99 %".
TYPED: dict[tuple[str, str], list[list[int]]] = {
    ("blackwater-gulch", "chances"): [
        [83, 97, 100, 100, 100, 100],
        [67, 89, 96, 99, 100, 100],
        [50, 75, 88, 94, 97, 98],
        [33, 56, 70, 80, 87, 91],
        [17, 31, 42, 52, 60, 67],
    ],
    ("blackwater-gulch", "run"): [[17], [31], [42], [52], [60], [67]],
    ("blackwater-gulch", "revive"): [
        [0, 0, 0, 0, 0, 0],
        [17, 31, 42, 52, 60, 67],
        [33, 56, 70, 80, 87, 91],
        [50, 75, 88, 94, 97, 98],
        [67, 89, 96, 99, 100, 100],
        [83, 97, 100, 100, 100, 100],
    ],
    ("blackwater-gulch", "revive_one"): [
        [17, 31, 42, 52, 60, 67],
        [33, 56, 70, 80, 87, 91],
        [50, 75, 88, 94, 97, 98],
        [67, 89, 96, 99, 100, 100],
        [83, 97, 100, 100, 100, 100],
        [100, 100, 100, 100, 100, 100],
    ],
    ("blackwater-gulch", "saves"): [[83], [83], [67], [50], [33], [17], [17], [17]],
    ("blackwater-gulch", "morale_chances"): [
        [67, 50, 33, 17],
        [89, 75, 56, 31],
        [96, 88, 70, 42],
        [99, 94, 80, 52],
        [100, 97, 87, 60],
        [100, 98, 91, 67],
    ],
    ("blackwater-gulch", "morale_second_chance"): [
        [89, 75, 56, 31],
        [99, 94, 80, 52],
        [100, 98, 91, 67],
        [100, 100, 96, 77],
        [100, 100, 98, 84],
        [100, 100, 99, 89],
    ],
    ("blackwater-gulch", "freeing"): [[33], [56], [70], [80], [87], [91], [94], [96]],
}
# The chances that were typed as fractions.
EXACT: dict[tuple[str, str], list[list[str]]] = {
    ("du-sang-sur-la-lame", "chances"): [
        ["5/12", "7/12", "13/18", "1/36", "1/36"],
        ["49/72", "29/36", "193/216", "2/27", "1/216"],
        ["119/144", "131/144", "311/324", "19/144", "1/1296"],
        ["7043/7776", "931/972", "851/864", "763/3888", "1/7776"],
    ],
}
# The averages beside them, to one decimal place.
AVERAGES: dict[tuple[str, str], list[list[float]]] = {
    ("blackwater-gulch", "run"): [[9.5], [10.5], [11.0], [11.2], [11.4], [11.6]],
}
# A percentage, unless it is a share of a board's side, which no dice decide.
PERCENT = re.compile(r"\d[ \u00a0\u202f]?%")
SHARES = re.compile(r"(board|table|side|edge|deep|across|wide|côté|bord|profondeur|fame|renommée)")


@pytest.mark.parametrize(("slug", "key"), TYPED)
def test_rolls_give_the_percentages_that_were_typed_before(slug: str, key: str) -> None:
    book = shipped(slug)
    row = next(row for row in book.references if row.key == key)
    figures = work_out_cells(book, row)
    chances = [
        [floor(cell.value * 100 + Fraction(1, 2)) for cell in line if cell and not cell.average]
        for line in figures
    ]
    assert chances == TYPED[slug, key]
    averages = [
        [round(float(cell.value), 1) for cell in line if cell and cell.average] for line in figures
    ]
    assert [line for line in averages if line] == AVERAGES.get((slug, key), [])


@pytest.mark.parametrize(("slug", "key"), EXACT)
def test_rolls_give_the_fractions_that_were_typed_before(slug: str, key: str) -> None:
    book = shipped(slug)
    row = next(row for row in book.references if row.key == key)
    shown = [[str(cell.value) for cell in line if cell] for line in work_out_cells(book, row)]
    assert shown == EXACT[slug, key]


@pytest.mark.parametrize("slug", SLUGS)
def test_rulebooks_type_no_chances_of_dice(slug: str) -> None:
    """Percentages of dice are computed; boards and fame use percentages in their own words."""
    book = shipped(slug)
    typed = [
        f"{row.key}: {text}"
        for row in book.references
        for line in row.lines
        for cell in line.cells
        for text in ([cell] if isinstance(cell, str) else [cell["en"], cell["fr"]])
        if PERCENT.search(text) and not SHARES.search(text)
    ]
    assert typed == []
    every = {row.key for row in book.references if row.chances is not None}
    assert every >= {key for game, key in (*TYPED, *EXACT) if game == slug}
