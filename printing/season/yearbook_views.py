"""Pages of the yearbook: the choice of paper and style, and the book itself."""

from __future__ import annotations

import uuid

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, reader_campaign_or_404
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.paper.orders import Order
from printing.responses import About
from printing.season import yearbook as prints_yearbook


class BookForm(PaperForm):
    """Options of a yearbook: paper and style."""


@open_to_spectators
@require_safe
def choose(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Describe the yearbook, and ask for its paper and style."""
    campaign = reader_campaign_or_404(request, campaign_id)
    form = BookForm(request.GET if "paper" in request.GET else None)
    return render(
        request,
        "printing/season/yearbook_choose.html",
        {"campaign": campaign, "form": form},
    )


@open_to_spectators
@require_safe
def pdf(request: Request, campaign_id: uuid.UUID) -> HttpResponseBase:
    """Return the book, or a page with its progress."""
    campaign = reader_campaign_or_404(request, campaign_id)
    order = BookForm(request.GET).order(Order)
    name = _("Yearbook of %(name)s") % {"name": campaign.name}
    return printing_responses.answer(
        request,
        prints_yearbook.key(campaign, order),
        lambda: prints_yearbook.job(campaign, order),
        name,
        About(name, campaign.name, campaign.get_absolute_url()),
    )
