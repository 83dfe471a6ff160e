"""Starting the next season of a campaign, and linking seasons."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import prefetch_related_objects

from accounts import quotas
from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.access import gangs_of
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.engine.league.standings_rules import BY_THE_BOOK, NOW
from campaigns.locking import count_change
from campaigns.models import Barred, Campaign, Participant
from common.errors import Refusal
from gangs.models import Gang

# The columns that a new season copies, in addition to what the form shows.
COPIED = ("table", "special_results")


@dataclass(frozen=True)
class NextSeason:
    """The organiser's choices: the new campaign's ``details``, the seats of those who go on, the
    gangs to carry over with the versions that the page showed, and the ``nights``."""

    details: joining.Details
    seats: Collection[int]
    carried: Mapping[uuid.UUID, int]
    nights: Sequence[schedule.Details] = ()


def start_next(
    campaign: Campaign, chosen: NextSeason, *, token: uuid.UUID, actor: User
) -> Campaign:
    """Start the season after this campaign, and archive this one. A form that arrives twice starts
    it once.

    People keep their roles, and barred accounts stay barred; players whose gang is not carried over
    are asked to bring one. Raises QuotaFull, Refusal if a gang cannot be carried over, and Stale if
    one has changed meanwhile.
    """
    with quotas.turn(actor):
        count_change(campaign)
        known = Campaign.objects.filter(token=token).first()
        if known is not None:
            return known
        campaign.refresh_from_db(fields=["archived_at", "book_version", *COPIED])
        new = joining.start(
            version=campaign.book_version, organiser=actor, token=token, **chosen.details
        )
        new.previous = campaign
        for column in COPIED:
            setattr(new, column, getattr(campaign, column))
        rules = campaign.standings_rules
        if rules != BY_THE_BOOK:
            # A new season draws its own lots, and counts as tables are counted now.
            seed = secrets.token_hex(16) if rules.seed else ""
            table = rules.model_copy(update={"seed": seed, "edition": NOW})
            new.table = table.model_dump(mode="json")
        new.save(update_fields=["previous", *COPIED])
        seats = [seat for seat in campaign.seats if seat.pk in chosen.seats]
        Participant.objects.bulk_create(
            Participant(campaign=new, user=seat.user, role=seat.role)
            for seat in seats
            if seat.user_id != actor.pk
        )
        Barred.objects.bulk_create(
            Barred(campaign=new, user=row.user, by=row.by)
            for row in campaign.barred.select_related("user", "by")
        )
        joining.archive(campaign)
        carried = _carry(campaign, new, chosen.carried, actor)
        campaigns_notices.season_started(new, campaign, carried, actor=actor)
        if chosen.nights:
            schedule.arrange_all(new, chosen.nights, token=uuid.uuid5(token, "nights"), actor=actor)
    return new


def _carry(
    campaign: Campaign, new: Campaign, versions: Mapping[uuid.UUID, int], actor: User
) -> list[Gang]:
    """Let these gangs of the old season join the new one."""
    found = Gang.objects.filter(
        pk__in=versions, memberships__campaign=campaign, memberships__left_at=None
    ).select_related("owner", "book_version")
    gangs = list(found.order_by("pk"))
    for gang in gangs:
        version = versions[gang.pk]
        joining.join(new, gang, actor=actor, expected_version=version, plays_on=True)
    return gangs


def sort_gangs(campaign: Campaign) -> tuple[list[Gang], list[tuple[Gang, Refusal]]]:
    """The gangs now in the campaign that can be carried over, whatever is open, and the others with
    the reason: those that have retired or left, too. Three queries."""
    gangs = gangs_of(campaign)
    prefetch_related_objects(gangs, "memberships__campaign", "book_version")
    # A campaign that does not exist yet: the next season.
    new = Campaign(book_version=campaign.book_version)
    ready, staying = [], []
    for gang in gangs:
        elsewhere = [row for row in gang.memberships.all() if row.campaign_id != campaign.pk]
        refusal = _why_gone(gang) or joining.why_not(new, gang, elsewhere)
        if refusal is None:
            ready.append(gang)
        else:
            staying.append((gang, refusal))
    return ready, staying


def _why_gone(gang: Gang) -> Refusal | None:
    """The reason why a gang of ``gangs_of`` no longer plays in its campaign; None if it does."""
    if gang.left_at is not None:  # type: ignore[attr-defined]
        return Refusal("gang_left")
    return Refusal("gang_retired") if gang.retired_at is not None else None  # type: ignore[attr-defined]


def set_previous(campaign: Campaign, previous: Campaign | None) -> None:
    """Link a campaign with the season before it; None: it is the first."""
    with transaction.atomic():
        count_change(campaign)
        if previous is None or previous.pk not in find_later(campaign):
            Campaign.objects.filter(pk=campaign.pk).update(previous=previous)


def find_later(campaign: Campaign) -> set[uuid.UUID]:
    """The keys of the campaign and of all seasons after it. One query for each step."""
    found, ahead = {campaign.pk}, {campaign.pk}
    while ahead:
        later = Campaign.objects.filter(previous__in=ahead).exclude(pk__in=found)
        ahead = set(later.values_list("pk", flat=True))
        found |= ahead
    return found
