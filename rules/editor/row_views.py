"""The tables of a document: finding, changing, adding, copying, moving and removing rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from common.forms import OK, number, require_safe_or_post
from common.wording.translating import translate
from rules.book.vocabulary import Frozen
from rules.editor import edits
from rules.editor.checking import Checked
from rules.editor.documents import Document, base_of, check, languages_in, read, version_of
from rules.editor.fairness.fights import FOUGHT
from rules.editor.guide import find_hint, find_next
from rules.editor.inner_labels import KINDS
from rules.editor.languages import text_of
from rules.editor.origins import offer_origins
from rules.editor.overlay import Wrong
from rules.editor.page import change, find_posted, keep, open_document, show, version_seen
from rules.editor.pasted.naming import is_named, list_sorts, name_new, rename, start_row
from rules.editor.pasted.views import is_pasteable
from rules.editor.places import (
    FIXED,
    GAME_LISTS,
    LISTS,
    OFFERED,
    SINGLES,
    Data,
    Written,
    differences,
    is_dice_rows,
    model_of,
    models_of,
    removable,
    rows_of,
    take_apart,
)
from rules.editor.row_form import RowForm
from rules.editor.text import (
    add_label,
    difference_line,
    kind_label,
    list_formula_names,
    price_unit,
    row_label,
    table_label,
    wrong_text,
)

# Tables of a game whose rows can change places.
MOVABLE = {*LISTS, *GAME_LISTS}
# Tables whose rows are tried as the author types.
TRIED = {"rolls", "procedures", "modifiers"}
# Tables whose rows have formulas.
WITH_FORMULAS = {*TRIED, "circumstances", "states", "actions", "spends", "alarms", "cautions"}
# The name in addresses of acts for a single value, and of a row that is not stored yet.
NAMELESS = "-"


@dataclass(frozen=True)
class RowLine:
    """A row in the list of its table. ``about``: a price or another short description; ``lines``:
    the changes to its base in words; ``rows``: the table with the rows of a dice table."""

    row: str
    name: str
    about: str
    status: str
    is_added: bool
    is_changed: bool
    is_removable: bool
    lines: tuple[str, ...]
    rows: str


def _place(written: Written, table: str, row: Data | None = None) -> dict[str, Any]:
    """The context that the templates of a table and of its rows share. ``row``: the shown one."""
    is_single = table in SINGLES
    return {
        "table": table,
        "label": table_label(written, table),
        "hint": find_hint(table),
        "add": "" if is_single else add_label(table),
        "inner": is_dice_rows(table),
        "fights": table in FOUGHT.values(),
        "tried": table in TRIED,
        "pasteable": not is_single and is_pasteable(table),
        "formula_names": list_formula_names(written, row or {}) if table in WITH_FORMULAS else [],
    }


@require_safe
@open_document
def table(request: Request, document: Document, table: str) -> HttpResponse:
    """List the rows of a table, with changed ones marked; ``?q`` searches."""
    checked = check(document)
    written = checked.written
    if table not in written.tables:
        raise Http404
    wanted = request.GET.get("q", "")[:80].strip()
    base = base_of(document)
    before = take_apart(base) if base is not None else None
    known = before.rows(table) if before is not None else {}
    sections = _sections(before, written, table, wanted)
    return show(
        request,
        document,
        "table",
        checked=checked,
        **_place(written, table),
        q=wanted,
        sections=sections,
        gone=[
            (name, row_label(table, row, name))
            for name, row in known.items()
            if name not in written.rows(table)
        ],
        offered=table in OFFERED,
        following=find_next(table) if base is None else "",
        following_label=table_label(written, find_next(table)),
        has_several=len(written.rows(table)) > 1,
        movable=base is None and table in MOVABLE and not wanted,
        searchable=bool(wanted) or len(written.rows(table)) > 12,
    )


def _sections(
    before: Written | None, written: Written, table: str, wanted: str
) -> list[tuple[str, list[RowLine]]]:
    """List the rows that match the search, with items under the names of their kinds."""
    changes = _changes(before, written, table) if before is not None else {}
    known = before.rows(table) if before is not None else written.rows(table)
    sections: dict[str, list[RowLine]] = defaultdict(list)
    for row, data in written.rows(table).items():
        if not isinstance(data, dict) or (wanted and not _is_wanted(data, wanted)):
            continue
        group = written.row("groups", str(data.get("group"))) if table == "items" else None
        is_added = row not in known
        sections[text_of(group.get("name", "")) if group else ""].append(
            RowLine(
                row,
                row_label(table, data, row),
                _describe_row(written, table, data),
                str(data.get("status", "offered")),
                is_added,
                row in changes,
                before is None or is_added or removable(table),
                tuple(changes.get(row, ())),
                rows_of(row) if table == "tables" else "",
            )
        )
    return list(sections.items())


def _changes(before: Written, written: Written, table: str) -> dict[str, list[str]]:
    """Return the changes to a base in words, by row; none for a row that is hidden or banned."""
    found: dict[str, list[str]] = defaultdict(list)
    for difference in differences(before, written):
        if difference.table == table:
            line = difference_line(written, difference)
            words = [f"{one.what} {one.old} → {one.new}" for one in line.changes]
            found[difference.row] += words if difference.field != ("status",) else []
    return found


def _is_wanted(data: Data, wanted: str) -> bool:
    texts = [data.get(key) for key in ("name", "text")]
    words = " ".join(
        str(part) for text in texts if isinstance(text, dict) for part in text.values()
    )
    return wanted.casefold() in words.casefold()


def _describe_row(written: Written, table: str, data: Data) -> str:
    """Describe a row in a word or two."""
    if table in ("items", "ranks", "traits") and "price" in data:
        return f"{data['price']} {price_unit(written)}"
    if table == "tables":
        return str(data.get("dice", ""))
    if is_dice_rows(table):
        kinds = [one.get("kind") for one in data.get("outcomes") or () if isinstance(one, dict)]
        return ", ".join(translate(KINDS[kind]) for kind in kinds if kind in KINDS)
    if table == "campaign.awards":
        return f"+{data.get('amount', '')}"
    if "kind" in data and len(models_of(table)) > 1:
        return kind_label(table, str(data["kind"]))
    return ""


@require_safe_or_post
@open_document
def row(request: Request, document: Document, table: str, row: str = "") -> HttpResponse:
    """Change a row of a table; or, without a ``row``, a single value, such as the rating."""
    is_posted = request.method == "POST"
    # A change replaces parts of what it read; a page shows what the checker has read anyway.
    written = read(document) if is_posted else check(document).written
    if is_posted and row and table in written.tables and row not in written.rows(table):
        messages.error(request, _("Somebody else has removed or renamed this row meanwhile."))
        return redirect("editor:table", document.pk, table)
    base = base_of(document)
    starting = base is None and table in SINGLES and table not in written.singles and not row
    known = {} if starting else written.row(table, row)
    model = model_of(table, known) if known is not None else None
    if known is None or model is None or (table in SINGLES and row):
        raise Http404
    form = _make_form(request, document, written, table, model, known, adding=starting)
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()
        named = row if base is not None else rename(table, answered, row)
        status, error = keep(
            request,
            document,
            lambda fresh: edits.put_row(fresh, table, row, answered),
            lambda checked: _complains(document, form, checked, named),
        )
        if status == OK:
            messages.success(request, _("%(name)s: saved.") % {"name": row_label(table, answered)})
            return redirect(_back(document, table, named))
    if not form.is_bound:
        form.warn(find_wrong(table, row, check(document).wrong))
    return show(
        request,
        document,
        "row",
        status,
        **_place(written, table, known),
        form=form,
        error=error,
        row=row,
        title=row_label(table, known, row) if row else table_label(written, table),
        removable=not starting and "remove" in _find_acts(document, written, table, row),
    )


def _make_form(
    request: Request,
    document: Document,
    written: Written,
    table: str,
    model: type[Frozen],
    row: Data,
    *,
    adding: bool,
) -> RowForm:
    posted, languages = find_posted(request), languages_in(document)
    return RowForm(table, model, written, row, posted, adding=adding, languages=languages)


def find_wrong(table: str, row: str, wrong: tuple[Wrong, ...]) -> list[Wrong]:
    """Return the mistakes of one row."""
    return [one for one in wrong if (one.table, one.row) == (table, row)]


def _back(document: Document, table: str, row: str) -> str:
    """Return the address to go to after a row was saved."""
    if table in SINGLES:
        return document.get_absolute_url()
    return f"{reverse('editor:table', args=[document.pk, table])}#row-{row}"


def _complains(document: Document, form: RowForm, checked: Checked, row: str) -> bool:
    """Show the mistakes of this row beside its fields, and return whether there are any.

    A game that is being written is not whole yet: only mistakes of form keep its row from being
    stored. Mistakes elsewhere (a hole in a dice table) can be fixed later, before publishing.
    """
    is_whole = base_of(document) is not None
    if checked.formed and not is_whole:
        return False
    for wrong in checked.wrong:
        if (wrong.table, wrong.row) == (form.table, row):
            form.complain(wrong)
        elif wrong.table == f"{form.table}.{row}.rows":
            form.complain(replace(wrong, field=("rows", wrong.row, *wrong.field)))
        elif is_whole and not checked.formed:
            form.add_error(None, wrong_text(checked.written, wrong))
    return form.has_errors()


@require_safe_or_post
@open_document
def add(request: Request, document: Document, table: str) -> HttpResponse:
    """Add a row; if there are several kinds or groups, of the chosen one. ``?copy`` names a row to
    begin with."""
    written = read(document)
    if table not in written.tables:
        raise Http404
    sorts = list_sorts(written, table)
    copied = written.row(table, request.GET.get("copy", "")[:80])
    wanted = request.GET.get("sort", "")
    chosen = wanted if wanted in sorts else next(iter(sorts), "")
    start = start_row(table, chosen)
    if copied is not None:
        start = {name: value for name, value in copied.items() if name not in FIXED}
        if table == "tables":
            start["rows"] = [*written.rows(rows_of(request.GET["copy"])).values()]
        sorts = {}
    if table == "items" and not sorts and copied is None:
        messages.info(request, _("Items belong to a kind: add one first."))
        return redirect("editor:add", document.pk, "groups")
    model = model_of(table, start)
    if model is None:
        raise Http404
    form = _make_form(request, document, written, table, model, start, adding=True)
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()
        base = base_of(document)
        taken = {*written.tables[table], *(take_apart(base).rows(table) if base else ())}
        key = name_new(table, model, answered, taken)
        answered |= edits.make_new(written, model, key)
        row = key
        if base is None:
            place = str(len(written.tables[table]) + 1)
            row = rename(table, answered, key if is_named(table, model) else place)
        is_fresh = version_seen(request) == version_of(document)

        def put(written: Written) -> bool:
            # A form that arrives twice adds one row.
            if not is_fresh and edits.has_equal(written, table, answered):
                return False
            edits.add_row(written, table, key, answered, form.stands_before())
            if table == "origins":
                offer_origins(written, [key], is_variant=base is not None)
            return True

        status, error = keep(
            request, document, put, lambda checked: _complains(document, form, checked, row)
        )
        if status == OK:
            messages.success(request, _("%(name)s: added.") % {"name": row_label(table, answered)})
            if "another" in request.POST:
                return redirect(f"{request.path}?sort={chosen}" if sorts else request.path)
            if table == "tables":
                # Each of its rows then says what happens.
                return redirect("editor:table", document.pk, rows_of(key))
            return redirect(_back(document, table, row))
    return show(
        request,
        document,
        "row",
        status,
        **_place(written, table, start),
        form=form,
        error=error,
        sorts=list(sorts.items()),
        chosen=chosen,
        title=add_label(table),
        adding=True,
    )


@require_POST
@open_document
def act(request: Request, document: Document, table: str, row: str) -> HttpResponse:
    """Act on a row (or a single value, with "-" as its row): hide, ban or offer it, move it up,
    down or to a place, remove it, or put it back as its base has it."""
    row = "" if table in SINGLES and row == NAMELESS else row
    what, written, base = request.POST.get("act", ""), read(document), base_of(document)
    known = written.row(table, row) is not None
    target = _back(document, table, row) if table in written.tables else ""
    if "home" in request.POST or not target:
        target = document.get_absolute_url()
    if what == "put-back" and base is not None:
        return _put_back(request, document, table, row, target)
    if not known or what not in _find_acts(document, written, table, row):
        raise Http404

    def edit(written: Written) -> bool:
        if written.row(table, row) is None:
            return False
        if what == "place":
            # Authors count from 1.
            return edits.move_to(written, table, row, (number(request.POST.get("to")) or 0) - 1)
        if what in ("up", "down"):
            return edits.move_row(written, table, row, 1 if what == "down" else -1)
        if what == "remove":
            return edits.remove_row(written, table, row)
        return edits.set_status(written, table, row, what)

    return change(request, document, edit, target)


def _find_acts(document: Document, written: Written, table: str, row: str) -> set[str]:
    """Return the acts that a row allows."""
    base = base_of(document)
    if table in SINGLES:
        return {"remove"} if base is None and table != "campaign" else set()
    found = {"offered", "hidden", "banned"} if table in OFFERED else set()
    if base is None or removable(table) or take_apart(base).row(table, row) is None:
        found.add("remove")
    if base is None and table in MOVABLE:
        found |= {"up", "down", "place"}
    return found


def _put_back(
    request: Request, document: Document, table: str, row: str, target: str
) -> HttpResponse:
    """Put a row, or one field of it, back as the base has it; drop changes that do not fit."""
    base = base_of(document)
    assert base is not None
    field = tuple(part for part in request.POST.get("field", "").split(".") if part)

    def edit(written: Written) -> bool:
        rows = {**take_apart(base).rows(table), **written.rows(table)}
        return row in rows and edits.put_back(written, base, table, row, field)

    misfits = {(one.change.table, one.change.row) for one in check(document).misfits}
    dropped = (table, row) if (table, row) in misfits and not field else None
    return change(request, document, edit, target, dropped=dropped)
