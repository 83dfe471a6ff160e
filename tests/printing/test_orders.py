"""What identifies a print: all that it shows, and all that it is made with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from printing import orders


@pytest.mark.parametrize(
    "made_with",
    [
        "campaigns/season/prints/pack.py",
        "gangs/prints/sheet.py",
        "printing/typesetting/measuring.py",
        "rules/book/look.py",
        "templates/printing/base.html",
        "locale/fr/LC_MESSAGES/django.mo",
    ],
)
def test_a_print_is_another_when_what_makes_it_changes(
    settings: Any, tmp_path: Path, made_with: str
) -> None:
    settings.BASE_DIR, settings.DEBUG = tmp_path, True
    before = orders.key("sheet", 1)
    assert orders.key("sheet", 1) == before != orders.key("sheet", 2)
    file = tmp_path / made_with
    file.parent.mkdir(parents=True)
    file.write_text("changed")
    assert orders.key("sheet", 1) != before
