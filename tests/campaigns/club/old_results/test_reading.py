"""Tables of old results as spreadsheets write them: encodings, cells, dates and results."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from django.utils import timezone

from campaigns.club.old_results.lines import (
    KnownSide,
    Mapped,
    names_in,
    read_lines,
    unknown_results,
)
from campaigns.club.old_results.own_tables import read_table
from campaigns.club.old_results.reading import (
    LONGEST_CELL,
    MOST_ROWS,
    Grid,
    compare,
    decode,
    guess_columns,
    guess_order,
    has_headings,
    read_date,
    read_grid,
    read_points,
    read_result,
)
from campaigns.models import Game
from campaigns.refusals import refusal_sentence
from common.errors import Refusal
from tests.hostile import files
from tests.world.gangs import GOLD, shipped

ROW = "2025-05-01;Les Œufs;Bêtes;3-1"


@pytest.mark.parametrize(
    "content",
    [
        ROW.encode("utf-8"),
        ROW.encode("utf-8-sig"),
        ROW.encode("cp1252"),
        ROW.encode("utf-16"),
        ROW.replace(";", ",").encode(),
        ROW.replace(";", "\t").encode(),
        ("\r\n" + ROW + "\r\n;;;\r\n").encode(),
        '2025-05-01;"Les Œufs";"Bêtes";"3-1"'.encode(),
    ],
)
def test_table_is_read_in_the_encodings_and_forms_of_spreadsheets(content: bytes) -> None:
    assert read_grid(decode(content)).rows == (("2025-05-01", "Les Œufs", "Bêtes", "3-1"),)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_results"),
        (" \n;;\n", "no_results"),
        ("a;b\n" * (MOST_ROWS + 2), "too_many_results"),
        (";" * 40 + "x", "too_many_columns"),
        ("x" * 200_001, "results_too_large"),
        ('a;"' + "x" * 140_000, "results_unreadable"),
    ],
)
def test_table_that_is_too_large_or_broken_is_refused(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_grid(text)
    assert refused.value.code == code


def test_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(Refusal):
        decode(b"x" * 500_000)


@pytest.mark.parametrize(
    "text",
    [
        "2025-03-12",
        "2025/3/12",
        "12/03/2025",
        "12.3.2025",
        "12-03-25",
        "12 mars 2025",
        "12 March 2025",
        "March 12, 2025",
        "Mar 12 2025",
        "12 Mar. 2025",
        "mercredi 12 mars 2025",
        "Wed, 12 March 2025",
        "12/03/2025 20:30",
        "2025-03-12T20:30:00",
        "12-mars-25",
        "20250312",
        "12032025",
        "12Mar2025",
        "2025-Mar-12",
        "12/mars/2025",
        "12th of March 2025",
        "2025-03-12T20:30:00Z",
        "2025-03-12T20:30:00.000Z",
        "2025-03-12T20:30:00+01:00",
        "2025-03-12 20:30:00 +0100",
        "2025-03-12 20:30 UTC",
        "20250312T203000Z",
        "20250312T2030",
        "12/03/2025 20h30",
        "12 mars 2025 à 20 h 30",
        "12/03/2025, 8:30 PM",
        "12/03/2025 20:30 CET",
        "March 12, 2025 at 8:30 pm",
        "2025-03-12 20:30 (Europe/Paris)",
        "12 mars 2025 20 h",
    ],
)
def test_date_is_read_in_both_languages(text: str) -> None:
    assert read_date(text) == date(2025, 3, 12)


def test_instant_is_on_the_day_of_the_site_s_clocks() -> None:
    with timezone.override("America/New_York"):
        assert read_date("2025-03-13T01:30:00Z") == date(2025, 3, 12)
    with timezone.override("Europe/Paris"):
        assert read_date("2025-03-11T23:30:00+00:00") == date(2025, 3, 12)
        assert read_date("20250311T233000Z") == date(2025, 3, 12)


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (("", "1/2/2025", "12/13/2025", "13/12/2025"), "month"),
        (("1/2/2025", "13/12/2025", "12/13/2025"), "day"),
        (("Date", "01312025"), "month"),
        (("1/2/2025", "2025-12-31", "31 mars 2025"), "day"),
        ((), "day"),
    ],
)
def test_first_date_that_fits_one_order_decides(texts: tuple[str, ...], order: str) -> None:
    assert guess_order(texts) == order


def test_table_without_headings_may_begin_with_the_month() -> None:
    assert not has_headings(read_grid("3/13/2025;Crows;Bears;3-1"))


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_file_of_a_spreadsheet_is_refused_with_the_way_out(content: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        decode(content)
    assert "choose “Save as” and the type CSV" in refusal_sentence(refused.value)


def test_named_separator_and_empty_rows_change_no_number() -> None:
    grid = read_grid("sep=;\nDate;A;B\n;;\n\n1.5.2025;Crows;Bears, too\n;;\n")
    assert (grid.numbers, grid.empty, grid.rows[1][2]) == ((2, 5), 2, "Bears, too")


def test_table_of_any_other_kind_is_not_joined() -> None:
    for text in ("Game;Day;Gang;Player", ROW, "Date;A;B;Result"):
        assert read_table(text) == read_grid(text)


def test_date_in_numbers_may_begin_with_the_month() -> None:
    assert read_date("3/12/2025", "month") == date(2025, 3, 12)
    assert read_date("1er août 2024") == date(2024, 8, 1)
    assert read_date("fév. 2024") is None
    assert read_date("1 février 1999") == date(1999, 2, 1)
    unclear = ("12 jui 2025", "12 ma 2025", "1 mayor 2025", "20:30", "2025", f"1.5.2025{' ' * 99}x")
    for text in ("", "31/02/2025", "13/13/2025", "soon", "12 foo 2025", "99999-1-1", *unclear):
        assert read_date(text) is None


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("3-1", "a"),
        ("2 : 2", "draw"),
        ("0–12", "b"),
        ("Win", "a"),
        ("Défaite", "b"),
        ("Égalité", "draw"),
        ("x", "draw"),
        ("CROWS", "a"),
        ("bears", "b"),
        ("", None),
        ("maybe", None),
        ("3-1-2", None),
    ],
)
def test_result_is_a_score_a_word_or_a_name(text: str, winner: str | None) -> None:
    assert read_result(text, "Crows", "Bears") == winner


def test_points_decide_with_either_decimal_sign() -> None:
    assert read_points("10,5", "10.5") == (10.5, 10.5) and compare((10.5, 10.5)) == "draw"
    assert read_points("3", "12") == (3, 12) and compare((3, 12)) == "b"
    assert read_points("3", "") is None


@pytest.mark.parametrize(
    ("heads", "columns"),
    [
        ("Date;Gang A;Gang B;Result;Scenario;Note", "date a b result scenario note"),
        ("Jour;Joueur 1;Joueur 2;Points 1;Points 2", "date a b points_a points_b"),
        ("Date;Home;Away;Score", "date a b result"),
        ("Date;Joueur;Adversaire;Vainqueur", "date a b result"),
    ],
)
def test_columns_are_guessed_by_their_headings(heads: str, columns: str) -> None:
    grid = read_grid(heads)
    assert has_headings(grid)
    wanted = {column: place for place, column in enumerate(columns.split())}
    assert guess_columns(grid, headed=True) == wanted


def test_mistakes_name_what_is_wrong_in_each_row() -> None:
    grid = read_grid(
        "Date;A;B;Result\n2025-05-01;Crows;Bears;3-1\nsoon;Crows;Crows;what\n2099-01-01;;Bears;\n"
        f"2025-05-02;{'x' * 81};Y;win"
    )
    columns = guess_columns(grid, headed=True)
    names = {"Crows": "key-1", "Bears": "key-2", "Y": "name", "x" * 81: "name"}
    mapped = Mapped(columns, names=names)
    assert unknown_results(grid, mapped) == ["what"]
    assert names_in(grid, mapped) == ["Crows", "Bears", "x" * 81, "Y"]
    sides = [KnownSide(f"key-{number}", frozenset()) for number in (2, 1)]
    known = {date(2025, 5, 1): [(sides[0], sides[1])]}
    good, second, third, fourth = read_lines(grid, mapped, shipped(GOLD), date(2026, 1, 1), known)
    assert good.is_good and good.known and good.winner == "a" and good.number == 2
    assert second.mistakes == (
        "“soon” is no date that the site understands.",
        "A gang cannot meet itself.",
        "Choose what the result “what” means.",
    )
    assert third.mistakes == (
        "This day is still to come.",
        "A side has no name.",
        "The result is missing.",
    )
    assert len(fourth.mistakes) == 2
    meant = Mapped(columns, names=names, results={"what": "draw"})
    again = read_lines(grid, meant, shipped(GOLD), date(2026, 1, 1), {})[1]
    assert again.winner == "draw" and again.result == "Draw"


def test_longest_scenario_and_note_fit_into_the_note_of_a_game() -> None:
    row = ("1.5.2025", "Crows", "Bears", "2:1", "s" * LONGEST_CELL, "n" * LONGEST_CELL)
    columns = guess_columns(Grid((row,), (1,)), headed=False)
    mapped = Mapped(columns, headed=False, names={"Crows": "new", "Bears": "new"})
    (line,) = read_lines(Grid((row,), (1,)), mapped, shipped(GOLD), date(2026, 1, 1), {})
    longest = Game._meta.get_field("note").max_length
    assert line.is_good and longest is not None and len(line.note) <= longest


@pytest.mark.parametrize("seed", range(12))
def test_any_table_is_read_or_refused_in_words(seed: int) -> None:
    text = files.old_results(Random(seed))
    try:
        grid = read_grid(text)
    except Refusal:
        return
    headed = has_headings(grid)
    mapped = Mapped(guess_columns(grid, headed=headed), headed, names={"Crows": "new"})
    lines = read_lines(grid, mapped, shipped(GOLD), date(2026, 1, 1), {})
    assert len(lines) == len(grid.rows) - headed
    assert all(line.day and line.winner for line in lines if line.is_good)
