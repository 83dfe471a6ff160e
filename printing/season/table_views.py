"""The standings of a campaign, and a stage of its league, as PDFs."""

from __future__ import annotations

import uuid

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.league.loading import load_stage
from campaigns.league.views import stage_or_404
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.paper.orders import Order
from printing.season import stage_sheet, standings_sheet


@open_to_spectators
@require_safe
def standings(request: Request, campaign_id: uuid.UUID) -> HttpResponseBase:
    """Return the standings to print."""
    campaign = reader_campaign_or_404(request, campaign_id)
    order = PaperForm(request.GET).order(Order)
    name = _("Standings of %(name)s") % {"name": campaign.name}
    key = standings_sheet.key(campaign, order)
    return printing_responses.answer(
        request, key, lambda: standings_sheet.job(campaign, order), name
    )


@open_to_spectators
@require_safe
def stage(request: Request, stage_id: uuid.UUID) -> HttpResponseBase:
    """Return the table, bracket or ladder of a stage, and its fixtures, to print."""
    found = stage_or_404(request, stage_id)
    order = PaperForm(request.GET).order(Order)
    printed = stage_sheet.job(load_stage(found), request.user, order)
    name = f"{found.campaign.name} {found.name}"
    return printing_responses.answer(request, stage_sheet.key(printed), lambda: printed, name)
