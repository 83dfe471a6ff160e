"""The page with a gang's sheet, for its owner and for anybody with the link."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from gangs.access import own_gang_or_404, shared_gang_or_404
from gangs.cards import sheet as cards_sheet
from gangs.cards.fighters import OWN, SHARED
from gangs.models import Gang
from gangs.text.formats import rating_with_unit


@login_not_required
@require_safe
def sheet(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Show the sheet of one's own gang, and who can see it."""
    found = own_gang_or_404(request, gang)
    return _read(request, found, reverse("gangs:sheet-pdf", args=[found.pk]), mine=True)


@login_not_required
@require_safe
def show_shared(request: HttpRequest, key: str) -> HttpResponse:
    """Show the sheet to anybody with the link."""
    found = shared_gang_or_404(key)
    response = _read(request, found, reverse("gangs:shared-pdf", args=[key]), mine=False)
    response["X-Robots-Tag"] = "noindex"
    return response


def _read(request: HttpRequest, gang: Gang, pdf: str, *, mine: bool) -> HttpResponse:
    key = "" if mine else gang.share_key or ""
    context = {
        "gang": gang,
        "parts": cards_sheet.sheet_parts(gang.view, rules_language(), key),
        "odds": _odds(gang, key),
        "shared_by": key,
        "preview": link_preview(gang, key) if key else None,
        "mine": mine,
        "pdf": pdf,
    }
    return render(request, "gangs/pages/sheet.html", context)


def _odds(gang: Gang, key: str) -> str:
    """Return the address of the odds page for the first member, where all others can be chosen for
    either side; "" if there are no members, or the game has no rolls.
    """
    if not gang.book.rolls or not gang.roster.members:
        return ""
    who = f"{SHARED}.{key}" if key else f"{OWN}.{gang.pk}"
    page = reverse("rules:version-odds", args=[gang.book_version_id])
    return f"{page}?by-who={who}.{gang.roster.members[0].id}"


class Linked(NamedTuple):
    """The description of a shared gang's page: one line of text, and the address of its picture."""

    text: str
    picture: str


def link_preview(gang: Gang, key: str) -> Linked:
    """Describe the page under this key. The picture's address changes with the gang, so programs
    that have shown it fetch it again.
    """
    picture = f"{reverse('gangs:shared-preview', args=[key])}?{gang.version}"
    return Linked(
        f"{gang.book.title.translated(rules_language())} · {describe_worth(gang)}", picture
    )


def describe_worth(gang: Gang) -> str:
    """Return a gang's worth and its size in words."""
    size = ngettext("%(count)s figure", "%(count)s figures", gang.size) % {"count": gang.size}
    return " · ".join(filter(None, (rating_with_unit(gang.rating, gang.book), size)))
