"""The tables of a variant: finding, changing, adding, hiding and banning rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from common.forms import OK
from common.wording.translating import translate
from rules.book.vocabulary import HOUSE
from rules.editor import store
from rules.editor.fights import FOUGHT
from rules.editor.forms import key_for
from rules.editor.inner_labels import KINDS
from rules.editor.overlay import (
    Overlay,
    OverlayOutcome,
    Status,
    with_added,
    with_row,
    with_status,
)
from rules.editor.page import change, find_posted, keep, own_variant, version_seen
from rules.editor.places import (
    OFFERED,
    SINGLES,
    TABLES,
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
    difference_line,
    kind_label,
    price_unit,
    row_label,
    table_label,
    text_of,
    wrong_text,
)
from rules.library import book_of
from rules.models import Variant

ADD_TO_DICE_TABLE = gettext_lazy("Add a row")


@dataclass(frozen=True)
class RowLine:
    """A row in the list of its table. ``about``: a price or another short description; ``lines``:
    the variant's changes in words; ``rows``: the table with the rows of a dice table."""

    row: str
    name: str
    about: str
    status: str
    added: bool
    changed: bool
    lines: tuple[str, ...]
    rows: str


@require_safe
@own_variant
def table(request: Request, variant: Variant, table: str) -> HttpResponse:
    """List the rows of a table, with changed ones marked; ``?q`` searches."""
    written = store.outcome_of(variant).written
    if table not in written.tables:
        raise Http404
    wanted = request.GET.get("q", "")[:80].strip()
    base = take_apart(book_of(variant.base_id))
    changes: dict[str, list[str]] = {}
    for difference in differences(base, written):
        if difference.table == table:
            line = difference_line(written, difference)
            lines = changes.setdefault(difference.row, [])
            if difference.field != ("status",):
                lines += [f"{one.what} {one.old} → {one.new}" for one in line.changes]
    overlay = store.overlay_of(variant)
    context = {
        **_place(variant, written, table),
        "q": wanted,
        "sections": _sections(overlay, written, table, wanted, changes),
        "gone": [
            (change.row, row_label(table, base.row(table, change.row), change.row))
            for change in overlay.changes
            if change.kind == "status" and change.status == "removed" and change.table == table
        ],
        "offered": table in OFFERED,
        "removable": removable(table),
    }
    return render(request, "rules/editor/table.html", context)


def _place(variant: Variant, written: Written, table: str) -> dict[str, object]:
    """The context that the templates of a table and of its rows share."""
    inner = is_dice_rows(table)
    return {
        "variant": variant,
        "book": book_of(variant.base_id),
        "table": table,
        "label": table_label(written, table),
        "add": ADD_TO_DICE_TABLE if inner else translate(TABLES[table].add),
        "inner": inner,
    }


def _sections(
    overlay: Overlay, written: Written, table: str, wanted: str, changes: dict[str, list[str]]
) -> list[tuple[str, list[RowLine]]]:
    """List the rows that match the search, with items under the names of their kinds."""
    sections: dict[str, list[RowLine]] = defaultdict(list)
    for row, data in written.rows(table).items():
        if wanted and not is_wanted(data, wanted):
            continue
        group = written.row("groups", str(data.get("group"))) if table == "items" else None
        sections[text_of(group["name"]) if group else ""].append(
            RowLine(
                row,
                row_label(table, data, row),
                describe_row(written, table, data),
                str(data.get("status", "offered")),
                overlay.added(table, row) is not None,
                row in changes,
                tuple(changes.get(row, ())),
                rows_of(row) if table == "tables" else "",
            )
        )
    return list(sections.items())


def is_wanted(data: Data, wanted: str) -> bool:
    texts = [data.get(key) for key in ("name", "text")]
    words = " ".join(
        str(part) for text in texts if isinstance(text, dict) for part in text.values()
    )
    return wanted.casefold() in words.casefold()


def describe_row(written: Written, table: str, data: Data) -> str:
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


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def row(request: Request, variant: Variant, table: str, row: str = "") -> HttpResponse:
    """Change a row of a table; or, without a ``row``, a single value, such as the rating."""
    written = store.outcome_of(variant).written
    data = written.row(table, row)
    model = model_of(table, data) if data else None
    if data is None or model is None:
        raise Http404
    form = RowForm(table, model, written, data, find_posted(request))
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()

        def make(overlay: Overlay) -> Overlay:
            return with_row(book_of(variant.base_id), overlay, table, row, answered)

        status, error = _keep(request, variant, form, make, row)
        if status == OK:
            messages.success(request, _("%(name)s: saved.") % {"name": row_label(table, answered)})
            return redirect(_back(variant, table, row))
    name = row_label(table, data, row) if row else ""
    context = {
        **_place(variant, written, table),
        "form": form,
        "error": error,
        "name": name,
        "fights": table in FOUGHT.values(),
    }
    return render(request, "rules/editor/row.html", context, status=status)


def _back(variant: Variant, table: str, row: str) -> str:
    """Return the address to go to after a row was saved."""
    base = variant.get_absolute_url()
    return base if table in SINGLES else f"{base}tables/{table}/#row-{row}"


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def add(request: Request, variant: Variant, table: str) -> HttpResponse:
    """Add a row; if there are several kinds or groups, of the chosen one."""
    written = store.outcome_of(variant).written
    if table not in written.tables:
        raise Http404
    sorts = list_sorts(written, table)
    wanted = request.GET.get("sort", "")
    chosen = wanted if wanted in sorts else next(iter(sorts), "")
    start = {"group": chosen} if table == "items" else {"kind": chosen} if sorts else {}
    if table == "items" and not sorts:
        messages.info(request, _("Items belong to a kind: add one first."))
        return redirect("variants:add", variant.pk, "groups")
    model = model_of(table, start)
    assert model is not None
    form = RowForm(table, model, written, start, find_posted(request), adding=True)
    status, error = form.status, ""
    if form.is_valid():
        answered = form.answered()
        # Its name in the table: a key made from its text, or else a number.
        taken = {*written.tables[table], *take_apart(book_of(variant.base_id)).rows(table)}
        name = (answered.get("name") or {}).get("en", "") if "key" in model.model_fields else "own"
        key = key_for(name, taken)
        # The form does not ask for key, code and source.
        extra = {"key": key, "code": key, "source": HOUSE}
        answered |= {name: extra[name] for name in extra if name in model.model_fields}
        fresh = version_seen(request) == variant.draft_version

        def make(overlay: Overlay) -> Overlay:
            if not fresh and overlay.has_added(table, [answered]):
                return overlay
            return with_added(overlay, table, key, answered, before=form.stands_before())

        status, error = _keep(request, variant, form, make, key)
        if status == OK:
            messages.success(request, _("%(name)s: added.") % {"name": row_label(table, answered)})
            if "another" in request.POST:
                return redirect(f"{request.path}?sort={chosen}" if sorts else request.path)
            return redirect(_back(variant, table, key))
    context = {
        **_place(variant, written, table),
        "form": form,
        "error": error,
        "sorts": list(sorts.items()),
        "chosen": chosen,
    }
    return render(request, "rules/editor/add.html", context, status=status)


def list_sorts(written: Written, table: str) -> dict[str, str]:
    """The choices before a new row: kinds of items, kinds of limits and so on."""
    if table == "items":
        return {key: text_of(group["name"]) for key, group in written.rows("groups").items()}
    models = models_of(table)
    return {kind: kind_label(table, kind) for kind in models} if len(models) > 1 else {}


def _keep(
    request: Request, variant: Variant, form: RowForm, make: Callable[[Overlay], Overlay], row: str
) -> tuple[int, str]:
    """Store the change of the form, if the checker finds no mistake in this row.

    Mistakes in this row are shown beside its fields. Mistakes elsewhere (a hole in a dice table)
    can be fixed later, before the variant is published.
    """

    def complained(outcome: OverlayOutcome) -> bool:
        for wrong in outcome.wrong:
            if (wrong.table, wrong.row) == (form.table, row):
                form.complain(wrong)
            elif wrong.table == f"{form.table}.{row}.rows":
                form.complain(replace(wrong, field=("rows", wrong.row, *wrong.field)))
            elif not outcome.formed:
                form.add_error(None, wrong_text(outcome.written, wrong))
        return form.has_errors()

    return keep(request, variant, make, complained)


@require_POST
@own_variant
def status(request: Request, variant: Variant, table: str, row: str) -> HttpResponse:
    """Hide or ban a row, offer it again, or remove it."""
    written = store.outcome_of(variant).written
    if written.row(table, row) is None or table not in written.tables:
        raise Http404
    allowed: list[Status] = ["offered", "hidden", "banned"] if table in OFFERED else []
    if removable(table) or store.overlay_of(variant).added(table, row):
        allowed.append("removed")
    wanted = next((status for status in allowed if status == request.POST.get("status")), None)
    if wanted is None:
        raise Http404

    def make(overlay: Overlay) -> Overlay:
        return with_status(book_of(variant.base_id), overlay, table, row, wanted)

    return change(request, variant, make, _back(variant, table, row))
