"""What the gangs' app asks about a gang, answered for those that play in campaigns."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.http import HttpRequest

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.access import readable
from campaigns.corrections import strikes
from campaigns.holds import unsettled
from campaigns.models import Campaign, Membership
from campaigns.people import deletion
from campaigns.season import todo
from campaigns.upgrades import whole_campaign
from common.errors import Refusal
from gangs.hooks import Oversight, Todo
from gangs.models import Gang, Strike


class CampaignOversight(Oversight):
    """``gangs.hooks.Oversight`` by those who run campaigns and play in them."""

    def why_locked(self, gang: Gang) -> Refusal | None:
        """Between a game's report and its post-game no gang is changed. One query."""
        return unsettled(gang)

    def why_bound(self, gang: Gang, batches: Collection[uuid.UUID]) -> Refusal | None:
        """Bargains are struck in both of their gangs, games in all of theirs."""
        return strikes.why_bound(gang, batches)

    def why_rules_fixed(self, gang: Gang) -> Refusal | None:
        """The organisers say by which rules the gangs of a campaign go."""
        return whole_campaign.campaign_decides(gang)

    def may_read(self, user: User, gang: Gang) -> bool:
        """Whether the user takes part in a campaign that the gang is or was in."""
        return Membership.objects.filter(gang=gang, campaign__participants__user=user).exists()

    def may_see(self, request: HttpRequest, gang: Gang) -> bool:
        """Whether the gang is or was in a campaign that the reader may see, by its watch link
        for instance."""
        return readable(request).filter(memberships__gang=gang).exists()

    def may_correct(self, user: User, gang: Gang) -> bool:
        """Whether the user runs a campaign that is not over and that the gang has not left."""
        playing = Campaign.objects.organised_by(user).open()
        return playing.filter(memberships__gang=gang, memberships__left_at=None).exists()

    def neighbours(self, gang: Gang) -> tuple[tuple[str, str], ...]:
        """The other gangs of the campaigns that the gang plays in. One query."""
        playing = Membership.objects.filter(left_at=None)
        campaigns = playing.filter(gang=gang).values("campaign")
        others = playing.filter(campaign__in=campaigns).exclude(gang=gang).order_by("joined_at")
        rows = others.values_list("gang", "gang__name")
        return tuple((str(key), name) for key, name in rows)

    def must_stay(self, gang: Gang, *, owner_goes: bool) -> bool:
        """Whether a campaign has results of the gang."""
        return deletion.needs(gang, owner_goes=owner_goes)

    def leave(self, gang: Gang, actor: User | None) -> bool:
        """The gang leaves the campaigns where it has not played, and is kept for the others."""
        return deletion.part(gang, actor)

    def corrected(self, gang: Gang, strike: Strike) -> None:
        """The owner is told."""
        campaigns_notices.gang_corrected(gang, strike)

    def todo(self, user: User) -> list[Todo]:
        """Games to report, to agree on, to play on from."""
        return todo.waiting(user)
