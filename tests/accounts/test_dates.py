"""Dates and times in words."""

import re
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
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
            "dim. 1er mars, 20\u00a0h\u00a000",
        ),
        ("fr", datetime(2026, 3, 2, 9, 5, tzinfo=PARIS), "H:i", "9\u00a0h\u00a005"),
        ("en", datetime(2026, 3, 2, 9, 5, tzinfo=PARIS), "H:i", "09:05"),
        ("fr", FIRST, "Y-m-d", "2026-03-01"),
        ("fr", FIRST, "j", "1"),
        ("en", FIRST, "j F", "1 March"),
        ("de", FIRST, "j F", "1. März"),
        ("de", date(2026, 3, 2), "l j F Y", "Montag, 2. März 2026"),
        ("de", datetime(2026, 3, 2, 9, 5, tzinfo=PARIS), "D j N, H:i", "Mo., 2. März, 09:05"),
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


def test_every_date_is_written_by_these_functions() -> None:
    """Django's own would write "19:30" in French."""
    root = Path(settings.BASE_DIR)
    folders = ("accounts", "administration", "campaigns", "common", "gangs", "printing", "rules")
    strays = [
        str(path.relative_to(root))
        for folder in folders
        for path in (root / folder).rglob("*.py")
        if path != root / "accounts/dates.py"
        and re.search(r"django\.utils\.formats import .*date_format", path.read_text())
    ]
    assert strays == []
    templates = (path.read_text() for path in (root / "templates").rglob("*.html"))
    assert not any(re.search(r'\|date:"[A-Z]+_FORMAT"|\|time\b', text) for text in templates)
