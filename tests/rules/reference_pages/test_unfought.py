"""Games without a battle in the chapter on campaigns."""

from __future__ import annotations

from rules.book.season import Unfought
from rules.reference_pages.campaign import campaign
from rules.reference_pages.words import BookWording
from tests.world.gangs import shipped


def test_rows_say_what_each_side_gets() -> None:
    book, text = shipped("zombstone"), {"en": "They forfeit.", "fr": "Forfait."}
    values = {"key": "absent", "name": text, "text": text, "source": "house", "how": "no-show"}
    row = Unfought.model_validate({**values, "points": (3, -1, 0), "loss": True})
    season = book.campaign.model_copy(update={"unfought": (row,)})
    words = BookWording(book.model_copy(update={"campaign": season}), "en")
    pieces = [piece for section in campaign(words) for piece in section.pieces]
    (found,) = (piece for piece in pieces if piece.anchor == "unfought-absent")
    assert found.chips == ("a defeat for the side that did not come",)
    assert [link.text for fact in found.facts for link in fact.values] == ["winner 3, loser -1"]
