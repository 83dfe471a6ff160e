"""Notices that a day brings: a round opens, or a fixture is soon due."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaigns import notices as campaigns_notices
from campaigns.league.rounds import announce
from campaigns.models import Fixture, FixtureQuerySet, Game, Round
from common.background import note_progress, renew_lease

# Seconds between two looks.
LOOKS_EVERY = 3600
# Remind players of a fixture without a game this long before its last day.
BEFORE = timedelta(days=3)
# Rounds and fixtures of one look; the next look goes on with the others.
MOST = 2_000


def send_due() -> int:
    """Send the notices that are due today, each once; return the number of rounds and fixtures.
    A periodic job: each look sends some of them, and notes how many it leaves to the next."""
    today = timezone.localdate()
    opening = Round.objects.filter(
        announced_at=None,
        opens__lte=today,
        stage__ended_at=None,
        stage__campaign__archived_at=None,
    )
    sent = 0
    for one in opening.select_related("stage__campaign").order_by("pk")[:MOST]:
        with transaction.atomic():
            sent += announce(one)
        renew_lease()
    soon = _find_soon()
    related = ("round__stage__campaign", "home__owner", "away__owner")
    for fixture in soon.select_related(*related).order_by("pk")[:MOST]:
        with transaction.atomic():
            # The update is the lock: of two processes, one sends the notice.
            fresh = Fixture.objects.filter(pk=fixture.pk, reminded_at=None)
            if fresh.update(reminded_at=timezone.now()):
                campaigns_notices.fixture_due(fixture)
                sent += 1
        renew_lease()
    note_progress(backlog=opening.count() + _find_soon().count())
    return sent


def _find_soon() -> FixtureQuerySet:
    """Fixtures without a game of which the last day is near. Makes a query."""
    today = timezone.localdate()
    soon = (today, today + BEFORE)
    # Its own day comes before that of the round. Their keys first: both days are found by an index,
    # which a database leaves aside beside all other conditions.
    fresh = Fixture.objects.filter(reminded_at=None).order_by()
    of_round = fresh.filter(due=None, round__due__range=soon)
    own = fresh.filter(due__range=soon)
    keys = own.values_list("pk").union(of_round.values_list("pk")).order_by()
    unarranged = Q(game=None) | Q(game__status=Game.Status.STRUCK)
    rows = Fixture.objects.unplayed().of_open_rounds()
    return rows.filter(unarranged, reminded_at=None, pk__in=[pk for (pk,) in keys])
