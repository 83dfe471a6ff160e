"""Files of gangs with fitted items and other currencies keep both."""

from __future__ import annotations

import pytest

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import fold, no_books
from gangs.files.exporting import export_gang
from gangs.files.format import MOST_HELD, BadFile, GangFile, read_file, roster_of
from gangs.ledger import writer
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from rules.library import load
from tests.games.test_currencies import ANN, FOUNDING


def test_exported_gang_has_its_fittings_and_costs(alice: User, circle: Book) -> None:
    bought = kinds.Bought(item="clapper", member=ANN, on=3, costs={"favour": 1})
    earned = kinds.Earned(amount=2, why="gift", currency="favour")
    gang = writer.found(load(circle)[0], [*FOUNDING, bought, earned], owner=alice)
    records = read_file(export_gang(gang).encode()).records
    assert [record.entry for record in records[-2:]] == [bought, earned]
    assert fold(circle, [(one.seq, one.entry) for one in records]) == gang.roster


def make_file(book: Book, *entries: Entry, struck: bool = False) -> GangFile:
    """Return the file of a gang with these entries; ``struck``: the last of them is."""
    at, count = "2026-01-01T00:00:00Z", len(entries)
    return GangFile.model_validate(
        {
            "format": "skirmish-gang",
            "format_version": 3,
            "book": book.slug,
            "digest": book.digest,
            "records": [
                {
                    "seq": seq,
                    "at": at,
                    "batch": seq,
                    "struck": 0 if struck and seq == count else None,
                    "entry": entry,
                }
                for seq, entry in enumerate(entries, start=1)
            ],
        }
    )


def test_file_with_more_holdings_than_a_gang_may_have_is_refused(circle: Book) -> None:
    held = kinds.HoldingGained(holding=circle.holdings[0].key)
    most = make_file(circle, FOUNDING[0], *[held] * MOST_HELD)
    assert len(roster_of(circle, most, no_books).holdings) == MOST_HELD
    with pytest.raises(BadFile) as refused:
        roster_of(circle, make_file(circle, FOUNDING[0], *[held] * (MOST_HELD + 1)), no_books)
    assert (refused.value.code, refused.value.detail) == ("impossible", f"{MOST_HELD + 2}: size")


@pytest.mark.parametrize("field", ["roll", "price_roll", "stock_roll"])
def test_file_with_impossible_dice_in_a_struck_search_is_refused(
    terraces: Book, field: str
) -> None:
    rolls = dict.fromkeys(["roll", "price_roll", "stock_roll"], typed("1d6", 3))
    founded = kinds.Founded(name="Steps", settings=terraces.default_settings())
    elder = kinds.Recruited(rank="elder")
    fair = kinds.Searched(member=2, offer="grafting_knife", **rolls)
    roster_of(terraces, make_file(terraces, founded, elder, fair, struck=True), no_books)
    # Once the search is restored, this would be a price.
    forged = fair.model_copy(update={field: typed("1d6", 10**30)})
    with pytest.raises(BadFile) as refused:
        roster_of(terraces, make_file(terraces, founded, elder, forged, struck=True), no_books)
    assert refused.value.detail == "3: roll"


def typed(dice: str, face: int) -> DiceRoll:
    return DiceRoll(dice=dice, faces=(face,), thrown_by="table")
