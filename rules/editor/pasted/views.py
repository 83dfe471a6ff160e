"""Pasting rows of a table: one row a line, from a printed table or a spreadsheet.

Headings name the columns; without them, cells come in the order that the page shows. The page
shows what each line becomes before anything is stored, and stores all lines or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from common.forms import INVALID, OK, require_safe_or_post
from rules.editor import edits
from rules.editor.checking import Checked
from rules.editor.documents import Document, base_of, languages_in, read, version_of
from rules.editor.forms import keep_rows
from rules.editor.guide import find_hint
from rules.editor.languages import text_of
from rules.editor.origins import offer_origins
from rules.editor.page import find_posted, keep, open_document, show, version_seen
from rules.editor.page_forms import PasteForm
from rules.editor.pasted.columns import (
    KIND,
    MOST_NEAREST,
    Column,
    PastedRow,
    find_heads,
    list_columns,
    may_paste,
    read_row,
)
from rules.editor.pasted.naming import is_named, list_sorts, name_new, rename, start_row
from rules.editor.pasted.spreadsheets import EMPTY, MOST_CELLS, MOST_LINES, Line, split_lines
from rules.editor.places import (
    Data,
    Written,
    fill_defaults,
    model_of,
    models_of,
    name_rows,
    rows_of,
    take_apart,
)
from rules.editor.refusals import complaint
from rules.editor.row_form import RowForm
from rules.editor.text import add_label, name_words, table_label
from rules.rolling.columns import read_new_columns

# After this many mistakes, the player has probably pasted something else.
MOST_TOLD = 10


class Kinds:
    """The forms of a table's rows by kind, made when a line needs one; "" if there is one kind."""

    def __init__(self, written: Written, table: str, languages: Sequence[str]) -> None:
        self.written, self.table, self.languages = written, table, languages
        self.sorts = list_sorts(written, table)
        self._forms: dict[str, RowForm] = {}
        self._columns: dict[str, list[Column]] = {}

    def form(self, kind: str) -> RowForm:
        """Return the form of a new row of this kind. Raises Http404 if there is no such kind."""
        if kind not in self._forms:
            start = start_row(self.table, kind)
            model = model_of(self.table, start)
            if model is None:
                raise Http404
            self._forms[kind] = RowForm(
                self.table,
                model,
                self.written,
                start,
                None,
                adding=True,
                languages=self.languages,
            )
        return self._forms[kind]

    def columns(self, kind: str) -> list[Column]:
        """Return the columns of this kind's rows."""
        if kind not in self._columns:
            self._columns[kind] = list_columns(self.form(kind))
        return self._columns[kind]

    def find(self, typed: str) -> str | None:
        """Return the kind that a cell names; None for an unknown one."""
        folded = typed.casefold()
        for kind, words in self.sorts.items():
            if folded in (kind.casefold(), words.casefold()):
                return kind
        return None

    def pasteable(self) -> dict[str, str]:
        """Return the kinds whose rows fit into a line, each with its label. Kinds of items differ
        in their columns only."""
        if self.table == "items":
            return self.sorts
        models = models_of(self.table)
        return {
            kind: words for kind, words in self.sorts.items() if may_paste(self.table, models[kind])
        }


@dataclass(frozen=True)
class HeadChoice:
    """The choice of a pasted column's meaning: the name of its field, the first cell as an
    example, and the choices with the chosen one."""

    name: str
    example: str
    choices: tuple[tuple[str, str], ...]
    chosen: str


@dataclass(frozen=True)
class Reading:
    """A paste as it was read. ``headed``: the first line has headings; ``unknown``: headings that
    no column has, whose cells are left out."""

    rows: tuple[PastedRow, ...]
    headed: bool
    heads: tuple[HeadChoice, ...]
    unknown: tuple[str, ...]

    @property
    def problems(self) -> list[str]:
        """Every problem, with its line."""
        return [
            _("Line %(line)s: %(what)s") % {"line": row.number, "what": problem}
            for row in self.rows
            for problem in row.problems
        ]


def is_pasteable(table: str) -> bool:
    """Whether rows of a table can be pasted: the steps of rolls, for example, have no columns."""
    return any(may_paste(table, model) for model in models_of(table).values())


def read_paste(
    kinds: Kinds, chosen: str, text: str, heads: Sequence[str] = (), headed: bool | None = None
) -> Reading:
    """Read the rows in a text. ``chosen``: the kind of rows without one of their own; ``heads``:
    the columns that the author has chosen, by key; ``headed``: whether the first line has
    headings, None to find out."""
    lines = split_lines(text)
    first = lines[0].cells if lines else ()
    width = min(max((len(line.cells) for line in lines), default=0), MOST_CELLS)
    columns = kinds.columns(chosen)
    if headed is None:
        headed = _is_heading(kinds, columns, first)
    given = list(first[:MOST_CELLS]) if headed else []
    if not headed:
        given = [column.key for column in columns if column.is_usual]
    # Cells beyond the last column have none, and are a mistake of their line.
    named = [*heads[:width], *given[len(heads) : width]]
    place = next((n for n, head in enumerate(named) if _is_kind(kinds, head)), None)
    rows: list[PastedRow] = []
    mistakes = 0
    for line in lines[1 if headed else 0 :][: MOST_LINES + 1]:
        row = _read_line(kinds, chosen, named, place, line, suggests=mistakes < MOST_NEAREST)
        mistakes += len(row.problems)
        rows.append(row)
    if len(rows) > MOST_LINES:
        words = _("at most %(most)s at a time, please.") % {"most": MOST_LINES}
        rows = [*rows[:MOST_LINES], replace(rows[MOST_LINES], problems=(words,))]
    known = {
        kind: find_heads(kinds.columns(kind), named)
        for kind in (chosen, *(row.kind for row in rows))
    }
    has_column = [
        any(columns[number] for columns in known.values()) for number in range(len(named))
    ]
    unknown = [
        head
        for number, head in enumerate(named)
        if head and number != place and not has_column[number]
    ]
    by_number = {line.number: line for line in lines}
    rows = [
        _refuse_foreign(row, by_number[row.number], named, known[row.kind], has_column)
        for row in rows
    ]
    return Reading(
        tuple(rows),
        headed,
        _head_choices(kinds, chosen, named, place, [line.cells for line in lines[headed:]]),
        tuple(unknown) if headed and not heads else (),
    )


def _is_kind(kinds: Kinds, head: str) -> bool:
    """Whether a heading is the one over the kinds of rows."""
    return bool(kinds.sorts) and head.strip().casefold() in (KIND, _("Kind").casefold())


def _is_heading(kinds: Kinds, columns: Sequence[Column], cells: Sequence[str]) -> bool:
    """Whether a line has headings: it begins with one, and at least half of it is known."""
    known = [
        bool(column) or _is_kind(kinds, cell)
        for column, cell in zip(find_heads(columns, cells), cells, strict=True)
        if cell
    ]
    return bool(known) and known[0] and sum(known) * 2 >= len(known)


def _read_line(
    kinds: Kinds,
    chosen: str,
    named: Sequence[str],
    place: int | None,
    line: Line,
    *,
    suggests: bool,
) -> PastedRow:
    """Read a line; ``place``: that of the cell with its kind."""
    kind, problem = chosen, ""
    typed = line.cells[place] if place is not None and place < len(line.cells) else ""
    if typed:
        found = kinds.find(typed)
        if found is None:
            problem = _("unknown kind “%(name)s”.") % {"name": typed[:80]}
        elif found not in kinds.pasteable():
            problem = _("rows of this kind need their form.")
        else:
            kind = found
    columns = find_heads(kinds.columns(kind), named)
    form = kinds.form(kind)
    row = read_row(form, kind, line.number, columns, line.cells, suggests=suggests)
    if typed and not problem:
        shown = (*row.shown, (_("Kind"), kinds.sorts[kind]))
        row = replace(row, shown=shown)
    return replace(row, problems=(problem, *row.problems)) if problem else row


def _refuse_foreign(
    row: PastedRow,
    line: Line,
    named: Sequence[str],
    columns: Sequence[Column | None],
    has_column: Sequence[bool],
) -> PastedRow:
    """Complain about cells in columns that only rows of another kind have."""
    foreign = [
        _("%(cell)s: rows of this kind have no such column.") % {"cell": head}
        for head, column, cell, known in zip(named, columns, line.cells, has_column, strict=False)
        if known and column is None and cell not in EMPTY
    ]
    return replace(row, problems=(*row.problems, *foreign)) if foreign else row


def _head_choices(
    kinds: Kinds,
    chosen: str,
    named: Sequence[str],
    place: int | None,
    cells: Sequence[Sequence[str]],
) -> tuple[HeadChoice, ...]:
    listed = [("-", _("leave it out"))]
    if kinds.sorts:
        listed.append((KIND, _("Kind")))
    width = max(map(len, cells), default=0)
    named = [*named, *[""] * (min(width, MOST_CELLS) - len(named))]
    columns = kinds.columns(chosen)
    listed += [(column.key, column.label) for column in columns if column.key != KIND]
    found = find_heads(columns, named)
    choices = []
    for number, column in enumerate(found):
        key = KIND if number == place else column.key if column else "-"
        example = next((one[number] for one in cells if number < len(one) and one[number]), "")
        choices.append(HeadChoice(f"column-{number}", example[:40], tuple(listed), key))
    return tuple(choices)


def find_old(written: Written, table: str, reading: Reading) -> Reading:
    """Let each line change the row of its name and kind, if there is one: nothing that it needs is
    missing then. The second line of a name adds a row."""
    known = {_name_of(row): name for name, row in reversed(written.rows(table).items())}
    rows = []
    for row in reading.rows:
        old = known.pop(_name_of(row.data), "") if row.data.get("name") else ""
        problems = [one for one in row.problems if not (old and one in row.missing)]
        rows.append(replace(row, old=old, problems=tuple(problems)))
    return replace(reading, rows=tuple(rows))


def _name_of(row: Data) -> tuple[str, object, object]:
    """Return what rows of the same name have in common."""
    return text_of(row.get("name", "")).casefold(), row.get("group"), row.get("kind")


def _change(written: Written, table: str, row: PastedRow) -> bool:
    """Give a row the values in its line; other values and languages stay, and so does its name."""
    before = written.row(table, row.old) or {}
    values = {
        name: value if before.get(name) else row.data[name]
        for name, value in row.given.items()
        if name != "name"
    }
    if table == "tables" and "rows" in values:
        return _change_dice_rows(written, rows_of(row.old), values.pop("rows")) | (
            edits.set_for_all(written, table, [row.old], values) > 0
        )
    return edits.set_for_all(written, table, [row.old], values) > 0


def _change_dice_rows(written: Written, table: str, typed: list[Data]) -> bool:
    """Give a dice table other rows; one with the same line keeps what the line does not show."""
    before = written.tables[table]
    rows = name_rows(table, keep_rows([*before.values()], typed))
    model = model_of(table, {})
    # A variant stores only the values that change.
    after = {name: fill_defaults(model, row) if model else row for name, row in rows.items()}
    written.tables[table] = after
    return before != after


@require_safe_or_post
@open_document
def paste(request: Request, document: Document, table: str) -> HttpResponse:
    """Add rows to a table, one a line. ``check`` shows what each line becomes, and adds none."""
    written = read(document)
    if table not in written.tables:
        raise Http404
    if table == "items" and not written.rows("groups"):
        messages.info(request, _("Items belong to a kind: add one first."))
        return redirect("editor:add", document.pk, "groups")
    if not is_pasteable(table):
        raise Http404
    kinds = Kinds(written, table, languages_in(document))
    sorts = kinds.pasteable()
    wanted = request.GET.get("sort", "")
    chosen = wanted if wanted in sorts else next(iter(sorts), "")
    form = PasteForm(find_posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    reading, typed = None, 0
    if form.is_valid():
        posted = request.POST
        heads = [posted.get(f"column-{n}", "")[:80] for n in range(MOST_CELLS)]
        while heads and not heads[-1]:
            heads.pop()
        headed = "headed" in posted if "asked" in posted else None
        reading = read_paste(kinds, chosen, form.cleaned_data["lines"], heads, headed)
        if form.cleaned_data["update"]:
            reading = find_old(written, table, reading)
        if "check" in posted:
            status = OK
        else:
            status, error, reading, first, typed = _store(
                request, document, table, kinds, form, reading
            )
        if status == OK and "check" not in posted:
            count = len(reading.rows)
            words = ngettext("%(count)s row entered.", "%(count)s rows entered.", count)
            messages.success(request, words % {"count": count})
            if typed:
                words = ngettext(
                    "%(count)s column has only numbers: dice can read it.",
                    "%(count)s columns have only numbers: dice can read them.",
                    typed,
                )
                messages.success(request, words % {"count": typed})
            page = reverse("editor:table", args=[document.pk, table])
            return redirect(f"{page}#row-{first}" if first else page)
    columns = kinds.columns(chosen)
    return show(
        request,
        document,
        "paste",
        status,
        part="#reading" if request.htmx and reading is not None and "check" in request.POST else "",
        table=table,
        label=table_label(written, table),
        hint=find_hint(table),
        title=add_label(table),
        sorts=list(sorts.items()),
        chosen=chosen,
        has_kinds=bool(kinds.sorts),
        usual=[column for column in columns if column.is_usual],
        others=[column for column in columns if not column.is_usual],
        form=form,
        reading=reading,
        error=error,
    )


def _store(
    request: Request,
    document: Document,
    table: str,
    kinds: Kinds,
    form: PasteForm,
    reading: Reading,
) -> tuple[int, str, Reading, str, int]:
    """Add the rows, unless one has a problem; return the status, the words of a refusal, the
    reading with the checker's complaints, the name of the first new row, and the number of columns
    in words that have become numbers."""
    problems = reading.problems
    for problem in problems[:MOST_TOLD]:
        form.add_error("lines", problem)
    if not reading.rows and not problems:
        form.add_error("lines", _("The list is empty."))
    if not form.is_valid():
        return INVALID, "", reading, "", 0
    return _keep(request, document, table, kinds, form, reading)


def _keep(
    request: Request,
    document: Document,
    table: str,
    kinds: Kinds,
    form: PasteForm,
    reading: Reading,
) -> tuple[int, str, Reading, str, int]:
    """Add all rows, or none; a form that arrives twice adds them once."""
    is_fresh = version_seen(request) == version_of(document)
    base = base_of(document)
    known = take_apart(base).rows(table) if base is not None else {}
    lines: dict[str, int] = {}
    complaints: dict[int, list[str]] = {}
    typed = 0

    def add(written: Written) -> bool:
        nonlocal typed
        new = [row.data for row in reading.rows if not row.old]
        if not is_fresh and edits.has_all(written, table, new):
            return sum(_change(written, table, row) for row in reading.rows if row.old) > 0
        for row in reading.rows:
            if row.old:
                lines[row.old] = row.number
                _change(written, table, row)
                continue
            model = kinds.form(row.kind).model
            key = name_new(table, model, row.data, {*written.tables[table], *known})
            data: Data = row.data | edits.make_new(written, model, key)
            name = key
            if base is None:
                place = str(len(written.tables[table]) + 1)
                name = rename(table, data, key if is_named(table, model) else place)
            lines[name] = row.number
            edits.add_row(written, table, key, data)
            if table == "origins":
                offer_origins(written, [key], is_variant=base is not None)
        if table == "items":
            # Rows that are only changed leave their columns as they are.
            old = {row.old for row in reading.rows}
            typed = read_new_columns(written.tables, lines.keys() - old)
        return True

    def complains(checked: Checked) -> bool:
        is_draft = checked.formed and base is None
        for wrong in checked.wrong:
            # Drafts may have mistakes, but words in a column of numbers would surprise the author.
            if is_draft and wrong.field[:1] != ("columns",):
                continue
            if wrong.table == table and wrong.row in lines:
                model = model_of(table, checked.written.row(table, wrong.row) or {})
                what = complaint(wrong.message, name_words(model))
                complaints.setdefault(lines[wrong.row], []).append(what)
        words = [
            _("Line %(line)s: %(what)s") % {"line": line, "what": what}
            for line, found in complaints.items()
            for what in found
        ]
        for one in words[:MOST_TOLD]:
            form.add_error("lines", one)
        return bool(words)

    status, error = keep(request, document, add, complains)
    rows = (
        replace(row, problems=(*row.problems, *complaints.get(row.number, ())))
        for row in reading.rows
    )
    return status, error, replace(reading, rows=tuple(rows)), next(iter(lines), ""), typed
