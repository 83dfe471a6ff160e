"""Five gangs of five players, and stages of them."""

from __future__ import annotations

import pytest

from accounts.models import User
from campaigns.models import Campaign
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
