"""The chance of a result, shown beside it in the post-game."""

from __future__ import annotations

import pytest

from campaigns.postgames.text import _roll_line
from rules.book.model import Book
from tests.campaigns.engine.test_cran import ABEL, gang, run_postgame
from tests.world.gangs import shipped


@pytest.fixture
def book() -> Book:
    return shipped("cran")


@pytest.mark.parametrize(("face", "chance"), [("3", "50%"), ("10", "50%")])
def test_chance_adds_up_rows_with_the_same_result(book: Book, face: str, chance: str) -> None:
    """Five of ten numbers maim the same arm."""
    through = run_postgame(book, gang(book), {ABEL: "casualty"}, "2", face)
    requests = through.requests.values()
    injury, where = (_roll_line(book, through.roster, asked, "", None) for asked in requests)
    assert (injury.chance, where.chance) == ("10%", chance)
