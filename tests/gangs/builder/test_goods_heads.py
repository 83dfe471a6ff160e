"""Heads of the tables of goods: no word breaks, so that long ones stand upright on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from gangs.builder.offer_lines import OfferKind


@pytest.mark.parametrize(
    ("heads", "is_tight"),
    [
        (["Hands", "Short", "Med.", "Long", "Str"], False),
        (["Lv", "Hands", "Range"], False),
        (["Firepower", "Penetration", "Short", "Long"], True),
        (["Very long range", "Dmg"], False),
        ([], False),
    ],
)
def test_heads_are_tight_when_a_phone_has_no_room_for_their_words(
    heads: list[str], is_tight: bool
) -> None:
    kind = OfferKind("arms", "Arms", tuple((head, "") for head in heads), (), (), (), True)
    assert kind.is_tight == is_tight


def test_styles_break_no_head_of_goods() -> None:
    css = Path(settings.BASE_DIR / "static" / "skirmish.css").read_text("utf-8")
    [heads] = [line for line in css.splitlines() if line.startswith(".goods thead :is(th, td)")]
    assert "overflow-wrap: normal" in heads
    assert ".goods.is-tight thead th:not(.goods-price) { writing-mode: vertical-rl" in css
