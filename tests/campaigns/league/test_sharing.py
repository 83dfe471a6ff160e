"""A stage on paper and behind its link."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.league.loading import load_stage
from campaigns.models import Campaign
from printing.paper.orders import Order
from printing.pictures import stages as stage_picture
from printing.season import stage_sheet as stage_print
from tests.world.campaigns import make_stage


@pytest.mark.parametrize("stage_format", ["swiss", "ladder", "knock-out"])
def test_print_shows_table_or_ladder_and_all_fixtures(campaign, hers, theirs, bob, stage_format):
    stage = make_stage(campaign, hers, theirs, stage_format=stage_format)
    printed = stage_print.job(load_stage(stage), bob, Order("en"))
    # Both gangs have the same name, so their players are named, too.
    assert f"{hers.name} (alice) – {theirs.name} (dora)" in printed.html
    assert "<h1" in printed.html
    assert ('class="tree"' in printed.html) == (stage_format == "knock-out")
    other = stage_print.job(load_stage(stage), bob, Order("en", paper="letter"))
    assert stage_print.key(printed) != stage_print.key(other)


def test_link_of_a_stage_previews_it_and_opens_the_campaign(campaign, hers, theirs):
    stage = make_stage(campaign, hers, theirs)
    link = reverse("campaigns:watch-stage", args=[campaign.watch_key, stage.pk])
    page = Client().get(link).content.decode()
    assert 'property="og:title" content="Autumn · The long winter"' in page
    assert "Swiss · 2 gangs · 1 round · Round 1" in page
    browser = Client()
    answer = browser.get(link, headers={"sec-fetch-mode": "navigate"})
    assert answer.url == stage.get_absolute_url()
    assert browser.get(answer.url).status_code == 200
    wrong = reverse("campaigns:watch-stage", args=["another-key", stage.pk])
    assert Client().get(wrong).status_code == 404


@pytest.mark.parametrize("stage_format", ["swiss", "ladder", "knock-out"])
def test_preview_of_a_stage_shows_its_gangs(campaign, hers, theirs, stage_format):
    stage = make_stage(campaign, hers, theirs, stage_format=stage_format)
    [block] = stage_picture.picture_of(load_stage(stage)).blocks
    # Both gangs have the same name, so their players are named, too.
    assert f"{hers.name} (alice)" in repr(block) and f"{theirs.name} (dora)" in repr(block)
    picture = reverse("campaigns:watch-stage-preview", args=[campaign.watch_key, stage.pk])
    page = Client().get(reverse("campaigns:watch-stage", args=[campaign.watch_key, stage.pk]))
    assert picture in page.content.decode()
    assert Client().get(picture)["Content-Type"] == "image/png"


def test_link_of_a_stage_is_closed_while_its_campaign_is_hidden(campaign, hers, theirs):
    stage = make_stage(campaign, hers, theirs)
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="It insults somebody")
    for name in ("watch-stage", "watch-stage-preview"):
        link = reverse(f"campaigns:{name}", args=[campaign.watch_key, stage.pk])
        assert Client().get(link).status_code == 404
