"""Notices that a day brings: a round opens, or a fixture is soon due."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaigns import notices as campaigns_notices
from campaigns.league.rounds import announce
from campaigns.models import Fixture, Game, Round

# Seconds between two looks.
LOOKS_EVERY = 3600
# Remind players of a fixture without a game this long before its last day.
BEFORE = timedelta(days=3)


def send_due() -> int:
    """Send the notices that are due today, each once; return the number of rounds and fixtures.
    A periodic job."""
    today = timezone.localdate()
    sent = 0
    opening = Round.objects.filter(
        announced_at=None,
        opens__lte=today,
        stage__ended_at=None,
        stage__campaign__archived_at=None,
    )
    for one in opening.select_related("stage__campaign").order_by("pk"):
        with transaction.atomic():
            sent += announce(one)
    unarranged = Q(game=None) | Q(game__status=Game.Status.STRUCK)
    rows = Fixture.objects.unplayed().of_open_rounds().filter(unarranged, reminded_at=None)
    soon = rows.annotate(last=Coalesce(F("due"), F("round__due"))).filter(
        last__gte=today, last__lte=today + BEFORE
    )
    related = ("round__stage__campaign", "home__owner", "away__owner")
    for fixture in soon.select_related(*related).order_by("pk"):
        with transaction.atomic():
            # The update is the lock: of two processes, one sends the notice.
            fresh = Fixture.objects.filter(pk=fixture.pk, reminded_at=None)
            if fresh.update(reminded_at=timezone.now()):
                campaigns_notices.fixture_due(fixture)
                sent += 1
    return sent
