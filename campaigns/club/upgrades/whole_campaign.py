"""Moving a campaign and all its gangs to another version of its rules, and back.

As for joining, the campaign's row is taken first, then the gangs' rows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from accounts.models import User
from campaigns.models import Campaign, CampaignUpgrade, Game, Membership, Side
from campaigns.text import name_here, names_here
from common.errors import Refusal
from common.locking import update_if
from gangs import hooks
from gangs.engine.differences import Changes, changes
from gangs.engine.entries import Upgraded
from gangs.engine.errors import Misfit
from gangs.engine.version_change import fit_settings
from gangs.ledger import writer
from gangs.ledger.writer import Leftovers
from gangs.models import Gang, StoredEntry
from gangs.versions.text import describe
from rules.book.model import Book
from rules.hooks import Affected
from rules.library import book_of
from rules.models import BookVersion

# Preview at most this many campaigns: working out every gang twice takes time.
MOST = 20

GangMisfits = list[tuple[Gang, list[tuple[StoredEntry, Misfit]]]]


class GangsLeftOver(Exception):
    """Raised when an upgrade cannot be taken back, since some entries would no longer fit. Nothing
    was written. ``gangs``: each gang with its entries and why they do not fit."""

    def __init__(self, gangs: GangMisfits) -> None:
        super().__init__("entries that no longer fit")
        self.gangs = gangs


def campaign_decides(gang: Gang) -> Refusal | None:
    """The reason why the gang's owner may not change its rules, or None: the gang plays in an open
    campaign, and its history says so."""
    campaigns = Membership.objects.filter(gang=gang, campaign__archived_at=None, left_at=None)
    keys = {str(key) for key in campaigns.values_list("campaign", flat=True)}
    # A gang has left if its owner took the entry back in its history.
    return Refusal("campaign_decides") if keys & set(gang.roster.campaigns) else None


def why_not(campaign: Campaign) -> Refusal | None:
    """The reason why the campaign cannot change its rules now, or None: it is closed, or a reported
    game is not settled."""
    if campaign.archived_at is not None:
        return Refusal("campaign_archived")
    unsettled = (Game.Status.REPORTED, Game.Status.DISPUTED, Game.Status.CONFIRMED)
    sides = Side.objects.undone().filter(game__campaign=campaign, gang__isnull=False)
    waiting = set(sides.filter(game__status__in=unsettled).values_list("gang", flat=True))
    if not waiting:
        return None
    names = names_here(campaign)
    found = sorted(names.get(gang, "") for gang in waiting if gang is not None)
    return Refusal("games_unsettled", gangs=", ".join(found))


def _lock(campaign: Campaign, expected_version: int) -> None:
    """Lock the campaign. Raises Stale if it has changed since it was seen, and Refusal if its rules
    may not change now."""
    update_if(Campaign, campaign.pk, expected_version)
    campaign.refresh_from_db()
    refusal = why_not(campaign)
    if refusal is not None:
        raise refusal


def preview(campaign: Campaign, book: Book) -> dict[Gang, Changes]:
    """The changes that the upgrade would make, gang by gang."""
    gangs = Gang.objects.filter(memberships__campaign=campaign, memberships__left_at=None)
    found = gangs.order_by("memberships__joined_at")
    return {gang: changes(gang.book, book, gang.roster) for gang in found}


def affected_campaigns(digests: frozenset[str], book: Book, user: User) -> Iterator[Affected]:
    """The user's open campaigns in which a gang would change if a variant were published."""
    campaigns = Campaign.objects.organised_by(user).open().filter(book_version__in=digests)
    for campaign in campaigns[:MOST]:
        shown = names_here(campaign)
        names = [
            shown[gang.pk] for gang, what in preview(campaign, book).items() if describe(what, book)
        ]
        if names:
            count = len(names)
            sentence = ngettext(
                "%(count)s gang changes: %(names)s.", "%(count)s gangs change: %(names)s.", count
            ) % {"count": count, "names": ", ".join(names)}
            url = reverse("campaigns:upgrade", args=[campaign.pk])
            yield Affected(campaign.name, url, (sentence,))


def upgrade(
    campaign: Campaign,
    version: BookVersion,
    *,
    actor: User,
    expected_version: int,
    token: uuid.UUID,
) -> None:
    """Move the campaign and all its gangs to ``version``. A form that arrives twice moves them
    once. Raises Stale if the campaign has changed since it was seen, and Refusal."""
    if CampaignUpgrade.objects.filter(campaign=campaign, token=token).exists():
        return
    with transaction.atomic():
        _lock(campaign, expected_version)
        if version.slug != campaign.book_version.slug:
            raise Refusal("other_game")
        if version.pk == campaign.book_version_id:
            raise Refusal("same_rules")
        upgrade = CampaignUpgrade.objects.create(
            campaign=campaign,
            before=campaign.book_version,
            after=version,
            settings_before=campaign.settings,
            token=token,
            actor=actor,
        )
        for gang in _gangs(campaign):
            if gang.book_version_id != version.pk:
                entry = Upgraded(digest=version.pk)
                writer.append(
                    gang, [entry], expected_version=gang.version, actor=actor, batch=upgrade.batch
                )
        campaign.book_version = version
        campaign.settings = fit_settings(book_of(version.pk), campaign.settings)
        campaign.save(update_fields=["book_version", "settings"])


def latest(campaign: Campaign) -> CampaignUpgrade | None:
    """The upgrade that can be taken back: the last one that is still in force."""
    standing = campaign.upgrades.filter(undone_at=None)
    return standing.defer("before__canonical", "after__canonical").first()


def take_back(upgrade: CampaignUpgrade, *, actor: User, expected_version: int) -> None:
    """Move the campaign and all its gangs back to the rules before an upgrade.

    Raises Stale if the campaign has changed since it was seen, Refusal, and GangsLeftOver if a
    gang has entries that do not fit the older rules.
    """
    campaign = upgrade.campaign
    with transaction.atomic():
        _lock(campaign, expected_version)
        last = latest(campaign)
        if last is None or last.pk != upgrade.pk or campaign.book_version_id != upgrade.after_id:
            raise Refusal("later_upgrade")
        newcomers = campaign.memberships.filter(joined_at__gt=upgrade.at, left_at=None)
        newcomers = newcomers.select_related("gang")
        if newcomers:
            names = names_here(campaign)
            found = ", ".join(sorted(names[newcomer.gang_id] for newcomer in newcomers))
            raise Refusal("joined_since", gangs=found)
        _strike(upgrade, actor)
        if campaign.settings == fit_settings(book_of(upgrade.after_id), upgrade.settings_before):
            campaign.settings = upgrade.settings_before
        else:
            # The organiser has changed the options since, while the campaign had no gangs.
            campaign.settings = fit_settings(book_of(upgrade.before_id), campaign.settings)
        campaign.book_version_id = upgrade.before_id
        campaign.save(update_fields=["book_version", "settings"])
        upgrade.undone_at = timezone.now()
        upgrade.save(update_fields=["undone_at"])


def _strike(upgrade: CampaignUpgrade, actor: User) -> None:
    """Strike the upgrade in every gang."""
    unfit: GangMisfits = []
    playing = upgrade.campaign.memberships.filter(left_at=None)
    hooks.oversight.lock_postgames(playing.values_list("gang", flat=True))
    for gang in _gangs(upgrade.campaign):
        if gang.entries.live().filter(batch=upgrade.batch).exists():
            try:
                writer.strike(
                    gang, upgrade.batch, expected_version=gang.version, actor=actor, leaving=True
                )
            except Leftovers as leftovers:
                unfit.append((gang, leftovers.misfits))
                continue
        if gang.book_version_id != upgrade.before_id:
            raise Refusal("other_rules_since", gangs=name_here(upgrade.campaign, gang))
    if unfit:
        raise GangsLeftOver(unfit)


def _gangs(campaign: Campaign) -> list[Gang]:
    """The campaign's gangs, locked until the transaction ends."""
    gangs = Gang.objects.filter(memberships__campaign=campaign, memberships__left_at=None)
    return list(gangs.select_for_update(of=("self",), no_key=True).order_by("pk"))
