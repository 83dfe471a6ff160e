"""The tables of a variant: looking for a row, changing it, adding one, hiding and banning."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from rules.models import Variant
from rules.variants import store
from rules.variants.desk import (
    INVALID,
    base_of,
    change,
    keep,
    own_variant_or_404,
    seen,
)
from rules.variants.differences import differences
from rules.variants.forms import key_for
from rules.variants.overlay import Outcome, Overlay, with_added, with_row, with_status
from rules.variants.places import (
    LISTS,
    OFFERED,
    SINGLES,
    Data,
    Written,
    is_dice_rows,
    model_of,
    models_of,
    removable,
    spread,
)
from rules.variants.row_form import RowForm
from rules.variants.wording import (
    difference_line,
    kind_label,
    row_label,
    spoken,
    table_label,
    wrong_told,
)
from rules.variants.words import ADD_TO_DICE_TABLE, TABLES
from rules.vocabulary import HOUSE


@require_safe
def table(request: Request, variant: uuid.UUID, table: str) -> HttpResponse:
    """The rows of a table, those that were changed marked; ``?q`` looks for some."""
    found = own_variant_or_404(request, variant)
    written = store.outcome_of(found).written
    if table not in written.names:
        raise Http404
    wanted = request.GET.get("q", "")[:80].strip()
    lines: dict[str, list[str]] = {}
    changed: set[str] = set()
    for one in differences(spread(base_of(found)), written):
        if one.table == table:
            line = difference_line(written, one)
            changed.add(one.row)
            if line.what and one.field != ("status",):
                lines.setdefault(one.row, []).append(f"{line.what} {line.old} → {line.new}")
    context = {
        **_place(found, written, table),
        "q": wanted,
        "sections": _sections(found, written, table, wanted, lines, changed),
        "gone": _gone(found, table),
        "offered": table in OFFERED,
        "removable": removable(table),
    }
    return render(request, "variants/table.html", context)


def _place(variant: Variant, written: Written, table: str) -> dict[str, object]:
    add = ADD_TO_DICE_TABLE if is_dice_rows(table) else TABLES[table][1]
    return {
        "variant": variant,
        "book": base_of(variant),
        "table": table,
        "label": table_label(written, table),
        "add": add,
        "inner": is_dice_rows(table),
    }


def _sections(
    variant: Variant,
    written: Written,
    table: str,
    wanted: str,
    lines: dict[str, list[str]],
    changed: set[str],
) -> list[tuple[str, list[dict[str, object]]]]:
    """The rows that are wanted, items under the names of their kinds."""
    overlay = store.overlay_of(variant)
    sections: dict[str, list[dict[str, object]]] = {}
    for row, data in zip(written.names[table], written.rows(table) or [], strict=True):
        if wanted and not _is_wanted(data, wanted):
            continue
        group = written.row("groups", str(data.get("group"))) if table == "items" else None
        section = spoken(group["name"]) if group else ""
        sections.setdefault(section, []).append(
            {
                "row": row,
                "name": row_label(table, data, row),
                "about": _about(written, table, data),
                "status": data.get("status", "offered"),
                "added": overlay.added(table, row) is not None,
                "changed": row in changed,
                "lines": lines.get(row, []),
                "rows": f"tables.{row}.rows" if table == "tables" else "",
            }
        )
    return list(sections.items())


def _is_wanted(data: Data, wanted: str) -> bool:
    texts = [data.get(key) for key in ("name", "text")]
    words = " ".join(str(part) for one in texts if isinstance(one, dict) for part in one.values())
    return wanted.casefold() in words.casefold()


def _about(written: Written, table: str, data: Data) -> str:
    """What tells rows apart at a glance."""
    money = written.row("money", "") or written.row("rating", "") or {}
    unit = spoken(money.get("unit", ""))
    if table in ("items", "ranks", "traits") and "price" in data:
        return f"{data['price']} {unit}"
    if table == "tables":
        return str(data["dice"])
    if table == "campaign.awards":
        return f"+{data['amount']}"
    if "kind" in data and len(models_of(table)) > 1:
        return kind_label(table, str(data["kind"]))
    return ""


def _gone(variant: Variant, table: str) -> list[dict[str, str]]:
    """Rows that the variant takes out."""
    before = spread(base_of(variant))
    return [
        {"row": one.row, "name": row_label(table, before.row(table, one.row), one.row)}
        for one in store.overlay_of(variant).changes
        if one.kind == "status" and one.status == "removed" and one.table == table
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def row(request: Request, variant: uuid.UUID, table: str, row: str) -> HttpResponse:
    """One row of a table."""
    if table not in LISTS and not is_dice_rows(table):
        raise Http404
    return _edit(request, variant, table, row)


@require_http_methods(["GET", "HEAD", "POST"])
def single(request: Request, variant: uuid.UUID, table: str) -> HttpResponse:
    """Something that is there once: the rating, the money, the campaign's own settings."""
    if table not in SINGLES:
        raise Http404
    return _edit(request, variant, table, "")


def _edit(request: Request, variant: uuid.UUID, table: str, row: str) -> HttpResponse:
    found = own_variant_or_404(request, variant)
    written = store.outcome_of(found).written
    data = written.row(table, row)
    model = model_of(table, data) if data else None
    if data is None or model is None:
        raise Http404
    form = RowForm(table, model, written, data, _sent(request))
    status, error = (INVALID, "") if form.is_bound else (200, "")
    if form.is_valid():
        answered = form.answered()

        def make(overlay: Overlay) -> Overlay:
            return with_row(base_of(found), overlay, table, row, answered)

        status, error = _store(request, found, form, make, row)
        if status == 200:
            messages.success(request, _("%(name)s: saved.") % {"name": row_label(table, answered)})
            return redirect(_back(found, table, row))
    name = row_label(table, data, row) if row else ""
    context = {**_place(found, written, table), "form": form, "error": error, "name": name}
    return render(request, "variants/row.html", context, status=status)


def _sent(request: Request) -> QueryDict | None:
    """The form as it was sent, if it was."""
    return request.POST if request.method == "POST" else None


def _back(variant: Variant, table: str, row: str) -> str:
    """Where to go once a row is saved."""
    base = variant.get_absolute_url()
    return base if table in SINGLES else f"{base}tables/{table}/#row-{row}"


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: Request, variant: uuid.UUID, table: str) -> HttpResponse:
    """A new row: of a kind, or of a group, where there are several."""
    found = own_variant_or_404(request, variant)
    written = store.outcome_of(found).written
    if table not in written.names:
        raise Http404
    sorts = _sorts(written, table)
    wanted = request.GET.get("sort", "")
    chosen = wanted if wanted in dict(sorts) else next(iter(dict(sorts)), "")
    start = {"group": chosen} if table == "items" else {"kind": chosen} if sorts else {}
    if table == "items" and not sorts:
        messages.info(request, _("Items belong to a kind: add one first."))
        return redirect("variants:add", found.pk, "groups")
    model = model_of(table, start)
    assert model is not None
    form = RowForm(table, model, written, start, _sent(request), adding=True)
    status, error = (INVALID, "") if form.is_bound else (200, "")
    if form.is_valid():
        answered = form.answered()
        key = _new_name(found, written, table, answered)
        answered = _completed(table, key, answered)

        def make(overlay: Overlay) -> Overlay:
            return overlay if _has(overlay, table, answered) else _with(overlay)

        def _with(overlay: Overlay) -> Overlay:
            return with_added(overlay, table, key, answered, before=form.stands_before())

        fresh = seen(request) == found.draft_version
        status, error = _store(request, found, form, _with if fresh else make, key)
        if status == 200:
            messages.success(request, _("%(name)s: added.") % {"name": row_label(table, answered)})
            if "another" in request.POST:
                return redirect(f"{request.path}?sort={chosen}" if sorts else request.path)
            return redirect(_back(found, table, key))
    context = {
        **_place(found, written, table),
        "form": form,
        "error": error,
        "sorts": sorts,
        "chosen": chosen,
    }
    return render(request, "variants/add.html", context, status=status)


def _sorts(written: Written, table: str) -> list[tuple[str, str]]:
    """What there is to choose from before a row is written: kinds of items, kinds of limits."""
    if table == "items":
        groups = zip(written.names["groups"], written.rows("groups") or [], strict=True)
        return [(key, spoken(group["name"])) for key, group in groups]
    models = models_of(table)
    return [(kind, kind_label(table, kind)) for kind in models] if len(models) > 1 else []


def _new_name(variant: Variant, written: Written, table: str, data: Data) -> str:
    """What the new row is known by: a key made from its name, or a number."""
    taken = {*written.names[table], *spread(base_of(variant)).names.get(table, [])}
    model = model_of(table, data)
    if model is not None and "key" in model.model_fields:
        return key_for((data.get("name") or {}).get("en", ""), taken)
    return key_for("own", taken)


def _completed(table: str, key: str, data: Data) -> Data:
    """The row with what nobody is asked: its key, and that it is the house's."""
    model = model_of(table, data)
    fields = model.model_fields if model else {}
    extra = {"key": key, "code": key, "source": HOUSE}
    return {**data, **{name: value for name, value in extra.items() if name in fields}}


def _has(overlay: Overlay, table: str, data: Data) -> bool:
    """Whether this very row was added before, whatever its key."""
    names = ("key", "code")
    plain = {name: value for name, value in data.items() if name not in names}
    return any(
        {name: value for name, value in one.data.items() if name not in names} == plain
        for one in overlay.changes
        if one.kind == "add" and one.table == table
    )


def _store(
    request: Request,
    variant: Variant,
    form: RowForm,
    make: Callable[[Overlay], Overlay],
    row: str,
) -> tuple[int, str]:
    """Store what the form asks for, if the checker agrees: (200, ""), or what is said instead.

    Mistakes of this row are put beside its fields. What it makes wrong elsewhere (a table with a
    hole) may be mended next, before the variant is published.
    """
    return keep(request, variant, make, lambda outcome: _complained(form, outcome, row))


def _complained(form: RowForm, outcome: Outcome, row: str) -> bool:
    for wrong in outcome.wrong:
        if (wrong.table, wrong.row) == (form.table, row):
            form.complain(wrong)
        elif wrong.table == f"{form.table}.{row}.rows":
            form.complain(replace(wrong, field=("rows", wrong.row, *wrong.field)))
        elif not outcome.formed:
            form.add_error(None, wrong_told(outcome.written, wrong))
    return bool(form.errors)


@require_POST
def status(request: Request, variant: uuid.UUID, table: str, row: str) -> HttpResponse:
    """Hide or ban a row, offer it again, or take it out."""
    found = own_variant_or_404(request, variant)
    written = store.outcome_of(found).written
    if written.row(table, row) is None or table not in written.names:
        raise Http404
    wanted = request.POST.get("status", "")
    allowed = {"offered", "hidden", "banned"} if table in OFFERED else set()
    if removable(table) or store.overlay_of(found).added(table, row):
        allowed.add("removed")
    if wanted not in allowed:
        raise Http404

    def make(overlay: Overlay) -> Overlay:
        return with_status(base_of(found), overlay, table, row, wanted)

    return change(request, found, make, _back(found, table, row))
