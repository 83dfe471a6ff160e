"""A campaign's name, notes and options; closing it, and opening it again."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.forms import CampaignForm
from campaigns.models import Campaign
from campaigns.people import joining
from campaigns.refusals import refusal_sentence
from common.errors import Refusal, Stale
from common.forms import posted_version


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Name, notes, and the options as long as nobody has joined."""
    shown = organised_or_404(request, campaign)
    form, fixed = _settings_form(request, shown)
    status, error = 422 if form.is_bound else 200, ""
    if form.is_valid():
        try:
            joining.change(
                shown,
                name=form.cleaned_data["name"],
                notes=form.cleaned_data["notes"],
                settings=form.chosen_settings(),
                expected_version=posted_version(request.POST, "seen"),
            )
        except Stale:
            status = 409
            error = _(
                "These settings were changed, or a gang joined, in the meantime. What you typed is"
                " not saved yet: compare it with the campaign’s page, then save again."
            )
            shown.refresh_from_db()
            form, fixed = _settings_form(request, shown)
        else:
            return redirect(shown)
    context = {"campaign": shown, "book": shown.book, "form": form, "fixed": fixed, "error": error}
    return render(request, "campaigns/people/settings.html", context, status=status)


def _settings_form(request: Request, campaign: Campaign) -> tuple[CampaignForm, bool]:
    """The form, and whether the options are fixed."""
    fixed = campaign.memberships.exists()
    initial = {"name": campaign.name, "notes": campaign.notes}
    data = request.POST if request.method == "POST" else None
    form = CampaignForm(campaign.book, campaign.settings, data, initial=initial, fixed=fixed)
    return form, fixed


@require_POST
def archive(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Close the campaign, or open it again: the button says which."""
    shown = organised_or_404(request, campaign)
    try:
        (joining.reopen if "back" in request.POST else joining.archive)(shown)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:settings", shown.pk)
    return redirect(shown)
