"""Pages of a campaign's people: roles, links, following, retiring, leaving."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns.access import (
    campaign_or_404,
    gangs_of,
    organised_or_404,
    readable,
    reader_campaign_or_404,
    remember_watching,
)
from campaigns.club.people import ending, joining, roles
from campaigns.club.people.forms import HandOverForm, InviteForm, PartingForm
from campaigns.models import Campaign, JoinRequest, Membership, Participant
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import campaign_summary, gang_names, name_here, names_here
from common.errors import Refusal
from common.forms import require_safe_or_post
from gangs.models import Gang
from gangs.pictures.faces import colours_among


@require_safe
def people(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Everybody with their role and gangs. Organisers can change them."""
    return people_page(request, campaign_or_404(request, campaign_id))


def people_page(
    request: Request, campaign: Campaign, *, form: InviteForm | None = None, status: int = 200
) -> HttpResponse:
    """The page of people, with a ``form`` that was sent with errors."""
    gangs, taking_part = gangs_of(campaign), {seat.user_id for seat in campaign.seats}
    organises = campaign.is_run_by(request.user)
    open_games = joining.open_games_of(campaign) if organises else Counter()
    names = gang_names(gangs)
    for gang in gangs:
        gang.name_here = names[gang.pk]  # type: ignore[attr-defined]
    context = {
        "campaign": campaign,
        "colours": colours_among(str(gang.pk) for gang in gangs),
        "organises": organises,
        "has_gang": any(gang.owner_id == request.user.pk for gang in gangs),
        "requests": _requests(campaign, gangs) if organises else [],
        "invitations": list(campaign.invitations.open()) if organises else [],
        "barred": list(campaign.barred.select_related("user")) if organises else [],
        "lines": [
            (
                seat,
                [gang for gang in gangs if gang.owner_id == seat.user_id],
                open_games[seat.user_id],
            )
            for seat in campaign.seats
        ],
        "loose": [gang for gang in gangs if gang.owner_id not in taking_part],
        "roles": Participant.Role.choices,
        "form": form or InviteForm(),
    }
    return render(request, "campaigns/club/people/participants.html", context, status=status)


@dataclass(frozen=True)
class RequestLine:
    """A gang that asks to join. ``name``: with its player's among namesakes; ``wrong``: why it does
    not fit, as its player's own page says it."""

    request: JoinRequest
    name: str
    wrong: Sequence[str]


def _requests(campaign: Campaign, gangs: Iterable[Gang]) -> list[RequestLine]:
    """The gangs that ask to join, the oldest request first. Four queries for any number."""
    rows = campaign.join_requests.select_related("by", "gang__owner", "gang__book_version")
    found = list(
        rows.defer("gang__book_version__canonical").prefetch_related("gang__memberships__campaign")
    )
    names = gang_names([*gangs, *(one.gang for one in found)])
    return [RequestLine(one, names[one.gang_id], _problems(campaign, one.gang)) for one in found]


def _problems(campaign: Campaign, gang: Gang) -> list[str]:
    refusal = joining.why_not(campaign, gang)
    if refusal is not None:
        return [refusal_sentence(refusal)]
    mistakes = joining.mistakes(campaign, gang)
    condition = joining.check_conditions(campaign, gang, mistakes)
    keeps_out = [refusal_sentence(condition)] if condition is not None else []
    return [*keeps_out, *joining.describe_mistakes(mistakes)]


def answer(
    request: Request, campaign: Campaign, act: Callable[[], object], done: str
) -> HttpResponse:
    """Do the act, and show the page again with the sentence ``done``, or with the error."""
    stale = _("Somebody else was faster. Here is the latest version.")
    error, status = attempt(stale, act)
    if error:
        messages.error(request, error)
        return people_page(request, Campaign.objects.get(pk=campaign.pk), status=status)
    messages.success(request, done)
    return redirect("campaigns:people", campaign.pk)


@require_POST
def role(request: Request, campaign_id: uuid.UUID, seat_id: int) -> HttpResponse:
    """Make somebody an organiser, a player or a spectator."""
    campaign = organised_or_404(request, campaign_id)
    seat = get_object_or_404(campaign.participants.all(), pk=seat_id)
    try:
        wanted = Participant.Role(request.POST.get("role", ""))
    except ValueError:
        return people_page(request, campaign, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    done = _("%(name)s: %(role)s.") % {"name": seat.user, "role": wanted.label}
    change = partial(roles.change_role, campaign, seat, wanted, actor=request.user)
    seen = request.POST.get("seen", "")
    response = answer(request, campaign, partial(change, expected_role=seen), done)
    if seat.user == request.user and seat.role != Participant.Role.ORGANISER:
        return redirect(campaign)
    return response


@require_POST
def hand_over(request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID) -> HttpResponse:
    """Give a gang to somebody else who takes part."""
    campaign = organised_or_404(request, campaign_id)
    gang = get_object_or_404(Gang, pk=gang_id, memberships__campaign=campaign)
    form = HandOverForm(request.POST)
    seat = None
    if form.is_valid():
        seat = campaign.participants.filter(user=form.cleaned_data["to"]).first()
    if seat is None:
        messages.error(request, refusal_sentence(Refusal("not_taking_part")))
        return people_page(request, campaign, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    done = _("%(gang)s belongs to %(name)s now.") % {"gang": gang.name, "name": seat.user}
    give = partial(joining.hand_over, campaign, gang, seat.user, actor=request.user)
    seen = form.cleaned_data["seen"]
    return answer(request, campaign, partial(give, expected_owner=seen), done)


@require_safe_or_post
def depart(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Leave the campaign, with one's gangs or without them."""
    campaign = campaign_or_404(request, campaign_id)
    played, unplayed = joining.played_gangs(campaign, request.user)
    names = names_here(campaign)
    form = PartingForm(played, names, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _("Something has just changed elsewhere. Try again.")
        error, status = attempt(stale, roles.depart, campaign, request.user, behind=form.behind())
        if not error:
            messages.success(request, _("You have left %(name)s.") % {"name": campaign.name})
            return redirect("campaigns:list")
    context = {"campaign": campaign, "form": form, "unplayed": unplayed, "error": error}
    context["runs_alone"] = campaign.organisers == [request.user]
    context["has_results"] = ending.why_not_deleted(campaign) is not None
    return render(request, "campaigns/club/people/depart.html", context, status=status)


@require_POST
def renew_invitation(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Make a new link, for players or for spectators. The old link stops working."""
    campaign = organised_or_404(request, campaign_id)
    roles.renew_link(campaign, "watch_key" if "watch" in request.POST else "invite_key")
    messages.success(request, _("Here is a new link. The old one no longer works."))
    return redirect("campaigns:people", campaign.pk)


@require_safe_or_post
def leave(request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID) -> HttpResponse:
    """Take a gang out of the campaign, as its owner or an organiser.

    If the gang has played, the page lets its owner take it along or leave it to the campaign.
    """
    campaign = campaign_or_404(request, campaign_id)
    membership = get_object_or_404(
        Membership.objects.select_related("gang__owner"), campaign=campaign, gang=gang_id
    )
    gang, user = membership.gang, request.user
    if not campaign.is_run_by(user) and not gang.is_owned_by(user):
        raise Http404
    if membership.left_at is not None:
        return redirect(campaign)
    name = name_here(campaign, gang)
    asked = [gang] if gang.is_owned_by(user) and joining.has_games(campaign, gang) else []
    names = {gang.pk: name}
    form = PartingForm(asked, names, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        leave = partial(joining.part, behind=bool(form.behind())) if asked else joining.leave
        stale = _("It has just changed elsewhere. Try again.")
        error, status = attempt(stale, leave, campaign, gang, actor=user)
        if not error:
            messages.success(request, _("%(gang)s has left the campaign.") % {"gang": name})
            return redirect(campaign)
    context = {"campaign": campaign, "gang": gang, "name": name, "form": form, "error": error}
    return render(request, "campaigns/club/people/leave.html", context, status=status)


@require_POST
def retire(request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID) -> HttpResponse:
    """Let a gang stop playing without leaving, or bring it back: the button says which. For its
    owner and organisers."""
    campaign = campaign_or_404(request, campaign_id)
    gang = get_object_or_404(
        Gang, pk=gang_id, memberships__campaign=campaign, memberships__left_at=None
    )
    if not campaign.is_run_by(request.user) and not gang.is_owned_by(request.user):
        raise Http404
    if "back" in request.POST:
        done = _("%(gang)s plays again.") % {"gang": name_here(campaign, gang)}
        act = partial(joining.bring_back, campaign, gang, actor=request.user)
    else:
        name = name_here(campaign, gang)
        done = _("%(gang)s has retired: it is no longer paired.") % {"gang": name}
        act = partial(joining.retire, campaign, gang, actor=request.user)
    return answer(request, campaign, act, done)


@login_not_required
@require_safe
def watch(request: Request, key: str) -> HttpResponse:
    """The page behind the spectators' link: let the browser read the campaign, and redirect to it.

    Programs that preview links keep no cookie, so the redirect would take them to the sign-in page.
    A request without a browser's header gets a short page about the campaign instead.
    """
    campaign = get_object_or_404(Campaign.objects.shown(), watch_key=key)
    if request.user.is_authenticated or "Sec-Fetch-Mode" in request.headers:
        response: HttpResponse = redirect(campaign)
    else:
        context = {"campaign": campaign, "summary": campaign_summary(campaign)}
        response = render(request, "campaigns/club/people/watch.html", context)
    response["X-Robots-Tag"] = "noindex"
    remember_watching(request, response, campaign)
    return response


@require_POST
def follow(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Add a campaign that the user may read to their list, or remove it again."""
    campaign = reader_campaign_or_404(request, campaign_id)
    if "stop" in request.POST:
        roles.stop_following(campaign, request.user)
        done = _("You no longer follow %(name)s.") % {"name": campaign.name}
        messages.success(request, done)
    else:
        error, _status = attempt("", roles.follow, campaign, request.user)
        done = _("You follow %(name)s now.") % {"name": campaign.name}
        messages.add_message(request, messages.ERROR if error else messages.SUCCESS, error or done)
    still = readable(request).filter(pk=campaign.pk).exists()
    return redirect(campaign) if still else redirect("campaigns:list")
