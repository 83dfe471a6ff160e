"""The labels of a draft's tables and rows, and the checker's list with links to the fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.wording.translating import translate
from rules.drafts.data import SOURCES
from rules.drafts.forms import Basics
from rules.drafts.store import Checked
from rules.editor.overlay import Wrong
from rules.editor.places import SINGLES, TABLES, Data, Written, is_dice_rows, rows_of
from rules.editor.refusals import complaint
from rules.editor.row_views import ADD_TO_DICE_TABLE
from rules.editor.text import (
    label_in,
    row_label,
    table_label,
    text_of,
    wrong_text,
)
from rules.models import BookDraft

# The tables that only drafts edit: their names, and the labels for adding a row.
OWN: dict[str, tuple[Promise, Promise]] = {
    "archetypes": (gettext_lazy("Ready-made recruits"), gettext_lazy("Add a ready-made recruit")),
    "samples": (gettext_lazy("Ready-made gangs"), gettext_lazy("Add a ready-made gang")),
    SOURCES: (gettext_lazy("Sources"), gettext_lazy("Add a source")),
}


def name_table(written: Written, table: str) -> str:
    """Return the name of a draft's table."""
    return str(OWN[table][0]) if table in OWN else table_label(written, table)


def add_label(table: str) -> str:
    """Return the label for adding a row to a table."""
    if is_dice_rows(table):
        return str(ADD_TO_DICE_TABLE)
    return str(OWN[table][1]) if table in OWN else translate(TABLES[table].add)


def name_row(table: str, data: Data | None, row: str = "") -> str:
    """Return the label of a draft's row."""
    if table in OWN and isinstance(data, dict):
        return text_of(data.get("name") or data.get("title") or row)
    return row_label(table, data, row)


def list_formula_names(written: Written) -> list[tuple[str, str]]:
    """List names that formulas of this game may read, each with its meaning."""
    found: dict[str, str] = {}
    for key, row in written.rows("characteristics").items():
        found[f"by.{key}"] = text_of(row.get("name", ""))
    for group in written.rows("groups").values():
        for column in group.get("columns") or ():
            if isinstance(column, dict) and column.get("kind", "text") not in ("text", "tick"):
                found[f"item.{column.get('key')}"] = text_of(column.get("name", ""))
    for key, row in written.rows("circumstances").items():
        found[key] = text_of(row.get("name", ""))
    return [(name.replace("-", "_"), words) for name, words in found.items()]


@dataclass(frozen=True)
class Finding:
    """An entry of the checker's list. ``where``: the address of its field; "" if there is none."""

    words: str
    where: str


def findings(draft: BookDraft, checked: Checked) -> dict[str, object]:
    """Return the template's context with the checker's list."""
    return {
        "wrong": [_finding(draft, checked.written, one) for one in checked.wrong],
        "notes": [_finding(draft, checked.written, one) for one in checked.notes],
    }


def row_findings(table: str, row: str, wrong: Iterable[Wrong]) -> list[Wrong]:
    """Return the mistakes of one row."""
    return [one for one in wrong if (one.table, one.row) == (table, row)]


def _finding(draft: BookDraft, written: Written, wrong: Wrong) -> Finding:
    return Finding(_words(written, wrong), _where(draft, written, wrong))


def _words(written: Written, wrong: Wrong) -> str:
    table, row, field = _place(written, wrong)
    if table in OWN:
        parts = [name_table(written, table)]
        parts += [name_row(table, written.row(table, row), row)] if row else []
        parts += [field.replace("_", " ")] if field else []
        place = ", ".join(parts)
        return _("%(place)s: %(what)s") % {"place": place, "what": complaint(wrong.message)}
    if not wrong.table and wrong.field and wrong.field[0] in Basics.model_fields:
        place = label_in(Basics, wrong.field[0])
        return _("%(place)s: %(what)s") % {"place": place, "what": complaint(wrong.message)}
    return wrong_text(written, wrong)


def _place(written: Written, wrong: Wrong) -> tuple[str, str, str]:
    """Return the table, row and field of a mistake, in the tables that only drafts edit, too."""
    if wrong.table or not wrong.field or wrong.field[0] not in OWN:
        return wrong.table, wrong.row, wrong.field[0] if wrong.field else ""
    table, *inner = wrong.field
    rows = list(written.rows(table))
    name = inner[0] if inner else ""
    if name.isdecimal() and int(name) < len(rows):
        name = rows[int(name)]
    return table, name if name in rows else "", inner[1] if len(inner) > 1 else ""


def _where(draft: BookDraft, written: Written, wrong: Wrong) -> str:
    """Return the address of the field that can fix a mistake; "" if there is none."""
    table, row, field = _place(written, wrong)
    anchor = f"#field-{field}" if field else ""
    if table in SINGLES:
        return reverse("drafts:single", args=[draft.pk, table]) + anchor
    inner = rows_of(row)
    if table == "tables" and inner in written.tables and field in ("", "rows"):
        return reverse("drafts:table", args=[draft.pk, inner])
    if table in written.tables:
        if row:
            return reverse("drafts:row", args=[draft.pk, table, row]) + anchor
        return reverse("drafts:table", args=[draft.pk, table])
    if field in Basics.model_fields:
        return reverse("drafts:basics", args=[draft.pk]) + anchor
    if field in ("look", "languages"):
        return reverse(f"drafts:{field}", args=[draft.pk])
    return ""
