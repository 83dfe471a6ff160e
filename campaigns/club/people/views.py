"""Pages of a campaign's people: roles, invitations, removing, handing gangs over, and leaving."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from http import HTTPStatus

from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns.access import campaign_or_404, gangs_of, organised_or_404
from campaigns.club.people import leaving, roles
from campaigns.club.people.forms import HandOverForm, InviteForm, PartingForm
from campaigns.models import Campaign, Participant
from campaigns.refusals import attempt, refusal_sentence
from common.errors import Refusal
from common.forms import require_safe_or_post
from gangs.models import Gang
from gangs.pictures.faces import colours_among


@require_safe
def people(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Everybody with their role and gangs. Organisers can change them."""
    return _page(request, campaign_or_404(request, campaign_id))


def _page(
    request: Request, campaign: Campaign, *, form: InviteForm | None = None, status: int = 200
) -> HttpResponse:
    gangs, taking_part = gangs_of(campaign), {seat.user_id for seat in campaign.seats}
    context = {
        "campaign": campaign,
        "colours": colours_among(str(gang.pk) for gang in gangs),
        "organises": campaign.is_run_by(request.user),
        "lines": [
            (seat, [gang for gang in gangs if gang.owner_id == seat.user_id])
            for seat in campaign.seats
        ],
        "loose": [gang for gang in gangs if gang.owner_id not in taking_part],
        "roles": Participant.Role.choices,
        "form": form or InviteForm(),
    }
    return render(request, "campaigns/club/people/participants.html", context, status=status)


def _answer(
    request: Request, campaign: Campaign, act: Callable[[], object], done: str
) -> HttpResponse:
    """Do the act, and show the page again with the sentence ``done``, or with the error."""
    stale = _("Somebody else was faster. Here is the latest version.")
    error, status = attempt(stale, act)
    if error:
        messages.error(request, error)
        return _page(request, Campaign.objects.get(pk=campaign.pk), status=status)
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
        return _page(request, campaign, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    done = _("%(name)s: %(role)s.") % {"name": seat.user, "role": wanted.label}
    change = partial(roles.change_role, campaign, seat, wanted, actor=request.user)
    seen = request.POST.get("seen", "")
    answer = _answer(request, campaign, partial(change, expected_role=seen), done)
    if seat.user == request.user and seat.role != Participant.Role.ORGANISER:
        return redirect(campaign)
    return answer


@require_POST
def remove(request: Request, campaign_id: uuid.UUID, seat_id: int) -> HttpResponse:
    """Remove somebody. A second request for the same person changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    seat = campaign.participants.filter(pk=seat_id).first()
    if seat is None:
        return redirect("campaigns:people", campaign.pk)
    if seat.user == request.user:
        return redirect("campaigns:depart", campaign.pk)
    done = _("%(name)s has left.") % {"name": seat.user}
    act = partial(roles.remove, campaign, seat, actor=request.user)
    return _answer(request, campaign, act, done)


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
        return _page(request, campaign, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    done = _("%(gang)s belongs to %(name)s now.") % {"gang": gang.name, "name": seat.user}
    give = partial(leaving.hand_over, campaign, gang, seat.user, actor=request.user)
    seen = form.cleaned_data["seen"]
    return _answer(request, campaign, partial(give, expected_owner=seen), done)


@require_POST
def invite(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Invite somebody, without showing whether they have an account."""
    campaign = organised_or_404(request, campaign_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if not ratelimit.consume(request, action="invite", user=request.user):
        form.add_error("whom", _("That is enough invitations for now: try again later."))
        return _page(request, campaign, form=form, status=HTTPStatus.TOO_MANY_REQUESTS)
    roles.invite(campaign, form.cleaned_data["whom"], actor=request.user)
    done = _("If that account exists, they have been notified. E-mail addresses get a mail.")
    messages.success(request, done)
    return redirect("campaigns:people", campaign.pk)


@require_safe_or_post
def depart(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Leave the campaign, with one's gangs or without them."""
    campaign = campaign_or_404(request, campaign_id)
    played, unplayed = leaving.played_gangs(campaign, request.user)
    form = PartingForm(played, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _("Something has just changed elsewhere. Try again.")
        error, status = attempt(stale, roles.depart, campaign, request.user, behind=form.behind())
        if not error:
            messages.success(request, _("You have left %(name)s.") % {"name": campaign.name})
            return redirect("campaigns:list")
    context = {"campaign": campaign, "form": form, "unplayed": unplayed, "error": error}
    return render(request, "campaigns/club/people/depart.html", context, status=status)
