"""A gang that drops out of a round robin: its results stand, or count for nobody."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.files.exporting import export_campaign
from campaigns.league import stages
from campaigns.league.loading import load_stage
from campaigns.models import Campaign, Entrant, Fixture, Stage
from gangs.models import Gang
from tests.campaigns.league.test_one_day import enter_results
from tests.world.campaigns import make_stage

AsUser = Callable[[User], Client]


@pytest.fixture
def stage(make_round_robin: Callable[[int], Stage]) -> Stage:
    """Return a round robin of four gangs with all its rounds."""
    return make_round_robin(0)


def brute_force(gangs: list[Gang], without: Gang | None) -> dict[str, int]:
    """Count three points for each win among the decided games, in which the first of two won."""
    found = {str(gang.pk): 0 for gang in gangs}
    order = [gang.pk for gang in gangs]
    decided = Fixture.objects.filter(game__status="confirmed")
    for home, away in decided.values_list("home", "away"):
        if without is None or without.pk not in (home, away):
            found[str(min(home, away, key=order.index))] += 3
    return found


def table(stage: Stage) -> dict[str, int]:
    return {line.gang: line.points for line in load_stage(Stage.objects.get(pk=stage.pk)).table}


@pytest.mark.parametrize(("played", "choice"), [*itertools.product((1, 2), ("stand", "annul"))])
def test_organiser_decides_about_the_results_and_again_later(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser, played: int, choice: str
) -> None:
    client, four = as_user(bob), gangs[:4]
    for number in range(1, played + 1):
        enter_results(client, stage, number, four)
    leaver = four[0]
    where = reverse("campaigns:stage-drop-out", args=[stage.pk, leaver.pk])
    assert where in client.get(reverse("campaigns:stage-change", args=[stage.pk])).content.decode()
    page = client.get(where).content.decode()
    # One game of three is less than half.
    proposed = "annul" if played == 1 else "stand"
    assert f'value="{proposed}" ' in page.partition("checked")[0].rpartition("<input")[2]
    before = brute_force(four, None)
    assert table(stage) == before
    for chosen in (choice, "stand", "annul", choice):
        assert client.post(where, {"results": chosen}).status_code == 302
        expected = brute_force(four, leaver) if chosen == "annul" else before
        assert table(stage) == expected
    words = client.get(stage.get_absolute_url()).content.decode()
    assert ("annulled" in words) == (choice == "annul")
    record = json.loads(export_campaign(stage.campaign))
    assert json.dumps(record).count('"is_annulled": true') == (choice == "annul")
    # Coming back, it has its results again.
    stages.enter(stage, leaver)
    assert not Entrant.objects.get(gang=leaver).is_annulled and table(stage) == before


def test_other_formats_have_no_such_choice(
    campaign: Campaign, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    swiss = make_stage(campaign, *gangs[:4])
    where = reverse("campaigns:stage-drop-out", args=[swiss.pk, gangs[0].pk])
    assert as_user(bob).get(where).status_code == 404
