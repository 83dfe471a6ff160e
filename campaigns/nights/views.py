"""Game nights: all of them, one of them, arranging, changing, saying who comes; their calendar."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request, site_url
from campaigns.access import (
    open_to_spectators,
    organised_or_404,
    playing,
    readable,
    reader_campaign_or_404,
)
from campaigns.models import Attendance, Campaign, Night, Side
from campaigns.nights import schedule
from campaigns.nights.calendar import as_calendar, etag
from campaigns.nights.forms import AnswerForm, NightForm
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import GameLine, disambiguate, game_line
from common.errors import Refusal, Stale
from common.forms import posted_version
from gangs.models import Gang

# What a player says of their own gang.
OWN_ANSWERS = [
    (Attendance.Answer.YES, gettext_lazy("I’m in")),
    (Attendance.Answer.MAYBE, gettext_lazy("Maybe")),
    (Attendance.Answer.NO, gettext_lazy("Can’t make it")),
]
# How many past nights the list of nights shows.
PAST = 100


def night_or_404(request: Request, night_id: uuid.UUID, *, organised: bool = False) -> Night:
    """The night, if the reader may see its campaign, or (``organised``) runs it."""
    campaigns = Campaign.objects.organised_by(request.user) if organised else readable(request)
    visible = Night.objects.filter(campaign__in=campaigns)
    return get_object_or_404(visible.select_related("campaign"), pk=night_id)


@open_to_spectators
@require_safe
def all_nights(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """The nights to come, and those that were."""
    campaign = reader_campaign_or_404(request, campaign_id)
    to_come, over = schedule.around(campaign, PAST)
    context = {
        "campaign": campaign,
        "to_come": to_come,
        "over": over,
        "organises": campaign.is_run_by(request.user),
    }
    return render(request, "campaigns/nights/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Arrange a night."""
    return _form_page(request, organised_or_404(request, campaign_id), None)


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Change when and where; games planned for its day move along."""
    night = night_or_404(request, night_id, organised=True)
    return _form_page(request, night.campaign, night)


def _form_page(request: Request, campaign: Campaign, night: Night | None) -> HttpResponse:
    """The form of a night, and what it was sent for; ``night``: None for a new one."""
    form = NightForm(night, request.POST if request.method == "POST" else None)
    status, error = 422 if form.is_bound else 200, ""
    if form.is_valid():
        values = {name: form.cleaned_data[name] for name in ("starts_at", "place", "note")}
        try:
            if night is None:
                token = form.cleaned_data["token"]
                arranged = schedule.arrange(campaign, **values, token=token, actor=request.user)
                return redirect(arranged)
            version = posted_version(request.POST, "seen")
            schedule.change(night, **values, expected_version=version, actor=request.user)
            return redirect(night)
        except Refusal as refusal:
            error = refusal_sentence(refusal)
        except Stale:
            assert night is not None
            night.refresh_from_db()
            status = 409
            error = _(
                "Somebody changed this night in the meantime. What you typed is not saved yet:"
                " compare it with the night’s page, then save again."
            )
    context = {"campaign": campaign, "night": night, "form": form, "error": error}
    return render(request, "campaigns/nights/form.html", context, status=status)


@open_to_spectators
@require_safe
def night(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """A night: when and where, who comes, who plays whom."""
    return night_page(request, night_or_404(request, night_id))


def night_page(
    request: Request, night: Night, *, error: str = "", status: int = 200
) -> HttpResponse:
    """The page of a night, perhaps with what went wrong."""
    campaign = night.campaign
    guests = schedule.guests(night, playing(campaign))
    answers = [guest.answer for guest in guests]
    games = _games(request, night, [guest.gang for guest in guests])
    context = {
        "night": night,
        "campaign": campaign,
        "guests": guests,
        "mine": [
            guest for guest in guests if guest.gang.is_owned_by(request.user) and not guest.left
        ],
        "answers": Attendance.Answer.choices,
        "own_answers": OWN_ANSWERS,
        "counted": [(label, answers.count(key)) for key, label in Attendance.Answer.choices],
        "silent": answers.count(""),
        "games": games,
        "has_pending": any(line.game.is_pending for line in games),
        "organises": campaign.is_run_by(request.user),
        "takes_part": bool(campaign.role_of(request.user)),
        "open": night.cancelled_at is None and campaign.archived_at is None,
        "error": error,
    }
    return render(request, "campaigns/nights/night.html", context, status=status)


def _games(request: Request, night: Night, gangs: list[Gang]) -> list[GameLine]:
    """The night's games, with their sides. Two queries, and one for those of gangs that left."""
    known = {gang.pk: gang for gang in gangs}
    sides = Prefetch("sides", Side.objects.with_standing().defer("draft", "comment"))
    lines = []
    for game in night.games.defer("note").order_by("created_at").prefetch_related(sides):
        game.campaign = night.campaign
        for side in game.sides.all():
            if side.gang_id in known:
                side.gang = known[side.gang_id]
        sides_of_game, url = list(game.sides.all()), game.get_absolute_url()
        lines.append(game_line(night.campaign.book, game, sides_of_game, request.user, url))
    return disambiguate(lines)


@require_POST
def cancel(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Call the night off, or on again: the button says which."""
    night = night_or_404(request, night_id, organised=True)
    act = schedule.revive if "back" in request.POST else schedule.cancel
    version, actor = posted_version(request.POST, "seen"), request.user
    return _answered(request, night, partial(act, night, expected_version=version, actor=actor))


@require_POST
def answer(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Say whether a gang comes."""
    night = night_or_404(request, night_id)
    form = AnswerForm(request.POST)
    gangs = {gang.pk: gang for gang in playing(night.campaign)}
    if not form.is_valid() or form.cleaned_data["gang"] not in gangs:
        return night_page(request, night, error=_("Which gang, and does it come?"), status=422)
    gang, choice = gangs[form.cleaned_data["gang"]], form.cleaned_data["answer"]
    done = f"{gang.name}: {Attendance.Answer(choice).label}"
    act = partial(schedule.answer, night, gang, choice, actor=request.user)
    return _answered(request, night, act, done)


def _answered(
    request: Request, night: Night, act: Callable[[], None], done: str = ""
) -> HttpResponse:
    """Do it and say so, or show the night as it stands now with the reason why not."""
    words = _("Somebody changed this night in the meantime. Here it is as it stands now.")
    error, status = attempt(words, act)
    if error:
        night.refresh_from_db()
        return night_page(request, night, error=error, status=status)
    if done:
        messages.success(request, done)
    return redirect(night)


@login_not_required
@require_safe
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """All nights of a campaign, cancelled ones too, for programs: they sign in nowhere, but know
    the key. Two queries."""
    campaign = get_object_or_404(Campaign, watch_key=key)
    nights = list(campaign.nights.order_by("starts_at", "pk"))
    site = site_url(request)
    tag = etag(campaign, nights, site)
    file = as_calendar(campaign, nights, site, timezone.now())
    response = HttpResponse(file, content_type="text/calendar; charset=utf-8")
    response["ETag"] = tag
    return get_conditional_response(request, etag=tag, response=response) or response
