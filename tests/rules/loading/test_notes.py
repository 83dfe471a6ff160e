"""Notes on rows that a rulebook declares and never uses; they are no mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rules.loading.examining import examine, notes
from tests.rules.conftest import BOOKS
from tests.rules.small import Data, add, choice, measured, row, small, text, told

# Unused rows of the shipped rulebooks, and the reason for each.
EXPLAINED = {
    "cran": {
        # Players add their campaign's own rows; a limit keeps them from new gangs.
        "groups.2": "“gear” has no items",
    },
}


@pytest.mark.long
@pytest.mark.parametrize("folder", sorted(p for p in BOOKS.iterdir() if p.is_dir()), ids=str)
def test_every_note_on_a_shipped_rulebook_is_explained(folder: Path) -> None:
    examined = examine(folder)
    assert examined.mistakes == ()
    found = {note.path: note.message for note in examined.notes}
    assert found == EXPLAINED.get(folder.name, {})


def said(**changes: Any) -> set[str]:
    """Return the notes on the small rulebook with these changes, without its usual notes."""
    return {words for _path, words in notes(small(**changes))} - USUAL


USUAL = {words for _path, words in notes(small())}


def dice(key: str, *outcomes: Data) -> Data:
    rows = [{"low": 1, "high": 6, "name": text("All"), "outcomes": [*outcomes], "source": "house"}]
    return row(key, dice="1d6", rows=rows)


def falls(**fields: Any) -> Data:
    return told("falls", kind="fates", **fields)


def test_every_unused_row_of_the_small_rulebook_is_noted() -> None:
    assert {
        "no row cites “booklet”",
        "“cook” is not open to any rank: give professions to one of its ranks",
        "“gone” never happens: no outcome causes this condition",
        "“halves” has no effect: no row depends on this setting",
        "“lame” never happens: no outcome causes this condition",
        "“sea” cannot be chosen: add a choice with this key to “people”",
        "“smith” is not open to any rank: give professions to one of its ranks",
        "no limit says how many leaders a gang has",
    } == USUAL


def test_a_table_without_a_way_to_it_is_noted() -> None:
    on = {"kind": "rolls_on", "table": "two"}
    rolled = [dice("one", on), dice("two"), dice("three", {"kind": "rolls_on", "table": "four"})]
    assert said(tables=[*rolled, dice("four")], campaign__steps=[falls(table="one")]) == {
        "“three” is never used: no step or outcome rolls on this table",
        "“four” is never used: no step or outcome rolls on this table",
    }
    assert said(tables=[dice("one")], campaign__scenario_table="one") == set()


def test_a_condition_that_a_fate_brings_counts_as_used() -> None:
    lame = {"kind": "suffers", "condition": "lame"}
    found = {
        words
        for _path, words in notes(small(campaign__steps=[falls(fates=[{"outcomes": [lame]}])]))
    }
    assert USUAL - found == {"“lame” never happens: no outcome causes this condition"}


def test_a_trait_neither_sold_nor_gained_is_noted() -> None:
    words = {"“old” cannot be bought or gained: no member can have this trait"}
    old = told("old", sold=False, tags=["lesson"])
    assert said(traits=[old]) == words
    gained = {"characteristic": "might", "value": 5}
    assert said(traits=[{**old, "gained_at": gained}]) == set()
    assert said(traits=[{**old, "sold_when": {"halves": ["up"]}}]) == set()
    gains = falls(fates=[{"outcomes": [{"kind": "gains", "trait": "old"}]}])
    assert said(traits=[old], campaign__steps=[gains]) == set()
    advances = told("up", kind="advances")
    for tags, expected in ((["lesson"], set()), ([], set()), (["other"], words)):
        other = told("other", tags=["other"])
        assert (
            said(
                traits=[old, other],
                campaign__steps=[advances],
                campaign__advancement={"experience": 2, "trait_tags": tags},
            )
            == expected
        )
    # A trait that is no longer sold stays for the members who have it.
    assert said(traits=[{**old, "status": "hidden"}]) == set()


def test_a_mark_without_a_fate_is_noted() -> None:
    marks = [told("out"), told("fled"), told("killed", dies=True)]
    fate = {"marks": ["out"], "outcomes": [{"kind": "dies"}]}
    words = "has no effect after the game: add a row for this mark to “fates”"
    assert said(campaign__marks=marks) == {f"“out” {words}", f"“fled” {words}"}
    assert said(campaign__marks=marks, campaign__steps=[falls(fates=[fate])]) == {f"“fled” {words}"}
    anybody = falls(fates=[fate, {"of": {"ranks": ["scout"]}}])
    assert said(campaign__marks=marks, campaign__steps=[anybody]) == set()
    rolled = falls(table="one")
    assert said(campaign__marks=marks, tables=[dice("one")], campaign__steps=[rolled]) == set()


def test_a_departure_without_an_outcome_is_noted() -> None:
    left = {"kind": "leaves", "departure": "home"}
    words = {"“home” is never used: no outcome or promotion leads to this departure"}
    assert said(campaign__departures=[told("home")]) == words
    gone = falls(fates=[{"outcomes": [left]}])
    assert said(campaign__departures=[told("home")], campaign__steps=[gone]) == set()


def test_a_tally_without_a_use_is_noted() -> None:
    idle = told("hats", per="gang")
    assert said(campaign__tallies=[idle]) == {
        "“hats” has no effect: this tally brings neither money, points nor experience"
    }
    assert said(campaign__tallies=[{**idle, "money": 1}]) == set()
    award = row("learned", each="hats")
    assert said(campaign__tallies=[idle], campaign__awards=[award]) == set()


def test_an_empty_group_and_an_unused_characteristic_are_noted() -> None:
    rows = [row("arms"), row("goods"), row("hats")]
    assert said(groups=rows) == {"“hats” has no items"}
    luck = measured("number", "luck")
    rows = [*small().model_dump(mode="json", exclude_defaults=True)["characteristics"], luck]
    words = {"“luck” has no value at any rank: give a start, or a value to at least one rank"}
    assert said(characteristics=rows) == words


def test_an_option_of_an_effect_counts_as_used() -> None:
    quick = told("quick", effects=[add("might", 1, when={"halves": ["up"]})])
    found = {words for _path, words in notes(small(traits=[quick]))}
    assert USUAL - found == {"“halves” has no effect: no row depends on this setting"}
    assert said(settings=[choice("people", "nobody", "hill", "river")], budgets=[]) == set()


def test_fields_of_rolls_without_an_effect_are_noted() -> None:
    outcome = {"key": "no", "name": text("No"), "text": text("No")}
    roll = row("shot", steps=[{"let": "n", "be": 1}], outcomes=[outcome], when_out="dropped")
    found = dict(notes(small(rolls=[roll])))
    said = "the text of “no” is never shown: only a “free” outcome shows it"
    assert found["rolls", 0, "outcomes", 0, "text"] == said
    assert found["rolls", 0, "when_out"] == "is only used if another roll leads to this one"
    free = {**roll, "outcomes": [{**outcome, "free": True}], "when_out": "kept"}
    assert not [place for place, _said in notes(small(rolls=[free])) if place[0] == "rolls"]


def test_a_column_of_a_table_that_works_out_nothing_is_noted() -> None:
    rolls = [row("shot", steps=[{"let": "n", "be": 1}], numbers=[{"of": "n", "name": text("N")}])]

    def noted(column: Data) -> set[str]:
        chances = {"roll": "shot", "columns": [column]}
        lines = [{"name": text("L"), "cells": ["4+"]}]
        made = {"chapter": "shooting", "columns": [text("C")], "lines": lines, "chances": chances}
        words = said(rolls=rolls, references=[row("table", **made)])
        return {one for one in words if "column" in one}

    assert noted({"names": {"n": 1}}) == {
        "name an outcome, a number or a modifier to work out in this column"
    }
    assert noted({"number": "n", "average": True}) == noted({}) == set()


def test_an_empty_cell_that_rolls_read_is_noted() -> None:
    column = {"key": "reach", "name": text("Reach"), "kind": "length"}
    thrown = row(
        "thrown",
        using="item",
        steps=[{"let": "far", "be": "item.reach"}],
        numbers=[{"of": "far", "name": text("Far")}],
    )

    def noted(column: Data) -> set[str]:
        group = row("slings", columns=[column, {**column, "key": "width"}])
        item = row("sling", group="slings")
        words = said(groups=[group], items=[item], rolls=[thrown])
        return {one for one in words if "empty cell" in one}

    words = "is used by rolls: give the value of an empty cell in “blank”"
    assert noted(column) == {f"“reach” {words}"}
    assert noted({**column, "blank": "by.life"}) == set()


def test_a_gap_in_a_grid_that_rolls_look_up_is_noted() -> None:
    def noted(grid: list[list[Any]], **step: Any) -> bool:
        roll = row(
            "try",
            steps=[{"look_up": "found", "grid": "luck", "row": 1, **step}],
            numbers=[{"of": "found", "name": text("Found")}],
        )
        return any(
            "empty cell" in one for one in said(grids=[row("luck", cells=grid)], rolls=[roll])
        )

    assert noted([["-", 2]])
    assert not noted([["-", 2]], blank=0)
    assert not noted([[1, 2]])
