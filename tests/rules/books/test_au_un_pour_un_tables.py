"""Reference tables of Au un pour un: damage, modifiers, actions, deployments."""

import pytest

from rules.book.model import Book
from rules.book.reference import Reference
from rules.book.vocabulary import Settings, applies
from rules.engine.reference_odds import drawn_modifiers
from tests.world.gangs import shipped


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


@pytest.fixture
def settings(book: Book) -> Settings:
    return book.default_settings()


def _reference(book: Book, key: str) -> Reference:
    return next(row for row in book.references if row.key == key)


def _cells(book: Book, key: str) -> list[list[str]]:
    lines = _reference(book, key).lines
    return [
        [cell if isinstance(cell, str) else cell["en"] for cell in line.cells] for line in lines
    ]


def _needed(force: int, resistance: int) -> int:
    gap = force - resistance
    return 2 if gap >= 4 else 3 if gap >= 2 else 4 if gap >= -1 else 5 if gap >= -3 else 6


def test_the_damage_table_gives_the_score_of_the_formula(book: Book) -> None:
    table = _reference(book, "damage")
    assert [column["en"] for column in table.columns] == [f"F {force}" for force in range(1, 11)]
    assert [line.name["en"] for line in table.lines] == [f"R {number}" for number in range(1, 11)]
    assert _cells(book, "damage") == [
        [f"{_needed(force, resistance)}+" for force in range(1, 11)] for resistance in range(1, 11)
    ]


# The table as printed: a line for each resistance, a digit for each strength.
DAMAGE = """
4433222222
4443322222
5444332222
5544433222
6554443322
6655444332
6665544433
6666554443
6666655444
6666665544
"""


def test_the_damage_table_matches_the_printed_table(book: Book) -> None:
    printed = [[f"{digit}+" for digit in line] for line in DAMAGE.split()]
    assert _cells(book, "damage") == printed


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("paces", [["20 mm"], ["25 mm, an inch"]]),
        ("tables", [["80 × 100 cm"], ["80 × 120 or 100 × 100 cm"]]),
        ("action_points", [["3"], ["2"], ["2"]]),
        ("cover", [["3+"], ["4+"], ["5+"]]),
        ("victory_points", [["10", "15"], ["8", "10"], ["5", "8"]]),
    ],
)
def test_each_small_table_has_its_printed_cells(
    book: Book, key: str, cells: list[list[str]]
) -> None:
    assert _cells(book, key) == cells


def test_the_shooting_table_shows_the_modifiers_of_the_roll(book: Book) -> None:
    drawn = drawn_modifiers(book, _reference(book, "shooting_modifiers"))
    shown = {row.name["en"]: row.shown["en"] if row.shown else f"{row.amount:+d}" for row in drawn}
    assert list(shown.items()) == [
        ("Short range", "-1"),
        ("Medium range", "0"),
        ("Long range", "+1"),
        ("Shooter above the target", "-1"),
        ("Shooter below the target", "+1"),
    ]


def test_actions_have_their_printed_costs(book: Book) -> None:
    costs = [cells[0] for cells in _cells(book, "actions")]
    assert costs == ["1", "2", "1", "2", "1", "1", "1 or more"]


def test_the_passive_action_table_depends_on_its_option(book: Book, settings: Settings) -> None:
    table = _reference(book, "passive")
    assert len(table.lines) == 4
    assert applies(table.when, settings)
    assert not applies(table.when, settings | {"passive_actions": "no"})


def test_the_turn_has_four_numbered_steps(book: Book) -> None:
    turn = _reference(book, "turn")
    assert (turn.numbered, len(turn.lines)) == (True, 4)
    assert {row.chapter for row in book.references} == {
        "setup",
        "turn",
        "actions",
        "shooting",
        "fighting",
        "wounds",
        "morale",
        "other",
    }


def test_deployments_keep_20_paces(book: Book) -> None:
    """With the longer pace of 25 mm, on the tables that the rules give (in mm)."""
    sizes = {
        "two_bands": (1000, 800),
        "three_bands_long": (1200, 800),
        "three_bands_square": (1000, 1000),
    }
    for row in book.deployments:
        if row.key not in sizes:
            continue
        wide, deep = sizes[row.key]
        assert row.broad == wide / deep
        for one in row.zones:
            for other in row.zones:
                if one is not other:
                    across = max(other.x - one.x - one.width, one.x - other.x - other.width, 0)
                    down = max(other.y - one.y - one.height, one.y - other.y - other.height, 0)
                    gap = ((across * wide) ** 2 + (down * deep) ** 2) ** 0.5 / 100
                    assert gap >= 20 * 25, (row.key, one, other)
