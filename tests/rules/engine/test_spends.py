"""Spends on a roll change its odds."""

from fractions import Fraction

from rules.engine.compiling import ready
from rules.engine.odds import odds
from tests.rules.small import Data, row, small

ROLLS: Data = {
    "rolls": [
        row(
            "test",
            steps=[{"count": "hits", "dice": "1", "target": "4"}],
            outcomes=[
                {"key": "hit", "name": {"en": "Hit", "fr": "Touché"}, "given": "hits"},
                {"key": "missed", "name": {"en": "Missed", "fr": "Manqué"}},
            ],
        )
    ],
    "spends": [
        row("luck", on="hits.again_failed"),
        row("more", on="hits.dice", given="2 > 3"),
    ],
}


def test_a_spend_raises_its_slot_each_time_within_its_limit() -> None:
    book = small(**ROLLS)
    settings = book.default_settings()
    half, rest = Fraction(1, 2), Fraction(3, 4)
    for spends, chance in (((), half), (("luck",), rest), (("more",), half), (("luck",) * 2, rest)):
        assert odds(ready(book.under(settings), "test", spends), {}).outcomes["hit"] == chance
