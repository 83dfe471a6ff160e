"""A stage on paper."""

from __future__ import annotations

import pytest
from django.utils import timezone

from campaigns.league import rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
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


def test_print_shows_the_newest_round_first(campaign, hers, theirs, bob):
    stage = make_stage(campaign, hers, theirs)
    today = timezone.localdate()
    second = RoundPlan(2, today, None, [FixturePlan(theirs, hers)])
    rounds.make_rounds(stage, [second], expected_version=stage.version)
    html = stage_sheet.job(load_stage(stage), bob, Order("en")).html
    assert html.index("Round 2") < html.index("Round 1"), "players look for the pairs of today"
