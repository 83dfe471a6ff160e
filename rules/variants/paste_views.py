"""Filling in a whole table of weapons at once, from a list or a spreadsheet."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from common.forms import INVALID, OK
from rules.book.vocabulary import HOUSE
from rules.models import Variant
from rules.variants import store
from rules.variants.forms import PasteForm, key_for
from rules.variants.overlay import Outcome, Overlay, with_added
from rules.variants.page import base_of, keep, own_variant_or_404, posted, version_seen
from rules.variants.places import Data, Written, spread
from rules.variants.tables import MOST_LINES, Cell, Problem, cells, read
from rules.variants.text import complaint, field_label, spoken

PROBLEMS: dict[str, Promise] = {
    "too_many_lines": gettext_lazy("Line %(line)s: no more than %(most)s at once, please."),
    "too_many_cells": gettext_lazy("Line %(line)s has more cells than these items have."),
    "no_name": gettext_lazy("Line %(line)s has no name."),
    "no_number": gettext_lazy("Line %(line)s, %(cell)s: a whole number is asked for."),
    "too_long": gettext_lazy("Line %(line)s, %(cell)s: this is too long."),
}
# Who sees so many mistakes has pasted something else.
MOST_TOLD = 10


@require_http_methods(["GET", "HEAD", "POST"])
def paste(request: Request, variant: uuid.UUID, group: str) -> HttpResponse:
    """Items of one kind, one a line."""
    found = own_variant_or_404(request, variant)
    written = store.outcome_of(found).written
    row = written.row("groups", group)
    if row is None:
        return redirect("variants:add", found.pk, "items")
    wanted = cells(written, group)
    form = PasteForm(posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        items, problems = read(form.cleaned_data["lines"], group, wanted)
        for problem in problems[:MOST_TOLD]:
            form.add_error("lines", _sentence(problem))
        if not items and not problems:
            form.add_error("lines", _("There is nothing in it."))
        if form.is_valid():
            status, error = _keep(request, found, form, written, items)
        if status == OK:
            count = len(items)
            words = ngettext("%(count)s item added.", "%(count)s items added.", count)
            messages.success(request, words % {"count": count})
            return redirect("variants:table", found.pk, "items")
    context = {
        "variant": found,
        "group": group,
        "name": spoken(row["name"]),
        "cells": [cell_label(cell) for cell in wanted],
        "form": form,
        "error": error,
    }
    return render(request, "rules/variants/paste.html", context, status=status)


def cell_label(cell: Cell) -> str:
    """What a cell is called."""
    return spoken(cell.name) if cell.name else field_label("items", cell.key)


def _sentence(problem: Problem) -> str:
    cell = cell_label(problem.cell) if problem.cell else ""
    values = {"line": problem.line, "cell": cell, "most": MOST_LINES}
    return str(PROBLEMS[problem.why]) % values


def _keep(
    request: Request,
    variant: Variant,
    form: PasteForm,
    written: Written,
    items: list[tuple[int, Data]],
) -> tuple[int, str]:
    """Add all of them, or none."""
    rows = [data for _line, data in items]
    fresh = version_seen(request) == variant.draft_version
    if not fresh and store.overlay_of(variant).has_added("items", rows):
        return OK, ""
    taken = {*written.tables["items"], *spread(base_of(variant)).tables["items"]}
    lines: dict[str, int] = {}
    for line, data in items:
        lines[key_for(data["name"]["en"], {*taken, *lines})] = line

    def make(overlay: Overlay) -> Overlay:
        for key, data in zip(lines, rows, strict=True):
            whole = {**data, "key": key, "source": HOUSE}
            overlay = with_added(overlay, "items", key, whole)
        return overlay

    def complained(outcome: Outcome) -> bool:
        for wrong in outcome.wrong:
            if wrong.table == "items" and wrong.row in lines:
                values = {"line": lines[wrong.row], "what": complaint(wrong.message)}
                form.add_error("lines", _("Line %(line)s: %(what)s") % values)
        return bool(form.errors)

    return keep(request, variant, make, complained)
