"""Admission to a campaign: the people who may join, requests to join, invitations, bars.

Every change takes the campaign's row first, and reads again what it uses up. A personal invitation
is its link: it lets in one account, the first that uses it, whomever it names, since a link that
works only for the named account would show whether there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts import mailing
from accounts import notices as accounts_notices
from accounts.http import public_url
from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.club.people import joining
from campaigns.locking import count_change
from campaigns.models import Barred, Campaign, Invitation, JoinRequest
from common.errors import Refusal, Stale
from gangs.models import Gang

# A campaign has at most this many invitations that nobody has accepted.
MOST_INVITATIONS = 200
# An account asks one campaign for at most this many gangs at a time.
MOST_REQUESTS = 5
# Accepted invitations are deleted after this time.
KEPT = timedelta(days=7)
# The name of the mails to invited addresses, in jobs.
INVITED = "invitation"


@dataclass(frozen=True)
class Entrance:
    """A campaign and, where the link is a personal one, the invitation. ``key``: that of the link,
    "" for an account that takes part already."""

    campaign: Campaign
    invitation: Invitation | None = None
    key: str = ""

    @property
    def is_shut(self) -> bool:
        """Whether the link lets nobody in, since only invited people may join."""
        return self.invitation is None and self.campaign.joining == Campaign.Joining.CLOSED


def find_entrance(
    key: str, user: User | None = None, *, is_used_too: bool = False
) -> Entrance | None:
    """The entrance behind a link: the campaign's own link, or a personal invitation that nobody
    else than ``user`` has used; ``is_used_too``: or one that somebody has. None if there is none,
    or the campaign is hidden. Two queries at most."""
    # PostgreSQL refuses some characters that an address can carry.
    if not key.isprintable():
        return None
    campaign = Campaign.objects.shown().filter(invite_key=key).first()
    if campaign is not None:
        return Entrance(campaign, key=key)
    rows = Invitation.objects.all() if is_used_too else Invitation.objects.free_for(user)
    known = rows.filter(key=key, campaign__in=Campaign.objects.shown())
    invitation = known.select_related("campaign").first()
    return Entrance(invitation.campaign, invitation, key) if invitation is not None else None


def entrance_or_404(key: str, user: User | None = None, *, is_used_too: bool = False) -> Entrance:
    """As ``find_entrance``; raises Http404 if there is none."""
    found = find_entrance(key, user, is_used_too=is_used_too)
    if found is None:
        raise Http404
    return found


def lets_sign_up(entrance: Entrance) -> bool:
    """Whether somebody without an account may sign up to come in here."""
    if entrance.is_shut or entrance.campaign.archived_at is not None:
        return False
    return entrance.invitation is None or entrance.invitation.accepted_by_id is None


def keep_for(entrance: Entrance, user: User) -> bool:
    """Keep a personal invitation for the account that signs up by it, in the transaction that makes
    the account. The update is the lock. Returns whether the account may sign up."""
    if entrance.invitation is None or not lets_sign_up(entrance):
        return lets_sign_up(entrance)
    free = Invitation.objects.open().filter(pk=entrance.invitation.pk, accepted_by=None)
    return bool(free.update(accepted_by=user))


def why_shut(entrance: Entrance, user: User) -> Refusal | None:
    """The reason why the user may not join at all, or None. Organisers may."""
    campaign = entrance.campaign
    if is_barred(campaign, user):
        return Refusal("barred_account")
    if entrance.is_shut and not campaign.is_run_by(user):
        return Refusal("joining_closed")
    return None


def needs_approval(entrance: Entrance, gang: Gang, user: User) -> bool:
    """Whether an organiser has to agree before the user's gang joins: the campaign asks for it, or
    the gang has a past elsewhere for which somebody must vouch."""
    if entrance.campaign.is_run_by(user):
        return False
    return asks_first(entrance, user) or joining.has_played_elsewhere(gang)


def asks_first(entrance: Entrance, user: User) -> bool:
    """Whether an organiser has to agree before any gang of the user joins."""
    campaign = entrance.campaign
    by_approval = campaign.joining == Campaign.Joining.APPROVAL and entrance.invitation is None
    return by_approval and not campaign.is_run_by(user)


def enter(entrance: Entrance, gang: Gang, *, actor: User, expected_version: int) -> bool:
    """Let the actor's gang join, or ask the organisers; returns whether it has joined. Raises
    Refusal, also if the link has stopped working since it was read, and Stale if the gang has
    changed meanwhile."""
    campaign = entrance.campaign
    with transaction.atomic():
        count_change(campaign)
        try:
            campaign.refresh_from_db(fields=["joining", "invite_key"])
        except Campaign.DoesNotExist:
            raise Refusal("gone") from None
        refusal = why_shut(entrance, actor)
        if refusal is not None:
            raise refusal
        _use(entrance, actor)
        if needs_approval(entrance, gang, actor):
            _ask(campaign, gang, actor=actor, expected_version=expected_version)
            return False
        joining.join(campaign, gang, actor=actor, expected_version=expected_version)
    return True


def _use(entrance: Entrance, actor: User) -> None:
    """Use the link for the actor. A personal one is theirs from now on, also if an organiser has
    still to agree, or declines: they may come back by it, and nobody else may.

    The caller holds the campaign's row. Raises Refusal if somebody else has used the link, or it
    was withdrawn or replaced.
    """
    if entrance.invitation is not None:
        free = Invitation.objects.free_for(actor).filter(pk=entrance.invitation.pk)
        first_time = Coalesce(F("accepted_at"), Value(timezone.now()))
        if not free.update(accepted_by=actor, accepted_at=first_time):
            raise Refusal("invitation_used")
    elif entrance.key and entrance.key != entrance.campaign.invite_key:
        raise Refusal("link_replaced")


def _ask(campaign: Campaign, gang: Gang, *, actor: User, expected_version: int) -> None:
    joining.lock_newcomer(campaign, gang)
    if gang.version != expected_version:
        raise Stale
    mine = campaign.join_requests.filter(by=actor).exclude(gang=gang)
    if mine.count() >= MOST_REQUESTS:
        raise Refusal("requests_full", maximum=MOST_REQUESTS)
    _request, created = campaign.join_requests.get_or_create(gang=gang, defaults={"by": actor})
    if created:
        campaigns_notices.join_asked(gang, campaign, actor=actor)


def accept(request: JoinRequest, *, actor: User) -> None:
    """Let the gang of a request join as it is now. Raises Refusal, and Stale if the gang changes
    meanwhile."""
    campaign, gang = request.campaign, request.gang
    with transaction.atomic():
        count_change(campaign)
        if not JoinRequest.objects.filter(pk=request.pk).exists():
            raise Stale
        if is_barred(campaign, request.by):
            raise Refusal("barred_account")
        joining.join(campaign, gang, actor=actor, expected_version=gang.version)
        campaigns_notices.join_answered(request, agreed=True, actor=actor)


def decline(request: JoinRequest, *, actor: User) -> None:
    """Turn a request down. Raises Stale if it is answered or withdrawn already."""
    with transaction.atomic():
        _end(request)
        campaigns_notices.join_answered(request, agreed=False, actor=actor)


def take_back(request: JoinRequest) -> None:
    """Take a request to join back, as the account that made it. Raises Stale if it is answered or
    withdrawn already."""
    with transaction.atomic():
        _end(request)
        campaigns_notices.forget_requests(request.campaign, request.by)


def _end(request: JoinRequest) -> None:
    """Delete a request by which nobody joins. An invitation that led to it lasts as if its player
    had used it now, to come back with another gang. Raises Stale if there is no such request."""
    count_change(request.campaign)
    if not JoinRequest.objects.filter(pk=request.pk).delete()[0]:
        raise Stale
    used = request.campaign.invitations.filter(accepted_by=request.by, accepted_at__isnull=False)
    used.update(accepted_at=timezone.now())


def is_barred(campaign: Campaign, user: User) -> bool:
    """Whether the account may not come back. One query."""
    return Barred.objects.filter(campaign=campaign, user=user).exists()


def bar(campaign: Campaign, user: User, *, actor: User) -> None:
    """Keep an account out: it can neither join nor follow, and its requests and invitations end.
    The caller holds the campaign's row."""
    campaign.barred.get_or_create(user=user, defaults={"by": actor})
    campaign.join_requests.filter(by=user).delete()
    campaigns_notices.forget_requests(campaign, user)
    for invitation in campaign.invitations.open().filter(user=user):
        withdraw(invitation)


def invite(campaign: Campaign, whom: str, *, actor: User) -> None:
    """Invite somebody by the name of their account, or else by an e-mail address; a second
    invitation of the same person renews the first. Raises Refusal if too many are open.

    Nothing shows whether an address has an account: it gets its mail in any case, unless it is
    somebody's name. (New names contain no ``@``.)
    """
    known = User.objects.filter(is_active=True, stands_for="")
    user = known.filter(username__iexact=whom).first()
    is_address = user is None and "@" in whom
    if is_address:
        confirmed = EmailAddress.objects.filter(email__iexact=whom, verified=True)
        user = known.filter(pk__in=confirmed.values("user")).first()
    if user is not None and is_barred(campaign, user):
        if not is_address:
            raise Refusal("invited_barred", name=whom)
        # The organiser barred a name: the address must not reveal that it is the same person.
        user = None
    invitation = _find_invitation(campaign, whom, user, actor)
    if user is not None:
        campaigns_notices.notify_invited(user, invitation, actor=actor)
    if is_address and (user is None or not accounts_notices.is_mailed(user, "invited")):
        language = (user.language if user else "") or translation.get_language()
        about = {"invitation": invitation.pk, "language": language}
        mailing.post([mailing.compose_later(INVITED, whom, **about)])


def _find_invitation(campaign: Campaign, whom: str, user: User | None, actor: User) -> Invitation:
    with transaction.atomic():
        count_change(campaign)
        opened = campaign.invitations.open()
        known = opened.filter(whom__iexact=whom).first()
        if known is None and opened.count() >= MOST_INVITATIONS:
            raise Refusal("invitations_full", maximum=MOST_INVITATIONS)
        values = {"user": user, "by": actor, "at": timezone.now()}
        if known is None:
            return campaign.invitations.create(whom=whom, **values)
        for name, value in values.items():
            setattr(known, name, value)
        known.save(update_fields=values.keys())
        return known


def withdraw(invitation: Invitation) -> bool:
    """Take an invitation back: its link stops working, and notices of it lead nowhere. Returns
    False, and changes nothing, if somebody has accepted it already."""
    with transaction.atomic():
        count_change(invitation.campaign)
        if not Invitation.objects.open().filter(pk=invitation.pk).delete()[0]:
            return not Invitation.objects.filter(pk=invitation.pk).exists()
        accounts_notices.lead_elsewhere(reverse("campaigns:join", args=[invitation.key]), "")
    return True


def tidy() -> int:
    """Delete invitations that were accepted some time ago, unless the gang that came by them still
    waits for an organiser; returns their number."""
    asking = JoinRequest.objects.filter(campaign=OuterRef("campaign"), by=OuterRef("accepted_by"))
    old = Invitation.objects.filter(accepted_at__lt=timezone.now() - KEPT)
    return old.exclude(Exists(asking)).delete()[0]


def write_mail(body: dict[str, Any]) -> mailing.Letter | None:
    """Write the mail that invites an address, unless the invitation is withdrawn or accepted."""
    found = Invitation.objects.open().select_related("campaign", "by")
    invitation = found.filter(pk=body["invitation"]).first()
    if invitation is None:
        return None
    with translation.override(body["language"] or settings.LANGUAGE_CODE):
        values = {"name": str(invitation.by or ""), "campaign": invitation.campaign.name}
        subject = _("You are invited to the campaign %(campaign)s.") % values
        if invitation.by is not None:
            subject = _("%(name)s invites you to the campaign %(campaign)s.") % values
        path = reverse("campaigns:join", args=[invitation.key])
        context = {**values, "subject": subject, "link": f"{public_url()}{path}"}
        context["site_name"] = settings.SITE_NAME
        text = render_to_string("campaigns/club/people/invitation_mail.txt", context)
    return mailing.Letter(subject, text)
