"""The tables of a draft: finding, changing, adding, moving and removing rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from common.errors import Refusal
from common.forms import INVALID, OK
from rules.drafts import store
from rules.drafts.data import (
    OWN_LISTS,
    SOURCES,
    assemble,
    find_model,
    languages_of,
    new_row,
    take_apart_data,
)
from rules.drafts.guide import find_hint
from rules.drafts.page import attempt, find_posted, open_draft, show, version_seen
from rules.drafts.refusals import describe
from rules.drafts.text import (
    add_label,
    list_formula_names,
    name_row,
    name_table,
    row_findings,
)
from rules.editor.forms import key_for, key_sign
from rules.editor.overlay import Wrong
from rules.editor.places import (
    ORDERED,
    SINGLES,
    Data,
    Written,
    is_dice_rows,
    name_rows,
    rows_of,
)
from rules.editor.row_form import RowForm
from rules.editor.row_views import describe_row, is_wanted, list_sorts
from rules.editor.text import text_of
from rules.models import BookDraft

read_or_post = require_http_methods(["GET", "HEAD", "POST"])
# Tables whose rows can change places.
MOVABLE = {*ORDERED, "campaign.steps", "items", "groups", "samples", "archetypes"}
# Tables whose rows are tried as the author types.
TRIED = {"rolls", "procedures", "modifiers"}


def _place(written: Written, table: str) -> dict[str, Any]:
    """The context that the templates of a table and of its rows share."""
    return {
        "table": table,
        "label": name_table(written, table),
        "hint": find_hint(table),
        "add": add_label(table) if table not in SINGLES else "",
        "inner": is_dice_rows(table),
        "movable": table in MOVABLE,
        "tried": table in TRIED,
        "formula_names": list_formula_names(written) if table in TRIED else [],
    }


@require_safe
@open_draft
def table(request: Request, draft: BookDraft, table: str) -> HttpResponse:
    """List the rows of a table; ``?q`` searches."""
    written = store.check(draft).written
    if table not in written.tables:
        raise Http404
    wanted = request.GET.get("q", "")[:80].strip()
    rows = [
        {
            "row": name,
            "name": name_row(table, data, name),
            "about": describe_row(written, table, data),
            "rows": rows_of(name) if table == "tables" else "",
        }
        for name, data in written.rows(table).items()
        if isinstance(data, dict) and (not wanted or is_wanted(data, wanted))
    ]
    return show(request, draft, "table", **_place(written, table), rows=rows, q=wanted)


@read_or_post
@open_draft
def row(request: Request, draft: BookDraft, table: str, row: str = "") -> HttpResponse:
    """Change a row of a table; or, without a ``row``, a single value, such as the rating."""
    # A change replaces parts of what it read; a page shows what the checker has read anyway.
    is_read = request.method != "POST"
    written = store.check(draft).written if is_read else take_apart_data(store.data_of(draft))
    starting = table in SINGLES and table not in written.singles
    if not is_read and row and table in written.tables and row not in written.rows(table):
        messages.error(request, _("Somebody else has removed or renamed this row meanwhile."))
        return redirect("drafts:table", draft.pk, table)
    known = {} if starting and not row else written.row(table, row)
    model = find_model(table, known) if known is not None else None
    if known is None or model is None or (table in SINGLES and row):
        raise Http404
    form = RowForm(
        table,
        model,
        written,
        known,
        find_posted(request),
        adding=starting,
        languages=languages_of(written.data),
    )
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()

        def put(written: Written) -> None:
            if table in SINGLES:
                if table == "money":
                    _carry_unit(written, answered)
                written.singles[table] = answered
                _put_single(written, table, answered)
            else:
                written.tables[table][row] = answered

        named = _name(table, answered, row)
        status, error = _keep(request, draft, form, put, named)
        if status == OK:
            messages.success(request, _("%(name)s: saved.") % {"name": name_row(table, answered)})
            return redirect(_back(draft, table, named))
    wrong = row_findings(table, row, store.check(draft).wrong)
    if not form.is_bound:
        form.warn(wrong)
    return show(
        request,
        draft,
        "row",
        status,
        **_place(written, table),
        form=form,
        error=error,
        row=row,
        title=name_row(table, known, row) if row else name_table(written, table),
        removable=bool(row) or (table != "campaign" and not starting),
    )


def _name(table: str, answered: Data, row: str) -> str:
    """The name that the checker will find the row under: it may change with its numbers."""
    if table == SOURCES or not (is_dice_rows(table) or "code" in answered):
        return row
    return next(iter(name_rows(table, [answered])))


def _carry_unit(written: Written, money: Data) -> None:
    """Give the rating the unit of the changed ``money``, if both had the same unit before."""
    before, rating = written.singles.get("money"), written.singles.get("rating")
    if before and rating and rating.get("unit") == before.get("unit"):
        rating = {**rating, "unit": money.get("unit")}
        written.singles["rating"] = rating
        _put_single(written, "rating", rating)


def _put_single(written: Written, table: str, value: Data) -> None:
    *above, name = table.split(".")
    inside = written.data
    for part in above:
        inside = inside[part]
    inside[name] = value


def _back(draft: BookDraft, table: str, row: str) -> str:
    """Return the address to go to after a row was saved."""
    if table in SINGLES:
        return draft.get_absolute_url()
    return f"{reverse('drafts:table', args=[draft.pk, table])}#row-{row}"


@read_or_post
@open_draft
def add(request: Request, draft: BookDraft, table: str) -> HttpResponse:
    """Add a row; if there are several kinds or groups, of the chosen one."""
    data = store.data_of(draft)
    written = take_apart_data(data)
    if table not in written.tables:
        raise Http404
    sorts = {} if table in (*OWN_LISTS, SOURCES) else list_sorts(written, table)
    wanted = request.GET.get("sort", "")
    chosen = wanted if wanted in sorts else next(iter(sorts), "")
    start: Data = {"group": chosen} if table == "items" else {"kind": chosen} if sorts else {}
    if table == "items" and not sorts:
        messages.info(request, _("Items belong to a kind: add one first."))
        return redirect("drafts:add", draft.pk, "groups")
    model = find_model(table, start)
    if model is None:
        raise Http404
    form = RowForm(
        table,
        model,
        written,
        start,
        find_posted(request),
        adding=True,
        languages=languages_of(data),
    )
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()
        name = answered.get("name") or answered.get("title") or answered.get("text") or ""
        sign = key_sign(model) if "key" in model.model_fields else "-"
        key = key_for(text_of(name) or "own", written.tables[table], sign)
        answered |= new_row(model, key, written)

        def put(written: Written) -> None:
            rows = list(written.tables[table].items())
            before = form.stands_before()
            names = [name for name, _row in rows]
            rows.insert(names.index(before) if before in names else len(rows), (key, answered))
            written.tables[table] = dict(rows)
            if table == "tables":
                written.tables[rows_of(key)] = name_rows(rows_of(key), answered.get("rows", []))
            if is_dice_rows(table):
                written.tables[table] = dict(sorted(rows, key=_low))

        named = _name(table, answered, key if table == SOURCES or "key" in answered else "")
        named = named or str(len(written.tables[table]) + 1)
        status, error = _keep(request, draft, form, put, named)
        if status == OK:
            messages.success(request, _("%(name)s: added.") % {"name": name_row(table, answered)})
            if "another" in request.POST:
                return redirect(f"{request.path}?sort={chosen}" if sorts else request.path)
            if table == "tables":
                # Each of its rows then says what happens.
                return redirect("drafts:table", draft.pk, rows_of(key))
            return redirect(_back(draft, table, named))
    return show(
        request,
        draft,
        "row",
        status,
        **_place(written, table),
        form=form,
        error=error,
        sorts=list(sorts.items()),
        chosen=chosen,
        title=add_label(table),
        adding=True,
    )


def _low(pair: tuple[str, Data]) -> int:
    low = pair[1].get("low")
    return low if isinstance(low, int) else 0


def _keep(
    request: Request,
    draft: BookDraft,
    form: RowForm,
    put: Callable[[Written], None],
    row: str,
) -> tuple[int, str]:
    """Store the change of the form, unless what was typed has not the right form.

    Such mistakes are shown beside the fields of this row. All others are kept in the checker's
    list: a game that is being written is not whole yet.
    """
    written = take_apart_data(store.data_of(draft))
    put(written)
    try:
        text = store.write({**assemble(written), "slug": draft.slug})
        checked = store.check_text(text)
    except Refusal as refused:
        return INVALID, describe(refused)
    if not checked.formed:
        for wrong in _wrong_here(form.table, row, checked.wrong):
            form.complain(wrong)
        if form.has_errors():
            return INVALID, ""
    seen = version_seen(request)
    return attempt(draft, lambda: store.save_text(draft, text, expected_version=seen))


def _wrong_here(table: str, row: str, wrong: tuple[Wrong, ...]) -> list[Wrong]:
    """The mistakes of a row; for tables that only drafts edit, found by their first word."""
    if table in OWN_LISTS or table == SOURCES:
        own = [one for one in wrong if not one.table and one.field[:1] == (table,)]
        return [Wrong(table, row, one.field[2:], one.message) for one in own]
    return row_findings(table, row, wrong)


@require_POST
@open_draft
def act(request: Request, draft: BookDraft, table: str, row: str) -> HttpResponse:
    """Remove a row (or a single value, with "-" as its row), or move it up or down."""
    written = take_apart_data(store.data_of(draft))
    what = request.POST.get("act", "")
    if table in SINGLES and table != "campaign" and row == "-" and what == "remove":
        if written.singles.pop(table, None) is None:
            raise Http404
        _put_single(written, table, None)  # type: ignore[arg-type]
    else:
        rows = list(written.tables.get(table, {}).items())
        place = next((n for n, (name, _row) in enumerate(rows) if name == row), None)
        if place is None or what not in ("remove", "up", "down"):
            raise Http404
        if what == "remove":
            del rows[place]
            written.tables.pop(rows_of(row), None) if table == "tables" else None
        else:
            other = place + (1 if what == "down" else -1)
            if 0 <= other < len(rows):
                rows[place], rows[other] = rows[other], rows[place]
        written.tables[table] = dict(rows)
    seen = version_seen(request)
    changed = assemble(written)
    _status, error = attempt(draft, lambda: store.save(draft, changed, expected_version=seen))
    if error:
        messages.error(request, error)
    return redirect(_back(draft, table, ""))
