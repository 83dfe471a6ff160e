"""Sheets: a gang to be read, drawn once for as long as it stays as it is."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from gangs.cards import AmountLine, ItemLine, Page, Words
from gangs.columns import NOTHING, Kit, kits
from gangs.drawing import draw
from gangs.models import Gang
from gangs.pictures import shown
from gangs.scene import Scene
from rules.book import Book
from rules.costing import Points
from rules.schema import Characteristic, Origin, Rank


def reading(gang: Gang, language: str, key: str = "") -> dict[str, Any]:
    """What the page to be read shows, drawn once for as long as the gang stays as it is.

    ``key``: that of its link, for whoever reads it by that.
    """
    read = _read.__wrapped__ if settings.DEBUG else _read
    return read(gang.pk, gang.book_version_id, gang.snapshot, language, key, shown(gang))


@lru_cache(maxsize=64)
def _read(
    gang: uuid.UUID,
    version: str,
    snapshot: str,
    language: str,
    key: str,
    pictures: tuple[tuple[str, str], ...],
) -> dict[str, Any]:
    # A snapshot tells the whole roster; the names of its campaigns never change.
    found = Gang(pk=gang, book_version_id=version, snapshot=snapshot, pictures=dict(pictures))
    scene = Scene.of(found.book, found.roster)
    page = draw(scene, language)
    context = {
        "gang": found,
        "shared_by": key,
        "page": page,
        "members": [
            (card, told_items(card.items), summed(card.receipt, card.rating, page.rating_unit))
            for card in page.cards
        ],
        "stash": told_items(page.stash),
        "innate": told_items(page.innate),
        "legend": legend(scene.book, language),
        "ranks": ranks(scene, language),
        "house": shows_house(scene.book, page),
    }
    return {
        "book": scene.book,
        "campaigns": ", ".join(campaigns(found)),
        "members": render_to_string("gangs/_sheet_members.html", context),
        "side": render_to_string("gangs/_sheet_side.html", context),
    }


def campaigns(gang: Gang) -> list[str]:
    """The names of the campaigns that the gang is in."""
    known = gang.roster.campaigns
    if not known:
        return []
    joined = gang.entries.live().filter(kind="joined")
    return [entry.data["name"] for entry in joined if entry.data["campaign"] in known]


def told_items(items: Sequence[ItemLine]) -> list[tuple[ItemLine, str]]:
    """Items, equal ones counted, each with all its columns in one line."""
    told = []
    for kit in named_kits(items):
        for item, values in kit.rows:
            pairs = zip(kit.columns, values, strict=True)
            said = [f"{column} {value}" for column, value in pairs if value != NOTHING]
            told.append((item, " · ".join(said)))
    return told


def named_kits(items: Sequence[ItemLine]) -> list[Kit]:
    """Items in kits of the same columns, which have names in the reader's language."""
    return kits(items, level=_("Level"), hands=_("Hands"))


def looked_up(book: Book, items: Sequence[ItemLine]) -> list[ItemLine]:
    """Items with those of their columns that are looked up while playing: paper has no room for
    the minor ones."""
    return [
        replace(
            item,
            cells=tuple(
                cell
                for column, cell in zip(
                    book.group[book.item[item.key].group].columns, item.cells, strict=True
                )
                if not column.minor
            ),
        )
        for item in items
    ]


def summed(lines: Sequence[AmountLine], total: Points, unit: str) -> str:
    """A receipt as one line, "Leader 100 + Knife 3 = 103 XP"; "" if there is nothing to add up."""
    parts = [f"{line.name} {number_format(line.amount)}" for line in lines if line.amount]
    return " + ".join(parts) + f" = {number_format(total)} {unit}" if len(parts) > 1 else ""


def legend(book: Book, language: str) -> list[tuple[str, str, bool]]:
    """What the characteristics' labels stand for: label, name, and whether it is a house value."""
    return [
        (row.short.said(language), _meaning(row, language), row.is_house)
        for row in book.characteristics
    ]


def _meaning(row: Characteristic, language: str) -> str:
    """A characteristic's name, with what its two numbers or its sorts of boxes are."""
    name = row.name.said(language)
    if row.kind == "pair":
        return f"{name} ({' / '.join(part.said(language) for part in row.parts)})"
    if row.kind == "track" and len(row.boxes) > 1:
        inside = _("%(box)s with a mark inside")
        sorts = [
            inside % {"box": box.name.said(language)} if box.marked else box.name.said(language)
            for box in row.boxes
        ]
        return f"{name} ({', '.join(sorts)})"
    return name


def ranks(scene: Scene, language: str) -> list[Words]:
    """What the ranks of the members do, and what their origins bring them."""
    figures = scene.figures.values()
    present = {figure.rank for figure in figures}, {figure.origin for figure in figures}
    rows: list[Rank | Origin] = [row for row in scene.book.ranks if row.key in present[0]]
    rows += [row for row in scene.book.origins if row.key in present[1]]
    return [
        Words(row.key, row.name.said(language), row.text.said(language), row.is_house)
        for row in rows
        if row.text
    ]


def life_label(book: Book, language: str) -> str:
    """The label of the characteristic that is ticked off at the table, "" if there is none."""
    return book.characteristic[book.life].short.said(language) if book.life else ""


def shows_house(book: Book, page: Page) -> bool:
    """Whether anything on the sheet is a house value."""
    if any(row.is_house for row in [*book.characteristics, *book.ranks, *book.origins]):
        return True
    if any(card.marks_house for card in page.cards):
        return True
    return any(item.house for item in [*page.stash, *page.innate])
