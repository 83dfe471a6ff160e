"""A campaign's settings, and joining and leaving it: an entry in the gang's ledger, never a copy.

Whatever a gang's joining depends on is decided with the campaign's row taken first and the gang's
next: an update, or a lock, that makes everybody else wait.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign, Membership, Participant, Side, invite_key
from gangs import ledger
from gangs.entries import Joined
from gangs.findings import Finding, findings
from gangs.fold import apply
from gangs.ledger import Stale
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
    book = book_of(version.pk)
    with transaction.atomic():
        campaign, created = Campaign.objects.get_or_create(
            token=token,
            defaults={
                "name": name,
                "book_version": version,
                "settings": book.campaign_settings(book.default_settings() | settings),
                "notes": notes,
            },
        )
        if created:
            campaign.participants.create(user=organiser, role=Participant.Role.ORGANISER)
    return campaign


def change(campaign: Campaign, *, name: str, notes: str, settings: Settings, seen: int) -> None:
    """Change what the campaign is called, its notes and, until somebody joins, its options.

    Raises Stale if it was changed, or somebody joined, since it was seen.
    """
    with transaction.atomic():
        if not claim(campaign, version=seen):
            raise Stale
        campaign.name, campaign.notes = name, notes
        if not campaign.memberships.exists():
            campaign.settings = settings
        campaign.save(update_fields=["name", "notes", "settings"])


def archive(campaign: Campaign) -> None:
    """Close the campaign: its gangs may move on."""
    Campaign.objects.open().filter(pk=campaign.pk).update(archived_at=timezone.now())


def reopen(campaign: Campaign) -> None:
    """Open the campaign again. Raises Refusal if one of its gangs has moved on meanwhile."""
    with transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=None)
        own = Gang.objects.select_for_update(of=("self",), no_key=True).filter(
            memberships__campaign=campaign, memberships__left_at=None
        )
        names = {gang.pk: gang.name for gang in own.defer("snapshot")}
        others = Membership.objects.filter(gang__in=names, campaign__archived_at=None, left_at=None)
        moved = set(others.exclude(campaign=campaign).values_list("gang", flat=True))
        if moved:
            raise Refusal("gangs_moved_on", gangs=", ".join(sorted(names[key] for key in moved)))
        changed = own.exclude(book_version=campaign.book_version_id)
        if changed:
            raise Refusal("other_rules_since", gangs=", ".join(sorted(map(str, changed))))


def why_not(
    campaign: Campaign, gang: Gang, memberships: Iterable[Membership] | None = None
) -> Refusal | None:
    """Why a gang cannot join, if it cannot. Reads its book version, memberships, their campaigns.

    ``memberships``: the gang's, if they were read anew. One campaign at a time: a gang moves on
    once it has left its campaign, or that is archived. A gang that has left, or whose owner took
    the entry back in its history, may join the same campaign again.
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
    if memberships is None:
        memberships = gang.memberships.all()
    joined = {one.campaign for one in memberships if one.left_at is None}
    if any(other.archived_at is None for other in joined - {campaign}):
        return Refusal("in_another_campaign")
    if campaign in joined and str(campaign.pk) in gang.roster.campaigns:
        return Refusal("joined_already")
    return None


def entry_of(campaign: Campaign) -> Joined:
    """What a gang that joins notes in its ledger: the campaign and its options."""
    shared = campaign.book.campaign_settings(campaign.settings)
    return Joined(campaign=str(campaign.pk), name=campaign.name, settings=shared)


def mistakes(campaign: Campaign, gang: Gang) -> list[Finding]:
    """What would be wrong with a gang of the campaign's rules once it plays by its options."""
    joined = apply(campaign.book, gang.roster, gang.last_seq + 1, entry_of(campaign))
    return [found for found in findings(campaign.book, joined) if found.severity == "error"]


def join(campaign: Campaign, gang: Gang, *, actor: User, seen: int) -> None:
    """Let a gang join. Raises Refusal, or Stale if the gang has changed meanwhile."""
    with transaction.atomic():
        claim(campaign)
        campaign.refresh_from_db(fields=["name", "settings", "book_version", "archived_at"])
        gang.refresh_from_db(
            fields=["version", "last_seq", "snapshot", "book_version", "archived_at"],
            from_queryset=Gang.objects.select_for_update(no_key=True),
        )
        memberships = Membership.objects.filter(gang=gang).select_related("campaign")
        refusal = why_not(campaign, gang, memberships)
        if refusal is not None:
            raise refusal
        ledger.append(gang, [entry_of(campaign)], seen=seen, actor=actor)
        anew = {"left_at": None, "joined_at": timezone.now()}
        Membership.objects.update_or_create(campaign=campaign, gang=gang, defaults=anew)
        if gang.owner is not None:
            campaign.take_part(gang.owner)


def leave(campaign: Campaign, gang: Gang, *, actor: User) -> None:
    """Take a gang out again: its entry is struck. Raises Refusal once it has a game here."""
    with transaction.atomic():
        claim(campaign)
        if Side.objects.filter(game__campaign=campaign, gang=gang).exists():
            raise Refusal("has_games")
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


def claim(campaign: Campaign, **seen: int) -> bool:
    """Count a change of the campaign, if it is still as it was ``seen``; the update is the lock."""
    claimed = Campaign.objects.filter(pk=campaign.pk, **seen).update(version=F("version") + 1)
    return bool(claimed)
