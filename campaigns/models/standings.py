"""Bonuses and penalties in a campaign's standings."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign, somebody
from gangs.models import Gang

# The most bonuses and penalties of a campaign.
MOST_ADJUSTMENTS = 500


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
