"""The yearbook: how it is wanted, and the book itself."""

from __future__ import annotations

import uuid

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.papers import yearbook
from campaigns.papers.yearbook_form import BookForm
from gangs.printing import answers
from gangs.printing.answers import About


@open_to_spectators
@require_safe
def choose(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """What a yearbook is, on which paper and in which style it is wanted."""
    shown = reader_campaign_or_404(request, campaign)
    form = BookForm(request.GET if "paper" in request.GET else None)
    return render(request, "papers/yearbook_choose.html", {"campaign": shown, "form": form})


@open_to_spectators
@require_safe
def pdf(request: Request, campaign: uuid.UUID) -> HttpResponseBase:
    """The book, or how far it is."""
    shown = reader_campaign_or_404(request, campaign)
    order = BookForm(request.GET).order()
    name = _("Yearbook of %(name)s") % {"name": shown.name}
    return answers.answer(
        request,
        yearbook.key(shown, order),
        lambda: yearbook.job(shown, order),
        name,
        About(name, shown.name, shown.get_absolute_url(), book=True),
    )
