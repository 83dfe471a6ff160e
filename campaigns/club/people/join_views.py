"""Pages to join a campaign: the links, requests that an organiser answers, invitations and bars."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.http import Request
from accounts.models import User
from accounts.notices import mark_read_about
from campaigns.access import campaign_or_404, organised_or_404
from campaigns.club.people import admission, joining
from campaigns.club.people.admission import Entrance
from campaigns.club.people.forms import InviteForm
from campaigns.club.people.views import answer, people_page
from campaigns.forms import JoinForm
from campaigns.models import Campaign, JoinRequest
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import name_here
from common.errors import Refusal
from common.forms import numbers, posted_version, require_safe_or_post
from gangs.access import INVITATION
from gangs.engine.validation import Finding
from gangs.models import Gang

# The most requests that one press accepts.
MOST_AT_ONCE = 100


@login_not_required
@require_safe_or_post
def join(request: Request, key: str) -> HttpResponse:
    """The page behind an invitation: choose the gang that joins. Visitors read about the campaign
    and sign in. A form sent after somebody else has used the invitation is refused in words."""
    if request.user.is_authenticated:
        is_sent = request.method == "POST"
        return _join(request, admission.entrance_or_404(key, request.user, is_used_too=is_sent))
    entrance = admission.entrance_or_404(key)
    if request.method == "POST":
        return redirect_to_login(request.path)
    campaign = entrance.campaign
    context = {"campaign": campaign, "book": campaign.book, "is_shut": entrance.is_shut}
    response = render(request, "campaigns/club/people/invited.html", context)
    INVITATION.write(request, response, request.path)
    return response


def is_invited(request: HttpRequest) -> bool:
    """Whether a visitor who signs up came by an invitation to an open campaign that takes them."""
    entrance = _came_by(request)
    return entrance is not None and admission.lets_sign_up(entrance)


def keep_invitation(request: HttpRequest, user: User) -> bool:
    """Keep the invitation by which a visitor came for the account that they have just made. Returns
    False if it lets nobody sign up."""
    entrance = _came_by(request)
    return entrance is not None and admission.keep_for(entrance, user)


def _came_by(request: HttpRequest) -> Entrance | None:
    """The entrance to which a visitor goes on after signing up, if it is one."""
    try:
        found = resolve(request.POST.get("next") or request.GET.get("next") or "")
    except Resolver404:
        return None
    if found.view_name != "campaigns:join":
        return None
    return admission.find_entrance(str(found.kwargs["key"]))


@require_safe_or_post
def join_again(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Bring another gang into a campaign that the user has joined; no invitation is needed."""
    return _join(request, Entrance(campaign_or_404(request, campaign_id)))


def _join(request: Request, entrance: Entrance) -> HttpResponse:
    """The page to choose the gang that joins. The user comes back to it after making a new gang."""
    campaign, user = entrance.campaign, request.user
    shut = admission.why_shut(entrance, user)
    fit, unfit = candidates(request, campaign)
    form = JoinForm(fit, request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid() and shut is None:
        gang = form.cleaned_data["gang"]
        error, status = attempt(
            _("This gang has just changed elsewhere. Try again."),
            admission.enter,
            entrance,
            gang,
            actor=user,
            expected_version=posted_version(request.POST, f"seen-{gang.pk}"),
        )
        if not error:
            mark_read_about(user, request.path)
            return _entered(request, entrance, gang)
        form.add_error("gang", error)
        fit, unfit = candidates(request, campaign)
    if form.is_bound and (gang := _find_entered(request, campaign)):
        return _entered(request, entrance, gang)
    asked = JoinRequest.objects.filter(campaign=campaign, by=user).select_related("gang")
    context = {
        "campaign": campaign,
        "book": campaign.book,
        "organises": campaign.is_run_by(user),
        "is_member": bool(campaign.role_of(user)),
        "shut": refusal_sentence(shut) if shut is not None else "",
        "form": form,
        "fit": list(fit),
        "unfit": unfit,
        "own_requests": asked.defer("gang__snapshot"),
        "asks_first": admission.asks_first(entrance, user),
        "approved": [gang for gang in fit if admission.needs_approval(entrance, gang, user)],
        "wrong": [
            (gang, joining.describe_mistakes(mistakes))
            for gang, mistakes in fit.items()
            if mistakes
        ],
    }
    response = render(request, "campaigns/club/people/join.html", context, status=status)
    # The pages of a gang that has asked no longer say that it is invited.
    if not context["own_requests"]:
        INVITATION.write(request, response, request.path)
    return response


def _find_entered(request: Request, campaign: Campaign) -> Gang | None:
    """The user's gang from the form, if it has joined or asked already: the form was sent twice."""
    try:
        asked = uuid.UUID(request.POST.get("gang", ""))
    except ValueError:
        return None
    gang = Gang.objects.owned_by(request.user).filter(pk=asked).first()
    if gang is None:
        return None
    refusal = joining.why_not(campaign, gang)
    has_joined = refusal is not None and refusal.code == "joined_already"
    return gang if has_joined or campaign.join_requests.filter(gang=gang).exists() else None


def _entered(request: Request, entrance: Entrance, gang: Gang) -> HttpResponse:
    """The answer after a gang has joined, or asked to."""
    campaign = entrance.campaign
    if campaign.join_requests.filter(gang=gang).exists():
        words = _("%(gang)s has asked to join. You get a notice when an organiser has answered.")
        messages.success(request, words % {"gang": gang.name})
        waiting = redirect(request.path)
        INVITATION.clear(waiting)
        return waiting
    messages.success(request, _("%(gang)s is in. Good luck!") % {"gang": gang.name})
    if not gang.size:
        words = _("%(gang)s has no members yet: it cannot be paired until it has.")
        messages.warning(request, words % {"gang": gang.name})
    joined = redirect(campaign)
    INVITATION.clear(joined)
    return joined


def candidates(
    request: Request, campaign: Campaign
) -> tuple[dict[Gang, list[Finding]], Sequence[tuple[Gang, str, list[str]]]]:
    """The user's gangs of this game: those that can join, with their errors under the campaign's
    options, and the others with the reason and, if their errors are the reason, with these in
    words. Gangs that ask already are in neither list."""
    same_game = Gang.objects.owned_by(request.user).active()
    same_game = same_game.filter(book_version__slug=campaign.book_version.slug)
    same_game = same_game.exclude(join_requests__campaign=campaign)
    fit: dict[Gang, list[Finding]] = {}
    unfit = []
    gangs = same_game.select_related("book_version").prefetch_related("memberships__campaign")
    for gang in gangs.defer("book_version__canonical").order_by("-changed_at")[:100]:
        refusal = joining.why_not(campaign, gang)
        found = joining.mistakes(campaign, gang) if refusal is None else []
        refusal = refusal or joining.check_conditions(campaign, gang, found)
        if refusal is None:
            fit[gang] = found
        else:
            # A gang can be legal by its own options and break those of the campaign.
            wrong = found if refusal.code == "gang_breaks_rules" else []
            unfit.append((gang, refusal_sentence(refusal), joining.describe_mistakes(wrong)))
    return fit, unfit


@require_POST
def withdraw_request(request: Request, request_id: int) -> HttpResponse:
    """Take the user's own request to join back. A second press changes nothing."""
    asked = JoinRequest.objects.filter(pk=request_id, by=request.user).first()
    if asked is None:
        raise Http404
    name = asked.gang.name
    answered = _("This request is already answered, or withdrawn.")
    error, _status = attempt(answered, admission.take_back, asked)
    done = _("%(gang)s no longer asks to join.") % {"gang": name}
    messages.add_message(request, messages.INFO if error else messages.SUCCESS, error or done)
    return redirect(request.POST["back"] if _is_join_page(request.POST.get("back", "")) else "/")


def _is_join_page(path: str) -> bool:
    """Whether the path is one of the pages to join a campaign."""
    try:
        return resolve(path).view_name in ("campaigns:join", "campaigns:join-again")
    except Resolver404:
        return False


@require_POST
def decide_request(request: Request, campaign_id: uuid.UUID, request_id: int) -> HttpResponse:
    """Let a gang join that asks for it, or turn it down: the button says which."""
    campaign = organised_or_404(request, campaign_id)
    asked = campaign.join_requests.filter(pk=request_id).select_related("gang__owner", "by").first()
    if asked is None:
        messages.info(request, _("This request is already answered, or withdrawn."))
        return redirect("campaigns:people", campaign.pk)
    asked.campaign = campaign
    if "decline" in request.POST:
        done = _("%(gang)s does not join.") % {"gang": name_here(campaign, asked.gang)}
        act = partial(admission.decline, asked, actor=request.user)
    else:
        done = _("%(gang)s is in.") % {"gang": name_here(campaign, asked.gang)}
        act = partial(admission.accept, asked, actor=request.user)
    return answer(request, campaign, act, done)


@require_POST
def accept_requests(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Let all gangs join whose requests the page showed. Those that cannot join still ask, and the
    page says why."""
    campaign = organised_or_404(request, campaign_id)
    shown = sorted(numbers(request.POST, "request"))[:MOST_AT_ONCE]
    accepted = 0
    for asked in campaign.join_requests.filter(pk__in=shown).select_related("gang__owner", "by"):
        asked.campaign = campaign
        stale = _("This gang has just changed elsewhere. Try again.")
        error, _status = attempt(stale, admission.accept, asked, actor=request.user)
        if error:
            messages.error(request, f"{name_here(campaign, asked.gang)}: {error}")
        else:
            accepted += 1
    if accepted:
        words = ngettext("%(count)s gang has joined.", "%(count)s gangs have joined.", accepted)
        messages.success(request, words % {"count": accepted})
    return redirect("campaigns:people", campaign.pk)


@require_POST
def invite(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Invite somebody, without showing whether they have an account."""
    campaign = organised_or_404(request, campaign_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return people_page(request, campaign, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if not ratelimit.consume(request, action="invite", user=request.user):
        form.add_error("whom", _("You have made very many invitations: try again later."))
        return people_page(request, campaign, form=form, status=HTTPStatus.TOO_MANY_REQUESTS)
    try:
        admission.invite(campaign, form.cleaned_data["whom"], actor=request.user)
    except Refusal as refusal:
        form.add_error("whom", refusal_sentence(refusal))
        return people_page(request, campaign, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if settings.MAIL_SERVER:
        done = _("If that account exists, they have been notified. E-mail addresses get a mail.")
    else:
        done = _(
            "If that account exists, they have been notified. This site sends no mail: give the"
            " link of the invitation to people without an account here yourself."
        )
    messages.success(request, done)
    return redirect("campaigns:people", campaign.pk)


@require_POST
def withdraw_invitation(
    request: Request, campaign_id: uuid.UUID, invitation_id: int
) -> HttpResponse:
    """Take an invitation back. A second press changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    invitation = campaign.invitations.open().filter(pk=invitation_id).first()
    if invitation is None or admission.withdraw(invitation):
        messages.success(request, _("The invitation is withdrawn: its link no longer works."))
    else:
        messages.error(request, _("Somebody has just used this invitation."))
    return redirect("campaigns:people", campaign.pk)


@require_POST
def unbar(request: Request, campaign_id: uuid.UUID, bar_id: int) -> HttpResponse:
    """Let a barred account come back. A second press changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    barred = get_object_or_404(campaign.barred.select_related("user"), pk=bar_id)
    barred.delete()
    words = _("%(name)s may come back, by a link or an invitation.") % {"name": barred.user}
    messages.success(request, words)
    return redirect("campaigns:people", campaign.pk)
