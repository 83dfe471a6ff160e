"""Everything that can be printed of a gang, and how."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from gangs.access import own_gang_or_404
from gangs.prints import kinds
from printing.forms import PaperForm
from rules.prints import views as reference_views


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose what to print and how; the choice is remembered for the next time."""
    found = own_gang_or_404(request, gang)
    paper, status = kinds.shared(found), 200
    forms = {key: kinds.remembered(found, kind) for key, kind in kinds.KINDS.items()}
    if request.method == "POST":
        wanted = kinds.KINDS.get(request.POST.get("kind", ""))
        if wanted is None:
            raise Http404
        paper, form = PaperForm(request.POST), kinds.asked(found, wanted, request.POST)
        if paper.is_valid() and form.is_valid():
            query = kinds.remember(found, wanted, form, paper)
            return redirect(f"{reverse(wanted.address, args=[found.pk])}?{query}")
        status = 422
        forms = {
            key: form if kind is wanted else kinds.asked(found, kind, request.POST)
            for key, kind in kinds.KINDS.items()
        }
    context = {
        "gang": found,
        "paper": paper,
        "kinds": [
            (kind, kinds.on_page(found, kind, forms[key])) for key, kind in kinds.KINDS.items()
        ],
    }
    return render(request, "gangs/prints/choose.html", context, status=status)


@login_not_required
@require_safe
def of_gang(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """The reference sheet of the game that one's own gang plays, by its options."""
    found = own_gang_or_404(request, gang)
    form = kinds.form(kinds.REFERENCE, found, request.GET)
    return reference_views.answer(request, found.book_version_id, form, found.roster.settings)
