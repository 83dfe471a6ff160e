"""Selecting: whether a member is one of those that a limit, price or award is about."""

from __future__ import annotations

from rules.book.model import Book
from rules.book.vocabulary import Selector
from rules.engine.figure import Figure

EVERYBODY = Selector()


def picks(book: Book, selector: Selector, figure: Figure) -> bool:
    """Whether ``selector`` picks the member."""
    if selector.picks_all:
        return True
    return (
        _one_of(selector.ranks, selector.not_ranks, {figure.rank})
        and _one_of(selector.origins, selector.not_origins, {figure.origin})
        and _one_of(selector.professions, selector.not_professions, {figure.profession})
        and _one_of(selector.item_tags, selector.not_item_tags, _item_tags(book, figure))
        and _one_of(selector.trait_tags, selector.not_trait_tags, _trait_tags(book, figure))
        and _one_of(selector.conditions, (), set(figure.conditions))
    )


def _one_of(
    wanted: tuple[str, ...], unwanted: tuple[str, ...], present: set[str] | set[str | None]
) -> bool:
    if wanted and present.isdisjoint(wanted):
        return False
    return present.isdisjoint(unwanted)


def _item_tags(book: Book, figure: Figure) -> set[str]:
    return {tag for key in figure.items if key in book.item for tag in book.item[key].tags}


def _trait_tags(book: Book, figure: Figure) -> set[str]:
    return {tag for key in figure.traits if key in book.trait for tag in book.trait[key].tags}
