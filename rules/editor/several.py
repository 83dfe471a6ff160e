"""Giving several rows of a table the same value of one field."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from common.forms import INVALID, OK, require_safe_or_post
from rules.editor import edits
from rules.editor.checking import Checked
from rules.editor.documents import Document, base_of, languages_in, read
from rules.editor.page import find_posted, keep, open_document, show
from rules.editor.pasted.columns import ROLL, Column, list_columns
from rules.editor.pasted.naming import list_sorts, start_row
from rules.editor.places import Data, Written, model_of
from rules.editor.row_form import RowForm
from rules.editor.text import row_label, table_label, wrong_text

# Fields with several values, which can be added to those that a row has.
LISTS_OF_KEYS = ("tags", "keys", "names", "choices")
# After this many mistakes of the checker, the value does not suit these rows.
MOST_TOLD = 5


def _rows_of(written: Written, table: str, sort: str) -> dict[str, Data]:
    """Return the rows of a table that are of this kind."""
    wanted = start_row(table, sort)
    return {
        name: row
        for name, row in written.rows(table).items()
        if isinstance(row, dict) and all(row.get(key) == value for key, value in wanted.items())
    }


def _fields_of(form: RowForm) -> list[Column]:
    """List the fields that several rows can share: a name belongs to one."""
    first: dict[str, Column] = {}
    for column in list_columns(form):
        alone = column.spec.kind in ("values", "columns")
        name = column.key if alone else column.spec.name
        is_shared = column.key != ROLL and column.spec.name != "name"
        if is_shared and form.names_of(column.spec, column.inner):
            first.setdefault(name, column)
    return [*first.values()]


@require_safe_or_post
@open_document
def change_several(request: Request, document: Document, table: str) -> HttpResponse:
    """Give the ticked rows of a table one value; ``?field`` chooses the field, ``?sort`` the kind
    of rows."""
    written = read(document)
    if table not in written.tables:
        raise Http404
    listed = list_sorts(written, table)
    sorts = {sort: words for sort, words in listed.items() if _rows_of(written, table, sort)}
    if listed and not sorts:
        return redirect("editor:table", document.pk, table)
    wanted = request.GET.get("sort", "")
    sort = wanted if wanted in sorts else next(iter(sorts), "")
    start = start_row(table, sort)
    model = model_of(table, start)
    if model is None:
        raise Http404
    languages = languages_in(document)
    form = RowForm(
        table, model, written, start, find_posted(request), adding=True, languages=languages
    )
    columns = _fields_of(form)
    column = next((one for one in columns if one.key == request.GET.get("field")), None)
    column = column or next(iter(columns), None)
    if column is None:
        raise Http404
    names = form.names_of(column.spec, column.inner)
    rows = _rows_of(written, table, sort)
    wanted_rows = rows if "all" in request.POST else request.POST.getlist("rows")
    ticked = [name for name in wanted_rows if name in rows]
    status, error = OK, ""
    if request.method == "POST":
        # A form that asks for another inner row has not been checked.
        value = None if form.growing else form.answer_alone(column.spec, names)
        status = INVALID
        if form.growing or any(name in form.errors for name in names):
            pass
        elif not ticked:
            error = _("Tick the rows first.")
        elif value is None and column.spec.needed or value == {}:
            form.add_error(names[0], forms.ValidationError(_("Required."), "required"))
        else:
            values, added = {column.spec.name: value}, "added" in request.POST
            status, error, count = _store(request, document, table, ticked, values, added)
            if status == OK:
                words = ngettext("%(count)s row changed.", "%(count)s rows changed.", count)
                messages.success(request, words % {"count": count})
                return redirect("editor:table", document.pk, table)
    return show(
        request,
        document,
        "several",
        status,
        table=table,
        label=table_label(written, table),
        sorts=list(sorts.items()),
        sort=sort,
        columns=[(one.key, one.label) for one in columns],
        column=column.key,
        fields=[form[name] for name in names if name in form.fields],
        is_list=column.spec.kind in LISTS_OF_KEYS,
        adds=request.method != "POST" or "added" in request.POST,
        rows=[(name, row_label(table, row, name), name in ticked) for name, row in rows.items()],
        error=error,
    )


def _store(
    request: Request, document: Document, table: str, ticked: list[str], values: Data, added: bool
) -> tuple[int, str, int]:
    """Store the values; return the status, the words of a refusal, and the number of rows."""
    is_whole = base_of(document) is not None
    count, words = 0, list[str]()

    def put(written: Written) -> bool:
        nonlocal count
        count = edits.set_for_all(written, table, ticked, values, added=added)
        return count > 0

    def complains(checked: Checked) -> bool:
        if checked.formed and not is_whole:
            return False
        words.extend(
            wrong_text(checked.written, one)
            for one in checked.wrong
            if (one.table == table and one.row in ticked) or not checked.formed
        )
        return bool(words)

    status, error = keep(request, document, put, complains)
    return status, error or " ".join(words[:MOST_TOLD]), count
