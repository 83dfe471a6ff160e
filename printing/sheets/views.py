"""Prints of a gang for its owner, and their options; the sheet is in ``roster_views``."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from common.forms import INVALID, OK
from gangs.access import own_gang_or_404
from gangs.models import Gang
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.reference import views as reference_views
from printing.sheets import blank_views, kinds, posters
from printing.sheets import cards as prints_cards
from printing.sheets.cards import CardsOrder
from printing.sheets.posters import PostersOrder
from typesetting.scripts import find_unset


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose what to print and how; the choice is remembered for the next time."""
    found = own_gang_or_404(request, gang)
    paper, status = kinds.ask_paper(found), OK
    forms = [
        (kind, kinds.restore_form(found, kind, prefix=kind.key)) for kind in kinds.KINDS.values()
    ]
    if request.method == "POST":
        wanted = kinds.KINDS.get(request.POST.get("kind", ""))
        if wanted is None:
            raise Http404
        paper, status = PaperForm(request.POST), INVALID
        forms = [
            (kind, kinds.read_form(found, kind, request.POST)) for kind in kinds.KINDS.values()
        ]
        form = dict(forms)[wanted]
        if paper.is_valid() and form.is_valid():
            query = kinds.remember(found, wanted, form, paper)
            return redirect(f"{reverse(wanted.address, args=[found.pk])}?{query}")
    context = {"gang": found, "paper": paper, "kinds": forms, "unset": _find_unset(found)}
    return render(request, "printing/sheets/choose.html", context, status=status)


def _find_unset(gang: Gang) -> list[tuple[str, str]]:
    """Find the player's texts with letters that no font here has, and these letters."""
    roster = gang.roster
    texts = [roster.name, roster.notes]
    texts += [text for one in roster.everyone() for text in (one.name, one.squad, one.notes)]
    texts += [text for item in roster.own_items for text in (item.name, item.text)]
    return [(Truncator(text).chars(60), letters) for text, letters in find_unset(texts)]


@login_not_required
@require_safe
def reference_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Return the reference sheet of the gang's game, under its options."""
    found = own_gang_or_404(request, gang)
    form = kinds.form(kinds.REFERENCE, found, request.GET)
    return reference_views.answer(request, found.book_version_id, form, found.roster.settings)


@login_not_required
@require_safe
def blank_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Return blank forms of the gang's game, under its options."""
    found = own_gang_or_404(request, gang)
    form = kinds.form(kinds.BLANK, found, request.GET)
    return blank_views.answer_blank(request, found.book_version_id, form, found.roster.settings)


@login_not_required
@require_safe
def cards_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Return the cards of the gang's members."""
    found = own_gang_or_404(request, gang)
    order = kinds.form(kinds.CARDS, found, request.GET).order(CardsOrder)
    name = _("%(gang)s: cards") % {"gang": found.name}
    return printing_responses.answer(
        request, prints_cards.key(found, order), lambda: prints_cards.job(found, order), name
    )


@login_not_required
@require_safe
def posters_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Return wanted posters of the gang's members, past and present."""
    found = own_gang_or_404(request, gang)
    order = kinds.form(kinds.POSTERS, found, request.GET).order(PostersOrder)
    name = _("%(gang)s: wanted posters") % {"gang": found.name}
    return printing_responses.answer(
        request, posters.key(found, order), lambda: posters.job(found, order), name
    )
