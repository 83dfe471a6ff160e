"""Admission to campaigns: personal invitations, requests to join, and barred accounts.

These rows name accounts of this site, so a campaign's file leaves them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models.campaign import Campaign, invite_key, somebody
from gangs.models import Gang

if TYPE_CHECKING:
    from accounts.models import User


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Queries for invitations."""

    def open(self) -> InvitationQuerySet:
        """Invitations that nobody has accepted yet."""
        return self.filter(accepted_at=None)

    def free_for(self, user: User | None) -> InvitationQuerySet:
        """Invitations by which this account may join: open ones that are not kept for another, and
        those that it has used. For a visitor, who may sign in, all open ones."""
        if user is None:
            return self.open()
        return self.filter(Q(accepted_at=None, accepted_by=None) | Q(accepted_by=user))


class Invitation(models.Model):
    """A personal invitation to a campaign, whose link lets one person join.

    ``whom``: the name or address as the organiser typed it; ``user``: the account that it belongs
    to, which no page reveals; ``accepted_by``: the account that joined or asked to with it (at
    ``accepted_at``) or, without that time, that has signed up by it.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    whom = models.CharField(max_length=254)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    key = models.CharField(max_length=32, unique=True, default=invite_key)
    by = somebody()
    at = models.DateTimeField(default=timezone.now)
    accepted_by = somebody()
    accepted_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "whom"],
                condition=Q(accepted_at=None),
                name="invitation_open_once",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation of {self.at:%Y-%m-%d %H:%M}"


class JoinRequest(models.Model):
    """A gang that wants to join, for an organiser to accept or decline. ``by``: its player."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="join_requests")
    gang = models.ForeignKey(Gang, models.CASCADE, related_name="join_requests")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "gang"], name="join_request_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gang} asks {self.campaign}"


class Barred(models.Model):
    """An account that may not come back to a campaign. ``by``: the organiser who barred it."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="barred")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    by = somebody()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="barred_once"),
        ]

    def __str__(self) -> str:
        return f"barred on {self.at:%Y-%m-%d}"
