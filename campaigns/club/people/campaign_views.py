"""The user's campaigns: starting one, its name, notes and options, closing and reopening it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.club.people import joining
from campaigns.forms import CampaignForm
from campaigns.models import Campaign
from campaigns.refusals import attempt, refusal_sentence
from common.errors import Refusal
from common.forms import posted_version
from rules.library import newest_books
from rules.variants.store import find_offered


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Which game is the campaign for?"""
    context = {"books": newest_books(), "own": find_offered(request.user)}
    return render(request, "campaigns/club/people/choose_book.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, slug: str) -> HttpResponse:
    """Start a campaign: with the newest version of a game, or with a variant of one's own."""
    digest = request.GET.get("version", "")
    books = find_offered(request.user) if digest else newest_books()
    books = [pair for pair in books if pair[0].slug == slug]
    found = next((pair for pair in books if digest in ("", pair[0].pk)), None)
    if found is None:
        raise Http404
    version, book = found
    form = CampaignForm(book, {}, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            campaign = joining.start(
                name=form.cleaned_data["name"],
                version=version,
                settings=form.chosen_settings(),
                notes=form.cleaned_data["notes"],
                odds_at_table=not form.cleaned_data["no_odds"],
                dice_stand=form.cleaned_data["dice_stand"],
                organiser=request.user,
                token=form.cleaned_data["token"],
            )
        except QuotaFull as full:
            form.add_error("name", quotas.describe(full))
        else:
            return redirect(campaign)
    context = {"book": book, "form": form}
    return render(
        request, "campaigns/club/people/new.html", context, status=422 if form.is_bound else 200
    )


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Name, notes, and the options as long as nobody has joined."""
    campaign = organised_or_404(request, campaign_id)
    form, fixed = _settings_form(request, campaign)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _(
            "These settings were changed, or a gang joined, in the meantime. What you typed is"
            " not saved yet: compare it with the campaign’s page, then save again."
        )
        error, status = attempt(
            stale,
            joining.change,
            campaign,
            name=form.cleaned_data["name"],
            notes=form.cleaned_data["notes"],
            settings=form.chosen_settings(),
            odds_at_table=not form.cleaned_data["no_odds"],
            dice_stand=form.cleaned_data["dice_stand"],
            expected_version=posted_version(request.POST, "seen"),
        )
        if not error:
            return redirect(campaign)
        campaign.refresh_from_db()
        form, fixed = _settings_form(request, campaign)
    context = {"campaign": campaign, "book": campaign.book, "form": form}
    context |= {"fixed": fixed, "error": error}
    return render(request, "campaigns/club/people/settings.html", context, status=status)


def _settings_form(request: Request, campaign: Campaign) -> tuple[CampaignForm, bool]:
    """The form, and whether the options are fixed."""
    fixed = campaign.memberships.exists()
    initial = {
        "name": campaign.name,
        "notes": campaign.notes,
        "no_odds": not campaign.odds_at_table,
        "dice_stand": campaign.dice_stand,
    }
    data = request.POST if request.method == "POST" else None
    form = CampaignForm(campaign.book, campaign.settings, data, initial=initial, fixed=fixed)
    return form, fixed


@require_POST
def archive(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Close the campaign, or open it again: the button says which."""
    campaign = organised_or_404(request, campaign_id)
    try:
        (joining.reopen if "back" in request.POST else joining.archive)(campaign)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:settings", campaign.pk)
    return redirect(campaign)
