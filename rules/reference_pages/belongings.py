"""A chapter with only what concerns one gang: its ranks, items, traits, conditions and rolls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rules.book.model import Book
from rules.engine.figure import Belongings, picks
from rules.reference_pages.pieces import Chapter, PageTable, Section

# What anchors of rows that a gang has or has not begin with.
KINDS = ("rank-", "origin-", "profession-", "trait-", "item-", "condition-")


def anchors(book: Book, gang: Belongings) -> frozenset[str]:
    """The anchors of all rows that the gang has, and of the tables that its members roll on."""
    figures, others = gang.figures, _others(book, gang)
    return frozenset(
        [
            *(f"item-{key}" for key in gang.items),
            *(f"trait-{key}" for key in gang.traits),
            *(f"rank-{figure.rank}" for figure in figures),
            *(f"origin-{figure.origin}" for figure in figures),
            *(f"profession-{figure.profession}" for figure in figures),
            *(f"condition-{key}" for figure in figures for key in figure.conditions),
            *(f"table-{table.key}" for table in book.tables if table.key not in others),
        ]
    )


def _others(book: Book, gang: Belongings) -> set[str]:
    """The tables that only members roll on whom the gang does not have."""
    rolled: dict[str, bool] = {}
    for step in book.campaign.steps:
        if step.kind == "fates":
            ways = [(step.of, step.table), *((fate.of, fate.table) for fate in step.fates)]
            for selector, table in ways:
                if table:
                    meant = any(picks(book, selector, figure) for figure in gang.figures)
                    rolled[table] = rolled.get(table, False) or meant
    return {table for table, meant in rolled.items() if not meant}


def concerning(chapter: Chapter, used: frozenset[str]) -> Chapter:
    """The chapter with only what is ``used``; what belongs to no gang in particular stays."""
    return replace(chapter, sections=tuple(_sections(chapter.sections, used)))


def _sections(sections: Iterable[Section], used: frozenset[str]) -> Iterator[Section]:
    for section in sections:
        grid = _grid(section.grid, used) if section.grid else None
        pieces = tuple(piece for piece in section.pieces if _kept(piece.anchor, used))
        had = [one for one in section.pieces if one.anchor] or section.grid
        left = [one for one in pieces if one.anchor] or grid
        if left or not had:
            pieces = tuple(
                replace(piece, grid=_grid(piece.grid, used)) if piece.grid else piece
                for piece in pieces
            )
            yield replace(section, grid=grid, pieces=pieces)


def _grid(grid: PageTable, used: frozenset[str]) -> PageTable | None:
    lines = tuple(line for line in grid.lines if _kept(line.row or line.anchor, used))
    return replace(grid, lines=lines) if lines else None


def _kept(anchor: str, used: frozenset[str]) -> bool:
    """Whether a row concerns the gang. A line of a dice table goes with its table."""
    whole_table = anchor.startswith("table-") and not anchor.rpartition("-")[2].isdigit()
    return anchor in used or not (anchor.startswith(KINDS) or whole_table)
