"""The picture of a stage, which is the preview of its link."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.league.loading import load_stage
from printing.pictures import stages as stage_picture
from tests.world.campaigns import make_stage


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
