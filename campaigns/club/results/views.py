"""The page with a club's rules for results that its rulebook does not have."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.club.results.forms import ResultRulesForm
from campaigns.models import Campaign
from campaigns.refusals import attempt
from common.forms import posted_version, require_safe_or_post
from common.locking import update_if


@require_safe_or_post
def result_rules(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Change what results without a battle, draws and places bring."""
    campaign = organised_or_404(request, campaign_id)
    form = ResultRulesForm(campaign, request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _(
            "These settings were changed in the meantime. What you typed is not saved yet: compare"
            " it, then save again."
        )
        rules = form.chosen().model_dump(mode="json", exclude_defaults=True)
        version = posted_version(request.POST, "seen")
        error, status = attempt(
            stale, update_if, Campaign, campaign.pk, version, special_results=rules
        )
        if not error:
            messages.success(request, _("Saved. The standings count by these rules from now on."))
            return redirect("campaigns:settings", campaign.pk)
        campaign.refresh_from_db()
    context = {"campaign": campaign, "form": form, "error": error}
    return render(request, "campaigns/club/results/edit.html", context, status=status)
