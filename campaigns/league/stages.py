"""Stages of a league: starting, changing, closing and deleting them, and the gangs that play them.

The caller checks that the user runs the campaign. Every change locks the campaign first.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TypedDict

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaigns import fixtures as campaign_fixtures
from campaigns.engine.league.options import MOST_ENTRANTS, MOST_IN_ROUND_ROBIN, StageOptions
from campaigns.locking import lock
from campaigns.models import Campaign, Entrant, Fixture, Stage
from common.errors import Refusal
from common.locking import update_if
from gangs.models import Gang

# A club needs one or two a season.
MOST_STAGES = 30


class Details(TypedDict):
    """A stage's name and options."""

    name: str
    options: StageOptions


def start(
    campaign: Campaign,
    stage_format: str,
    gangs: Sequence[Gang],
    details: Details,
    *,
    token: uuid.UUID,
    source: Stage | None = None,
) -> Stage:
    """Start a stage. ``gangs``: in the order of their seeds. A form that arrives twice starts one.
    Raises Refusal."""
    if campaign.book.who_plays.is_in_groups:
        raise Refusal("plays_in_groups")
    if len(gangs) > most_entrants(stage_format):
        raise Refusal("stage_full", maximum=most_entrants(stage_format))
    with transaction.atomic():
        lock(campaign)
        known = Stage.objects.filter(token=token).first()
        if known is not None:
            return known
        if campaign.stages.count() >= MOST_STAGES:
            raise Refusal("stages_full", maximum=MOST_STAGES)
        _check_here(campaign, gangs)
        last = campaign.stages.aggregate(last=Max("number"))["last"] or 0
        stage = Stage.objects.create(
            campaign=campaign,
            number=last + 1,
            name=details["name"],
            format=stage_format,
            options=details["options"].model_dump(mode="json"),
            source=source,
            token=token,
        )
        Entrant.objects.bulk_create(
            Entrant(stage=stage, gang=gang, name=gang.name, seed=seed)
            for seed, gang in enumerate(gangs, start=1)
        )
    return stage


def most_entrants(stage_format: str) -> int:
    """The largest number of gangs in a stage of this format."""
    round_robin = stage_format == Stage.Format.ROUND_ROBIN
    return MOST_IN_ROUND_ROBIN if round_robin else MOST_ENTRANTS


def change(stage: Stage, details: Details, *, expected_version: int) -> None:
    """Change a stage's name and options. Raises Stale if it has changed since it was seen."""
    options = details["options"].model_dump(mode="json")
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version, name=details["name"], options=options)


def enter(stage: Stage, gang: Gang) -> None:
    """Let a gang join the stage late, or come back to it. It takes the last seed, and is part of
    the draws from now on. A second press changes nothing. Raises Refusal, also if the stage is
    closed."""
    with transaction.atomic():
        lock(stage.campaign)
        _check_open(stage)
        _check_here(stage.campaign, [gang])
        entrants = stage.entrants
        if not entrants.filter(gang=gang, left_at=None).exists():
            maximum = most_entrants(stage.format)
            if entrants.filter(left_at=None).count() >= maximum or entrants.count() >= 2 * maximum:
                raise Refusal("stage_full", maximum=maximum)
            last = entrants.aggregate(last=Max("seed"))["last"] or 0
            returned = entrants.filter(gang=gang).update(left_at=None, is_annulled=False)
            if not returned:
                entrants.create(gang=gang, name=gang.name, seed=last + 1)
            campaign_fixtures.count_change([stage.pk])


def drop_out(stage: Stage, gang: Gang, *, annuls: bool = False) -> None:
    """Let a gang play no more rounds of the stage; its open fixtures are called off. Its results
    stand, or count for nobody in the stage's table (``annuls``): that can be decided again later. A
    second press changes nothing. Raises Refusal if the stage is closed."""
    with transaction.atomic():
        lock(stage.campaign)
        _check_open(stage)
        campaign_fixtures.leave_stage(stage, gang)
        decided = stage.entrants.filter(gang=gang).exclude(is_annulled=annuls)
        if decided.update(is_annulled=annuls):
            campaign_fixtures.count_change([stage.pk])


def close(stage: Stage, *, expected_version: int) -> None:
    """Close a stage: nothing in it is due any more. Raises Stale."""
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version, ended_at=timezone.now())


def reopen(stage: Stage, *, expected_version: int) -> None:
    """Reopen a closed stage. Raises Stale."""
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version, ended_at=None)


def delete(stage: Stage, *, expected_version: int) -> None:
    """Delete a stage in which no game was planned or played. Raises Stale, and Refusal if there is
    one."""
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version)
        if Fixture.objects.filter(round__stage=stage, game__isnull=False).exists():
            raise Refusal("stage_has_games")
        stage.delete()


def _check_open(stage: Stage) -> None:
    """Raise Refusal if the stage is closed: its places stay as they are."""
    if Stage.objects.filter(pk=stage.pk, ended_at__isnull=False).exists():
        raise Refusal("stage_closed")


def _check_here(campaign: Campaign, gangs: Sequence[Gang]) -> None:
    """Raise Refusal if one of the gangs does not play in the campaign."""
    here = campaign.memberships.playing().filter(gang__in=gangs).count()
    if here != len(set(gangs)) or len(set(gangs)) != len(gangs):
        raise Refusal("gang_not_here")
