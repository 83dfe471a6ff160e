"""The pages “How dice are thrown”: rolls from parts, and columns in words read as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from rules.book.rolls import Roll
from rules.editor import edits
from rules.editor.checking import Checked
from rules.editor.dice.forms import DiceForm
from rules.editor.documents import (
    Document,
    base_of,
    check,
    languages_in,
    read,
    version_of,
    write,
)
from rules.editor.forms import key_for
from rules.editor.languages import in_each, say_in_each, text_of
from rules.editor.page import find_posted, keep, open_document, show, version_seen
from rules.editor.places import Data, Written, keep_equal, source_of_new, take_apart
from rules.editor.refusals import complaint, describe
from rules.editor.row_views import find_wrong
from rules.editor.text import row_label, wrong_text
from rules.editor.trying import attack_asked, describe_errors, describe_trial
from rules.rolling.building import DISTANCE, build_distance, build_roll, recognise_roll
from rules.rolling.columns import ReadColumn, apply_columns, find_worded
from rules.rolling.parts import Reach, RollParts, list_columns

MOST_STRAYS = 12
# The most mistakes that the refusal of columns names.
MOST_BROKEN = 3


@dataclass(frozen=True)
class RollLine:
    """A roll of the document. ``is_built``: the page can change it by its parts."""

    key: str
    name: str
    is_built: bool


@dataclass(frozen=True)
class ColumnLine:
    """A column in words as the page shows it. ``strays``: rows that do not agree, with their
    words; ``more``: the number of others."""

    place: str
    name: str
    becomes: str
    samples: tuple[str, ...]
    strays: tuple[tuple[str, str], ...]
    more: int


def _life_of(written: Written) -> str:
    return str(written.data.get("life") or "")


def _list_rolls(written: Written) -> list[RollLine]:
    life = _life_of(written)
    return [
        RollLine(key, row_label("rolls", row, key), recognise_roll(row, life) is not None)
        for key, row in written.tables["rolls"].items()
        if isinstance(row, dict)
    ]


def _describe_columns(written: Written, columns: Sequence[ReadColumn]) -> Iterator[ColumnLine]:
    becomes = {
        "number": _("a number, with dice and characteristics"),
        "length": _("a length in inches"),
        "target": _("a number to reach, such as 4+"),
    }
    for one in columns:
        if one.group:
            group = written.tables["groups"][one.group]
            column = next(row for row in list_columns(group) if row["key"] == one.key)
            named = text_of(column.get("name") or one.key)
            names = {"group": row_label("groups", group, one.group), "column": named}
            name = _("%(group)s, column “%(column)s”") % names
        else:
            name = row_label("characteristics", written.tables["characteristics"][one.key], one.key)
        strays = one.strays[:MOST_STRAYS]
        more = len(one.strays) - len(strays)
        yield ColumnLine(one.place, name, becomes[one.kind], one.samples, strays, more)


@require_safe_or_post
@open_document
def dice(request: Request, document: Document) -> HttpResponse:
    """List the rolls of a document, and its columns in words; a form turns the ticked ones into
    columns of numbers."""
    if request.method == "POST":
        return _read_columns(request, document)
    return _show_overview(request, document)


def _show_overview(
    request: Request, document: Document, status: int = OK, error: str = ""
) -> HttpResponse:
    checked = check(document)
    written = read(document)
    is_variant = base_of(document) is not None
    lines = [*_describe_columns(written, find_worded(written.tables, is_variant=is_variant))]
    return show(
        request,
        document,
        "dice",
        status,
        checked=checked,
        error=error,
        rolls=_list_rolls(written),
        readable=[one for one in lines if not one.strays],
        worded=[one for one in lines if one.strays],
    )


def _read_columns(request: Request, document: Document) -> HttpResponse:
    """Store the columns that the form ticks as columns of numbers."""
    wanted = set(request.POST.getlist("column"))
    before, count = Counter(check(document).wrong), 0
    broken: list[str] = []

    def edit(written: Written) -> bool:
        nonlocal count
        found = find_worded(written.tables, is_variant=base_of(document) is not None)
        chosen = [one for one in found if one.place in wanted and not one.strays]
        count = len(chosen)
        return apply_columns(written.tables, chosen)

    def complains(checked: Checked) -> bool:
        # A game that is being written may have other mistakes, which stay.
        new = [*(Counter(checked.wrong) - before)][:MOST_BROKEN]
        broken.extend(wrong_text(checked.written, one) for one in new)
        return bool(broken)

    status, error = keep(request, document, edit, complains)
    if not count:
        status, error = INVALID, _("Tick at least one column.")
    if broken:
        error = _("Other rows need these words: %(what)s") % {"what": " ".join(broken)}
    if status != OK:
        return _show_overview(request, document, status, error)
    words = ngettext("%(count)s column is read now.", "%(count)s columns are read now.", count)
    messages.success(request, words % {"count": count})
    return redirect("editor:dice", document.pk)


@dataclass(frozen=True)
class Build:
    """The rows of a roll that a form describes, with those that it needs."""

    key: str
    roll: Data
    grids: dict[str, Data]
    circumstance: Data | None

    def put(self, written: Written) -> None:
        """Put the rows into the document."""
        for key, row in self.grids.items():
            edits.add_row(written, "grids", key, row)
        if self.circumstance is not None:
            edits.add_row(written, "circumstances", DISTANCE, self.circumstance)
        known = written.row("rolls", self.key)
        if known is not None:
            edits.put_row(written, "rolls", self.key, keep_equal(Roll, known, self.roll))
        else:
            edits.add_row(written, "rolls", self.key, self.roll)


def _build(document: Document, form: DiceForm, written: Written, known: Data | None) -> Build:
    """Return the rows for a valid form. ``known``: the roll as it is, which keeps its words."""
    parts, given, tables = form.find_parts(), form.cleaned_data, written.tables
    languages, base = languages_in(document), base_of(document)
    source, say = source_of_new(written), say_in_each(languages)
    # A variant's new rows must not take the names of rows of its base that it has removed.
    before = take_apart(base).tables if base is not None else {}
    grids: dict[str, Data] = {}
    for part in ("hit", "wound"):
        test = getattr(parts, part)
        if test.how == "table" and not test.grid:
            heading = _("To hit") if part == "hit" else _("To wound")
            name = in_each(f"{given['name']} – {heading}", languages)
            taken = {*tables["grids"], *before.get("grids", ()), *grids}
            key = key_for(f"{given['name']} {part}", taken)
            cells = given[f"{part}_cells"]
            grids[key] = {"key": key, "name": name, "cells": cells, "source": source}
            parts = replace(parts, **{part: replace(test, grid=key)})
    circumstance = None
    if parts.reach != Reach() and DISTANCE not in tables["circumstances"]:
        circumstance = {**build_distance(say), "source": source}
    row = build_roll(parts, _life_of(written), say)
    old = known or {}
    key = str(
        old.get("key") or key_for(given["name"], {*tables["rolls"], *before.get("rolls", ())})
    )
    named = old.get("name")
    if named is None or text_of(named) != given["name"]:
        named = in_each(given["name"], languages)
    kept = {name: old[name] for name in ("text", "house") if old.get(name)}
    row = {**row, **kept, "key": key, "name": named, "source": old.get("source", source)}
    _keep_words(row, old)
    return Build(key, row, grids, circumstance)


def _keep_words(row: Data, old: Data) -> None:
    """Give outcomes and numbers the names that they have in the roll as it is."""
    for table, key in (("outcomes", "key"), ("numbers", "of")):
        rows = old.get(table)
        found = [one for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []
        names = {one.get(key): one["name"] for one in found if one.get("name")}
        for one in row[table]:
            one["name"] = names.get(one[key], one["name"])


@require_safe_or_post
@open_document
def build(request: Request, document: Document, row: str = "") -> HttpResponse:
    """Build a roll from its parts, or change it; “look” shows its odds and stores nothing."""
    written = read(document)
    known = written.row("rolls", row) if row else None
    if row and known is None:
        raise Http404
    found = recognise_roll(known, _life_of(written)) if known is not None else None
    parts = found or RollParts(harm="life" if _life_of(written) else "out")
    name = text_of(known["name"]) if known is not None and known.get("name") else ""
    form = DiceForm(find_posted(request), written=written, parts=parts, name=name)
    status, error, trial = OK, "", None
    if form.is_bound:
        looks = "look" in request.POST
        if looks:
            trial = _try(request, document, form, known)
            if getattr(request, "htmx", False):
                return render(request, "rules/editor/_trial.html", trial)
        status = INVALID if form.errors else OK
        if status == OK and not looks:
            status, error, key = _save(request, document, form, known)
            if status == OK:
                return redirect(f"{reverse('editor:dice', args=[document.pk])}#roll-{key}")
    context: dict[str, Any] = {
        "form": form,
        "row": row,
        "title": name or _("Add an attack"),
        "by_hand": known is not None and found is None,
        "trial": trial,
    }
    return show(request, document, "dice_roll", status, error=error, **context)


def _try(request: Request, document: Document, form: DiceForm, known: Data | None) -> Data:
    """Return the context of the odds: the checker's words, and a sample attack."""
    written = read(document)
    if not form.is_valid():
        return describe_trial(written, [*describe_errors([form])])
    built = _build(document, form, written, known)
    built.put(written)
    try:
        text = write(document, written)
    except Refusal as refused:
        return describe_trial(read(document), [describe(refused)])
    checked = check(document, text, attack=attack_asked(request, built.key))
    wrong, notes = (
        [complaint(one.message) for one in find_wrong("rolls", built.key, found)]
        for found in (checked.wrong, checked.notes)
    )
    return describe_trial(checked.written, wrong, notes, checked.odds, form.cleaned_data["groups"])


def _save(
    request: Request, document: Document, form: DiceForm, known: Data | None
) -> tuple[int, str, str]:
    """Store the roll with its rows; return the status, the words of a refusal, and its key."""
    is_fresh = version_seen(request) == version_of(document)
    written_key = ""

    def edit(written: Written) -> bool:
        nonlocal written_key
        built = _build(document, form, written, known)
        written_key = built.key
        if not is_fresh and _has_built(written, form):
            return False
        built.put(written)
        return True

    def complains(checked: Checked) -> bool:
        for one in find_wrong("rolls", written_key, checked.wrong):
            form.add_error(None, complaint(one.message))
        if base_of(document) is not None and not checked.formed and not form.errors:
            # A variant is always whole, so a mistake elsewhere comes from this roll.
            form.add_error(None, wrong_text(checked.written, checked.wrong[0]))
        return bool(form.errors)

    status, error = keep(request, document, edit, complains)
    if status == OK:
        messages.success(request, _("“%(name)s” is written.") % {"name": form.cleaned_data["name"]})
    return status, error, written_key


def _has_built(written: Written, form: DiceForm) -> bool:
    """Whether the game has this roll already: the form arrived twice."""
    parts, life = form.find_parts(), _life_of(written)
    rows = (row for row in written.tables["rolls"].values() if isinstance(row, dict))
    return any(
        text_of(row.get("name", "")) == form.cleaned_data["name"]
        and (found := recognise_roll(row, life)) is not None
        and _forget_new_tables(found, parts) == parts
        for row in rows
    )


def _forget_new_tables(found: RollParts, asked: RollParts) -> RollParts:
    """Return parts without the keys of tables where others ask for a new one."""
    return replace(
        found,
        hit=found.hit if asked.hit.grid else replace(found.hit, grid=""),
        wound=found.wound if asked.wound.grid else replace(found.wound, grid=""),
    )
