"""Settling fixtures that were not played: an organiser's decision with one press."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns.club.planning import plans
from campaigns.club.planning.plans import Plan
from campaigns.games import results, unfought
from campaigns.locking import lock
from campaigns.models import Fixture, Game
from common.errors import Refusal
from gangs.models import Gang


def settle_absence(fixture: Fixture, came: Gang | None, *, actor: User) -> Game:
    """Decide that only ``came`` was there, or that nobody was (None): a no-show. The fixture gets a
    game, if it has none yet. Pressed twice, it settles once; undo it as any other game.

    Raises Refusal if the fixture was called off or has no two gangs, or if its game is reported.
    """
    campaign = fixture.round.stage.campaign
    with transaction.atomic():
        lock(campaign)
        fixture.refresh_from_db()
        home, away = fixture.home, fixture.away
        if fixture.called_off_at is not None or home is None or away is None:
            raise Refusal("fixture_off")
        game = campaign_fixtures.standing_game(fixture)
        if game is None:
            game = plans.plan(
                campaign,
                [home, away],
                Plan(timezone.localdate()),
                actor=actor,
                token=uuid.uuid4(),
                fixture=fixture,
                is_news=False,
            )
        if game.status != Game.Status.PLANNED:
            raise Refusal("played_already")
        sides = list(game.sides.select_related("gang"))
        absent = [side.pk for side in sides if came is None or side.gang_id != came.pk]
        account = unfought.account_without_battle(game, sides, "no-show", absent)
        results.decide(game, account=account, actor=actor, expected_version=game.version)
    campaign_fixtures.count_change([fixture.round.stage_id])
    return game
