"""Five gangs of five players, and stages of them."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from accounts.models import User
from campaigns.engine.league.options import StageOptions
from campaigns.league import rounds, stages
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.models import Campaign, Stage
from gangs.models import Gang
from tests.world.campaigns import make_player


@pytest.fixture
def gangs(campaign: Campaign) -> list[Gang]:
    """Five gangs of five players."""
    made = []
    for number in range(5):
        user = User.objects.create_user(f"player{number}", password="x")
        gang = make_player(campaign, user)
        Gang.objects.filter(pk=gang.pk).update(name=f"Gang {number}", rating=100 + number)
        made.append(Gang.objects.select_related("owner").get(pk=gang.pk))
    return made


@pytest.fixture
def make_round_robin(campaign: Campaign, gangs: list[Gang]) -> Callable[[int], Stage]:
    """Return a function that starts a round robin of four gangs, with rounds of this many days, and
    makes all its rounds.
    """

    def make(days: int) -> Stage:
        details: stages.Details = {"name": "Autumn", "options": StageOptions(days=days)}
        stage = stages.start(campaign, "round-robin", gangs[:4], details, token=uuid.uuid4())
        loaded = load_stage(stage)
        plans = [
            RoundPlan(
                one.number,
                one.opens,
                one.due,
                [
                    FixturePlan(loaded.gangs[line.home], loaded.gangs[line.away])
                    for line in one.lines
                ],
            )
            for one in propose_rounds(loaded).rounds
        ]
        rounds.make_rounds(stage, plans, expected_version=stage.version)
        return Stage.objects.get(pk=stage.pk)

    return make
