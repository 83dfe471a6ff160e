"""Items of a gang's own: from a printed table that the rulebook lacks, or invented."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from common.forms import INVALID
from gangs.access import own_gang_or_404
from gangs.builder.own_item_form import OwnItemForm, as_typed
from gangs.builder.responses import attempt, form_state
from gangs.engine import actions
from gangs.engine.own_items import extended
from gangs.text.formats import money_unit


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_items(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose the kind of item, then say what it is; from then on it can be bought."""
    found = own_gang_or_404(request, gang)
    book = found.book
    groups = book.in_force(book.groups, found.roster.settings)
    group = next((one for one in groups if one.key == request.GET.get("group")), None)
    models = [
        item for item in extended(book, found.roster).items if group and item.group == group.key
    ]
    like = next((item for item in models if item.key == request.GET.get("like")), None)
    context = {
        "gang": found,
        "base": found.get_absolute_url(),
        "groups": groups,
        "group": group,
        "models": models,
        "like": like,
        "own": [one for one in found.roster.own_items if group is None or one.group == group.key],
        "unit": money_unit(book),
        "state": form_state(request, found),
    }
    if group is None:
        return render(request, "gangs/builder/own_items.html", context)
    data = request.POST if request.method == "POST" else None
    form = OwnItemForm(book, group, data, initial=as_typed(like) if like else None)
    status, error = (INVALID, "") if form.is_bound else (200, "")
    if form.is_valid():
        declared = form.declared()
        outcome = attempt(
            request, found, lambda computed, _: actions.declare_item(computed, declared)
        )
        error, status = outcome.error, outcome.status
        if not error:
            values = {"name": declared.name}
            messages.success(
                request, _("%(name)s can be bought now, like any other item.") % values
            )
            # Whoever copies a table goes on with the next line of it.
            return redirect(request.get_full_path() if "more" in request.POST else found)
    return render(
        request,
        "gangs/builder/own_items.html",
        {**context, "form": form, "error": error},
        status=status,
    )
