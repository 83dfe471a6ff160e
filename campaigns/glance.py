"""A glance at a campaign: whether anything that its page shows has changed. One query.

What is seen is compared, never shown: the versions of whatever counts its changes, and the rest as
it stands, every value as the database spells it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Count, Max, Model, QuerySet, TextField, UUIDField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from accounts.statements import Statement
from campaigns.models import Attendance, Bargain, Campaign, Game, Membership, Night, Participant

# So many columns has a row of a glance, the first of them for what it is about.
COLUMNS = tuple(f"column_{number}" for number in range(10))

type Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Glance:
    """What was seen. ``watch_key``: whoever has it may look on; ``seats``: the roles of those who
    take part, by the number of their account."""

    rows: frozenset[Row]
    watch_key: str
    seats: dict[str, str]


def glance(campaign: uuid.UUID) -> Glance | None:
    """Look at a campaign; None if there is none."""
    rows: list[Row] = GLANCE.rows(campaign)
    watch_key = next((str(row[1]) for row in rows if row[0] == "campaign"), None)
    if watch_key is None:
        return None
    seats = {str(row[2]): str(row[3]) for row in rows if row[0] == "seat"}
    return Glance(frozenset(rows), watch_key, seats)


def _glance(key: uuid.UUID) -> QuerySet[Campaign, Row]:
    answers = Attendance.objects.filter(night__campaign=key).values("night", "answer")
    parts = _told(
        Campaign.objects.with_newest().filter(pk=key),
        "campaign",
        *("watch_key", "invite_key", "version", "book_version", "newest", "archived_at"),
    ).union(
        _told(
            Participant.objects.filter(campaign=key),
            "seat",
            *("pk", "user", "role", "user__username", "user__stands_for"),
        ),
        _told(
            Membership.objects.filter(campaign=key),
            "gang",
            *("pk", "gang", "gang__version", "gang__share_key", "joined_at", "left_at"),
            *("gang__owner", "gang__owner__username", "gang__pictures"),
        ),
        _told(
            Game.objects.filter(campaign=key),
            "game",
            *("pk", "version", "status", "played_on", "created_at", "claim"),
        ),
        _told(Bargain.objects.filter(campaign=key), "bargain", *("pk", "status", "giver", "taker")),
        _told(
            Night.objects.filter(campaign=key),
            "night",
            *("pk", "version", "starts_at", "cancelled_at"),
        ),
        _told(answers, "answer", "night", "answer", Count("pk"), Max("at")),
        all=True,
    )
    return parts.order_by()


def _told[M: Model](
    found: QuerySet[M, object], about: str, *values: str | Combinable
) -> QuerySet[M, Row]:
    """These values of the rows, as text, in as many columns as every other part has."""
    given = [Value(about), *values]
    filled = [*given, *[Value("")] * (len(COLUMNS) - len(given))]
    columns = {name: Cast(value, TextField()) for name, value in zip(COLUMNS, filled, strict=True)}
    told: QuerySet[M, Row] = found.order_by().annotate(**columns).values_list(*COLUMNS)
    return told


GLANCE = Statement(_glance, UUIDField(), uuid.UUID("5ca1ab1e-0000-4000-8000-000000000001"))
