"""Overlays: every change gives a checked rulebook or mistakes with places, never a crash.

Undoing all changes gives the rulebook; files read back as written; hostile files are refused.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.model import Book, Variation
from rules.editor import files
from rules.editor.checking import check_overlay
from rules.editor.files import BadVariant
from rules.editor.overlay import AddRow, Overlay, SetField, apply
from rules.editor.places import (
    FIXED,
    LISTS,
    OFFERED,
    fill_defaults,
    model_of,
    models_of,
    take_apart,
)
from tests.random_cases import random_cases
from tests.rules.editor.changing import put_back, with_added, with_row, with_status
from tests.work import calls
from tests.world.gangs import GOLD, POINTS, shipped

BOOKS = (POINTS, GOLD)
VARIATION = Variation(key="some-variant", name="House rules", number=1)
NAME = {"en": "Bone saw", "fr": "Scie à os"}
SET = {"kind": "set", "table": "items", "row": "x", "field": ["price"], "value": 1}


def made(base: Book, overlay: Overlay) -> Book:
    """Return the rulebook that these valid changes make."""
    outcome = check_overlay(base, overlay, VARIATION)
    assert outcome.book is not None, (outcome.wrong, outcome.misfits)
    return outcome.book


@pytest.mark.parametrize("table", LISTS)
def test_rows_share_none_of_their_default_lists(table: str) -> None:
    for model in models_of(table).values():
        first, second = (fill_defaults(model, {}) for _row in range(2))
        assert first == second
        shared = [name for name in first if isinstance(first[name], list | dict)]
        assert not any(first[name] is second[name] for name in shared)


@pytest.mark.parametrize("slug", BOOKS)
def test_an_empty_overlay_gives_the_rulebook_itself(slug: str) -> None:
    base = shipped(slug)
    book = made(base, Overlay())
    assert book.changed(variant=None) == base
    assert book.changed(variant=None).digest == base.digest
    assert book.slug == base.slug and book.digest != base.digest


def test_an_overlay_changes_a_price_a_value_and_a_text() -> None:
    base = shipped(POINTS)
    item = next(row for row in base.items if not row.innate and not row.is_house)
    data = take_apart(base).row("items", item.key) or {}
    overlay = with_row(base, Overlay(), "items", item.key, {**data, "price": 77, "name": NAME})
    assert {change.field for change in overlay.changes if isinstance(change, SetField)} == {
        ("price",),
        ("name",),
    }
    changed = made(base, overlay).item[item.key]
    assert (changed.price, changed.name["en"]) == (77, "Bone saw")
    # The changed cells are marked as house values.
    assert {"price", "name"} <= set(changed.house)
    # The old value typed again is no change.
    assert with_row(base, overlay, "items", item.key, data) == Overlay()


def test_an_overlay_changes_single_values_of_a_table() -> None:
    base = shipped(POINTS)
    rank = base.ranks[0]
    key, old = next((k, v) for k, v in rank.values.items() if isinstance(v, int))
    data = take_apart(base).row("ranks", rank.key) or {}
    values = {**data["values"], key: old + 1}
    overlay = with_row(base, Overlay(), "ranks", rank.key, {**data, "values": values})
    (change,) = overlay.changes
    assert isinstance(change, SetField) and change.field == ("values", key)
    assert made(base, overlay).ranks[0].values[key] == old + 1


def test_a_row_can_be_added_hidden_banned_and_restored() -> None:
    base = shipped(POINTS)
    group = base.groups[0].key
    data = {"key": "bone-saw", "name": NAME, "source": "house", "group": group, "price": 3}
    overlay = with_added(Overlay(), "items", "bone-saw", data)
    assert made(base, overlay).item["bone-saw"].price == 3
    banned = with_status(base, overlay, "items", "bone-saw", "banned")
    assert made(base, banned).item["bone-saw"].status == "banned"
    assert with_status(base, banned, "items", "bone-saw", "offered") == overlay
    first = base.items[0].key
    hidden = with_status(base, banned, "items", first, "hidden")
    assert made(base, hidden).item[first].status == "hidden"
    back = put_back(base, hidden, "items", "bone-saw")
    assert put_back(base, back, "items", first) == Overlay()


def test_a_rank_can_be_added_above_another() -> None:
    base = shipped(POINTS)
    data = {"key": "deputy", "name": NAME, "source": "house", "price": 50}
    overlay = with_added(Overlay(), "ranks", "deputy", data, before=base.ranks[1].key)
    assert [rank.key for rank in made(base, overlay).ranks][:2] == [base.ranks[0].key, "deputy"]
    gone = with_added(Overlay(), "ranks", "deputy", data, before="gone")
    assert made(base, gone).ranks[-1].key == "deputy"


def test_limits_and_rows_of_tables_can_be_removed() -> None:
    base = shipped(POINTS)
    names = list(take_apart(base).tables["limits"])
    assert len(set(names)) == len(base.limits)
    overlay = with_status(base, Overlay(), "limits", names[-1], "removed")
    assert len(made(base, overlay).limits) == len(base.limits) - 1
    overlay = with_status(base, Overlay(), "items", base.items[0].key, "removed")
    outcome = check_overlay(base, overlay, VARIATION)
    assert [misfit.why for misfit in outcome.misfits] == ["not_removable"] and outcome.book is None


def test_a_table_with_a_gap_names_the_missing_result() -> None:
    base = shipped(POINTS)
    table = base.tables[0]
    rows = f"tables.{table.key}.rows"
    name = next(iter(take_apart(base).tables[rows]))
    without = with_status(base, Overlay(), rows, name, "removed")
    wrong = check_overlay(base, without, VARIATION).wrong
    assert wrong and all((one.table, one.row) == ("tables", table.key) for one in wrong)
    low, high = table.rows[0].low, table.rows[0].high
    new = {"low": low, "high": high, "name": NAME, "source": "house"}
    mended = made(base, with_added(without, rows, "new-1", new))
    assert mended.tables[0].rows[0].name["en"] == "Bone saw"


def test_a_mistake_names_its_table_and_row() -> None:
    base = shipped(POINTS)
    item = base.items[2]
    data = take_apart(base).row("items", item.key) or {}
    overlay = with_row(base, Overlay(), "items", item.key, {**data, "price": -4})
    (wrong,) = check_overlay(base, overlay, VARIATION).wrong
    assert (wrong.table, wrong.row, wrong.field) == ("items", item.key, ("price",))
    overlay = with_row(base, Overlay(), "items", item.key, {**data, "group": "nonsense"})
    assert ("items", item.key, ("group",)) in {
        (one.table, one.row, one.field) for one in check_overlay(base, overlay, VARIATION).wrong
    }


def test_rows_of_an_added_table_can_be_changed_and_are_removed_with_it() -> None:
    base = shipped(POINTS)
    rows = [{"low": n, "high": n, "name": NAME, "source": "house"} for n in range(1, 7)]
    data = {"key": "mishaps", "name": NAME, "source": "house", "dice": "1d6", "rows": rows}
    overlay = with_added(Overlay(), "tables", "mishaps", data)
    inner = "tables.mishaps.rows"
    row = apply(base, overlay)[0].row(inner, "2-2") or {}
    text = {"en": "It slips.", "fr": "Elle glisse."}
    changed = with_row(base, overlay, inner, "2-2", {**row, "text": text})
    assert made(base, changed).table["mishaps"].rows[1].text is not None
    assert put_back(base, changed, "tables", "mishaps") == Overlay()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({**SET, "table": "spells"}, "no_table"),
        ({**SET, "row": "x"}, "no_row"),
        ({**SET, "table": "campaign", "row": "", "field": ["steps"]}, "no_field"),
        ({**SET, "table": "rating", "row": "", "field": ["colour"]}, "no_field"),
        ({"kind": "status", "table": "limits", "row": "x", "status": "hidden"}, "no_row"),
        ({"kind": "add", "table": "items", "row": "x", "data": {"key": "y"}}, "unnamed"),
        ({"kind": "add", "table": "campaign", "row": "x", "data": {}}, "no_table"),
    ],
)
def test_a_change_that_does_not_fit_says_why(change: dict[str, Any], why: str) -> None:
    overlay = Overlay.model_validate({"changes": [change]})
    outcome = check_overlay(shipped(POINTS), overlay, VARIATION)
    assert [misfit.why for misfit in outcome.misfits] == [why]
    assert outcome.book is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
    | st.sampled_from(["", "house", "items", "d66", "2k1", "offered", "{name", "fr", "0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["en", "fr", "kind", "x", "price"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def changes(draw: st.DrawFn, slug: str) -> dict[str, Any]:
    """Return a random change of a rulebook, usually a senseless one."""
    written = take_apart(shipped(slug))
    table = draw(st.sampled_from(sorted(written.tables)))
    names = [*written.tables[table], "new-1"]
    row = draw(st.sampled_from(names))
    kind = draw(st.sampled_from(["set", "set", "add", "status"]))
    if kind == "status":
        status = draw(st.sampled_from(["offered", "hidden", "banned", "removed"]))
        return {"kind": kind, "table": table, "row": row, "status": status}
    known = written.row(table, row) or written.row(table, names[0]) or {}
    if kind == "add":
        copied = {**known, **draw(st.dictionaries(st.sampled_from(list(known) or ["x"]), JSON))}
        if "key" in known:
            copied["key"] = row
        return {"kind": kind, "table": table, "row": row, "data": copied}
    fields = sorted(known) or ["name"]
    field = [draw(st.sampled_from(fields))]
    if draw(st.booleans()) and isinstance(known.get(field[0]), dict) and known[field[0]]:
        field.append(draw(st.sampled_from(sorted(known[field[0]]))))
    return {"kind": kind, "table": table, "row": row, "field": field, "value": draw(JSON)}


@pytest.mark.long
@pytest.mark.parametrize("slug", BOOKS)
@given(data=st.data())
@random_cases(8, 500)
def test_random_changes_give_a_book_or_mistakes(slug: str, data: st.DataObject) -> None:
    base = shipped(slug)
    listed = data.draw(st.lists(changes(slug), min_size=1, max_size=3))
    overlay = Overlay.model_validate({"changes": listed})
    outcome = check_overlay(base, overlay, VARIATION)
    if outcome.book is not None:
        assert outcome.book.slug == base.slug
        assert Book.model_validate_json(outcome.book.canonical()) == outcome.book
    else:
        assert outcome.wrong or outcome.misfits
    for one in outcome.wrong:
        assert one.message
        assert not one.row or outcome.written.row(one.table, one.row) is not None
    # The rulebook itself is unchanged.
    assert made(base, Overlay()).changed(variant=None) == base
    misfits = apply(base, overlay)[1]
    for change in overlay.changes:
        overlay = put_back(base, overlay, change.table, change.row)
    assert overlay == Overlay(changes=tuple(one.change for one in misfits))


def test_malformed_rows_are_mistakes() -> None:
    base = shipped(POINTS)
    data = {"key": "odd", "name": 3, "dice": "1d2", "rows": [1, "two"], "source": "house"}
    overlay = with_added(Overlay(), "tables", "odd", data)
    row = {"low": 1, "high": 1, "name": NAME, "source": "house"}
    overlay = with_added(overlay, "tables.odd.rows", "own", row)
    outcome = check_overlay(base, overlay, VARIATION)
    assert not outcome.formed and outcome.book is None
    assert {"tables", "tables.odd.rows"} == {one.table for one in outcome.wrong}
    # A malformed row of a table can be viewed there.
    named = [one for one in outcome.wrong if one.row]
    assert named
    assert all(outcome.written.row(one.table, one.row) is not None for one in named)


@pytest.mark.parametrize("slug", BOOKS)
@given(data=st.data())
@random_cases(6, 200)
def test_a_variant_file_reads_back_the_written_overlay(slug: str, data: st.DataObject) -> None:
    base = shipped(slug)
    listed = data.draw(st.lists(changes(slug), max_size=4))
    overlay = Overlay.model_validate({"changes": listed})
    file = files.read_variant(files.write_variant("Ours", base, overlay).encode())
    assert file.overlay == overlay
    assert (file.name, file.book, file.digest) == ("Ours", base.slug, base.digest)


def test_every_table_and_row_has_a_model() -> None:
    for slug in BOOKS:
        written = take_apart(shipped(slug))
        for table, names in written.tables.items():
            for name in names:
                row = written.row(table, name)
                assert row is not None
                model = model_of(table, row)
                assert model is not None, table
                assert set(row) == set(model.model_fields)
    for table in LISTS:
        models = models_of(table).values()
        assert models
        if table in OFFERED:
            assert all("status" in model.model_fields for model in models)
        assert any(set(model.model_fields) - FIXED for model in models)


def file_of(**fields: object) -> bytes:
    """Return a variant's file with other fields."""
    text = files.write_variant("Ours", shipped(POINTS), Overlay())
    return json.dumps({**json.loads(text), **fields}).encode()


def with_value(value: object) -> bytes:
    """Return a variant's file that sets a price to ``value``."""
    change = {"kind": "set", "table": "items", "row": "x", "field": ["price"], "value": value}
    return file_of(overlay={"changes": [change]})


def nested(depth: int) -> object:
    """Return lists nested ``depth`` times."""
    inner: object = 1
    for _ in range(depth):
        inner = [inner]
    return inner


HOSTILE = {
    "huge": (b"[" + b"1," * 200_000 + b"1]", "too_big"),
    "latin": ("{“é”}".encode("utf-16"), "not_text"),
    "words": (b"price = 3", "not_json"),
    "deep": (b"[" * 90_000, "too_deep"),
    "deep inside": (with_value(nested(100)), "too_deep"),
    "infinite": (with_value(0).replace(b'"value": 0', b'"value": 1e999'), "bad_number"),
    "not a number": (with_value(0).replace(b'"value": 0', b'"value": NaN'), "bad_number"),
    "giant": (with_value(10**300), "bad_number"),
    "digits": (with_value(0).replace(b'"value": 0', b'"value": ' + b"9" * 90_000), "not_json"),
    "a list": (b"[]", "foreign"),
    "a gang": (file_of(format="skirmish-gang"), "foreign"),
    "the future": (file_of(format_version=4), "newer"),
    "no name": (file_of(name=""), "damaged"),
    "wrong types": (file_of(overlay=[1, 2]), "damaged"),
    "odd change": (file_of(overlay={"changes": [{"kind": "erase"}]}), "damaged"),
    "odd place": (file_of(overlay={"changes": [{"kind": "status", "table": "../x"}]}), "damaged"),
    "many": (file_of(overlay={"changes": [{}] * 5_000}), "too_many"),
    "values": (with_value([0] * 50_000), "too_many"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_little_work(name: str) -> None:
    content, code = HOSTILE[name]

    def read_it() -> None:
        with pytest.raises(BadVariant) as refused:
            files.read_variant(content)
        assert refused.value.code == code

    assert calls(read_it) < 50_000


def test_an_overlay_that_is_costly_to_check_is_refused() -> None:
    rows = [{"low": 1, "high": 2, "name": NAME, "source": "house"}]

    def table(number: int, dice: str) -> AddRow:
        key = f"t{number}"
        data = {"key": key, "name": NAME, "source": "house", "dice": dice, "rows": rows}
        return AddRow(kind="add", table="tables", row=key, data=data)

    many_dice = Overlay(changes=(table(1, "20d99"),))
    many_tables = Overlay(changes=tuple(table(number, "1d2") for number in range(40)))
    rolls = [{"kind": "rolls_on", "table": "t1"}] * 100
    setting = SetField(kind="set", table="conditions", row="x", field=("beyond",), value=rolls)
    for overlay in (many_dice, many_tables, Overlay(changes=(setting,))):
        with pytest.raises(BadVariant, match="too_many"):
            files.check_bounds(overlay)


def test_the_costliest_accepted_overlay_is_checked_with_little_work() -> None:
    """A table of many rows, and the maximum of rolls that lead to it."""
    base = shipped(POINTS)
    rows = [{"low": n, "high": n, "name": NAME, "source": "house"} for n in range(1, 60)]
    overlay = Overlay()
    for number in range(20):
        mine = [dict(row) for row in rows[:20]]
        target = f"t{number + 1}" if number < 19 else "t19"
        for row in mine[:3]:
            row["outcomes"] = [{"kind": "rolls_on", "table": target, "rerolling": []}]
        key = f"t{number}"
        data = {"key": key, "name": NAME, "source": "house", "dice": "1d99", "rows": mine}
        overlay = with_added(overlay, "tables", key, data)
    files.check_bounds(overlay)
    assert check_overlay(base, overlay, VARIATION).wrong
    assert calls(lambda: check_overlay(base, overlay, VARIATION)) < 1_000_000
