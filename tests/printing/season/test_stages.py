"""A stage on paper."""

from __future__ import annotations

import pytest

from campaigns.league.loading import load_stage
from printing.paper.orders import Order
from printing.season import stage_sheet
from tests.world.campaigns import make_stage


@pytest.mark.parametrize("stage_format", ["swiss", "ladder", "knock-out"])
def test_print_shows_table_or_ladder_and_all_fixtures(campaign, hers, theirs, bob, stage_format):
    stage = make_stage(campaign, hers, theirs, stage_format=stage_format)
    printed = stage_sheet.job(load_stage(stage), bob, Order("en"))
    # Both gangs have the same name, so their players are named, too.
    assert f"{hers.name} (alice) – {theirs.name} (dora)" in printed.html
    assert "<h1" in printed.html
    assert ('class="tree"' in printed.html) == (stage_format == "knock-out")
    other = stage_sheet.job(load_stage(stage), bob, Order("en", paper="letter"))
    assert stage_sheet.key(printed) != stage_sheet.key(other)
