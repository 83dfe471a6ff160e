"""Dates and times in words."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.template import Context, Template
from django.utils import translation

from accounts.dates import date_format

FIRST = date(2026, 3, 1)
PARIS = ZoneInfo("Europe/Paris")


@pytest.mark.parametrize(
    ("language", "day", "pattern", "words"),
    [
        ("fr", FIRST, "j F", "1er mars"),
        ("fr", FIRST, "l j F Y", "dimanche 1er mars 2026"),
        ("fr", date(2026, 3, 2), "j F", "2 mars"),
        (
            "fr",
            datetime(2026, 3, 1, 20, tzinfo=PARIS),
            "D j N, H:i",
            "dim 1er mars, 20\u00a0h\u00a000",
        ),
        ("fr", datetime(2026, 3, 2, 9, 5, tzinfo=PARIS), "H:i", "9\u00a0h\u00a005"),
        ("en", datetime(2026, 3, 2, 9, 5, tzinfo=PARIS), "H:i", "09:05"),
        ("fr", FIRST, "Y-m-d", "2026-03-01"),
        ("fr", FIRST, "j", "1"),
        ("en", FIRST, "j F", "1 March"),
    ],
)
def test_dates_and_times_are_written_as_in_the_language(
    language: str, day: date, pattern: str, words: str
) -> None:
    with translation.override(language):
        said = Template("{{ day|date:pattern }}").render(Context({"day": day, "pattern": pattern}))
        assert [date_format(day, pattern), said] == [words, words]


def test_date_filter_returns_nothing_when_the_value_is_not_a_date() -> None:
    assert Template('{{ day|date:"j F" }}').render(Context({"day": None})) == ""
