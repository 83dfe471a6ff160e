"""A page for developers with the components of all pages, in their real templates and styles.

It exists under DEBUG and for administrators; others get 404.
"""

from __future__ import annotations

from types import SimpleNamespace

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.messages.storage.base import Message
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

SAYINGS = (
    (messages.SUCCESS, "5 recruits added."),
    (messages.INFO, "A newer version of these rules is out."),
    (messages.WARNING, "Somebody changed this game in the meantime."),
    (messages.ERROR, "The report was not sent: see what is marked below."),
)
FINDINGS = (
    ("error", "Choose the leader’s profession."),
    ("warning", "20 attribute points left to assign."),
    ("note", "No name yet."),
)
GANGS = (
    "The Dry Fork Regulators",
    "Le Guet de la Lanterne",
    "Vasseur & Daughters",
    "The Last Reel",
)
MEMBERS = ("Cassius Thorne", "Josephine Tallow", "Silent Bill", "Aude la Rouge")
CHANCES = (("Killed", 8), ("Wounded", 42), ("Nothing happens", 50))


@login_not_required
@require_safe
def components(request: HttpRequest) -> HttpResponse:
    """Show all components on one page."""
    user = getattr(request, "user", None)
    if not settings.DEBUG and not (user and user.is_staff):
        raise Http404
    bars = [
        {"name": name, "share": share, "value": f"{share} %", "marked": share == 42}
        for name, share in CHANCES
    ]
    context = {
        "sayings": [Message(level, text) for level, text in SAYINGS],
        "findings": [
            SimpleNamespace(severity=level, text=text, member=None, also=(), together=())
            for level, text in FINDINGS
        ],
        "gangs": GANGS,
        "members": list(enumerate(MEMBERS, 1)),
        "bars": bars,
    }
    return render(request, "guide/components.html", context)
