"""The question whether a user's gangs are coming to a night, on every page that shows nights."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from accounts.models import Notice, User
from campaigns.club.nights.schedule import LASTS, Guest, with_counts
from campaigns.models import Attendance, Membership, Night, has_seat_of_campaign
from gangs.models import Gang

# The answers that a player can give for their own gang.
OWN_ANSWERS: list[tuple[str, Promise]] = [
    (Attendance.Answer.YES, gettext_lazy("I’m in")),
    (Attendance.Answer.MAYBE, gettext_lazy("Maybe")),
    (Attendance.Answer.NO, gettext_lazy("Can’t make it")),
]
# Read at most this many nights to come.
MOST = 20


@dataclass(frozen=True)
class NightQuestion:
    """A night, with ``coming`` and ``unsure`` counted, and the reader's own gangs that may come."""

    night: Night
    mine: tuple[Guest, ...] = ()

    @property
    def is_asked(self) -> bool:
        """Whether the reader may answer: they have a gang there, and the night takes place."""
        return bool(self.mine) and self.night.cancelled_at is None

    @property
    def shown(self) -> tuple[object, ...]:
        """Everything that a page shows of the question, to compare it."""
        night = self.night
        counted = (getattr(night, "coming", 0), getattr(night, "unsure", 0))
        return night.pk, night.version, counted, [(one.gang.pk, one.answer) for one in self.mine]

    @property
    def unanswered(self) -> bool:
        """Whether an answer is still missing."""
        return self.is_asked and not all(guest.answer for guest in self.mine)


def ask(nights: Sequence[Night], gangs: Mapping[uuid.UUID, Sequence[Gang]]) -> list[NightQuestion]:
    """The nights with the answers of the reader's ``gangs``, given by campaign. Makes one query if
    there are any."""
    known: dict[tuple[uuid.UUID, uuid.UUID], str] = {}
    if nights and any(gangs.values()):
        keys = [gang.pk for own in gangs.values() for gang in own]
        rows = Attendance.objects.filter(night__in=nights, gang__in=keys)
        known = {(row.night_id, row.gang_id): row.answer for row in rows}
    return [
        NightQuestion(
            night,
            tuple(
                Guest(gang, known.get((night.pk, gang.pk), ""))
                for gang in gangs.get(night.campaign_id, ())
            ),
        )
        for night in nights
    ]


def nights_of(user: User, which: Q | None = None) -> list[Night]:
    """The nights that are on or to come in the user's open campaigns, soonest first, with their
    campaigns. Makes one query."""
    nights = Night.objects.filter(
        has_seat_of_campaign(user),
        which or Q(),
        campaign__archived_at=None,
        starts_at__gte=timezone.now() - LASTS,
    )
    ordered = with_counts(nights).select_related("campaign").order_by("starts_at", "pk")
    return list(ordered[:MOST])


def questions(user: User, which: Q | None = None) -> list[NightQuestion]:
    """The user's nights, as in ``nights_of``, each with the user's own gangs. Makes at most three
    queries."""
    nights = nights_of(user, which)
    return ask(nights, by_campaign(memberships_of(user)) if nights else {})


def memberships_of(user: User) -> list[Membership]:
    """The memberships of the user's gangs that play now, with gangs and campaigns. Makes one
    query."""
    rows = Membership.objects.playing().filter(gang__owner=user, campaign__archived_at=None)
    return list(rows.select_related("gang", "campaign").defer("gang__snapshot"))


def by_campaign(memberships: Iterable[Membership]) -> dict[uuid.UUID, list[Gang]]:
    """The gangs by the key of the campaign that they play in."""
    found: defaultdict[uuid.UUID, list[Gang]] = defaultdict(list)
    for row in memberships:
        found[row.campaign_id].append(row.gang)
    return found


def below_notices(request: HttpRequest, notices: Iterable[Notice]) -> dict[int, SafeString]:
    """The three answers below the newest notice of each night, by the notice's primary key."""
    newest: dict[uuid.UUID, int] = {}
    for notice in notices:
        if (night := _night_of(notice.url)) is not None:
            newest.setdefault(night, notice.pk)
    user = request.user
    if not newest or not user.is_authenticated:
        return {}
    return {
        newest[asked.night.pk]: render(request, asked, "notices")
        for asked in questions(user, Q(pk__in=newest))
        if asked.is_asked
    }


def _night_of(url: str) -> uuid.UUID | None:
    try:
        found = resolve(url)
    except Resolver404:
        return None
    return found.kwargs["night_id"] if found.view_name == "campaigns:night" else None


def render(
    request: HttpRequest, asked: NightQuestion, place: str, *, swapped: bool = False
) -> SafeString:
    """The question as a part of a page. ``place``: the page to go back to after an answer without
    scripts; ``swapped``: it replaces a question on the page, and brings the counts along."""
    context = {"question": asked, "place": place, "is_swap": swapped, "own_answers": OWN_ANSWERS}
    return render_to_string("campaigns/club/nights/_question.html", context, request)
