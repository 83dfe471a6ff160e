"""Pages of a campaign's captives, and of the bargains that free them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns.access import campaign_or_404, organised_or_404
from campaigns.games.captives import bargains
from campaigns.games.captives.bargains import Prisoner
from campaigns.games.captives.forms import BargainForm
from campaigns.games.captives.text import bargain_line, captive_line
from campaigns.models import Bargain, Campaign
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import names_here
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from gangs.models import Gang
from gangs.text.formats import money_unit, shown_name


@require_safe
def captives(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """All captives and bargains of a campaign."""
    return _page(request, campaign_or_404(request, campaign_id))


def _page(
    request: Request, campaign: Campaign, *, error: str = "", status: int = 200
) -> HttpResponse:
    user, organises = request.user, campaign.is_run_by(request.user)
    names = names_here(campaign)
    lines = [bargain_line(campaign.book, one, user, names) for one in bargains.standing(campaign)]
    context = {
        "campaign": campaign,
        "organises": organises,
        "unit": money_unit(campaign.book),
        "prisoners": [
            captive_line(who, names, user, organises=organises)
            for who in bargains.prisoners(campaign)
        ],
        "open_deals": [line for line in lines if line.bargain.status == Bargain.Status.OPEN],
        "past_deals": [line for line in lines if line.bargain.status != Bargain.Status.OPEN],
        "error": error,
    }
    return render(request, "campaigns/games/captives/bargains.html", context, status=status)


@require_safe_or_post
def offer(
    request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID, member: int, captor: uuid.UUID
) -> HttpResponse:
    """Offer a bargain about a member of ``gang`` held by ``captor``."""
    campaign = campaign_or_404(request, campaign_id)
    found = bargains.prisoners(campaign)
    prisoner, other = _prisoner_or_404(found, gang_id, member, captor)
    user, organises = request.user, campaign.is_run_by(request.user)
    mine, theirs = prisoner.gang.is_owned_by(user), other.is_owned_by(user)
    if not (mine or theirs or organises):
        raise Http404
    giver, taker = (other, prisoner.gang) if theirs and not mine else (prisoner.gang, other)
    names = names_here(campaign)
    form = BargainForm(
        giver,
        taker,
        bargains.between(found, giver, taker),
        names,
        request.POST if request.method == "POST" else None,
        initial={"frees": [f"{'giver' if giver == prisoner.gang else 'taker'}-{member}"]},
    )
    if form.is_valid():
        try:
            bargains.offer(
                campaign,
                giver,
                taker,
                form.terms(),
                note=form.cleaned_data["note"],
                actor=user,
                token=form.cleaned_data["token"],
            )
        except Refusal as refusal:
            form.add_error(None, refusal_sentence(refusal))
        else:
            words = _("Offer sent. %(gang)s has to answer.") % {"gang": names[taker.pk]}
            messages.success(request, words)
            return redirect("campaigns:captives", campaign.pk)
    context = {
        "campaign": campaign,
        "form": form,
        "giver": names[giver.pk],
        "taker": names[taker.pk],
        "who": shown_name(prisoner.gang.book, prisoner.captive.member),
    }
    status = 422 if form.is_bound else 200
    return render(request, "campaigns/games/captives/offer.html", context, status=status)


def _prisoner_or_404(
    found: list[Prisoner], gang: uuid.UUID, member: int, captor: uuid.UUID
) -> tuple[Prisoner, Gang]:
    for prisoner in found:
        if prisoner.gang.pk == gang and prisoner.captive.member.id == member:
            for gang_of_captor in prisoner.captors:
                if gang_of_captor.pk == captor:
                    return prisoner, gang_of_captor
    raise Http404


@require_POST
def answer(request: Request, campaign_id: uuid.UUID, bargain_id: int) -> HttpResponse:
    """Agree to an offer, decline it, or withdraw it."""
    campaign = campaign_or_404(request, campaign_id)
    related = Bargain.objects.select_related("giver", "taker")
    bargain = get_object_or_404(related, pk=bargain_id, campaign=campaign)
    bargain.campaign = campaign
    act = request.POST.get("act", "")
    allowed = bargains.may_withdraw if act == "withdraw" else bargains.may_answer
    if not allowed(bargain, request.user):
        raise Http404
    versions = (
        posted_version(request.POST, "seen_giver"),
        posted_version(request.POST, "seen_taker"),
    )
    acts: dict[str, tuple[Callable[..., None], str]] = {
        "agree": (
            partial(bargains.agree, expected_version=versions),
            _("Deal agreed, and added to the history of both gangs."),
        ),
        "decline": (bargains.decline, _("Offer declined.")),
        "withdraw": (bargains.withdraw, _("Offer withdrawn.")),
    }
    if act not in acts:
        return _page(request, campaign, status=422)
    do, done = acts[act]
    return _act(request, campaign, lambda: do(bargain, actor=request.user), done)


@require_POST
def release(
    request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID, member: int
) -> HttpResponse:
    """As an organiser, free a member after their captors have left."""
    campaign = organised_or_404(request, campaign_id)
    gang = get_object_or_404(Gang, pk=gang_id, memberships__campaign=campaign)
    version = posted_version(request.POST, "seen")
    act = partial(bargains.release, campaign, gang, member, actor=request.user)
    return _act(request, campaign, partial(act, expected_version=version), _("Captive released."))


def _act(request: Request, campaign: Campaign, do: Callable[[], None], done: str) -> HttpResponse:
    """Do the act, and show the page again with the sentence ``done``, or with the error."""
    words = _("Somebody was faster, or a gang has changed. Here is the latest version.")
    error, status = attempt(words, do)
    if error:
        return _page(request, campaign, error=error, status=status)
    messages.success(request, done)
    return redirect("campaigns:captives", campaign.pk)
