"""Gangs without members are never paired, and the page says why."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.models import Game
from common.errors import Refusal
from gangs.models import Gang
from tests.world.campaigns import make_night
from tests.world.gangs import make_gang


@pytest.fixture
def empty(campaign, db):
    """The gang of a player who has recruited nobody yet."""
    player = User.objects.create_user("eve", "eve@example.org", "correct horse battery")
    gang = make_gang(player, campaign.book.slug, sample=None, name="Nobody yet")
    joining.join(campaign, gang, actor=player, expected_version=gang.version)
    return Gang.objects.get(pk=gang.pk)


def test_proposal_leaves_an_empty_gang_out_and_says_why(
    campaign, hers, theirs, empty, bob, as_user
):
    night = make_night(campaign)
    for gang in (hers, theirs, empty):
        night.attendances.create(gang=gang, answer="yes")
    page = as_user(bob).get(reverse("campaigns:night-pairings", args=[night.pk]))
    proposal = page.context["proposal"]
    assert [{*pair.gangs} for pair in proposal.pairs] == [{hers, theirs}]
    assert proposal.empty == ["Nobody yet"] and not proposal.resting
    assert "because they have no members yet" in page.content.decode()


def test_pair_with_an_empty_gang_is_refused_by_name(campaign, hers, empty, bob):
    night = make_night(campaign)
    with pytest.raises(Refusal, match="no_members") as refused:
        plans.plan_pairs(night, [[hers, empty]], actor=bob, token=uuid.uuid4())
    assert refused.value.values["gangs"] == "Nobody yet"
    assert not Game.objects.exists()
