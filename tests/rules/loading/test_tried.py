"""Mistakes that appear only when a rulebook's rolls are tried for its figures."""

import pytest

from rules.book.model import Book
from rules.book.rolls import RollOutcome
from rules.loading.try_rolls import situations, try_rolls


def test_an_outcome_that_never_happens_is_found(blackwater: Book) -> None:
    roll = blackwater.roll["revive"]
    never = RollOutcome(key="never", name=roll.name, given="passed > 60")
    changed = roll.model_copy(update={"outcomes": (never, *roll.outcomes)})
    book = blackwater.changed(rolls=(changed,), modifiers=(), spends=(), procedures=())
    assert list(try_rolls(book)) == [
        (
            ("rolls", 0, "outcomes", 0),
            "the outcome “never” cannot happen with any rank, item or circumstance",
        )
    ]


def test_situations_include_the_figures_that_can_use_a_roll(blackwater: Book) -> None:
    """Only doctors revive, and no rank is a doctor without a profession."""
    found = [*situations(blackwater.under({}), blackwater.roll["revive"])]
    assert {names["by.has_profession:doctor"] for names in found} == {1}
    assert {names["by.int"] for names in found} == {1, 6}


@pytest.mark.long
def test_situations_are_the_same_each_time(blackwater: Book) -> None:
    roll = blackwater.roll["shot"]
    assert [*situations(blackwater.under({}), roll)] == [*situations(blackwater.under({}), roll)]
