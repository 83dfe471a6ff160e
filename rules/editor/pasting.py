"""Pasting a list of items: one item a line, from a printed table or a spreadsheet.

Cells come in a fixed order, separated by tabs (as a spreadsheet copies them) or semicolons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from common.forms import INVALID, OK, number
from rules.book.vocabulary import HOUSE
from rules.editor import store
from rules.editor.forms import PasteForm, key_for
from rules.editor.overlay import Overlay, OverlayOutcome, with_added
from rules.editor.page import find_posted, keep, own_variant, version_seen
from rules.editor.places import Data, Written, take_apart
from rules.editor.refusals import complaint
from rules.editor.text import field_label, text_of
from rules.library import book_of
from rules.models import Variant

MOST_LINES = 150
MOST_NUMBER = 100_000
# After this many mistakes, the player has probably pasted something else.
MOST_TOLD = 10


@dataclass(frozen=True)
class PastedCell:
    """One cell of a line: the field that it fills, its label, and how to read it."""

    key: str
    label: str
    kind: Literal["name", "number", "column", "text"]


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def paste(request: Request, variant: Variant, group: str) -> HttpResponse:
    """Add items of one kind, one a line."""
    written = store.outcome_of(variant).written
    row = written.row("groups", group)
    if row is None:
        return redirect("variants:add", variant.pk, "items")
    cells = _cells(row)
    form = PasteForm(find_posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        items, problems = read_lines(form.cleaned_data["lines"], group, cells)
        for problem in problems[:MOST_TOLD]:
            form.add_error("lines", problem)
        if not items and not problems:
            form.add_error("lines", _("It is empty."))
        if form.is_valid():
            status, error = _keep(request, variant, form, written, items)
        if status == OK:
            count = len(items)
            words = ngettext("%(count)s item added.", "%(count)s items added.", count)
            messages.success(request, words % {"count": count})
            return redirect("variants:table", variant.pk, "items")
    context = {
        "variant": variant,
        "group": group,
        "name": text_of(row["name"]),
        "cells": cells,
        "form": form,
        "error": error,
    }
    return render(request, "rules/editor/paste.html", context, status=status)


def _cells(group: Data) -> list[PastedCell]:
    """List the cells of an item of this kind, in order."""
    numbers = ["price"]
    if group.get("level_against") is not None:
        numbers.append("level")
    if group.get("slots"):
        numbers.append("hands")
    return [
        PastedCell("name", field_label("items", "name"), "name"),
        *(PastedCell(key, field_label("items", key), "number") for key in numbers),
        *(
            PastedCell(column["key"], text_of(column["name"]), "column")
            for column in group.get("columns", [])
        ),
        PastedCell("text", field_label("items", "text"), "text"),
    ]


def read_lines(text: str, group: str, cells: list[PastedCell]) -> tuple[dict[int, Data], list[str]]:
    """Read the items in the lines, by line number, and the problems in words."""
    items: dict[int, Data] = {}
    problems = []
    for line, content in enumerate(text.splitlines(), start=1):
        if not content.strip():
            continue
        if len(items) >= MOST_LINES:
            sentence = _("Line %(line)s: at most %(most)s at a time, please.")
            problems.append(sentence % {"line": line, "most": MOST_LINES})
            break
        parts = [part.strip() for part in content.split("\t" if "\t" in content else ";")]
        while parts and not parts[-1]:
            parts.pop()
        if len(parts) > len(cells):
            sentence = _("Line %(line)s has more cells than these items have.")
            problems.append(sentence % {"line": line})
            continue
        data = items[line] = {"group": group, "columns": {}}
        parts += [""] * (len(cells) - len(parts))
        for cell, part in zip(cells, parts, strict=True):
            if problem := _fill(data, cell, part):
                problems.append(problem % {"line": line, "cell": cell.label})
        if "price" in data and any(cell.key == "level" for cell in cells):
            data.setdefault("level", data["price"])
    return items, problems


def _fill(data: Data, cell: PastedCell, part: str) -> str:
    """Write a cell into an item's data; return the problem in words, or ""."""
    if part in ("", "–", "-"):
        return _("Line %(line)s has no name.") if cell.kind == "name" else ""
    if len(part) > (2000 if cell.kind == "text" else 80):
        return _("Line %(line)s, %(cell)s: this is too long.")
    if cell.kind == "number":
        value = number(part)
        if value is None or value > MOST_NUMBER:
            return _("Line %(line)s, %(cell)s: enter a whole number.")
        data[cell.key] = value
    elif cell.kind == "column":
        data["columns"][cell.key] = part
    else:
        data[cell.key] = {"en": part, "fr": part}
    return ""


def _keep(
    request: Request, variant: Variant, form: PasteForm, written: Written, items: dict[int, Data]
) -> tuple[int, str]:
    """Add all items, or none; a form that arrives twice adds them once."""
    rows = list(items.values())
    fresh = version_seen(request) == variant.draft_version
    if not fresh and store.overlay_of(variant).has_added("items", rows):
        return OK, ""
    taken = {*written.tables["items"], *take_apart(book_of(variant.base_id)).tables["items"]}
    lines: dict[str, int] = {}
    for line, data in items.items():
        lines[key_for(data["name"]["en"], {*taken, *lines})] = line

    def make(overlay: Overlay) -> Overlay:
        for key, line in lines.items():
            whole = {**items[line], "key": key, "source": HOUSE}
            overlay = with_added(overlay, "items", key, whole)
        return overlay

    def complained(outcome: OverlayOutcome) -> bool:
        for wrong in outcome.wrong:
            if wrong.table == "items" and wrong.row in lines:
                values = {"line": lines[wrong.row], "what": complaint(wrong.message)}
                form.add_error("lines", _("Line %(line)s: %(what)s") % values)
        return bool(form.errors)

    return keep(request, variant, make, complained)
