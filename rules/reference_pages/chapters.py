"""A rulebook as pages: its chapters in the order of need, whole or reduced to a gang's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.language import reading_as
from rules.book.model import Book
from rules.book.schema import Setting
from rules.engine.figure import Belongings, picks
from rules.reference_pages.campaign import campaign
from rules.reference_pages.characters import characters
from rules.reference_pages.goods import building, items
from rules.reference_pages.pieces import (
    Chapter,
    Fact,
    PageTable,
    Piece,
    RulebookPages,
    Section,
    fact,
)
from rules.reference_pages.play import glossary, play, scenarios
from rules.reference_pages.tables import tables
from rules.reference_pages.words import BookWording

CHAPTERS: tuple[tuple[str, Promise, Callable[[BookWording], Iterator[Section]]], ...] = (
    ("play", gettext_lazy("Play"), play),
    ("characters", gettext_lazy("Characters"), characters),
    ("items", gettext_lazy("Items"), items),
    ("building", gettext_lazy("Building"), building),
    ("scenarios", gettext_lazy("Scenarios"), scenarios),
    ("tables", gettext_lazy("Tables"), tables),
    ("campaign", gettext_lazy("Campaign"), campaign),
    ("glossary", gettext_lazy("Glossary"), glossary),
)
# The beginnings of the anchors of rows that may belong to a gang.
KINDS = ("rank-", "origin-", "profession-", "trait-", "item-", "condition-")


def render(book: Book, language: str) -> RulebookPages:
    """The rulebook in one language, without empty chapters."""
    with reading_as(language):
        words = BookWording(book, language)
        chapters = (Chapter(key, str(title), tuple(draw(words))) for key, title, draw in CHAPTERS)
        return RulebookPages(
            book,
            facts=tuple(_facts(words)),
            settings=tuple(_setting(words, row) for row in book.settings),
            chapters=tuple(chapter for chapter in chapters if chapter.sections),
        )


def _facts(words: BookWording) -> Iterator[Fact]:
    book = words.book
    if book.rating is not None:
        name, unit = words.translated(book.rating.name), words.translated(book.rating.unit)
        yield from fact(_("What a gang is worth"), f"{name} ({unit})")
    if book.money is not None:
        name, unit = words.translated(book.money.name), words.translated(book.money.unit)
        yield from fact(_("Paid in"), f"{name} ({unit})" if name != unit else name)
    budget = book.usual.budget
    if budget is not None:
        yield from fact(_("Budget of a new gang"), words.money(budget))


def _setting(words: BookWording, row: Setting) -> Piece:
    if row.kind == "choice":
        names = {choice.key: words.translated(choice.name) for choice in row.choices}
        names[row.default] = _("%(choice)s (usual)") % {"choice": names[row.default]}
        facts = fact(_("Choices"), *names.values())
    else:
        bounds = {"default": row.default, "minimum": row.minimum, "maximum": row.maximum}
        sentence = _("%(default)s usually, from %(minimum)s to %(maximum)s")
        facts = fact(_("Number"), sentence % bounds)
    return words.piece("setting", row, [_("campaigns only") if row.campaign_only else ""], facts)


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
    """The tables that members of other gangs roll on after a game, but nobody in this gang does."""
    ours, rolled = set[str](), set[str]()
    for step in book.campaign.steps:
        if step.kind == "fates":
            ways = [(step.of, step.table), *((fate.of, fate.table) for fate in step.fates)]
            rolled |= {table for _of, table in ways if table}
            for of, table in ways:
                if table and any(picks(book, of, figure) for figure in gang.figures):
                    ours.add(table)
        elif step.kind == "rolls":
            # Every gang rolls there.
            ours.add(step.table)
    return rolled - ours


def concerning(chapter: Chapter, used: frozenset[str]) -> Chapter:
    """The chapter with only the ``used`` rows; rows of other kinds than KINDS stay."""
    sections = []
    for section in chapter.sections:
        grid = _grid(section.grid, used)
        pieces = tuple(
            replace(piece, grid=_grid(piece.grid, used))
            for piece in section.pieces
            if _is_used(piece.anchor, used)
        )
        had = section.grid or any(piece.anchor for piece in section.pieces)
        if grid or any(piece.anchor for piece in pieces) or not had:
            sections.append(replace(section, grid=grid, pieces=pieces))
    return replace(chapter, sections=tuple(sections))


def _grid(grid: PageTable | None, used: frozenset[str]) -> PageTable | None:
    lines = [line for line in grid.lines if _is_used(line.row or line.anchor, used)] if grid else []
    return replace(grid, lines=tuple(lines)) if grid and lines else None


def _is_used(anchor: str, used: frozenset[str]) -> bool:
    """Whether a row concerns the gang. Lines of a dice table stay with their table."""
    whole_table = anchor.startswith("table-") and not anchor.rpartition("-")[2].isdigit()
    return anchor in used or not (anchor.startswith(KINDS) or whole_table)
