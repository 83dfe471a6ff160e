"""Instants as programs read them in pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from django.template import engines

TEMPLATES = Path(__file__).parents[2] / "templates"


def test_instant_is_written_to_the_second_in_the_sites_time_zone() -> None:
    at = datetime(2026, 12, 4, 18, 30, 15, 123456, tzinfo=UTC)
    page = engines["django"].from_string("{% load skirmish %}{{ at|instant }}")
    assert page.render({"at": at}) == "2026-12-04T19:30:15+01:00"


def test_no_template_writes_instants_with_microseconds() -> None:
    """HTML takes at most three digits of a second."""
    finer = [path for path in TEMPLATES.rglob("*.html") if "date:'c'" in path.read_text("utf-8")]
    assert finer == []
