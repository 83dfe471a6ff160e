"""What people are told: that a page is reported; what an administrator did to what is theirs."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import notices
from accounts.models import User
from administration.models import PageReport

SENTENCES: dict[str, Promise] = {
    "page_reported": gettext_lazy("A page was reported: %(title)s. %(why)s."),
    "sharing_stopped": gettext_lazy(
        "An administrator has stopped the sharing of %(gang)s. Why: %(reason)s"
    ),
    "pictures_taken_down": gettext_lazy(
        "An administrator has removed pictures of %(gang)s. Why: %(reason)s"
    ),
    "watching_stopped": gettext_lazy(
        "An administrator has stopped the link for spectators of %(campaign)s. Why: %(reason)s"
    ),
    "invitation_stopped": gettext_lazy(
        "An administrator has stopped the invitation to %(campaign)s. Why: %(reason)s"
    ),
}


def register() -> None:
    """Let notices of these kinds be told."""
    for kind in SENTENCES:
        notices.register(kind, partial(_sentence, kind))


def _sentence(kind: str, values: dict[str, Any]) -> str:
    values = dict(values)
    if "why" in values:
        values["why"] = PageReport.Why(values["why"]).label
    return str(SENTENCES[kind]) % values


def tell_administrators(report: PageReport) -> None:
    """Every administrator learns of a report, as of any notice."""
    readers = User.objects.filter(is_staff=True, is_active=True)
    values = {"title": report.title, "why": report.why}
    url = reverse("administration:report", args=[report.pk])
    notices.notify(readers, "page_reported", values, url, except_for=report.reporter)
