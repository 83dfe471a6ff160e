"""How likely what a roll brought was: told beside it, in the post-game."""

from __future__ import annotations

import pytest

from campaigns.postgames.text import _roll_line
from rules.book.model import Book
from tests.campaigns.engine.test_cran import ABEL, gang, played
from tests.world.gangs import shipped


@pytest.fixture
def book() -> Book:
    return shipped("cran")


@pytest.mark.parametrize(("face", "chance"), [("3", "50%"), ("10", "50%")])
def test_rows_that_bring_the_same_are_one_chance(book: Book, face: str, chance: str) -> None:
    """Half of ten numbers maim an arm, whichever of them it was."""
    through = played(book, gang(book), {ABEL: "casualty"}, "2", face)
    injury, where = (_roll_line(book, asked, "", None) for asked in through.requests.values())
    assert (injury.chance, where.chance) == ("10%", chance)
