"""Joining and leaving a campaign: an entry in the gang's ledger, never a copy of the gang."""

from __future__ import annotations

import uuid

from django.db import transaction

from accounts.models import User
from campaigns.models import Campaign, Membership, Side, invite_key
from gangs import ledger
from gangs.entries import Joined
from gangs.models import Gang
from gangs.refusal import Refusal
from rules.library import book_of
from rules.models import BookVersion
from rules.vocabulary import Settings


def start(
    *,
    name: str,
    version: BookVersion,
    settings: Settings,
    notes: str,
    organiser: User,
    token: uuid.UUID,
) -> Campaign:
    """Start a campaign; a form that arrives twice starts it once."""
    campaign, _ = Campaign.objects.get_or_create(
        token=token,
        defaults={
            "name": name,
            "book_version": version,
            "settings": book_of(version.pk).default_settings() | settings,
            "notes": notes,
            "organiser": organiser,
        },
    )
    return campaign


def why_not(campaign: Campaign, gang: Gang) -> Refusal | None:
    """Why a gang cannot join, if it cannot. Reads its book version, memberships, their campaigns.

    One campaign at a time: a gang moves on once its campaign is archived. A gang whose owner took
    the entry back in its history may join the same campaign again.
    """
    if campaign.archived_at is not None:
        return Refusal("campaign_archived")
    if gang.archived_at is not None:
        return Refusal("gang_archived")
    if gang.imported_at is not None and gang.roster.playing:
        return Refusal("imported_gang")
    if gang.book_version.slug != campaign.book_version.slug:
        return Refusal("other_game")
    if gang.book_version_id != campaign.book_version_id:
        return Refusal("other_version")
    joined = {membership.campaign for membership in gang.memberships.all()}
    if any(other.archived_at is None for other in joined - {campaign}):
        return Refusal("in_another_campaign")
    if campaign in joined and str(campaign.pk) in gang.roster.campaigns:
        return Refusal("joined_already")
    return None


def join(campaign: Campaign, gang: Gang, *, actor: User, seen: int) -> None:
    """Let a gang join. Raises Refusal, or Stale if the gang has changed meanwhile."""
    refusal = why_not(campaign, gang)
    if refusal is not None:
        raise refusal
    with transaction.atomic():
        entry = Joined(campaign=str(campaign.pk), name=campaign.name, settings=campaign.settings)
        ledger.append(gang, [entry], seen=seen, actor=actor)
        Membership.objects.get_or_create(campaign=campaign, gang=gang)


def leave(campaign: Campaign, gang: Gang, *, actor: User) -> None:
    """Take a gang out again: its entry is struck. Raises Refusal once it has a game here."""
    if Side.objects.filter(game__campaign=campaign, gang=gang).exists():
        raise Refusal("has_games")
    with transaction.atomic():
        Membership.objects.filter(campaign=campaign, gang=gang).delete()
        joined = gang.entries.live().filter(kind="joined", data__campaign=str(campaign.pk)).last()
        if joined is not None:
            ledger.strike(
                gang,
                joined.batch,
                seen=gang.version,
                actor=actor,
                with_misfits=True,
                leaving=True,
            )


def renew_invitation(campaign: Campaign) -> None:
    """Give the campaign another link; the old one leads nowhere from now on."""
    campaign.invite_key = invite_key()
    campaign.save(update_fields=["invite_key"])
