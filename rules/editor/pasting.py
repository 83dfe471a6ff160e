"""Pasting a list of items: one item a line, from a printed table or a spreadsheet.

Cells come in a fixed order, separated by tabs (as a spreadsheet copies them) or semicolons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from common.forms import INVALID, OK, number, require_safe_or_post
from common.wording.texts import LONGEST_LINE
from rules.editor import edits
from rules.editor.checking import Checked
from rules.editor.documents import Document, base_of, languages_in, read, version_of
from rules.editor.forms import key_for
from rules.editor.languages import in_each, text_of
from rules.editor.page import find_posted, keep, open_document, show, version_seen
from rules.editor.page_forms import PasteForm
from rules.editor.places import Data, Written, source_of_new, take_apart
from rules.editor.refusals import complaint
from rules.editor.text import field_label

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


@require_safe_or_post
@open_document
def paste(request: Request, document: Document, group: str) -> HttpResponse:
    """Add items of one kind, one a line."""
    written = read(document)
    row = written.row("groups", group)
    if row is None:
        return redirect("editor:add", document.pk, "items")
    cells = _cells(row)
    form = PasteForm(find_posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        items, problems = read_lines(
            form.cleaned_data["lines"], group, cells, languages_in(document)
        )
        for problem in problems[:MOST_TOLD]:
            form.add_error("lines", problem)
        if not items and not problems:
            form.add_error("lines", _("The list is empty."))
        if form.is_valid():
            status, error = _keep(request, document, form, items)
        if status == OK:
            count = len(items)
            words = ngettext("%(count)s item added.", "%(count)s items added.", count)
            messages.success(request, words % {"count": count})
            return redirect("editor:table", document.pk, "items")
    return show(
        request,
        document,
        "paste",
        status,
        group=group,
        title=text_of(row.get("name", group)),
        cells=cells,
        form=form,
        error=error,
    )


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


def read_lines(
    text: str, group: str, cells: list[PastedCell], languages: Sequence[str]
) -> tuple[dict[int, Data], list[str]]:
    """Read the items in the lines, by line number, and the problems in words. ``languages``: those
    of the rulebook's texts."""
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
            if problem := _fill(data, cell, part, languages):
                problems.append(problem % {"line": line, "cell": cell.label})
        if "price" in data and any(cell.key == "level" for cell in cells):
            data.setdefault("level", data["price"])
    return items, problems


def _fill(data: Data, cell: PastedCell, part: str, languages: Sequence[str]) -> str:
    """Write a cell into an item's data; return the problem in words, or ""."""
    if part in ("", "–", "-"):
        return _("Line %(line)s has no name.") if cell.kind == "name" else ""
    if len(part) > (LONGEST_LINE if cell.kind == "text" else 80):
        return _("Line %(line)s, %(cell)s: this is too long.")
    if cell.kind == "number":
        value = number(part)
        if value is None or value > MOST_NUMBER:
            return _("Line %(line)s, %(cell)s: enter a whole number.")
        data[cell.key] = value
    elif cell.kind == "column":
        data["columns"][cell.key] = part
    else:
        data[cell.key] = in_each(part, languages)
    return ""


def _keep(
    request: Request, document: Document, form: PasteForm, items: dict[int, Data]
) -> tuple[int, str]:
    """Add all items, or none; a form that arrives twice adds them once."""
    is_fresh = version_seen(request) == version_of(document)
    base = base_of(document)
    lines: dict[str, int] = {}

    def add(written: Written) -> bool:
        if not is_fresh and all(edits.has_equal(written, "items", one) for one in items.values()):
            return False
        taken = {*written.tables["items"], *(take_apart(base).tables["items"] if base else ())}
        for line, data in items.items():
            key = key_for(text_of(data["name"]), {*taken, *lines})
            lines[key] = line
            row = {**data, "key": key, "source": source_of_new(written)}
            edits.add_row(written, "items", key, row)
        return True

    def complains(checked: Checked) -> bool:
        for wrong in checked.wrong:
            if wrong.table == "items" and wrong.row in lines:
                values = {"line": lines[wrong.row], "what": complaint(wrong.message)}
                form.add_error("lines", _("Line %(line)s: %(what)s") % values)
        return bool(form.errors)

    return keep(request, document, add, complains)
