"""Instants as programs read them in pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from django.template import engines

TEMPLATES = Path(__file__).parents[2] / "templates"


def test_an_instant_is_told_to_the_second_by_the_site_s_clock() -> None:
    at = datetime(2026, 12, 4, 18, 30, 15, 123456, tzinfo=UTC)
    page = engines["django"].from_string("{% load skirmish %}{{ at|instant }}")
    assert page.render({"at": at}) == "2026-12-04T19:30:15+01:00"


def test_no_page_tells_finer_ones() -> None:
    """HTML takes at most three digits of a second."""
    finer = [path for path in TEMPLATES.rglob("*.html") if "date:'c'" in path.read_text("utf-8")]
    assert finer == []
