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
    home = gang(book)
    through = run_postgame(book, home, {ABEL: "casualty"}, "2", face)
    rolls = through.requests.values()
    injury, where = (_roll_line(book, home, asked, "", None) for asked in rolls)
    assert (injury.chance, where.chance) == ("10%", chance)
