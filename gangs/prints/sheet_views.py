"""Pages and PDFs of a gang's sheet, for its owner and for anybody with the link."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.http import site_url
from accounts.language import rules_language
from gangs.access import own_gang_or_404, shared_gang_or_404
from gangs.cards import sheet as cards_sheet
from gangs.cards.fighters import OWN, SHARED
from gangs.models import Gang, GangView
from gangs.prints import kinds, previews
from gangs.prints import sheet as papers
from gangs.prints.sheet import SheetOrder
from printing import responses as printing_responses


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


@login_not_required
@require_safe
def sheet_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Return the printed sheet of one's own gang."""
    return _print(request, own_gang_or_404(request, gang))


@login_not_required
@require_safe
def show_shared_pdf(request: HttpRequest, key: str) -> HttpResponseBase:
    """Return the printed sheet to anybody with the link."""
    response = _print(request, shared_gang_or_404(key))
    response["X-Robots-Tag"] = "noindex"
    return response


def _read(request: HttpRequest, gang: Gang, pdf: str, *, mine: bool) -> HttpResponse:
    key = "" if mine else gang.share_key or ""
    context = {
        "gang": gang,
        "parts": cards_sheet.sheet_parts(gang.view, rules_language(), key),
        "odds": _odds(gang, key),
        "shared_by": key,
        "preview": previews.link_preview(gang, key) if key else None,
        "mine": mine,
        "pdf": pdf,
    }
    return render(request, "gangs/prints/sheet_page.html", context)


def _odds(gang: Gang, key: str) -> str:
    """Return the address of the odds page for the first member, where all others can be chosen for
    either side; "" if there are no members, or the game has no rolls.
    """
    if not gang.book.rolls or not gang.roster.members:
        return ""
    who = f"{SHARED}.{key}" if key else f"{OWN}.{gang.pk}"
    page = reverse("rules:version-odds", args=[gang.book_version_id])
    return f"{page}?by-who={who}.{gang.roster.members[0].id}"


def _print(request: HttpRequest, gang: Gang) -> HttpResponseBase:
    return answer_with_sheet(request, gang, lambda: gang.view, link=_link(request, gang))


def answer_with_sheet(
    request: HttpRequest, gang: Gang, view: Callable[[], GangView], **order_fields: str | int
) -> HttpResponseBase:
    """Return the PDF, or 304 if the reader has it already, which reads only the gang's row.

    ``view``: finds the gang to show; ``order_fields``: the fields of the order that describe it.
    """
    order = kinds.form(kinds.SHEET, gang, request.GET).order(SheetOrder, **order_fields)
    key = papers.key(gang, order)
    return printing_responses.answer(request, key, lambda: papers.job(view(), order), gang.name)


def _link(request: HttpRequest, gang: Gang) -> str:
    """Return the full address of the shared sheet, "" if it is not shared."""
    if not gang.is_shared:
        return ""
    return f"{site_url(request)}{reverse('gangs:shared', args=[gang.share_key])}"
