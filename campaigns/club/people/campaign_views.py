"""Pages to start a campaign, change its name, notes and options, close it and reopen it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.club.people import joining
from campaigns.forms import CampaignForm
from campaigns.models import Campaign
from campaigns.refusals import attempt, refusal_sentence
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from rules.library import newest_books, offered_books
from rules.variants.store import find_offered


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Choose the campaign's game."""
    context = {"books": offered_books(), "own": find_offered(request.user)}
    return render(request, "campaigns/club/people/choose_book.html", context)


@require_safe_or_post
def new(request: Request, slug: str) -> HttpResponse:
    """Start a campaign with the newest version of a game, or with one of the user's variants."""
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
            token = form.cleaned_data["token"]
            campaign = joining.start(
                version=version, organiser=request.user, token=token, **_details(form)
            )
        except QuotaFull as full:
            form.add_error("name", quotas.describe(full))
        else:
            return redirect(campaign)
    context, status = {"book": book, "form": form}, 422 if form.is_bound else 200
    return render(request, "campaigns/club/people/new.html", context, status=status)


def _details(form: CampaignForm) -> joining.Details:
    data = form.cleaned_data
    return {
        "name": data["name"],
        "notes": data["notes"],
        "settings": form.chosen_settings(),
        "odds_at_table": not data["no_odds"],
        "dice_stand": data["dice_stand"],
    }


@require_safe_or_post
def settings(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Change the campaign's name and notes, and its options until a gang joins."""
    campaign = organised_or_404(request, campaign_id)
    form, fixed = _settings_form(request, campaign)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _(
            "These settings were changed, or a gang joined, in the meantime. What you typed is"
            " not saved yet: compare it with the campaign’s page, then save again."
        )
        version, details = posted_version(request.POST, "seen"), _details(form)
        error, status = attempt(
            stale, joining.change, campaign, expected_version=version, **details
        )
        if not error:
            return redirect(campaign)
        campaign.refresh_from_db()
        form, fixed = _settings_form(request, campaign)
    context = {"campaign": campaign, "book": campaign.book, "form": form}
    context |= {"fixed": fixed, "error": error}
    return render(request, "campaigns/club/people/settings.html", context, status=status)


def _settings_form(request: Request, campaign: Campaign) -> tuple[CampaignForm, bool]:
    """The form, and whether the campaign's options are fixed."""
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
    """Close the campaign, or reopen it: the button says which."""
    campaign = organised_or_404(request, campaign_id)
    try:
        (joining.reopen if "back" in request.POST else joining.archive)(campaign)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:settings", campaign.pk)
    return redirect(campaign)
