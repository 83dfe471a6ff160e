"""Planning a game: who plays, when, and what the game is about."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date

from django.db import transaction

from accounts.models import User
from campaigns.models import Campaign, Game, Side
from gangs.models import Gang
from gangs.refusal import Refusal
from rules.book import Book
from rules.dice import Roll, look_up, throw, typed

ROLL = "roll"
TYPED = "typed"


def choose_scenario(book: Book, choice: str, faces: str) -> tuple[str, Roll | None]:
    """The scenario and the dice that chose it.

    ``choice``: a scenario, or ROLL to let the application roll on the rulebook's table, or TYPED
    for ``faces`` rolled by the players. Raises BadRoll for faces these dice cannot show.
    """
    if choice not in (ROLL, TYPED) or book.campaign.scenario_table is None:
        return choice, None
    table = book.table[book.campaign.scenario_table]
    roll = throw(table.dice) if choice == ROLL else typed(table.dice, faces)
    return look_up(table, roll).scenario or "", roll


def plan(
    campaign: Campaign,
    gangs: Sequence[Gang],
    *,
    played_on: date,
    scenario: str,
    roll: Roll | None,
    actor: User,
    token: uuid.UUID,
) -> Game:
    """Put a game on the list, to be reported after playing; the same form twice makes one."""
    if campaign.archived_at is not None:
        raise Refusal("campaign_archived")
    if len(gangs) < 2:
        raise Refusal("two_gangs")
    if not campaign.is_run_by(actor) and all(gang.owner_id != actor.pk for gang in gangs):
        raise Refusal("own_gang_plays")
    with transaction.atomic():
        game, created = Game.objects.get_or_create(
            token=token,
            defaults={
                "campaign": campaign,
                "played_on": played_on,
                "scenario": scenario,
                "scenario_roll": roll.model_dump(mode="json") if roll else None,
                "reported_by": actor,
            },
        )
        if created:
            Side.objects.bulk_create(
                Side(game=game, gang=gang, name=gang.name, rating=gang.rating) for gang in gangs
            )
    return game
