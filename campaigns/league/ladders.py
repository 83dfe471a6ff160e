"""Challenges on a ladder."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns import notices as campaigns_notices
from campaigns.club.nights import schedule
from campaigns.engine.league.ladder import open_challenges
from campaigns.league import rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan
from campaigns.locking import lock
from campaigns.models import Fixture, Stage
from common.errors import Refusal


def challenge(stage: Stage, gang: str, other: str, *, actor: User) -> Fixture:
    """Let a gang challenge another one, further up the ladder, by their keys.

    Its player or an organiser does that. A second press returns the challenge that is open already.
    Raises Refusal if the gang is not the actor's, or may not challenge the other now.
    """
    if stage.format != Stage.Format.LADDER:
        raise Refusal("no_ladder")
    with transaction.atomic():
        lock(stage.campaign)
        stage.refresh_from_db()
        if stage.ended_at is not None:
            raise Refusal("stage_closed")
        loaded = load_stage(stage)
        one, two = loaded.gangs.get(gang), loaded.gangs.get(other)
        if one is None or two is None:
            raise Refusal("not_in_stage")
        if empty := schedule.find_empty([one, two]):
            names = [loaded.names[str(key)] for key in empty]
            raise Refusal("no_members", gangs=", ".join(sorted(names)))
        if not one.is_owned_by(actor) and not stage.campaign.is_run_by(actor):
            raise Refusal("not_your_gang")
        pairs = zip(loaded.fixtures, loaded.matches, strict=True)
        for fixture, match in pairs:
            if match.outcome == "open" and (match.home, match.away) == (gang, other):
                return fixture
        if other not in open_challenges(gang, loaded.ladder, loaded.matches, stage.rules.reach):
            raise Refusal("no_challenge")
        made = rounds.add_challenge(stage, FixturePlan(one, two))
        days = stage.rules.days
        if days:
            made.due = timezone.localdate() + timedelta(days=days)
            made.save(update_fields=["due"])
        campaign_fixtures.count_change([stage.pk])
        campaigns_notices.challenged(made, actor=actor)
    return made
