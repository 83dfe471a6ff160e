"""Pages of a campaign's trophies: who holds them, the club's own, and awards."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, organised_or_404
from campaigns.models import Trophy, TrophyAward
from campaigns.refusals import attempt
from campaigns.season.freshness import readable_state_or_404
from campaigns.season.loading import load_season
from campaigns.season.trophies import storage
from campaigns.season.trophies.forms import TrophyAwardForm, TrophyForm
from campaigns.season.trophies.text import count_name, find_trophies, holder_name
from common.forms import require_safe_or_post


@open_to_spectators
@require_safe
def trophies(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show every trophy with its holders."""
    loaded = load_season(campaign_id, readable_state_or_404(request, campaign_id))
    found = find_trophies(loaded.season)
    context = {
        "campaign": loaded.campaign,
        "organises": loaded.campaign.is_run_by(request.user),
        "trophies": [
            (
                trophy,
                count_name(trophy.count),
                [(holder, holder_name(holder)) for holder in trophy.holders],
            )
            for trophy in found
        ],
        "has_own_to_award": any(trophy.count == "hand" for trophy in found),
    }
    return render(request, "campaigns/season/trophies/page.html", context)


@require_safe_or_post
def new(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Create a trophy of the club's own."""
    campaign = organised_or_404(request, campaign_id)
    form = TrophyForm(request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        data = form.cleaned_data
        error, status = attempt("", storage.create, campaign, actor=request.user, **data)
        if not error:
            return redirect("campaigns:trophies", campaign.pk)
    context = {"campaign": campaign, "form": form, "error": error, "title": _("New trophy")}
    return render(request, "campaigns/season/trophies/form.html", context, status=status)


@require_safe_or_post
def award(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Award a trophy to a gang or member."""
    campaign = organised_or_404(request, campaign_id)
    loaded = load_season(campaign_id)
    by_hand = [trophy for trophy in find_trophies(loaded.season) if trophy.count == "hand"]
    data = request.POST if request.method == "POST" else None
    form = TrophyAwardForm(loaded, by_hand, data)
    error, status = "", 422 if form.is_bound else 200
    trophy = form.chosen() if form.is_valid() else None
    if trophy is not None:
        error, status = attempt(
            "",
            storage.award,
            campaign,
            trophy,
            form.recipient(),
            reason=form.cleaned_data["reason"],
            token=form.cleaned_data["token"],
            actor=request.user,
        )
        if not error:
            return redirect("campaigns:trophies", campaign.pk)
    context = {"campaign": campaign, "form": form, "error": error, "title": _("Award a trophy")}
    return render(request, "campaigns/season/trophies/form.html", context, status=status)


@require_POST
def delete(request: Request, campaign_id: uuid.UUID, trophy_id: int) -> HttpResponse:
    """Delete one of the club's own trophies, with its awards. A second request changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    if Trophy.objects.filter(pk=trophy_id, campaign=campaign).delete()[0]:
        messages.success(request, _("Trophy deleted."))
    return redirect("campaigns:trophies", campaign.pk)


@require_POST
def withdraw(request: Request, campaign_id: uuid.UUID, award_id: int) -> HttpResponse:
    """Withdraw an award. A second request changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    if TrophyAward.objects.filter(pk=award_id, campaign=campaign).delete()[0]:
        messages.success(request, _("Award withdrawn."))
    return redirect("campaigns:trophies", campaign.pk)
