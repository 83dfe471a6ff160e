"""Pages of a campaign's people: roles, invitations, joining, following, leaving."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from accounts.language import rules_language
from campaigns.access import (
    campaign_or_404,
    gangs_of,
    organised_or_404,
    readable,
    reader_campaign_or_404,
    remember_watching,
)
from campaigns.club.people import joining, roles
from campaigns.club.people.forms import HandOverForm, InviteForm, PartingForm
from campaigns.forms import JoinForm
from campaigns.models import Campaign, Membership, Participant
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import campaign_summary
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from gangs.access import INVITATION
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
    give = partial(joining.hand_over, campaign, gang, seat.user, actor=request.user)
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
    played, unplayed = joining.played_gangs(campaign, request.user)
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


@require_POST
def renew_invitation(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Make a new link, for players or for spectators. The old link stops working."""
    campaign = organised_or_404(request, campaign_id)
    roles.renew_link(campaign, "watch_key" if "watch" in request.POST else "invite_key")
    messages.success(request, _("Here is a new link. The old one no longer works."))
    return redirect("campaigns:people", campaign.pk)


@login_not_required
@require_safe_or_post
def join(request: Request, key: str) -> HttpResponse:
    """The page behind an invitation: choose the gang that joins. Visitors read about the campaign
    and sign in."""
    campaign = get_object_or_404(Campaign.objects.shown(), invite_key=key)
    if not request.user.is_authenticated:
        if request.method == "POST":
            return redirect_to_login(request.path)
        context = {"campaign": campaign, "book": campaign.book}
        response = render(request, "campaigns/club/people/invited.html", context)
        INVITATION.write(request, response, request.path)
        return response
    return _join(request, campaign)


def is_invited(request: HttpRequest) -> bool:
    """Whether a visitor who signs up came by the invitation to an open campaign."""
    try:
        found = resolve(request.POST.get("next") or request.GET.get("next") or "")
    except Resolver404:
        return False
    key = str(found.kwargs.get("key")) if found.view_name == "campaigns:join" else ""
    # PostgreSQL refuses some characters that an address can carry.
    return key.isprintable() and Campaign.objects.open().shown().filter(invite_key=key).exists()


@require_safe_or_post
def join_again(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Bring another gang into a campaign that the user has joined; no invitation is needed."""
    return _join(request, campaign_or_404(request, campaign_id))


def _join(request: Request, campaign: Campaign) -> HttpResponse:
    """The page to choose the gang that joins. The user comes back to it after making a new gang."""
    fit, unfit = candidates(request, campaign)
    wrong = {gang: joining.mistakes(campaign, gang) for gang in fit}
    form = JoinForm(wrong, request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        gang = form.cleaned_data["gang"]
        error, status = attempt(
            _("This gang has just changed elsewhere. Try again."),
            joining.join,
            campaign,
            gang,
            actor=request.user,
            expected_version=posted_version(request.POST, f"seen-{gang.pk}"),
        )
        if not error:
            return _welcome(request, campaign, gang)
        form.add_error("gang", error)
        fit, unfit = candidates(request, campaign)
    if form.is_bound and (joined := _find_joined(request, campaign)):
        return _welcome(request, campaign, joined)
    context = {
        "campaign": campaign,
        "book": campaign.book,
        "organises": campaign.is_run_by(request.user),
        "belongs": bool(campaign.role_of(request.user)),
        "form": form,
        "fit": fit,
        "unfit": unfit,
        "wrong": [
            (gang, [finding.translated(rules_language()) for finding in mistakes])
            for gang, mistakes in wrong.items()
            if mistakes
        ],
    }
    response = render(request, "campaigns/club/people/join.html", context, status=status)
    INVITATION.write(request, response, request.path)
    return response


def _find_joined(request: Request, campaign: Campaign) -> Gang | None:
    """The user's gang from the form, if it has joined already: the form was sent twice."""
    try:
        asked = uuid.UUID(request.POST.get("gang", ""))
    except ValueError:
        return None
    gang = Gang.objects.owned_by(request.user).filter(pk=asked).first()
    refusal = joining.why_not(campaign, gang) if gang is not None else None
    return gang if refusal is not None and refusal.code == "joined_already" else None


def _welcome(request: Request, campaign: Campaign, gang: Gang) -> HttpResponse:
    messages.success(request, _("%(gang)s is in. Good luck!") % {"gang": gang.name})
    joined = redirect(campaign)
    INVITATION.clear(joined)
    return joined


def candidates(
    request: Request, campaign: Campaign
) -> tuple[list[Gang], Sequence[tuple[Gang, str]]]:
    """The user's gangs of this game: the gangs that can join, and the others with the reason."""
    same_game = Gang.objects.owned_by(request.user).active()
    same_game = same_game.filter(book_version__slug=campaign.book_version.slug)
    fit, unfit = [], []
    gangs = same_game.select_related("book_version").prefetch_related("memberships__campaign")
    for gang in gangs.defer("book_version__canonical").order_by("-changed_at")[:100]:
        refusal = joining.why_not(campaign, gang)
        if refusal is None:
            fit.append(gang)
        else:
            unfit.append((gang, refusal_sentence(refusal)))
    return fit, unfit


@require_safe_or_post
def leave(request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID) -> HttpResponse:
    """Take a gang out of the campaign, as its owner or an organiser.

    If the gang has played, the page lets its owner take it along or leave it to the campaign.
    """
    campaign = campaign_or_404(request, campaign_id)
    membership = get_object_or_404(
        Membership.objects.select_related("gang"), campaign=campaign, gang=gang_id
    )
    gang, user = membership.gang, request.user
    if not campaign.is_run_by(user) and not gang.is_owned_by(user):
        raise Http404
    if membership.left_at is not None:
        return redirect(campaign)
    asked = [gang] if gang.is_owned_by(user) and joining.has_games(campaign, gang) else []
    form = PartingForm(asked, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        leave = partial(joining.part, behind=bool(form.behind())) if asked else joining.leave
        stale = _("It has just changed elsewhere. Try again.")
        error, status = attempt(stale, leave, campaign, gang, actor=user)
        if not error:
            messages.success(request, _("%(gang)s has left the campaign.") % {"gang": gang.name})
            return redirect(campaign)
    context = {"campaign": campaign, "gang": gang, "form": form, "error": error}
    return render(request, "campaigns/club/people/leave.html", context, status=status)


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
        roles.follow(campaign, request.user)
        messages.success(request, _("You follow %(name)s now.") % {"name": campaign.name})
    still = readable(request).filter(pk=campaign.pk).exists()
    return redirect(campaign) if still else redirect("campaigns:list")
