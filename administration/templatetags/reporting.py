"""Template tag for the address at which a page is reported."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse

from administration.reports.pages import REPORTABLE
from campaigns.models import Campaign, Participant
from gangs.models import Gang

register = template.Library()


@register.simple_tag(takes_context=True)
def report_address(context: dict[str, Any]) -> str:
    """Return the address for reporting this page; "" if it shows nothing made by players, or if
    the reader can change it: an organiser their campaign, an owner their gang."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or match.view_name not in REPORTABLE:
        return ""
    book = context.get("book")
    if match.app_name == "rules" and getattr(book, "variant", None) is None:
        return ""
    campaign, gang = context.get("campaign"), context.get("gang")
    user = request.user
    if user.is_authenticated and isinstance(campaign, Campaign):
        if campaign.role_of(user) == Participant.Role.ORGANISER:
            return ""
    elif isinstance(gang, Gang) and gang.is_owned_by(user):
        return ""
    return reverse("report-page", args=[request.path.lstrip("/")])
