"""Rows that are deleted while a page that needs them is sent: the answer is a refusal in words."""

from __future__ import annotations

import uuid
from datetime import date

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.engine.league.options import StageOptions
from campaigns.games import results
from campaigns.league import stages
from campaigns.models import Campaign, Game, Night, Stage
from common.errors import Refusal
from gangs.models import Gang
from tests.meanwhile import just_before
from tests.world.campaigns import confirmed, make_game, make_night, reported

GANG, STAGE = 'FROM "gangs_gang"', 'FROM "campaigns_stage"'


def test_deleted_gang_does_not_play_again(campaign: Campaign, hers: Gang, alice: User) -> None:
    joining.retire(campaign, hers, actor=alice)
    Gang.objects.filter(pk=hers.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        joining.bring_back(campaign, hers, actor=alice)


def test_gang_that_is_deleted_meanwhile_is_not_handed_over(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, bob: User, dora: User
) -> None:
    delete = Gang.objects.filter(pk=hers.pk).delete
    with pytest.raises(Refusal, match="gone"), just_before(GANG, delete):
        joining.hand_over(campaign, hers, dora, expected_owner=alice.pk, actor=bob)


def test_deleted_game_takes_no_statement(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User
) -> None:
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    Game.objects.filter(pk=game.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        results.confirm(game, actor=dora, expected_version=game.version)


def test_deleted_game_is_not_opened_again(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User
) -> None:
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    Game.objects.filter(pk=game.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        results.reopen(game, expected_version=game.version, day=date(2026, 5, 1))


def test_deleted_night_takes_no_answers_and_no_games(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User
) -> None:
    night = make_night(campaign)
    Night.objects.filter(pk=night.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        schedule.answer(night, hers, "yes", actor=alice)
    planned = plans.Plan(timezone.localdate(), night=night)
    with pytest.raises(Refusal, match="gone"):
        plans.plan(campaign, [hers, theirs], planned, actor=alice, token=uuid.uuid4())


def test_stage_that_is_deleted_meanwhile_chooses_nobody(
    campaign: Campaign, hers: Gang, theirs: Gang, bob: User, as_user
) -> None:
    details: stages.Details = {"name": "Winter", "options": StageOptions()}
    stage = stages.start(
        campaign, "round-robin", [hers, theirs], details, token=uuid.uuid4(), source=None
    )
    page, browser = reverse("campaigns:stage-new", args=[campaign.pk, "knock-out"]), as_user(bob)
    form = browser.get(page).context["form"]
    data = {"name": "Cup", "who": str(stage.pk), "best": 2, "order": "lots", "days": 7}
    data |= {"token": str(form["token"].value())}
    # The first query of this kind lists the stages that the form offers.
    with just_before(STAGE, Stage.objects.filter(pk=stage.pk).delete, nth=2):
        answer = browser.post(page, data)
    assert answer.status_code == 422 and answer.context["form"]["name"].value() == "Cup"
    assert not Stage.objects.exists()
