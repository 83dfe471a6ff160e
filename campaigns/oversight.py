"""Answers to the hooks of the gangs' app, for gangs that play in campaigns."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from accounts.models import User
from campaigns import holders, notices
from campaigns.access import readable
from campaigns.club.home import duties
from campaigns.club.people import deletion
from campaigns.club.upgrades import whole_campaign
from campaigns.games.corrections import strikes
from campaigns.holds import find_unsettled
from campaigns.models import Campaign, Membership
from campaigns.season.loading import load_season
from campaigns.season.trophies.text import lines_of
from campaigns.table.pages import opening
from gangs.access import INVITATION
from gangs.hooks import Oversight
from gangs.models import Gang


class CampaignOversight(Oversight):
    """``gangs.hooks.Oversight``, answered from the campaigns' participants and games."""

    why_locked = staticmethod(find_unsettled)
    lock_holders = staticmethod(holders.lock_of)
    check_holders = staticmethod(holders.check)
    why_bound = staticmethod(strikes.why_bound)
    why_rules_fixed = staticmethod(whole_campaign.campaign_decides)
    must_stay = staticmethod(deletion.needs)
    leave = staticmethod(deletion.part)
    corrected = staticmethod(notices.gang_corrected)
    claim = staticmethod(opening.claim)
    overview = staticmethod(duties.overview)
    page_of_code = staticmethod(opening.page_of_code)

    def may_read(self, user: User, gang: Gang) -> bool:
        """Whether the user takes part in a campaign that the gang is or was in."""
        return Membership.objects.filter(gang=gang, campaign__participants__user=user).exists()

    def may_see(self, request: HttpRequest, gang: Gang) -> bool:
        """Whether the gang is or was in a campaign that the reader may see, for example by its
        watch link."""
        return readable(request).filter(memberships__gang=gang).exists()

    def uses_rules(self, request: HttpRequest, digest: str) -> bool:
        """Whether the reader may see a campaign that plays by this version. One query."""
        return readable(request).filter(book_version=digest).exists()

    def may_correct(self, user: User, gang: Gang) -> bool:
        """Whether the user runs a campaign that is not over and that the gang has not left."""
        playing = Campaign.objects.organised_by(user).open()
        return playing.filter(memberships__gang=gang, memberships__left_at=None).exists()

    def trophies(self, gang: Gang) -> tuple[str, ...]:
        """The trophies of the gang and its members, in every campaign that it is or was in."""
        rows = Membership.objects.filter(gang=gang).order_by("-joined_at")
        seasons = [load_season(key) for key in rows.values_list("campaign", flat=True)]
        return tuple(
            f"{line} · {loaded.campaign.name}"
            for loaded in seasons
            for line in lines_of(loaded, str(gang.pk))
        )

    def neighbours(self, gang: Gang) -> tuple[tuple[str, str], ...]:
        """The other gangs of the campaigns that the gang plays in. One query."""
        playing = Membership.objects.filter(left_at=None)
        campaigns = playing.filter(gang=gang).values("campaign")
        others = playing.filter(campaign__in=campaigns).exclude(gang=gang).order_by("joined_at")
        rows = others.values_list("gang", "gang__name")
        return tuple((str(key), name) for key, name in rows)

    def names_near(self, request: HttpRequest) -> tuple[str, ...]:
        """The names of the gangs in the campaign to which the reader is invited; () if they are
        not. One query at most."""
        try:
            found = resolve(INVITATION.read(request))
        except Resolver404:
            return ()
        match found.view_name:
            case "campaigns:join":
                campaign = {
                    "campaign__invite_key": found.kwargs["key"],
                    "campaign__hidden_why": "",
                }
            case "campaigns:join-again":
                campaign = {"campaign": found.kwargs["campaign_id"]}
            case _:
                return ()
        invited = Membership.objects.filter(**campaign, left_at=None)
        return tuple(invited.values_list("gang__name", flat=True))
