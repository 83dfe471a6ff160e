"""Roster sheets as PDFs: of a gang now, for its owner and for anybody with the link, and as of a
moment of its past.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import site_url
from gangs.access import own_gang_or_404, readable_gang, shared_gang_or_404
from gangs.models import Gang, GangView
from gangs.snapshots.moments import view_at
from gangs.snapshots.views import gap_or_404
from printing import responses as printing_responses
from printing.sheets import kinds
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder


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


@readable_gang(require_safe)
def then_pdf(request: HttpRequest, gang: Gang, mine: bool, place: int) -> HttpResponseBase:
    """Print the sheet as of a moment."""
    as_of = _("As it was: %(when)s") % {"when": gap_or_404(gang, place)}
    return answer_with_sheet(request, gang, lambda: view_at(gang, place), place=place, as_of=as_of)


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
