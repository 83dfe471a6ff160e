"""The chance of a result, shown beside it in the post-game."""

from __future__ import annotations

import pytest

from campaigns.models import Side
from campaigns.postgames.drafts import Postgame, PostgameBase
from campaigns.postgames.text import step_lines
from gangs.models import Gang
from rules.book.model import Book
from tests.campaigns.engine.test_cran import ABEL, game, gang, run_postgame
from tests.world.gangs import shipped


@pytest.fixture
def book() -> Book:
    return shipped("cran")


@pytest.mark.parametrize(("face", "chance"), [("3", "50%"), ("10", "50%")])
def test_chance_adds_up_rows_with_the_same_result(book: Book, face: str, chance: str) -> None:
    """Five of ten numbers maim the same arm."""
    home, marks = gang(book), {ABEL: "casualty"}
    through = run_postgame(book, home, marks, "2", face)
    base = PostgameBase(Gang(), book, home)
    lines = step_lines(Postgame(Side(), base, game(home, marks=marks), through))
    injury, where = (roll for line in lines for roll in line.rolls)
    assert (injury.chance, where.chance) == ("10%", chance)
