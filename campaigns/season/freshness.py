"""Whether anything on a campaign's pages has changed: one query reads the campaign's state.

States are only compared, never shown. Rows that count their changes contribute their version; the
rest contribute their values as the database formats them. Code that writes need not know about
this.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import OuterRef, StringAgg, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, JSONArray
from django.http import Http404, HttpRequest

from campaigns.access import watched_keys
from campaigns.models import (
    Adjustment,
    Attendance,
    Bargain,
    Campaign,
    Game,
    Membership,
    Night,
    Participant,
    Side,
    Stage,
    Trophy,
    TrophyAward,
)

NEWLINE = "\n"


@dataclass(frozen=True)
class CampaignState:
    """The state of a campaign and of everything on its pages.

    ``watch_key`` lets anybody who has it read the campaign; "" while administrators hide it.
    ``seats``, ``gangs``, ``games``, ``bargains``, ``answers`` (to nights) and ``stages`` have a
    line for each row: a JSON array that begins with the row's key (of ``seats``: the account's).
    ``others`` is only compared; it includes the nights, the post-games that are being corrected,
    bonuses, penalties and trophies.
    """

    id: uuid.UUID
    watch_key: str
    seats: str
    gangs: str
    games: str
    bargains: str
    answers: str
    stages: str
    others: tuple[object, ...]


def keys(part: str, unless_in: str = "") -> set[str]:
    """Return the keys of the lines in one part of a state that are not in ``unless_in``."""
    lines = {*part.split(NEWLINE)} - {"", *unless_in.split(NEWLINE)}
    return {str(json.loads(line)[0]) for line in lines}


def state_of(campaign: uuid.UUID) -> CampaignState | None:
    """Return the state of a campaign; None if it does not exist."""
    return _read(pk=campaign)


def state_watched_by(key: str) -> CampaignState | None:
    """Return the state of the campaign that this watch key opens; None if there is none."""
    return _read(watch_key=key, hidden_why="")


def readable_state_or_404(request: HttpRequest, campaign_id: uuid.UUID) -> CampaignState:
    """Return the state of the campaign. Raises Http404 if the reader may not see it."""
    state = state_of(campaign_id)
    if state is None or not may_look_on(request, state):
        raise Http404
    return state


def may_look_on(request: HttpRequest, state: CampaignState) -> bool:
    """Whether the reader may see the campaign, by the same rule as ``access.readable``."""
    if state.watch_key and state.watch_key in watched_keys(request):
        return True
    return request.user.is_authenticated and str(request.user.pk) in keys(state.seats)


def _read(**which: object) -> CampaignState | None:
    parts = {
        "seats": _lines(Participant, "user", "role", "user__username", "user__stands_for"),
        "gangs": _lines(
            Membership,
            "gang",
            "gang__version",
            "gang__share_key",
            "gang__hidden_why",
            "joined_at",
            "left_at",
            "retired_at",
            "player",
            "gang__owner",
            "gang__owner__username",
            "gang__pictures",
        ),
        "games_": _lines(Game, "pk", "version", "luck_at"),
        "bargains_": _lines(Bargain, "pk", "status", "giver", "taker"),
        "answers": _lines(Attendance, "pk", "answer", campaign="night__campaign"),
        "stages_": _lines(Stage, "pk", "version", "ended_at"),
        "nights_": _lines(Night, "pk", "version", "starts_at", "cancelled_at"),
        "corrections": _lines(Side, "pk", campaign="game__campaign", correcting=True),
        "adjustments_": _lines(Adjustment, "pk", "gang", "taken_back_at"),
        "trophies_": _lines(Trophy, "pk"),
        "awards_": _lines(TrophyAward, "pk", "gang"),
    }
    found = Campaign.objects.with_newest().filter(**which).order_by()
    others = ("hidden_why", "invite_key", "version", "book_version", "newest", "archived_at")
    row: tuple[Any, ...] | None = (
        found.annotate(**parts).values_list("pk", "watch_key", *parts, *others).first()
    )
    if row is None:
        return None
    key = "" if row[-len(others)] else row[1]
    values: tuple[Any, ...] = (row[0], key, *row[2:8], row[8:])
    return CampaignState(*values)


def _lines(
    model: type[models.Model], *values: str, campaign: str = "campaign", **which: object
) -> Coalesce:
    """Return a subquery with these values of all the campaign's rows, one line for each row."""
    rows = model._default_manager.filter(**{campaign: OuterRef("pk")}, **which).order_by()
    line = Cast(JSONArray(*values), TextField())
    joined = rows.values(campaign).annotate(lines=StringAgg(line, Value(NEWLINE))).values("lines")
    return Coalesce(Subquery(joined), Value(""), output_field=TextField())
