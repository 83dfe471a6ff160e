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


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose what to print and how; the choice is remembered for the next time."""
    found = own_gang_or_404(request, gang)
    forms = {key: prints.remembered(found, kind) for key, kind in prints.KINDS.items()}
    status = 200
    if request.method == "POST":
        kind = prints.KINDS.get(request.POST.get("kind", ""))
        if kind is None:
            raise Http404
        form = kind.form(found, request.POST)
        if form.is_valid():
            query = prints.remember(found, kind, form)
            return redirect(f"{reverse(kind.address, args=[found.pk])}?{query}")
        forms[kind.key], status = form, 422
    for key, form in forms.items():
        form.auto_id = f"{key}-%s"
    context = {
        "gang": found,
        "kinds": [(kind, forms[key]) for key, kind in prints.KINDS.items()],
    }
    return render(request, "gangs/prints.html", context, status=status)
