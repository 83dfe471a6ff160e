"""The page behind the link that shares a stage."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from tests.world.campaigns import make_stage


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


def test_link_of_a_stage_is_closed_while_its_campaign_is_hidden(campaign, hers, theirs):
    stage = make_stage(campaign, hers, theirs)
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="It insults somebody")
    for name in ("watch-stage", "watch-stage-preview"):
        link = reverse(f"campaigns:{name}", args=[campaign.watch_key, stage.pk])
        assert Client().get(link).status_code == 404
