"""Tallies at the table: a tap moves one by its step."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.template.loader import render_to_string

from campaigns.table.pages.lines import tally_line
from tests.rules.small import told
from tests.world.tables import Evening, game, start


@pytest.mark.parametrize(("by", "signs"), [(1, ["−", "+"]), (10, ["−10", "+10"])])
def test_buttons_of_a_tally_move_it_by_its_step(by: int, signs: list[str]) -> None:
    book = game(campaign__tallies=[told("gold", per="gang", by=by)])
    line = tally_line(book.campaign.tally["gold"], 0, None, 2)
    counted = {"track": line, "who": "Riders", "counts": "tally", "seat": {"taps": True}}
    html = render_to_string("campaigns/table/_count.html", counted)
    assert re.findall(r'aria-label="([^"]*)"', html) == [
        f"Riders, Gold −{by}",
        f"Riders, Gold +{by}",
    ]
    assert re.findall(r">([^<]*)</button>", html) == signs
    taps = [json.loads(unescape(one)) for one in re.findall(r'value="([^"]*)"', html)]
    night = Evening(start(book))
    for [tap] in (taps[1], taps[1], taps[0]):
        night.tap(**tap)
    assert night.now.tallies == {"gold": {2: by}}
