"""Pages of game nights: the list, a night, its form, the answers, and the calendar."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.http import Request, site_url
from campaigns.access import (
    open_to_spectators,
    organised_or_404,
    playing,
    readable,
    reader_campaign_or_404,
)
from campaigns.club.nights import questions, schedule
from campaigns.club.nights.forms import AnswersForm, NightForm
from campaigns.club.nights.results import results_of
from campaigns.colours import colours_of
from campaigns.models import Attendance, Campaign, Game, Night
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import disambiguate, game_lines
from common import waiting
from common.errors import Refusal, Stale
from common.forms import INVALID, OK, posted_version, require_safe_or_post
from gangs.models import Gang

# The list of nights shows this many past nights.
PAST = 100


def night_or_404(request: Request, night_id: uuid.UUID, *, organised: bool = False) -> Night:
    """The night, if the reader may see its campaign, or runs it where ``organised``."""
    campaigns = Campaign.objects.organised_by(request.user) if organised else readable(request)
    visible = Night.objects.filter(campaign__in=campaigns)
    return get_object_or_404(visible.select_related("campaign"), pk=night_id)


@open_to_spectators
@require_safe
def all_nights(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """The nights to come, and the past nights."""
    campaign = reader_campaign_or_404(request, campaign_id)
    to_come, over = schedule.around(campaign, PAST)
    context = {
        "campaign": campaign,
        "to_come": to_come,
        "over": over,
        "organises": campaign.is_run_by(request.user),
    }
    return render(request, "campaigns/club/nights/list.html", context)


@require_safe_or_post
def new(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Arrange a night, or several."""
    return _form_page(request, organised_or_404(request, campaign_id), None)


@require_safe_or_post
def change(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Change a night. Games planned for its day move with it."""
    night = night_or_404(request, night_id, organised=True)
    return _form_page(request, night.campaign, night)


def _form_page(request: Request, campaign: Campaign, night: Night | None) -> HttpResponse:
    """The form of a night; when it is sent, change the ``night`` or schedule new ones (None)."""
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
    """A night: when and where it is, the guests, and the games."""
    return night_page(request, night_or_404(request, night_id))


def night_page(
    request: Request, night: Night, *, error: str = "", status: int = 200
) -> HttpResponse:
    """The page of a night, with an ``error`` if the reader's change failed."""
    campaign = night.campaign
    guests = schedule.guests(night, playing(campaign))
    answers = [guest.answer for guest in guests]
    in_order = night.games.order_by("created_at")
    games = disambiguate(game_lines(in_order, request.user, campaign))
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
        "counted": _count_answers(answers),
        "games": games,
        "has_pending": any(line.game.is_pending for line in games),
        "organises": campaign.is_run_by(request.user),
        "takes_part": bool(campaign.role_of(request.user)),
        "is_open": night.cancelled_at is None and campaign.archived_at is None,
        "is_over": schedule.is_over(night),
        "error": error,
    }
    return render(request, "campaigns/club/nights/night.html", context, status=status)


def _count_answers(answers: Sequence[str]) -> str:
    """The number of gangs with each answer, such as "Going 3 · Maybe 1"."""
    said = [(str(label), answers.count(key)) for key, label in Attendance.Answer.choices]
    found = [f"{label}\u00a0{count}" for label, count in said]
    if silent := answers.count(""):
        found.append(_("No answer yet %(count)s") % {"count": silent})
    return " · ".join(found)


@open_to_spectators
@require_safe
def results(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """The results of all games of the night."""
    night = night_or_404(request, night_id)
    games = results_of(night, request.user)
    context = {
        "night": night,
        "campaign": night.campaign,
        "colours": colours_of(night.campaign),
        "games": games,
        "organises": night.campaign.is_run_by(request.user),
        "confirmed": sum(one.line.game.status == Game.Status.CONFIRMED for one in games),
    }
    return render(request, "campaigns/club/nights/results.html", context)


@require_POST
def cancel(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Call the night off, or put it back on: the button says which."""
    night = night_or_404(request, night_id, organised=True)
    act = schedule.revive if "back" in request.POST else schedule.cancel
    version, actor = posted_version(request.POST, "seen"), request.user
    error, status = _attempt(act, night, expected_version=version, actor=actor)
    return _show_latest(request, night, error, status) if error else redirect(night)


@require_POST
def delete(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Delete the night. The form names its campaign, in case the night is already deleted."""
    if gone := _redirect_if_deleted(request, night_id):
        return gone
    night = night_or_404(request, night_id, organised=True)
    version, nights = posted_version(request.POST, "seen"), _list_of(night.campaign)
    error, status = _attempt(schedule.delete, night, expected_version=version, actor=request.user)
    if error:
        return _redirect_if_deleted(request, night_id) or _show_latest(
            request, night, error, status
        )
    messages.success(request, _("Game night deleted."))
    return redirect(nights)


def _redirect_if_deleted(request: Request, night_id: uuid.UUID) -> HttpResponse | None:
    """The response for a night that was already deleted; None if it was not."""
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
    """Record whether a gang comes. With htmx the answered question is returned, on the night's own
    page the page; if it is no longer open, the night's page explains why.
    """
    night = night_or_404(request, night_id)
    url, place = night.get_absolute_url(), request.POST.get("place", "")
    gangs = {str(gang.pk): gang for gang in playing(night.campaign)}
    gang, choice = gangs.get(request.POST.get("gang", "")), request.POST.get("answer", "")
    if gang is None or choice not in Attendance.Answer.values:
        return _show_latest(request, night, _("Which gang, and is it coming?"), INVALID)
    error, status = _attempt(schedule.answer, night, gang, choice, actor=request.user)
    if error:
        return _show_latest(request, night, error, status)
    if place == "night":
        # The whole page shows the answer, and the reader stays at its buttons.
        return redirect(url if request.htmx else f"{url}#coming-{night.pk}")
    asked = questions.questions(request.user, Q(pk=night.pk)) if request.htmx else []
    if asked:
        return HttpResponse(questions.render(request, asked[0], place, swapped=True))
    messages.success(request, _answer_sentence(gang, choice))
    if request.htmx:
        return HttpResponseClientRedirect(url)
    if place == "campaign":
        return redirect(night.campaign)
    return redirect(place if place in ("tonight", "notices") else night)


def _attempt[**P](act: Callable[P, object], *args: P.args, **options: P.kwargs) -> tuple[str, int]:
    """Run ``attempt`` with the sentence for a night that somebody else has changed."""
    words = _("Somebody changed this game night in the meantime. Here is the latest version.")
    return attempt(words, act, *args, **options)


def _show_latest(request: Request, night: Night, error: str, status: int) -> HttpResponse:
    """The night as it is now, with the reason why a change failed."""
    if request.htmx:
        messages.error(request, error)
        return HttpResponseClientRedirect(night.get_absolute_url())
    night.refresh_from_db()
    return night_page(request, night, error=error, status=status)


def _answer_sentence(gang: Gang, choice: str) -> str:
    """The answer as its player reads it."""
    words = {
        Attendance.Answer.YES: _("%(gang)s: going"),
        Attendance.Answer.MAYBE: _("%(gang)s: maybe"),
        Attendance.Answer.NO: _("%(gang)s: can’t make it"),
    }
    return words[Attendance.Answer(choice)] % {"gang": gang.name}


@require_safe_or_post
def answers(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """The organiser's form with the answers of all gangs."""
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
    """All nights of a campaign, cancelled ones too, for calendar programs: they do not sign in, but
    know the key. ``?lang=`` is the language; without it, the site's."""
    campaign = get_object_or_404(Campaign.objects.shown(), watch_key=key)
    # Its library is needed for this page only.
    from campaigns.club.nights.calendar import as_calendar, etag, nights_of, rounds_of

    nights, rounds, site = nights_of(campaign), rounds_of(campaign), site_url(request)
    asked = request.GET.get("lang", "")
    with translation.override(
        asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    ):
        tag = etag(campaign, nights, site, rounds)
        response = get_conditional_response(request, etag=tag)
        if response is None:
            file = as_calendar(campaign, nights, site, timezone.now(), rounds)
            response = HttpResponse(file, content_type="text/calendar; charset=utf-8")
    response["ETag"] = tag
    return response
