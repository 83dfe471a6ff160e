"""The career of a member, for everybody who may see the campaign."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.careers import lines, may_read
from gangs.models import Gang
from gangs.views.moments import career_context, career_or_404


@open_to_spectators
@require_safe
def career(request: Request, campaign: uuid.UUID, gang: uuid.UUID, member: int) -> HttpResponse:
    """Who a member is, what he did in each game and to whom, and what became of him."""
    shown = reader_campaign_or_404(request, campaign)
    found = get_object_or_404(Gang, pk=gang, memberships__campaign=shown)
    told = career_or_404(found, member)
    context = career_context(found, told)
    context |= {
        "campaign": shown,
        "lines": lines(shown, found, told),
        "reads": request.user.is_authenticated and may_read(request.user, found),
    }
    return render(request, "campaigns/career.html", context)
