"""Keys of prints: made from their content and from the files that make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from printing.paper import orders


@pytest.mark.parametrize(
    "made_with",
    [
        "printing/season/pack.py",
        "printing/sheets/roster.py",
        "typesetting/measuring.py",
        "rules/book/look.py",
        "templates/printing/base.html",
        "locale/fr/LC_MESSAGES/django.mo",
    ],
)
def test_key_changes_when_a_file_that_makes_the_print_changes(
    settings: Any, tmp_path: Path, made_with: str
) -> None:
    settings.BASE_DIR, settings.DEBUG = tmp_path, True
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    before = orders.key("sheet", 1)
    assert orders.key("sheet", 1) == before != orders.key("sheet", 2)
    file = tmp_path / made_with
    file.parent.mkdir(parents=True)
    file.write_text("changed")
    assert orders.key("sheet", 1) != before
