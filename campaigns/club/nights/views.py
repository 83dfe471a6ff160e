"""Game nights: all of them, one of them, arranging, changing, saying who comes; their calendar."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts import notices
from accounts.http import Request, site_url
from campaigns import waiting
from campaigns.access import (
    open_to_spectators,
    organised_or_404,
    playing,
    readable,
    reader_campaign_or_404,
)
from campaigns.club.nights import questions, schedule
from campaigns.club.nights.forms import AnswerForm, AnswersForm, NightForm
from campaigns.colours import colours_of
from campaigns.models import Attendance, Campaign, Night, Side
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import GameLine, disambiguate, game_line
from common.errors import Refusal, Stale
from common.forms import INVALID, OK, posted_version
from gangs.models import Gang

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
    return render(request, "campaigns/club/nights/list.html", context)


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
    last = campaign.nights.order_by("-starts_at").first() if night is None else None
    form = NightForm(night, request.POST if request.method == "POST" else None, last=last)
    status, error = 422 if form.is_bound else 200, ""
    if form.is_valid():
        try:
            if night is None:
                token = form.cleaned_data["token"]
                actor = request.user
                found = schedule.arrange_all(campaign, form.nights, token=token, actor=actor)
                return redirect(found[0] if len(found) == 1 else _list_of(campaign))
            version, details = posted_version(request.POST, "seen"), form.nights[0]
            schedule.change(night, **details, expected_version=version, actor=request.user)
            return redirect(night)
        except Refusal as refusal:
            error = refusal_sentence(refusal)
        except Stale:
            assert night is not None
            night.refresh_from_db()
            status = 409
            error = _(
                "Somebody changed this game night in the meantime. What you typed is not saved "
                "yet: compare it with the night’s page, then save again."
            )
    context = {"campaign": campaign, "night": night, "form": form, "error": error}
    return render(request, "campaigns/club/nights/form.html", context, status=status)


def _list_of(campaign: Campaign) -> str:
    return reverse("campaigns:nights", args=[campaign.pk])


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
    state = waiting.state(
        night.version,
        [(guest.gang.pk, guest.answer, guest.left) for guest in guests],
        [(line.game.pk, line.game.version, line.game.status) for line in games],
    )
    if status == OK and (known := waiting.nothing_new(request, state)):
        return known
    context = {
        "night": night,
        "state": state,
        "campaign": campaign,
        "colours": colours_of(campaign),
        "guests": guests,
        "mine": [
            guest for guest in guests if guest.gang.is_owned_by(request.user) and not guest.left
        ],
        "own_answers": questions.OWN_ANSWERS,
        "counted": _counted(answers),
        "games": games,
        "has_pending": any(line.game.is_pending for line in games),
        "organises": campaign.is_run_by(request.user),
        "takes_part": bool(campaign.role_of(request.user)),
        "open": night.cancelled_at is None and campaign.archived_at is None,
        "error": error,
    }
    return render(request, "campaigns/club/nights/night.html", context, status=status)


def _counted(answers: Sequence[str]) -> str:
    """How many gangs gave which answer, such as "Going 3 · Maybe 1"."""
    said = [(str(label), answers.count(key)) for key, label in Attendance.Answer.choices]
    found = [f"{label}\u00a0{count}" for label, count in said]
    if silent := answers.count(""):
        found.append(_("No answer yet %(count)s") % {"count": silent})
    return " · ".join(found)


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
    error, status = _attempt(act, night, expected_version=version, actor=actor)
    return _as_it_stands(request, night, error, status) if error else redirect(night)


@require_POST
def delete(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Take the night off the list for good. Of one that is gone already its form says to which
    campaign it belonged."""
    if gone := _gone(request, night_id):
        return gone
    night = night_or_404(request, night_id, organised=True)
    version, nights = posted_version(request.POST, "seen"), _list_of(night.campaign)
    error, status = _attempt(schedule.delete, night, expected_version=version, actor=request.user)
    if error:
        return _gone(request, night_id) or _as_it_stands(request, night, error, status)
    messages.success(request, _("Game night deleted."))
    return redirect(nights)


def _gone(request: Request, night_id: uuid.UUID) -> HttpResponse | None:
    """The answer to whoever deletes what was deleted before; None if it was not."""
    try:
        campaign_id = uuid.UUID(request.POST.get("of", ""))
    except ValueError:
        return None
    if Night.objects.filter(pk=night_id).exists():
        return None
    campaign = organised_or_404(request, campaign_id)
    messages.info(request, _("This game night was already deleted."))
    return redirect(_list_of(campaign))


@require_POST
def answer(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Say whether a gang comes. With htmx the question comes back, answered; where it is not asked
    any more, the night's page says why."""
    night = night_or_404(request, night_id)
    url, place = night.get_absolute_url(), request.POST.get("place", "")
    form = AnswerForm(request.POST)
    gangs = {gang.pk: gang for gang in playing(night.campaign)}
    if not form.is_valid() or form.cleaned_data["gang"] not in gangs:
        return _as_it_stands(request, night, _("Which gang, and is it coming?"), INVALID)
    gang, choice = gangs[form.cleaned_data["gang"]], form.cleaned_data["answer"]
    error, status = _attempt(schedule.answer, night, gang, choice, actor=request.user)
    if error:
        return _as_it_stands(request, night, error, status)
    notices.mark_read_about(request.user, url)
    asked = questions.questions(request.user, Q(pk=night.pk)) if request.htmx else []
    if asked:
        return HttpResponse(questions.render(request, asked[0], place, swapped=True))
    messages.success(request, _said(gang, choice))
    if request.htmx:
        return HttpResponseClientRedirect(url)
    if place == "campaign":
        return redirect(night.campaign)
    return redirect(place if place in ("tonight", "notices") else night)


def _attempt[**P](act: Callable[P, object], *args: P.args, **options: P.kwargs) -> tuple[str, int]:
    """As ``attempt``, with what is said of a night that somebody else changed."""
    words = _("Somebody changed this game night in the meantime. Here is the latest version.")
    return attempt(words, act, *args, **options)


def _as_it_stands(request: Request, night: Night, error: str, status: int) -> HttpResponse:
    """The night as it is now, with the reason why something was not done."""
    if request.htmx:
        messages.error(request, error)
        return HttpResponseClientRedirect(night.get_absolute_url())
    night.refresh_from_db()
    return night_page(request, night, error=error, status=status)


def _said(gang: Gang, choice: str) -> str:
    """What was answered, as its player reads it."""
    match Attendance.Answer(choice):
        case Attendance.Answer.YES:
            words = _("%(gang)s: going")
        case Attendance.Answer.MAYBE:
            words = _("%(gang)s: maybe")
        case Attendance.Answer.NO:
            words = _("%(gang)s: can’t make it")
    return words % {"gang": gang.name}


@require_http_methods(["GET", "HEAD", "POST"])
def answers(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """An organiser answers for all gangs on one page."""
    night = night_or_404(request, night_id, organised=True)
    guests = schedule.guests(night, playing(night.campaign))
    here = [guest for guest in guests if not guest.left]
    form = AnswersForm(here, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        choices = form.choices()
        error, status = _attempt(schedule.answer_all, night, choices, actor=request.user)
        if not error:
            messages.success(request, _("Answers saved."))
            return redirect(night)
    context = {"night": night, "campaign": night.campaign, "form": form, "error": error}
    context["colours"] = colours_of(night.campaign)
    return render(request, "campaigns/club/nights/answers.html", context, status=status)


@login_not_required
@require_safe
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """All nights of a campaign, cancelled ones too, for programs: they sign in nowhere, but know
    the key. ``lang``: in which language; without it, in that of the site."""
    campaign = get_object_or_404(Campaign, watch_key=key)
    # Its library is needed for this page only.
    from campaigns.club.nights.calendar import as_calendar, etag, nights_of

    nights, site = nights_of(campaign), site_url(request)
    asked = request.GET.get("lang", "")
    with translation.override(
        asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    ):
        tag = etag(campaign, nights, site)
        response = get_conditional_response(request, etag=tag)
        if response is None:
            file = as_calendar(campaign, nights, site, timezone.now())
            response = HttpResponse(file, content_type="text/calendar; charset=utf-8")
    response["ETag"] = tag
    return response
