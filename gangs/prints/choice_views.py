"""Everything that can be printed of a gang, and how."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from gangs import prints
from gangs.access import own_gang_or_404
from gangs.print_forms import PaperForm


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose what to print and how; the choice is remembered for the next time."""
    found = own_gang_or_404(request, gang)
    paper, status = prints.shared(found), 200
    forms = {key: prints.remembered(found, kind) for key, kind in prints.KINDS.items()}
    if request.method == "POST":
        wanted = prints.KINDS.get(request.POST.get("kind", ""))
        if wanted is None:
            raise Http404
        paper, form = PaperForm(request.POST), prints.asked(found, wanted, request.POST)
        if paper.is_valid() and form.is_valid():
            query = prints.remember(found, wanted, form, paper)
            return redirect(f"{reverse(wanted.address, args=[found.pk])}?{query}")
        status = 422
        forms = {
            key: form if kind is wanted else prints.asked(found, kind, request.POST)
            for key, kind in prints.KINDS.items()
        }
    context = {
        "gang": found,
        "paper": paper,
        "kinds": [
            (kind, prints.on_page(found, kind, forms[key])) for key, kind in prints.KINDS.items()
        ],
    }
    return render(request, "gangs/prints.html", context, status=status)
