"""Rows pasted from a spreadsheet: every table, headings, mistakes beside their line, bounds."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from rules.editor import documents, store
from rules.editor.data import name_game, start_empty, start_from, take_apart_data
from rules.editor.documents import Document
from rules.editor.pasted.columns import list_columns, may_paste
from rules.editor.pasted.naming import start_row
from rules.editor.pasted.spreadsheets import LONGEST_PASTE, MOST_LINES, split_lines
from rules.editor.pasted.views import Kinds, read_paste
from rules.editor.places import Written, models_of, take_apart
from rules.editor.row_form import RowForm
from tests.rules.editor.test_both import address, send
from tests.rules.large import large
from tests.world.gangs import GOLD, POINTS, shipped

LANGUAGES = ("en", "fr")


@pytest.fixture
def game(client: Client, alice: User) -> Document:
    """Return a game of Alice's that begins as a copy; the client is hers."""
    client.force_login(alice)
    data = {**start_from(shipped(POINTS)), "slug": "ours"}
    return store.start_game(alice, data, token=uuid.uuid4())


def rows_of(game: Document, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table as they are stored."""
    game.refresh_from_db()
    return [*documents.read(game).tables[table].values()]


def kinds_of(table: str, book: str = POINTS) -> Kinds:
    """Return the kinds of a table's rows in a shipped game."""
    return Kinds(take_apart(shipped(book)), table, LANGUAGES)


def test_split_lines_reads_tabs_semicolons_commas_and_quoted_cells() -> None:
    assert [line.cells for line in split_lines("a\tb; c\n\nd\t\t\n")] == [("a", "b; c"), ("d",)]
    assert [line.cells for line in split_lines('a;"b;\nc";d\ne;f')] == [
        ("a", "b; c", "d"),
        ("e", "f"),
    ]
    assert [line.number for line in split_lines('\na;"b\nc"\n\ne')] == [2, 5]
    assert [line.cells for line in split_lines("a,b\nc,d")] == [("a", "b"), ("c", "d")]
    # A list of names, one of which has a comma, has one column.
    assert [line.cells for line in split_lines("Knife, long\nSabre")] == [
        ("Knife, long",),
        ("Sabre",),
    ]


def test_split_lines_keeps_quotes_that_nothing_closes() -> None:
    found = split_lines('"Big Bertha" gun;12"\n"oops;3\nSabre;4')
    assert [line.cells for line in found] == [
        ('"Big Bertha" gun', '12"'),
        ('"oops', "3"),
        ("Sabre", "4"),
    ]


def test_headings_name_columns_in_any_order() -> None:
    traits = kinds_of("traits")
    text = "Price;Name;What it does\n5;Bold;Rolls again\n"
    reading = read_paste(traits, "", text)
    assert reading.headed and not reading.problems
    [row] = reading.rows
    assert row.number == 2 and row.data["price"] == 5
    assert row.data["name"] == {"en": "Bold", "fr": "Bold"}
    assert [label for label, _words in row.shown] == ["Price", "Name", "What it does"]


def test_cells_come_in_the_usual_order_without_headings() -> None:
    reading = read_paste(kinds_of("traits"), "", "Bold;5;Rolls again")
    assert not reading.headed and not reading.problems
    assert reading.rows[0].data["price"] == 5


def test_unknown_heading_is_named_and_can_be_chosen() -> None:
    traits = kinds_of("traits")
    text = "Name;What it does;Kosten\nBold;Rolls again;5"
    reading = read_paste(traits, "", text)
    assert reading.unknown == ("Kosten",) and "price" not in reading.rows[0].data
    assert [head.chosen for head in reading.heads] == ["name", "text", "-"]
    assert reading.heads[2].example == "5"
    chosen = read_paste(traits, "", text, ["name", "text", "price"], True)
    assert chosen.rows[0].data["price"] == 5 and not chosen.unknown


def test_translations_have_columns_of_their_own() -> None:
    text = "Name;Name (French);What it does\nBold;Audacieux;x"
    name = read_paste(kinds_of("traits"), "", text).rows[0].data["name"]
    assert name == {"en": "Bold", "fr": "Audacieux"}


def test_kind_column_lets_items_of_several_kinds_come_together() -> None:
    items = kinds_of("items")
    first, second = list(items.sorts.items())[:2]
    text = f"Name;Kind;Price\nLong knife;{first[1]};4\nOld gun;{second[1]};9\nOdd;nothing;1"
    reading = read_paste(items, first[0], text)
    assert [row.data["group"] for row in reading.rows[:2]] == [first[0], second[0]]
    assert [row.number for row in reading.rows if row.problems] == [4]


def test_names_in_cells_become_keys_and_unknown_ones_offer_the_nearest() -> None:
    book = shipped(GOLD)
    trait = next(one for one in book.traits)
    ranks = Kinds(take_apart(book), "ranks", LANGUAGES)
    name = trait.name["en"]
    good = read_paste(ranks, "", f"Name;Price;Traits\nBoss;9;{name}", ["name", "price", "traits"])
    assert good.rows[0].data["traits"] == [trait.key]
    bad = read_paste(ranks, "", f"Boss;9;{name}x", ["name", "price", "traits"])
    assert f"Did you mean “{name}”?" in bad.problems[0]


@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_every_table_whose_rows_fit_into_a_line_lists_its_columns(slug: str) -> None:
    written = take_apart(shipped(slug))
    for table in written.tables:
        for kind, model in models_of(table).items():
            sort = next(iter(written.tables["groups"])) if table == "items" else kind
            start = start_row(table, sort)
            form = RowForm(table, model, written, start, None, adding=True, languages=LANGUAGES)
            columns = list_columns(form)
            assert len({column.key for column in columns}) == len(columns)
            if may_paste(table, model):
                needed = {spec.name for spec in form.specs if spec.needed}
                usual = {column.spec.name for column in columns if column.is_usual}
                assert needed <= usual | {"high"}, (table, kind)


PASTES = [
    ("ranks", "", "Boss;50\nMate;20", 2),
    ("traits", "", "Bold;5;Rolls again", 1),
    ("characteristics", "number", "Pluck;Plk;How brave", 1),
    ("groups", "", "Name;Columns\nBlades;Damage, Weight", 1),
    ("settings", "choice", "Name;Text;Choices\nWeather;How it is;Rain, Sun", 1),
    ("tables", "", "Luck\t1d6\t1: Bad | 2-6: Good; Take 5\nLoot\t1d3\t1-3; Coins", 2),
    ("grids", "", "Hits;2 3 4 | 3 4 - | 4 5 6", 1),
    ("hands", "", "Name;Faces;Combinations\nBones;Sun, Moon;Pair, Three", 1),
    ("rolls", "", "", 0),
    ("glossary", "", "Pluck;Being brave", 1),
    ("campaign.departures", "", "Retires;Leaves for good", 1),
    ("campaign.steps", "income", "Name;Kind;Text\nPay day;Income;Count the coins", 1),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("table", "sort", "lines", "count"), PASTES)
def test_rows_of_a_table_are_pasted_and_the_game_reads_them(
    client: Client, game: Document, table: str, sort: str, lines: str, count: int
) -> None:
    before = len(rows_of(game, table))
    url = f"{address(game, 'paste', table)}?sort={sort}"
    if not count:
        assert client.get(url).status_code == 404
        return
    assert client.get(url).status_code == 200
    answer = client.post(url, {"seen": documents.version_of(game), "lines": lines})
    assert answer.status_code == 302, answer.context["form"].errors
    assert len(rows_of(game, table)) == before + count
    assert documents.check(game).formed, documents.check(game).wrong


@pytest.mark.django_db
def test_rows_inside_a_cell_become_rows(client: Client, game: Document) -> None:
    ranks = [row["name"]["en"] for row in rows_of(game, "ranks")]
    crew = f"The Eels;Five of them;Ann: {ranks[0]} | Ned: {ranks[-1]}"
    answer = send(client, game, "paste", "samples", lines=f"Name;Text;Members\n{crew}")
    assert answer.status_code == 302, answer.context["form"].errors
    members = [(one["rank"], one["name"]) for one in rows_of(game, "samples")[-1]["members"]]
    keys = [row["key"] for row in rows_of(game, "ranks")]
    assert members == [(keys[0], "Ann"), (keys[-1], "Ned")]
    send(client, game, "paste", "tables", lines="Luck\t1d6\t1: Bad | 2-6: Good; Take 5")
    luck = rows_of(game, "tables.luck.rows")
    assert [(row["low"], row["high"], row["name"]["en"]) for row in luck] == [
        (1, 1, "Bad"),
        (2, 6, "Good"),
    ]
    send(client, game, "paste", "grids", lines="Hits;2 3 | 3 -")
    assert rows_of(game, "grids")[-1]["cells"] == [[2, 3], [3, "-"]]


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("samples", "The Eels;x;Ann | Ned"),
        ("samples", "The Eels;x;Ann: Nobody"),
        ("tables", "Luck;1d6;Bad"),
        ("grids", "Hits;2 x | 3 4"),
    ],
)
def test_row_inside_a_cell_has_its_mistake_beside_the_line(table: str, line: str) -> None:
    heads = ["name", "text", "members"] if table == "samples" else []
    reading = read_paste(kinds_of(table), "", line, heads, False)
    assert len(reading.problems) == 1 and reading.problems[0].startswith("Line 1: ")


GUNS = "Name;Kind;Price;Range;Strength;Use\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ('Bow;5;20";S+1;Silent\nGun;9;24";D3;Loud', ["length", "text", "text"]),
        ("Bow;5;4+;2;1\nGun;9;3+;3;2", ["number", "number", "number"]),
        ('Bow;5;20";2;1\nGun;9;far;3;2', ["text", "number", "number"]),
    ],
)
def test_pasted_columns_that_are_numbers_become_numbers(
    client: Client, game: Document, lines: str, kinds: list[str]
) -> None:
    send(client, game, "paste", "groups", lines="Name;Columns\nOld guns;Range, Strength, Use")
    sent = [line.replace(";", ";Old guns;", 1) for line in lines.splitlines()]
    answer = send(client, game, "paste", "items", lines=GUNS + "\n".join(sent))
    assert answer.status_code == 302, answer.context["form"].errors
    columns = rows_of(game, "groups")[-1]["columns"]
    assert [one.get("kind", "text") for one in columns] == kinds
    assert documents.check(game).formed


@pytest.mark.django_db
def test_words_in_a_column_of_numbers_are_a_mistake_of_their_line(
    client: Client, game: Document
) -> None:
    send(client, game, "paste", "groups", lines="Name;Columns\nOld guns;Range, Strength, Use")
    send(client, game, "paste", "items", lines=GUNS + "Bow;Old guns;5;4;2;x")
    before = rows_of(game, "items")
    lines = GUNS + "Gun;Old guns;1;5;3;y\nOdd;Old guns;1;far;3;y"
    answer = send(client, game, "paste", "items", lines=lines)
    assert answer.status_code == 422
    [problem] = answer.context["form"].errors["lines"]
    assert problem.startswith("Line 3: ") and "far" in problem
    assert [bool(row.problems) for row in answer.context["reading"].rows] == [False, True]
    assert rows_of(game, "items") == before


@pytest.mark.django_db
def test_changed_rows_leave_the_kind_of_their_columns(client: Client, game: Document) -> None:
    send(client, game, "paste", "groups", lines="Name;Columns\nOld guns;Range, Strength, Use")
    send(client, game, "paste", "items", lines=GUNS + "Bow;Old guns;5;far;x;y")
    send(client, game, "paste", "items", lines=GUNS + "Bow;Old guns;9;4;2;y", update="on")
    bow = rows_of(game, "items")[-1]
    assert (bow["price"], bow["columns"]["range"]) == (9, "4")
    columns = rows_of(game, "groups")[-1]["columns"]
    assert {one.get("kind", "text") for one in columns} == {"text"}


@pytest.mark.django_db
def test_column_with_older_rows_keeps_its_words(client: Client, game: Document) -> None:
    send(client, game, "paste", "groups", lines="Name;Columns\nOld guns;Range, Strength, Use")
    send(client, game, "paste", "items", lines=GUNS + "Bow;Old guns;5;far;2;x")
    send(client, game, "paste", "items", lines=GUNS + "Gun;Old guns;5;3;2;x")
    columns = rows_of(game, "groups")[-1]["columns"]
    assert [one.get("kind", "text") for one in columns] == ["text", "number", "text"]


@pytest.fixture
def variant(alice: User, game: Document) -> Document:
    """Return Alice's variant of the game as it is."""
    state = store.publish(game, expected_version=documents.version_of(game))
    return store.start_variant(alice, state, "Ours", token=uuid.uuid4())


@pytest.mark.django_db
@pytest.mark.parametrize("is_variant", [False, True])
def test_dice_table_gets_the_rows_of_its_line(
    client: Client, request: pytest.FixtureRequest, game: Document, is_variant: bool
) -> None:
    send(client, game, "paste", "tables", lines="Luck\t1d6\t1: Bad; Pay 5 | 2-6: Good")
    table = "tables.luck.rows"
    game.refresh_from_db()
    document = request.getfixturevalue("variant") if is_variant else game
    bad = rows_of(document, table)[0]
    for _time in range(2):
        url, seen = address(document, "paste", "tables"), documents.version_of(document)
        lines = "Luck\t1d6\t1: Bad; Pay 5 | 2-5: Fair | 6: Great"
        answer = client.post(url, {"seen": seen, "lines": lines, "update": "on"})
        assert answer.status_code == 302, answer.context["form"].errors
        found = rows_of(document, table)
        assert [(row["low"], row["high"], row["name"]["en"]) for row in found] == [
            (1, 1, "Bad"),
            (2, 5, "Fair"),
            (6, 6, "Great"),
        ]
    # The row of the same line keeps everything that the line does not show.
    assert found[0] == bad
    assert documents.check(document).formed, documents.check(document).wrong


@pytest.mark.django_db
def test_nonplayers_are_pasted_as_the_page_shows(client: Client, game: Document) -> None:
    rank = rows_of(game, "ranks")[0]
    kinds = Kinds(documents.read(game), "scenarios", LANGUAGES)
    column = next(one for one in kinds.columns("") if one.key == "nonplayers")
    assert column.example == "Name: Rank | Name: Rank"
    people = " | ".join(f"{name}: {rank['name']['en']}" for name in ("Ann", "Ned", "Ann"))
    lines = f"name;text;victory;nonplayers\nAmbush;Wait;Win;{people}"
    answer = send(client, game, "paste", "scenarios", lines=lines)
    assert answer.status_code == 302, answer.context["form"].errors
    found = rows_of(game, "scenarios")[-1]["nonplayers"]
    assert [(one["name"]["en"], one["rank"]) for one in found] == [
        ("Ann", rank["key"]),
        ("Ned", rank["key"]),
        ("Ann", rank["key"]),
    ]
    assert len({one["key"] for one in found}) == 3


@pytest.mark.django_db
def test_rows_of_a_dice_table_are_pasted_with_their_numbers(client: Client, game: Document) -> None:
    form = {"name_en": "Luck", "dice": "1d6", "rows": "1; Bad"}
    assert send(client, game, "add", "tables", **form).status_code == 302
    table = "tables.luck.rows"
    answer = send(client, game, "paste", table, lines="2-5\tFair\n6\tGood\tTake 5")
    assert answer.status_code == 302, answer.context["form"].errors
    found = [(row["low"], row["high"], row["name"]["en"]) for row in rows_of(game, table)]
    assert found == [(1, 1, "Bad"), (2, 5, "Fair"), (6, 6, "Good")]
    bad = send(client, game, "paste", table, lines="two\tFair")
    assert bad.status_code == 422
    assert "Line 1: Roll: enter a number" in bad.context["form"].errors["lines"][0]


@pytest.mark.django_db
def test_preview_stores_nothing_and_shows_each_row(client: Client, game: Document) -> None:
    before = rows_of(game, "traits")
    answer = send(client, game, "paste", "traits", lines="Bold;5;Again\n;x;1", check="1")
    page = answer.content.decode()
    assert answer.status_code == 200 and rows_of(game, "traits") == before
    assert "Bold" in page and "Name is missing." in page
    part = client.post(
        address(game, "paste", "traits"),
        {"lines": "Bold;5;Again", "check": "1"},
        headers={"HX-Request": "true"},
    ).content.decode()
    assert "<strong>Bold</strong>" in part and "<html" not in part


@pytest.mark.django_db
def test_a_line_with_a_mistake_keeps_all_lines_out(client: Client, game: Document) -> None:
    before = rows_of(game, "traits")
    answer = send(client, game, "paste", "traits", lines="Bold;5;Again\nShy;cheap;x")
    assert answer.status_code == 422 and rows_of(game, "traits") == before
    assert answer.context["form"].errors["lines"] == ["Line 2: Price: Enter a whole number."]
    assert "Shy;cheap;x" in answer.content.decode()


@pytest.mark.django_db
def test_paste_that_arrives_twice_adds_its_rows_once(client: Client, game: Document) -> None:
    before = len(rows_of(game, "traits"))
    for _ in range(2):
        answer = client.post(
            address(game, "paste", "traits"), {"seen": 0, "lines": "Bold;5;Again\nShy;4;x"}
        )
        assert answer.status_code == 302
    assert len(rows_of(game, "traits")) == before + 2


HOSTILE = {
    "lines": "x;1\n" * 10_000,
    "cells": ";".join("x" * 9_000),
    "formulas": '=HYPERLINK("http://x";"y");=1+1;@SUM(A1)',
    "quotes": '"' * 5_000,
    "tabs": "\t" * 50_000,
    "controls": "\x01\x02;\x1b[0m;5",
    "zero": "a\x00b;x;5",
    "huge": "x" * (LONGEST_PASTE + 1),
    "digits": "Bold;x;" + "9" * 5_000,
    "signs": "Bold;%(x)s {y} %s;5",
    "deep": "[" * 20_000,
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pastes_are_bounded_and_never_an_error_of_the_server(
    client: Client, game: Document, name: str
) -> None:
    began = time.process_time()
    for table in ("traits", "items"):
        for check in ({}, {"check": "1"}):
            answer = send(client, game, "paste", table, lines=HOSTILE[name], **check)
            assert answer.status_code in (200, 302, 422), (table, check)
            if answer.status_code != 302:
                assert answer.content.count(b"<li") < MOST_LINES + 300
    assert time.process_time() - began < 10


def test_formulas_of_spreadsheets_stay_texts() -> None:
    row = read_paste(kinds_of("traits"), "", "=1+1;5;@SUM(A1)").rows[0]
    assert row.data["name"]["en"] == "=1+1" and row.data["text"]["en"] == "@SUM(A1)"


def test_more_lines_than_a_paste_may_have_are_refused_in_words() -> None:
    reading = read_paste(kinds_of("traits"), "", "Bold;5;x\n" * (MOST_LINES + 50))
    assert reading.problems == [f"Line 301: at most {MOST_LINES} at a time, please."]


def test_line_with_headings_is_not_one_of_the_lines_that_a_paste_may_have() -> None:
    lines = "Name;Price;What it does\n" + "Bold;5;x\n" * MOST_LINES
    reading = read_paste(kinds_of("traits"), "", lines)
    assert len(reading.rows) == MOST_LINES and not reading.problems
    reading = read_paste(kinds_of("traits"), "", f"{lines}Brave;5;x\n")
    assert reading.problems == [f"Line 302: at most {MOST_LINES} at a time, please."]


@pytest.mark.django_db
def test_paste_needs_a_table_whose_rows_fit_into_a_line(client: Client, game: Document) -> None:
    for table in ("rolls", "nothing", "money"):
        assert client.get(address(game, "paste", table)).status_code == 404


def test_written_is_not_changed_by_reading_a_paste() -> None:
    written: Written = take_apart(shipped(POINTS))
    before = len(written.tables["traits"])
    read_paste(Kinds(written, "traits", LANGUAGES), "", "Bold;5;x")
    assert len(written.tables["traits"]) == before


@pytest.mark.django_db
def test_first_origin_brings_the_option_that_gangs_choose_it_with(
    client: Client, alice: User
) -> None:
    client.force_login(alice)
    data = name_game(start_empty(), "ours", "Ours", ["en"], "Alice")
    game = store.start_game(alice, data, token=uuid.uuid4())
    answer = send(client, game, "add", "origins", name_en="Ferry folk", text_en="x")
    assert answer.status_code == 302
    assert send(client, game, "paste", "origins", lines="Hill folk;x").status_code == 302
    game.refresh_from_db()
    checked = documents.check(game)
    assert checked.formed and not [one for one in checked.wrong if "origin" in str(one)]
    [option] = rows_of(game, "settings")
    assert [one["key"] for one in option["choices"]] == ["none", "ferry-folk", "hill-folk"]
    assert option["default"] == "ferry-folk" and option["name"]["en"] == "Origin"


@pytest.mark.django_db
def test_formulas_get_a_list_of_names_with_those_of_their_steps(
    client: Client, game: Document
) -> None:
    rolls = shipped(POINTS).rolls
    roll, step = next((roll, one) for roll in rolls for one in roll.steps if one.word == "count")
    answer = client.get(address(game, "row", "rolls", roll.key))
    names = dict(answer.context["formula_names"])
    key = shipped(POINTS).characteristics[0].key.replace("-", "_")
    assert {step.binds, f"{step.binds}.max", f"by.{key}", f"at.{key}"} <= {*names}
    page = answer.content.decode()
    assert "data-formula" in page and f"<code data-insert>at.{key}</code>" in page
    assert "formulas.js" in page


@pytest.mark.django_db
def test_rows_of_the_same_name_are_changed_if_the_author_wants(
    client: Client, game: Document
) -> None:
    before = rows_of(game, "ranks")
    name, price = before[0]["name"]["en"], before[0]["price"] + 7
    lines = f"{name};{price}\nBoss;9"
    for _ in range(2):
        answer = client.post(
            address(game, "paste", "ranks"), {"seen": 0, "lines": lines, "update": "on"}
        )
        assert answer.status_code == 302
    after = rows_of(game, "ranks")
    assert len(after) == len(before) + 1
    assert after[0] == {**before[0], "price": price}
    send(client, game, "paste", "ranks", lines=lines)
    assert len(rows_of(game, "ranks")) == len(before) + 3


@pytest.mark.django_db
def test_line_that_changes_a_row_needs_only_its_name_and_what_changes(
    client: Client, game: Document
) -> None:
    [before, *_others] = rows_of(game, "traits")
    lines = f"Name;Price\n{before['name']['en']};{before['price'] + 7}\n"
    new = f"{lines}Brave;5\n"
    answer = send(client, game, "paste", "traits", lines=new, update="on")
    assert answer.status_code == 422
    assert answer.content.decode().count("What it does is missing.") == 2
    assert send(client, game, "paste", "traits", lines=lines).status_code == 422
    assert send(client, game, "paste", "traits", lines=lines, update="on").status_code == 302
    assert rows_of(game, "traits")[0] == {**before, "price": before["price"] + 7}


def test_cell_that_only_another_kind_has_is_not_lost_silently() -> None:
    items = kinds_of("items")
    groups = shipped(POINTS).groups
    first, second = next(
        (one, other)
        for one in groups
        for other in groups
        if {column.key for column in one.columns} - {column.key for column in other.columns}
    )
    keys = {column.key for column in second.columns}
    column = next(column for column in first.columns if column.key not in keys)
    head = f"columns-{column.key}"
    text = f"name;kind;{head}\nKnife;{first.key};5\nRope;{second.key};5\nOil;{second.key};-"
    reading = read_paste(items, first.key, text)
    assert [row.number for row in reading.rows if row.problems] == [3]


@pytest.mark.django_db
def test_queries_of_a_paste_do_not_grow_with_its_lines(
    client: Client, game: Document, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for lines in (2, 200):
        with django_assert_max_num_queries(40) as queries:
            send(client, game, "paste", "traits", lines="Bold;5;x\n" * lines, check="1")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_names_in_many_lines_are_looked_up_quickly() -> None:
    written = take_apart_data(large())
    traits = Kinds(written, "traits", LANGUAGES)
    heads = ["name", "price", "text", "requires", "item"]
    began = time.process_time()
    reading = read_paste(traits, "", "Bold;5;x;trait-298x, other;nothing\n" * 300, heads, False)
    assert time.process_time() - began < 1.5
    assert all(len(row.problems) == 2 for row in reading.rows)
    many = ", ".join(row["name"]["en"] for row in written.tables["items"].values())[:3_900]
    began = time.process_time()
    read_paste(
        Kinds(written, "offers", LANGUAGES), "", f"x;{many}\n" * 15, ["name", "items"], False
    )
    assert time.process_time() - began < 1.5
