"""Bringing a game from its files: a zip of another site, or of a folder, becomes a draft."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from common.errors import Refusal
from common.forms import INVALID, OK
from rules.drafts import slugs, store
from rules.drafts.data import name_of, start_from
from rules.drafts.refusals import describe
from rules.editor.text import text_of
from rules.packages.forms import PackageForm, mistake_text

# A longer list of mistakes would not help.
MOST_TOLD = 200


class ImportForm(PackageForm):
    """A zip of a rulebook’s folder; a form that arrives twice starts one game."""

    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


@require_http_methods(["GET", "HEAD", "POST"])
def import_game(request: Request) -> HttpResponse:
    """Start a game from a zip, or list the mistakes of its rulebook."""
    form = ImportForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    try:
        if form.is_valid():
            return _start(request, form)
    except Refusal as refused:
        form.add_error(None, describe(refused))
    context: dict[str, Any] = {
        "form": form,
        "mistakes": [mistake_text(one) for one in form.mistakes[:MOST_TOLD]],
        "more": max(0, len(form.mistakes) - MOST_TOLD),
    }
    status = INVALID if form.is_bound else OK
    return render(request, "rules/drafts/import.html", context, status=status)


def _start(request: Request, form: ImportForm) -> HttpResponse:
    assert form.book is not None
    data = start_from(form.book)
    data["slug"] = slugs.find_free(form.book.slug)
    draft = store.start(request.user, data, token=form.cleaned_data["token"])
    messages.success(request, _("%(name)s imported.") % {"name": text_of(name_of(data))})
    return redirect(draft)
