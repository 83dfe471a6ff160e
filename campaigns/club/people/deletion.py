"""Deleting gangs and accounts that take part in campaigns. A campaign keeps its results."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.club.people import joining
from campaigns.locking import count_change
from campaigns.models import Campaign, Participant, Photo, Side, Table
from gangs.models import Gang

ORGANISER, PLAYER = Participant.Role.ORGANISER, Participant.Role.PLAYER


def needs(gang: Gang, *, owner_goes: bool) -> bool:
    """Whether a campaign has results of the gang. With ``owner_goes``, campaigns that are deleted
    together with the gang's owner do not count."""
    sides = Side.objects.filter(gang=gang).select_related("game__campaign")
    campaigns = {side.game.campaign for side in sides}
    if not owner_goes or gang.owner is None:
        return bool(campaigns)
    return any(not _ends_with(campaign, gang.owner) for campaign in campaigns)


def part(gang: Gang, actor: User | None) -> bool:
    """Take the gang out of the campaigns where it has not played, and keep it for the others.
    Returns whether it is kept."""
    campaigns = Campaign.objects.filter(memberships__gang=gang).distinct().order_by("pk")
    kept = False
    for campaign in campaigns:
        count_change(campaign)
        if joining.has_games(campaign, gang):
            kept = True
        elif actor is not None:
            joining.leave(campaign, gang, actor=actor)
    # A game is a result even if the gang has left its campaign in another way.
    kept = kept or Side.objects.filter(gang=gang).exists()
    if kept:
        joining.keep(gang)
    return kept


def leave_all(user: User) -> None:
    """Hand the user's campaigns over before the account is deleted: the player who has been in a
    campaign longest runs it. Campaigns without anybody else are deleted."""
    for campaign in _run_alone(user):
        count_change(campaign)
        heir = _heir(campaign, user)
        if heir is not None:
            Participant.objects.filter(pk=heir.pk).update(role=ORGANISER)
            campaigns_notices.organises_now(campaign, heir.user)
            continue
        # Gangs without an owner that are kept only for this campaign.
        kept = Gang.objects.filter(
            owner=None, kept_at__isnull=False, memberships__campaign=campaign
        )
        elsewhere = Side.objects.exclude(game__campaign=campaign).filter(gang__isnull=False)
        kept.exclude(pk__in=elsewhere.values("gang")).delete()
        campaign.delete()


def consequences(user: User) -> Iterator[str]:
    """Sentences about the effects on campaigns if the user's account is deleted."""
    for campaign in _run_alone(user):
        heir = _heir(campaign, user)
        sentence = _("The campaign %(campaign)s is deleted: nobody else takes part in it.")
        if heir is not None:
            sentence = _("%(name)s runs the campaign %(campaign)s from then on.")
        yield sentence % {"campaign": campaign.name, "name": heir and heir.user}
    if Photo.objects.filter(by=user).exists():
        yield _("Your photos of games are deleted.")
    if Table.objects.filter(owner=user).exists():
        yield _("Your tables without a campaign are deleted.")
    if Participant.objects.filter(user=user).exists():
        yield _("Results of games stay in their campaigns, under the names of the gangs.")


def _run_alone(user: User) -> list[Campaign]:
    """The campaigns in which the user is the only organiser."""
    found = Campaign.objects.organised_by(user).with_seats().order_by("pk")
    return [campaign for campaign in found if campaign.organisers == [user]]


def _heir(campaign: Campaign, user: User) -> Participant | None:
    """The new organiser when the user leaves: the player who has been in the campaign longest, or
    else the spectator who has followed it longest. Leaves out names imported from a file, since no
    person is behind them."""
    others = [
        seat
        for seat in campaign.participants.all()
        if seat.user != user and seat.user.is_active and not seat.user.stands_for
    ]
    players = [seat for seat in others if seat.role == PLAYER]
    return next(iter(players or others), None)


def _ends_with(campaign: Campaign, user: User) -> bool:
    """Whether the campaign is deleted with the user's account."""
    return campaign.organisers == [user] and _heir(campaign, user) is None
