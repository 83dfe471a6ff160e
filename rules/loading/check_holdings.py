"""Checks whether a rulebook's holdings, its income per holder and its upkeep make sense."""

from __future__ import annotations

from collections.abc import Sequence

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import holdings
from rules.book.model import Book
from rules.book.season import ResultType
from rules.loading.checks import Checks, RowPath, Wrong

# The sentence for a row whose kind of step is missing.
NEEDS = {
    "holdings": _("has no effect: add a step “holdings”"),
    "income": _("has no effect: add a step “income”"),
    "upkeep": _("has no effect: add a step “upkeep”"),
}


def _holding(book: Book, path: RowPath, holding: holdings.Holding) -> Wrong:
    if holding.price and book.money is None:
        yield (*path, "price"), _("this needs money: add “money” to the rulebook")
    if holding.costs and holding.price is None:
        yield (*path, "costs"), _("nobody can claim this: give a “price”, perhaps 0")
    if not holding.effects and not holding.of.picks_all:
        yield (*path, "of"), _("is only used with “effects”")


def _per_holder(book: Book, path: RowPath, row: holdings.Yield | holdings.Upkeep) -> Wrong:
    if book.money is None and row.currency is None:
        yield path, _("this needs money: add “money” to the rulebook")
    of_members = row.of is not None or bool(row.item_tags)
    if not of_members and not row.holdings:
        yield path, _("give “of”, “item_tags” or “holdings”: choose what is counted")
    elif of_members and row.holdings:
        yield (
            path,
            _(
                "count either members or items (“of”, “item_tags”) or holdings (“holdings”), "
                "not both"
            ),
        )
    if row.fielded and row.of is None:
        yield (*path, "fielded"), _("is only used with “of”")


def _yield(book: Book, path: RowPath, row: holdings.Yield) -> Wrong:
    yield from _per_holder(book, path, row)
    yield from _needs_step(book, path, "income")


def _upkeep(book: Book, path: RowPath, row: holdings.Upkeep) -> Wrong:
    yield from _per_holder(book, path, row)
    yield from _needs_step(book, path, "upkeep")
    if row.item_tags and row.of is None:
        yield (*path, "of"), _("is missing: choose the members whose items need upkeep")
    if row.of is not None and not row.unpaid:
        yield (*path, "unpaid"), _("is missing: say what happens to members who are not paid")
    if row.holdings and row.unpaid:
        yield (*path, "unpaid"), _("is only used for members: an unpaid holding is always lost")


def _haul(book: Book, path: RowPath, haul: holdings.Haul) -> Wrong:
    if book.money is None and haul.currency is None:
        yield path, _("this needs money: add “money” to the rulebook")
    yield from _needs_step(book, path, "income")
    if not _rises(haul.sizes):
        yield (*path, "sizes"), _("each number must be higher than the one before")
    if not _rises([row.count for row in haul.rows]):
        yield (*path, "rows"), _("each count must be higher than the one before")
    for index, row in enumerate(haul.rows):
        if len(row.amounts) != len(haul.sizes):
            message = say(
                _("has %(count)s amounts for %(sizes)s sizes"),
                count=len(row.amounts),
                sizes=len(haul.sizes),
            )
            yield (*path, "rows", index), message


def check_captures(book: Book, path: RowPath, result: ResultType) -> Wrong:
    """Check that the winner of such a game can capture something."""
    if not result.captures:
        return
    if result.kind == "level":
        yield (*path, "captures"), _("nobody wins a level game: leave out “captures”")
    if not any(row.captured for row in book.holdings):
        yield (*path, "captures"), _("needs at least one holding with “captured”")
    yield from _needs_step(book, (*path, "captures"), "holdings")


def _needs_step(book: Book, path: RowPath, kind: str) -> Wrong:
    if all(step.kind != kind for step in book.campaign.steps):
        yield path, NEEDS[kind]


def _rises(numbers: Sequence[int]) -> bool:
    return all(low < high for low, high in zip(numbers, numbers[1:], strict=False))


HOLDING_CHECKS: Checks = {
    holdings.Holding: _holding,
    holdings.Yield: _yield,
    holdings.Upkeep: _upkeep,
    holdings.Haul: _haul,
}
