"""Template tag for the address at which a page is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from accounts.http import actor
from administration.reports.pages import is_reportable
from campaigns.models import Campaign, Participant
from campaigns.table.access import TableSeat
from gangs.access import is_own
from gangs.models import Gang
from rules.views import Place

register = template.Library()

# Names under which pages have their subject in their context.
SUBJECTS = ("subject", "gang", "seat", "campaign", "place")


@register.simple_tag(takes_context=True)
def report_address(context: Mapping[str, Any]) -> str:
    """Return the address for reporting this page; "" if it shows nothing made by players, or if
    the reader can change it: an organiser their campaign, an owner their gang."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not is_reportable(match):
        return ""
    if any(_is_closed(request, context.get(name)) for name in SUBJECTS):
        return ""
    return reverse("report-page", args=[request.path.lstrip("/")])


def _is_closed(request: HttpRequest, subject: object) -> bool:
    """Whether the reader can change a subject, or no player made it. A query if the participants of
    a campaign are not loaded; none for visitors."""
    user = actor(request)
    match subject:
        case Gang():
            return is_own(request, subject)
        case TableSeat():
            return subject.runs
        case Campaign():
            return user is not None and subject.role_of(user) == Participant.Role.ORGANISER
        case Place():
            is_author = user is not None and subject.author == user.pk
            return is_author or not subject.by_players
    return False
