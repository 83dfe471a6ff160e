"""Forms of rows: every shipped row survives its form, and parts are added without JSON."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.template.loader import render_to_string
from pydantic import ValidationError as Malformed

from common.wording.sentences import Label
from rules.book.annotations import marker
from rules.book.model import Book, Look, Sample
from rules.book.rolls import Step
from rules.book.vocabulary import Frozen
from rules.editor import edits
from rules.editor.fields import specs
from rules.editor.forms import (
    DiceRowsField,
    FormulaField,
    FormulasField,
    GridField,
    KeyNamesField,
    LinesField,
    NumbersField,
    PairsField,
)
from rules.editor.inner_labels import FIELDS, KINDS, STEP_KINDS
from rules.editor.overlay import locate
from rules.editor.places import (
    TABLES,
    Written,
    find_fixed,
    is_apart,
    model_of,
    models_of,
    take_apart,
)
from rules.editor.row_form import RowForm
from rules.loading.examining import examine_data
from rules.loading.reader import read_folder
from tests.games.conftest import FOLDER as GAMES
from tests.random_cases import one_soon
from tests.rules.large import large
from tests.world.gangs import GOLD, POINTS, SLUGS, shipped


def sent(form: RowForm, **fields: str) -> QueryDict:
    """Return the data that a browser sends for a form as it was drawn, with other ``fields``."""
    data = QueryDict(mutable=True)
    for one in form.walk():
        for name in one.fields:
            value = one[name].value()
            if isinstance(value, list | tuple):
                data.setlist(one.add_prefix(name), [str(part) for part in value])
            elif value is not None and value is not False:
                data[one.add_prefix(name)] = str(value)
        data.update({f"{one.add_prefix(name)}-sent": "1" for name in one.ticked})
        for part in one.parts.values():
            data[f"{part.prefix}-count"] = str(part.count)
            if part.single:
                if part.is_there:
                    data[f"{part.prefix}-there"] = "1"
                continue
            for inner in part.forms:
                data[f"{inner.prefix}-is"], data[f"{inner.prefix}-was"] = (
                    inner.kind_key,
                    inner.began_with,
                )
    data.update(fields)
    return data


def form_of(written: Written, table: str, row: str, data: QueryDict | None = None) -> RowForm:
    """Return the form of a row."""
    known = written.row(table, row)
    assert known is not None
    model = model_of(table, known)
    assert model is not None
    return RowForm(table, model, written, known, data)


# The smaller rulebooks stand last.
@pytest.mark.parametrize("slug", one_soon(reversed(SLUGS)))
def test_every_row_survives_its_form(slug: str) -> None:
    written = take_apart(shipped(slug))
    changed = []
    for table in (*written.tables, *written.singles):
        for name, row in written.rows(table).items():
            form = form_of(written, table, name, sent(form_of(written, table, name)))
            assert form.is_valid(), (table, name, form.errors)
            answered = form.answered()
            changed += [
                (table, name, field, row[field], answered.get(field))
                for field in row
                if answered.get(field) != row[field]
                and field not in find_fixed(table)
                and not is_apart(table, field)
            ]
    assert changed == []


def test_rows_of_a_large_table_are_named_one_a_line() -> None:
    book = Book.model_validate(large())
    written = take_apart(book)
    name = next(key for key, one in written.rows("limits").items() if one["of"]["ranks"])
    drawn = form_of(written, "limits", name)
    ranks = f"{drawn.parts['of'].forms[0].prefix}-ranks"
    selector = drawn.parts["of"].forms[0]
    assert isinstance(selector.fields["ranks"], KeyNamesField)
    assert not isinstance(selector.fields["origins"], KeyNamesField)
    assert selector["ranks"].value() == "Chief"
    assert drawn.parts["of"].picks() == "picks 1 of 300 ranks"
    form = form_of(written, "limits", name, sent(drawn, **{ranks: "rank-7\nFighter"}))
    assert form.is_valid(), form.errors
    assert form.answered()["of"]["ranks"] == ["rank-7", "fighter"]
    assert form.parts["of"].picks() == "picks 2 of 300 ranks"
    empty = form_of(written, "limits", name, sent(drawn, **{ranks: ""}))
    assert empty.is_valid() and empty.answered()["of"]["ranks"] == []
    wrong = form_of(written, "limits", name, sent(drawn, **{ranks: "Fihgter"}))
    assert not wrong.is_valid()
    assert "Unknown name “Fihgter”" in str(wrong.parts["of"].forms[0].errors["ranks"])


@pytest.mark.parametrize("table", ["ranks", "items", "traits", "offers", "limits", "tags"])
def test_every_row_of_a_large_game_survives_its_form(table: str) -> None:
    written = take_apart(Book.model_validate(large()))
    for name in [*written.rows(table)][::40]:
        known = written.rows(table)[name]
        form = form_of(written, table, name, sent(form_of(written, table, name)))
        assert form.is_valid(), (table, name, form.errors)
        answered = form.answered()
        for field in known:
            if field not in find_fixed(table):
                assert answered.get(field) == known[field]


def test_row_is_added_to_a_part_without_json_and_only_then_stored() -> None:
    written = take_apart(shipped(POINTS))
    name = next(iter(written.rows("conditions")))
    drawn = form_of(written, "conditions", name)
    asked = form_of(
        written, "conditions", name, sent(drawn, more="beyond", **{"beyond-new": "rolls_on"})
    )
    assert not asked.is_valid() and not asked.has_errors()
    (*_old, added) = asked.parts["beyond"].forms
    assert added.kind_words == "rolls on another table"
    table = next(iter(written.rows("tables")))
    typed = sent(asked, **{added.add_prefix("table"): table, added.add_prefix("times"): "2"})
    stored = form_of(written, "conditions", name, typed)
    assert stored.is_valid(), stored.errors
    outcome = stored.answered()["beyond"][-1]
    assert outcome == {"kind": "rolls_on", "table": table, "times": "2", "rerolling": []}


def test_optional_part_is_left_out_until_something_is_typed_in_it() -> None:
    written = take_apart(shipped(POINTS))
    model = model_of("traits", {})
    assert model is not None
    row = {"key": "own", "name": {"en": "Own", "fr": "Own"}, "text": {"en": "T", "fr": "T"}}
    drawn = RowForm("traits", model, written, row, None)
    part = drawn.parts["gained_at"]
    # A browser sends the first choice of a list in which nothing is chosen.
    first = {f"{part.prefix}-characteristic": next(iter(written.rows("characteristics")))}
    empty = RowForm("traits", model, written, row, sent(drawn, **first))
    assert empty.is_valid() and empty.answered()["gained_at"] is None
    typed = sent(drawn, **first, **{f"{part.prefix}-value": "4"})
    filled = RowForm("traits", model, written, row, typed)
    assert filled.is_valid() and filled.answered()["gained_at"]["value"] == 4


def test_ticked_row_is_removed_from_a_part() -> None:
    written = take_apart(shipped(POINTS))
    table, row, form = next(
        (table, name, form)
        for table in ("traits", "professions", "origins", "conditions")
        for name in written.rows(table)
        if len((form := form_of(written, table, name)).parts["effects"].forms) > 1
    )
    before = written.row(table, row)
    less = form_of(written, table, row, sent(form, **{"effects-0-gone": "1"}))
    assert less.is_valid()
    assert before is not None and less.answered()["effects"] == before["effects"][1:]


def test_selector_counts_the_ranks_that_it_picks() -> None:
    written = take_apart(shipped(GOLD))
    ranks = list(written.rows("ranks"))
    model = model_of("ticks", {})
    assert model is not None
    row = {"of": {"ranks": ranks[:2], "not_ranks": ranks[:1]}}
    part = RowForm("ticks", model, written, row, None).parts["of"]
    assert part.picks() == f"picks 1 of {len(ranks)} ranks"


def test_options_are_boxes_to_tick() -> None:
    written = take_apart(shipped(GOLD))
    key, setting = next(
        (key, row) for key, row in written.rows("settings").items() if row["kind"] == "choice"
    )
    name = next(iter(written.rows("traits")))
    value = setting["choices"][0]["key"]
    data = sent(form_of(written, "traits", name))
    data.setlist(f"when-{key}", [value])
    form = form_of(written, "traits", name, data)
    assert form.is_valid() and form.answered()["when"] == {key: [value]}


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("1; Dead", {"low": 1, "high": 1, "name": "Dead"}),
        ("2-5\tBroken arm\tMisses a game", {"low": 2, "high": 5, "name": "Broken arm"}),
        ("11–16 Full recovery", {"low": 11, "high": 16, "name": "Full recovery"}),
    ],
)
def test_dice_rows_are_typed_or_pasted(line: str, row: dict[str, Any]) -> None:
    (found,) = DiceRowsField().clean(line)
    assert {**row, "name": {"en": row["name"], "fr": row["name"]}}.items() <= found.items()


def test_dice_row_without_numbers_is_refused_with_its_line() -> None:
    with pytest.raises(ValidationError, match="Line 2"):
        DiceRowsField().clean("1 Dead\nBroken arm")


def test_steps_are_added_moved_and_removed_without_json() -> None:
    written = take_apart(shipped(POINTS))
    name = next(iter(written.rows("rolls")))
    row = written.row("rolls", name)
    assert row is not None
    drawn = form_of(written, "rolls", name)
    steps = drawn.parts["steps"]
    assert [form.kind_key for form in steps.forms][-1] in dict(steps.kinds)
    asked = form_of(written, "rolls", name, sent(drawn, more="steps", **{"steps-new": "sum"}))
    added = asked.parts["steps"].forms[-1]
    assert not asked.is_valid() and added.kind_words == "throws dice and adds them up"
    typed = {added.add_prefix("sum"): "total", added.add_prefix("dice"): "2"}
    moved = form_of(written, "rolls", name, sent(asked, **typed, move=f"{added.prefix} up"))
    assert [form.kind_key for form in moved.parts["steps"].forms][-2] == "sum"
    orders = {f"{form.prefix}-order": str(at) for at, form in enumerate(moved.parts["steps"].forms)}
    stored = form_of(written, "rolls", name, sent(moved, **orders))
    assert stored.is_valid(), stored.errors
    found = stored.answered()["steps"]
    assert (found[-2]["sum"], found[-2]["dice"]) == ("total", 2)
    assert [*found[:-2], found[-1]] == row["steps"]
    less = form_of(written, "rolls", name, sent(drawn, **{"steps-0-gone": "1"}))
    assert less.is_valid() and less.answered()["steps"] == row["steps"][1:]


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        (FormulasField(), "1\nitem.power + 1", [1, "item.power + 1"]),
        (FormulasField(), "", None),
        (PairsField(), "Str = by.strength\nx=2", {"Str": "by.strength", "x": 2}),
        (GridField(), "1 2 -\n3\t4\t5", [[1, 2, "-"], [3, 4, 5]]),
        (GridField(), "1,–;-2", [[1, "-", -2]]),
    ],
)
def test_numbers_words_and_grids_are_typed_as_lines(field: Any, typed: str, value: Any) -> None:
    assert field.clean(typed) == value
    if value:
        assert field.clean(field.prepare_value(value)) == value


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        (PairsField(), "Str", "not “Str”"),
        (PairsField(), "= 2", "not “= 2”"),
        (GridField(), "1 2\n3 four", "Row 2: “four”"),
        (GridField(), "9999999", "Row 1: “9999999”"),
    ],
)
def test_malformed_line_is_refused_in_words(field: Any, typed: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        field.clean(typed)


def test_every_inner_field_and_kind_has_a_label() -> None:
    def visit(table: str, model: type[Frozen], met: set[type[Frozen]]) -> Iterator[str]:
        for spec in specs(table, model):
            if not marker(model.model_fields[spec.name], Label) and spec.name not in FIELDS:
                yield f"{model.__name__}.{spec.name}"
            for kind, inner in spec.models.items():
                if kind and kind not in (STEP_KINDS if issubclass(inner, Step) else KINDS):
                    yield f"{inner.__name__} ({kind})"
                if inner not in met:
                    yield from visit("", inner, met | {inner})

    tables = [(table, model) for table in TABLES for model in models_of(table).values()]
    tables += [("", Look), ("", Sample)]
    assert {found for table, model in tables for found in visit(table, model, {model})} == set()


def forms_of_every_model(written: Written) -> Iterator[RowForm]:
    """Yield an empty form for each model of each table, and for each model inside them."""
    met: set[type[Frozen]] = set()
    for table in TABLES:
        for kind, model in models_of(table).items():
            row = {"kind": kind} if kind else {}
            outer = RowForm(table, model, written, row, None, adding=True)
            ahead = [outer]
            while ahead:
                form = ahead.pop()
                yield form
                for part in form.parts.values():
                    for inner_kind, inner in part.spec.models.items():
                        if inner not in met:
                            met.add(inner)
                            row = {"kind": inner_kind} if "kind" in inner.model_fields else {}
                            ahead.append(
                                RowForm(table, inner, written, row, None, prefix="in", outer=outer)
                            )


# The mistakes of a part that holds nothing, or that comes beside another.
LEFT_EMPTY = (
    "choose what is counted",
    "can be counted",
    "not both",
    "is missing",
    "to fit it to",
    # Everybody has this item, and the part would fit it to another.
    "an item that everybody has",
    # This advance is rolled, so that nobody chooses a teacher for it.
    "dice decide this advance",
)


def again(form: RowForm, **fields: str) -> RowForm:
    """Return a form as it comes back from a browser, with other ``fields``."""
    return RowForm(
        form.table,
        form.model,
        form.written,
        form.row,
        sent(form, **fields),
        adding=form.adding,
        prefix=form.prefix,
        outer=form.outer,
    )


def test_no_optional_part_comes_without_its_tick_and_each_comes_with_it() -> None:
    written, count = take_apart(read_folder(GAMES / "circle")), 0
    for form in forms_of_every_model(written):
        untouched = again(form)
        for name, part in form.parts.items():
            if not part.optional or part.is_there:
                continue
            count += 1
            assert untouched.parts[name].is_unused, (form.model, name)
            ticked = again(form, **{f"{part.prefix}-there": "1"}).parts[name]
            assert ticked.is_there
            if not ticked.is_valid():
                # The author left out something that is needed: the form says so at its field.
                assert all(inner.errors for inner in ticked.forms), (form.model, name)
                continue
            try:
                ticked.forms[0].model.model_validate(ticked.answered())
            except Malformed as error:
                wrong = {(one["type"], one["loc"][-1]) for one in error.errors()}
                # Lists that the author left empty: their fields show these mistakes.
                assert {kind for kind, _name in wrong} <= {"missing", "too_short"}, wrong
                assert all(name in ticked.forms[0].fields for _kind, name in wrong), wrong
    assert count >= 14, count


def test_checker_puts_what_it_refuses_in_a_ticked_part_beside_its_form() -> None:
    """It refuses a part only for what the author left empty or said twice."""
    written = take_apart(read_folder(GAMES / "terraces"))
    met: set[tuple[type[Frozen], str]] = set()
    for table in (*written.tables, *written.singles):
        for name in written.rows(table):
            drawn = form_of(written, table, name)
            parts = [(form, part) for form in drawn.walk() for part in form.parts.values()]
            for outer, part in parts:
                place = (outer.model, part.spec.name)
                if not part.optional or part.is_there or place in met:
                    continue
                met.add(place)
                form = form_of(written, table, name, sent(drawn, **{f"{part.prefix}-there": "1"}))
                if not form.is_valid():
                    assert form.has_errors(), place
                    continue
                changed = copy.deepcopy(written)
                edits.put_row(changed, table, name, form.answered())
                for mistake in examine_data("terraces", changed.assembled()).mistakes:
                    wrong = locate(changed, mistake.path, mistake.message)
                    assert (wrong.table, wrong.row) == (table, name), (place, wrong)
                    assert any(map(mistake.message.__contains__, LEFT_EMPTY)), (place, mistake)
                    form.complain(wrong)
                    assert form.has_errors(), place
    assert len(met) >= 8


def test_each_that_counts_members_has_no_other_count() -> None:
    """The names of items make an empty list, which once looked like a change."""
    written = take_apart(read_folder(GAMES / "terraces"))
    drawn = form_of(written, "campaign.steps", "gleaning")
    form = form_of(written, "campaign.steps", "gleaning", sent(drawn))
    assert form.is_valid()
    each = form.answered()["each"]
    assert each["members"] is not None and each["items"] is None


@pytest.mark.parametrize(
    ("field", "initial", "text", "changed"),
    [
        (KeyNamesField({"rope": "Rope"}), [], "", False),
        (KeyNamesField({"rope": "Rope"}), None, "", False),
        (KeyNamesField({"rope": "Rope"}), ["rope"], "Rope", False),
        (KeyNamesField({"rope": "Rope"}), ["rope"], "", True),
        (LinesField(), ["one", "two"], "one\r\ntwo", False),
        (NumbersField(required=False), (), "", False),
        (NumbersField(required=False), (3, 4), "3, 4", False),
        (FormulaField(required=False), 1, "1", False),
        (FormulaField(required=False), 1, "by.might", True),
    ],
)
def test_field_changes_only_if_its_text_does(
    field: Any, initial: Any, text: str, changed: bool
) -> None:
    assert field.has_changed(initial, text) == changed


@pytest.mark.parametrize(
    ("languages", "title", "labels"),
    [
        (("en",), "", []),
        (("en", "de"), "In the other language: German", ["Name (German)"]),
        (
            ("en", "fr", "de"),
            "In the other languages: French, German",
            ["Name (French)", "Name (German)"],
        ),
    ],
)
def test_fold_of_a_new_row_names_the_other_languages(
    languages: tuple[str, ...], title: str, labels: list[str]
) -> None:
    written = take_apart(shipped(POINTS))
    (model,) = models_of("groups").values()
    form = RowForm("groups", model, written, {}, None, adding=True, languages=languages)
    page = render_to_string("rules/editor/_row_fields.html", {"form": form})
    assert ("<summary>In the other" in page) == bool(title) and title in page
    named = [field.label for field in form.other_languages() if field.name.startswith("name_")]
    assert named == labels
