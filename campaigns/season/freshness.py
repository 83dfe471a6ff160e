"""Whether anything on a campaign's pages has changed: one query reads the campaign's state.

States are only compared, never shown. Rows that count their changes contribute their version; the
rest contribute their values as the database formats them. Code that writes need not know about
this.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from django.db import connection, models
from django.db.models import OuterRef, StringAgg, Subquery, TextField, Value
from django.db.models.expressions import RawSQL
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
    return _read("id", campaign)


def state_watched_by(key: str) -> CampaignState | None:
    """Return the state of the campaign that this watch key opens; None if there is none."""
    state = _read("watch_key", key)
    return state if state is not None and state.watch_key else None


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


def states_of(campaigns: Collection[uuid.UUID]) -> dict[uuid.UUID, CampaignState]:
    """Return the states of campaigns by key. As many queries as for one campaign have parts,
    however many campaigns there are: read a large site in pieces."""
    lines: dict[str, dict[uuid.UUID, str]] = {}
    for name, part in PARTS.items():
        rows = part.rows().filter(**{f"{part.campaign}__in": campaigns})
        joined = rows.values_list(part.campaign).annotate(lines=part.joined())
        lines[name] = dict(joined.values_list(part.campaign, "lines"))
    found = Campaign.objects.with_newest().filter(pk__in=campaigns).order_by()
    return {
        row[0]: _state(row[0], row[1], [lines[name].get(row[0], "") for name in PARTS], row[2:])
        for row in found.values_list("pk", "watch_key", *OTHERS)
    }


@dataclass(frozen=True)
class _Part:
    """Rows of a campaign: these ``values`` of each. ``campaign``: the path to their campaign."""

    model: type[models.Model]
    values: tuple[str, ...]
    campaign: str = "campaign"
    which: Mapping[str, object] = field(default_factory=dict, hash=False)

    def rows(self) -> models.QuerySet[models.Model]:
        """The rows of all campaigns."""
        return self.model._default_manager.filter(**self.which).order_by()

    def joined(self) -> StringAgg:
        """The lines of some rows, as an aggregate."""
        return StringAgg(Cast(JSONArray(*self.values), TextField()), Value(NEWLINE))

    def lines(self) -> Coalesce:
        """Return a subquery with the lines of a campaign's rows."""
        rows = self.rows().filter(**{self.campaign: OuterRef("pk")})
        joined = rows.values(self.campaign).annotate(lines=self.joined()).values("lines")
        return Coalesce(Subquery(joined), Value(""), output_field=TextField())


PARTS = {
    "seats": _Part(Participant, ("user", "role", "user__username", "user__stands_for")),
    "gangs": _Part(
        Membership,
        (
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
    ),
    "games_": _Part(Game, ("pk", "version", "luck_at")),
    "bargains_": _Part(Bargain, ("pk", "status", "giver", "taker")),
    "answers": _Part(Attendance, ("pk", "answer"), "night__campaign"),
    "stages_": _Part(Stage, ("pk", "version", "ended_at")),
    "nights_": _Part(Night, ("pk", "version", "starts_at", "cancelled_at")),
    "corrections": _Part(Side, ("pk",), "game__campaign", {"correcting": True}),
    "adjustments_": _Part(Adjustment, ("pk", "gang", "taken_back_at")),
    "trophies_": _Part(Trophy, ("pk",)),
    "awards_": _Part(TrophyAward, ("pk", "gang")),
}
FIELDS = ("hidden_why", "invite_key", "version", "book_version_id")
OTHERS = (*FIELDS, "newest", "archived_at")
# Stands in the parameters of a query for the value that is looked for.
WANTED = object()


def _read(name: str, value: object) -> CampaignState | None:
    """Return the state of the campaign with this value in a unique field."""
    sql, parameters = _query(name)
    column = cast("models.Field[Any, Any]", Campaign._meta.get_field(name))
    wanted = column.get_db_prep_value(value, connection)
    filled = [wanted if one is WANTED else one for one in parameters]
    for row in Campaign.objects.raw(sql, filled):
        lines, others = ([getattr(row, one) for one in names] for names in (PARTS, OTHERS))
        return _state(row.pk, row.watch_key, lines, others)
    return None


@cache
def _query(name: str) -> tuple[str, Sequence[object]]:
    """Return the SQL that reads the state of a campaign by a field, and its parameters. Django
    takes ten times as long to build it as the database to answer."""
    parts = {name: part.lines() for name, part in PARTS.items()}
    found = Campaign.objects.with_newest().only("watch_key", *FIELDS, "archived_at")
    found = found.filter(**{name: RawSQL("%s", [WANTED])}).order_by().annotate(**parts)
    sql, parameters = found.query.sql_with_params()
    return sql, parameters


def _state(
    key: uuid.UUID, watch_key: str, lines: Sequence[str], others: Sequence[object]
) -> CampaignState:
    """Return a state. ``lines``: of all parts, in their order."""
    shown = "" if others[0] else watch_key
    values: tuple[Any, ...] = (key, shown, *lines[:6], (*lines[6:], *others))
    return CampaignState(*values)
