"""Hiring mercenaries and sending them back, as entries of the gang's ledger."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import F

from accounts.models import User
from campaigns.engine import mercenaries
from campaigns.engine.crew import Whom, hired_key
from campaigns.engine.mercenaries import Mercenary
from campaigns.models import Campaign, Game, Side
from common.errors import Refusal
from gangs import hooks
from gangs.engine.roster import HiredHand
from gangs.ledger import writer
from gangs.models import Gang, StoredEntry


def pool(campaign: Campaign) -> tuple[Mercenary, ...]:
    """Return everybody for hire in a campaign, also from gangs that have left it. At most one
    query."""
    if not any(row.for_hire for row in campaign.book.campaign.departures):
        return ()
    homes = Gang.objects.filter(memberships__campaign=campaign).order_by("memberships__joined_at")
    return mercenaries.pool(campaign.book, ((str(home.pk), home.roster) for home in homes))


def find_hired(gang: Gang, game: Game) -> list[HiredHand]:
    """Return the people whom a gang has hired for a game that is still to be played."""
    return [hire for hire in gang.roster.hired if hire.game == str(game.pk)]


def find_taken(game: Game, sides: Iterable[Side], but: Side) -> set[Whom]:
    """Return the people whom the other sides of a game have hired. Reads the sides' gangs."""
    others = (side.gang for side in sides if side.pk != but.pk)
    return {(hire.gang, hire.member) for gang in others if gang for hire in find_hired(gang, game)}


def hire(side: Side, key: str, *, expected_version: int, actor: User, token: str) -> None:
    """Hire the mercenary with this ``key`` for the side's game; the same form twice hires once.

    Raises Refusal if they cannot be had, and Stale if the gang has changed since it was seen.
    """
    with transaction.atomic():
        game, sides, gang = _held(side)
        if writer.was_written(gang, token):
            return
        found = next((mercenary for mercenary in pool(game.campaign) if mercenary.key == key), None)
        if found is None:
            raise Refusal("gone")
        others = find_taken(game, sides, side)
        entry = mercenaries.hire(gang.book, gang.roster, str(game.pk), found, others)
        hooks.check_unlocked(gang, [entry])
        writer.append(gang, [entry], expected_version=expected_version, actor=actor, token=token)
        if side.crew is not None:
            # A hired hand joins the crew, until the player changes it.
            _add_to_crew(side, found.whom)


def send_back(side: Side, key: str, *, expected_version: int, actor: User) -> None:
    """Send a hired hand back before the game and refund the price, once.

    Raises Refusal if the game is no longer to be played, Stale if the gang has changed.
    """
    with transaction.atomic():
        game, sides, gang = _held(side)
        for entry in _hirings(game, [gang]):
            if hired_key(entry.data["gang"], entry.data["member"]) == key:
                writer.strike(gang, entry.batch, expected_version=expected_version, actor=actor)
                return


def give_back(game: Game, *, actor: User | None, side: Side | None = None) -> bool:
    """Send back everybody hired for a cancelled game, or for one side of it. Return whether anybody
    was.

    In the caller's transaction, which has locked the game's row. Locks the gangs' post-games, then
    the gangs, in order.
    """
    sides = game.sides.filter(pk=side.pk) if side else game.sides.all()
    entries = _hirings(game, [gang for gang in sides.values_list("gang", flat=True) if gang])
    batches = {entry.batch: entry.gang_id for entry in entries}
    gangs = (
        Gang.objects.select_for_update(no_key=True).filter(pk__in=batches.values()).order_by("pk")
    )
    hooks.oversight.lock_postgames(set(batches.values()))
    by_key = {gang.pk: gang for gang in gangs}
    for batch, key in batches.items():
        gang = by_key[key]
        writer.strike(gang, batch, expected_version=gang.version, actor=actor)
    return bool(batches)


def _add_to_crew(side: Side, whom: Whom) -> None:
    current = Side.objects.select_for_update(no_key=True).get(pk=side.pk)
    Side.objects.filter(pk=side.pk).update(
        crew=[*(current.crew or []), whom], draft_version=F("draft_version") + 1
    )


def _held(side: Side) -> tuple[Game, Sequence[Side], Gang]:
    """Lock the game's row, so that nobody else hires for it, and return the game, its sides and the
    side's current gang.

    Raises Refusal if the game can no longer be played, or if it, the side or the gang is deleted.
    """
    game = Game.objects.select_for_update(no_key=True).filter(pk=side.game_id).first()
    if game is None:
        raise Refusal("gone")
    game.campaign = side.game.campaign
    check_planned(game)
    sides = list(game.sides.select_related("gang"))
    gang = next((found.gang for found in sides if found.pk == side.pk), None)
    if gang is None:
        raise Refusal("gone")
    return game, sides, gang


def check_planned(game: Game) -> None:
    """Raise Refusal if the game can no longer be played."""
    if game.status != Game.Status.PLANNED:
        raise Refusal("not_planned")
    if game.campaign.archived_at is not None:
        raise Refusal("campaign_archived")


def _hirings(game: Game, gangs: Sequence[Gang | uuid.UUID]) -> list[StoredEntry]:
    """Load the entries that hired somebody for the game and are not struck."""
    standing = StoredEntry.objects.live().filter(gang__in=gangs, kind="hired")
    return list(standing.filter(data__game=str(game.pk)))
