"""Results are kept while their total weight stays within a bound."""

from __future__ import annotations

from rules.bounds.kept import keep_within


def test_keep_within_calls_once_per_result_and_bounds_the_weight() -> None:
    asked: list[int] = []

    @keep_within(10, len)
    def letters(number: int) -> str:
        """A text of this length."""
        asked.append(number)
        return "x" * number

    assert letters(4) + letters(4) + letters(0) == "x" * 8
    assert (asked, letters.weight) == ([4, 0], 6)
    # One more does not fit: all others are dropped.
    assert letters(5) == "xxxxx"
    assert letters.weight == 6
    letters(4)
    assert asked == [4, 0, 5, 4]
    assert letters.__doc__ == "A text of this length."


def test_keep_within_never_keeps_a_result_larger_than_the_bound() -> None:
    @keep_within(10, len)
    def letters(number: int) -> str:
        return "x" * number

    letters(3)
    assert len(letters(10)) == 10
    assert letters.weight == 0
    letters.cache_clear()
    assert letters(3) == "xxx"
