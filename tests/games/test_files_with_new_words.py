"""Files of gangs with fitted items and other currencies keep both."""

from __future__ import annotations

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.engine.fold import fold
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.ledger import writer
from rules.book.model import Book
from rules.library import load
from tests.games.test_currencies import ANN, FOUNDING


def test_exported_gang_has_its_fittings_and_costs(alice: User, circle: Book) -> None:
    bought = kinds.Bought(item="clapper", member=ANN, on=3, costs={"favour": 1})
    earned = kinds.Earned(amount=2, why="gift", currency="favour")
    gang = writer.found(load(circle)[0], [*FOUNDING, bought, earned], owner=alice)
    records = read_file(export_gang(gang).encode()).records
    assert [record.entry for record in records[-2:]] == [bought, earned]
    assert fold(circle, [(one.seq, one.entry) for one in records]) == gang.roster
