"""Bonuses and penalties in a campaign's standings, and its trophies."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign, somebody
from gangs.models import Gang

# The most bonuses and penalties of a campaign.
MOST_ADJUSTMENTS = 500
# The most trophies of a club's own, and the most awards.
MOST_TROPHIES, MOST_TROPHY_AWARDS = 50, 500


class Adjustment(models.Model):
    """A bonus or penalty in the standings by an organiser, for a reason that all readers see.

    ``name`` outlives the gang. A taken-back one no longer counts, but the chronicle mentions it.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="adjustments")
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=80)
    points = models.IntegerField()
    reason = models.CharField(max_length=300)
    by = somebody()
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = somebody()

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.points:+} for {self.name}"


class Trophy(models.Model):
    """A trophy of the club's own. ``count``: as in the rulebook's trophies."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="trophies")
    name = models.CharField(max_length=80)
    text = models.CharField(max_length=300, blank=True)
    count = models.CharField(max_length=20)
    by = somebody()
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return self.name


class TrophyAward(models.Model):
    """A trophy that an organiser awarded: the club's ``trophy``, or the rulebook's with this
    ``book_trophy``. ``member``: 0 for the whole gang; both names outlive the gang."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="trophy_awards")
    trophy = models.ForeignKey(Trophy, models.CASCADE, null=True, related_name="awards")
    book_trophy = models.CharField(max_length=40, blank=True)
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    gang_name = models.CharField(max_length=80)
    member = models.IntegerField(default=0)
    member_name = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    by = somebody()
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.trophy or self.book_trophy}: {self.member_name or self.gang_name}"
