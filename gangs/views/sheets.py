"""Sheets: a gang to be read, by its owner or by whoever has the link, and to be printed."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import content_disposition_header, quote_etag
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import site_url
from gangs import printing, sheets
from gangs.access import own_gang_or_404, shared_gang_or_404
from gangs.models import Gang
from gangs.wording import language

SOON = 5


@login_not_required
@require_safe
def sheet(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """The sheet of one's own gang, and with whom it is shared."""
    found = own_gang_or_404(request, gang)
    return _read(request, found, reverse("gangs:sheet-pdf", args=[found.pk]), mine=True)


@login_not_required
@require_safe
def shared(request: HttpRequest, key: str) -> HttpResponse:
    """The sheet for whoever has the link."""
    found = shared_gang_or_404(key)
    response = _read(request, found, reverse("gangs:shared-pdf", args=[key]), mine=False)
    response["X-Robots-Tag"] = "noindex"
    return response


@login_not_required
@require_safe
def sheet_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """The printed sheet of one's own gang."""
    return _print(request, own_gang_or_404(request, gang))


@login_not_required
@require_safe
def shared_pdf(request: HttpRequest, key: str) -> HttpResponseBase:
    """The printed sheet for whoever has the link."""
    response = _print(request, shared_gang_or_404(key))
    response["X-Robots-Tag"] = "noindex"
    return response


def _read(request: HttpRequest, gang: Gang, pdf: str, *, mine: bool) -> HttpResponse:
    context = sheets.reading(gang, language())
    context |= {"gang": gang, "mine": mine, "pdf": pdf, "link": _link(request, gang)}
    return render(request, "gangs/sheet.html", context)


def _print(request: HttpRequest, gang: Gang) -> HttpResponseBase:
    paper, plain = options(request.GET)
    return answer_with_pdf(
        request, gang, sheets.Order(language(), paper, plain, _link(request, gang))
    )


def answer_with_pdf(
    request: HttpRequest,
    gang: Gang,
    order: sheets.Order,
    stood: Callable[[], Gang] | None = None,
) -> HttpResponseBase:
    """The PDF, or word that the reader has it already: that takes no more than the gang's row.

    ``stood``: finds the gang as of the place that the ``order`` names.
    """
    etag = quote_etag(sheets.key(gang, order))
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        try:
            response = HttpResponse(
                sheets.printed(gang, order, stood), content_type="application/pdf"
            )
        except printing.Busy:
            sentence = _("The printer is busy. Please try again in a moment.")
            return HttpResponse(
                sentence, "text/plain; charset=utf-8", status=503, headers={"Retry-After": SOON}
            )
        name = slugify(gang.name, allow_unicode=True) or "gang"
        response["Content-Disposition"] = content_disposition_header(False, f"{name}.pdf") or ""
        response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _link(request: HttpRequest, gang: Gang) -> str:
    """The whole address of the shared sheet, "" if it is not shared."""
    if not gang.share_key:
        return ""
    return f"{site_url(request)}{reverse('gangs:shared', args=[gang.share_key])}"


def options(query: QueryDict) -> tuple[sheets.Paper, bool]:
    """Paper and style out of a query; what makes no sense there means the usual."""
    paper: sheets.Paper = "letter" if query.get("paper") == "letter" else "a4"
    return paper, query.get("style") == "accessible"
