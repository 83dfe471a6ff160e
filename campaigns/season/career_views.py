"""The career of a member, for everybody who may see the campaign."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.season.careers import lines
from gangs import hooks
from gangs.models import Gang
from gangs.snapshots.views import career_context, career_or_404


@open_to_spectators
@require_safe
def career(request: Request, campaign: uuid.UUID, gang: uuid.UUID, member: int) -> HttpResponse:
    """Who a member is, what they did in each game and to whom, and what became of them."""
    read = reader_campaign_or_404(request, campaign)
    found = get_object_or_404(Gang, pk=gang, memberships__campaign=read)
    life = career_or_404(found, member)
    context = career_context(found, life)
    context |= {
        "campaign": read,
        "lines": lines(read, found, life),
        "reads": request.user.is_authenticated and hooks.oversight.may_read(request.user, found),
    }
    return render(request, "campaigns/season/career.html", context)
