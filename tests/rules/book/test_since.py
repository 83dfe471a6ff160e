"""Files name the lowest format that has all words of their rulebooks."""

from __future__ import annotations

import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rules.book import roll_effects, rolls
from rules.book.advancement import AdvancementRow
from rules.book.annotations import models_in
from rules.book.fates import DiceTable, RollAgain, Suffers
from rules.book.limits import CountLimit, MemberLimit
from rules.book.model import Book
from rules.book.schema import Item, Rank, Trait
from rules.book.season import Award, Campaign, ExperienceStep, Mark
from rules.book.since import FORMATS, NEWEST, format_needed
from rules.book.vocabulary import Amount, Frozen
from rules.editor.files import read_variant, write_variant
from rules.editor.overlay import AddRow, Change, Overlay, SetField, SetStatus
from tests.upgrades.keeping import KEPT, SQLITE
from tests.world.gangs import SLUGS, shipped


def test_rulebooks_of_0_9_need_format_1(tmp_path: Path) -> None:
    file = tmp_path / "skirmish.sqlite3"
    file.write_bytes(lzma.decompress((KEPT / "0.9" / SQLITE).read_bytes()))
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("select canonical from rules_bookversion").fetchall()
    books = [json.loads(text) for (text,) in rows]
    assert len(books) == 5
    assert [format_needed(book) for book in books] == [1] * 5


@pytest.mark.parametrize("release", sorted(path.name for path in KEPT.iterdir()))
def test_stored_versions_keep_their_digests(release: str, tmp_path: Path) -> None:
    file = tmp_path / "skirmish.sqlite3"
    file.write_bytes(lzma.decompress((KEPT / release / SQLITE).read_bytes()))
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("select digest, canonical from rules_bookversion").fetchall()
    assert len(rows) >= 5
    for digest, canonical in rows:
        book = Book.model_validate_json(canonical)
        assert (book.digest, book.canonical()) == (digest, canonical)


def test_rulebooks_of_1_0_need_format_2(tmp_path: Path) -> None:
    file = tmp_path / "skirmish.sqlite3"
    file.write_bytes(lzma.decompress((KEPT / "1.0" / SQLITE).read_bytes()))
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("select canonical from rules_bookversion").fetchall()
    assert {format_needed(json.loads(text)) for (text,) in rows} == {2}


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Trait, {"key": "strong", "most": 1, "value": None, "item": None}),
        (Award, {"key": "won", "most": 3}),
        (Suffers, {"kind": "suffers", "condition": "hurt", "games": "1d3"}),
        (DiceTable, {"rows": [{"low": 1, "high": 1, "outcomes": [{"kind": "again"}]}]}),
        (MemberLimit, {"kind": "level"}),
        # Keys of the author's own.
        (Rank, {"values": {"rolled": 3, "numbers": "d6"}}),
        (CountLimit, {"of": {"ranks": ["dog"], "traits": []}}),
    ],
)
def test_old_words_need_format_1(model: type[Frozen], data: dict[str, Any]) -> None:
    assert format_needed(data, model) == 1


@pytest.mark.parametrize(
    ("model", "data"),
    [
        # Outcomes, amounts and steps.
        (DiceTable, {"matching": 2}),
        (DiceTable, {"rows": [{"outcomes": [{"kind": "earns", "amount": "10"}]}]}),
        (DiceTable, {"rows": [{"outcomes": [{"kind": "pays", "amount": "2d6x10"}]}]}),
        (DiceTable, {"rows": [{"outcomes": [{"kind": "learns", "each": {"tally": "maps"}}]}]}),
        (Campaign, {"steps": [{"kind": "rolls", "table": "finds"}]}),
        # Advancement and signs.
        (Campaign, {"advancements": [{"key": "kin"}]}),
        (ExperienceStep, {"kind": "experience", "most": 5}),
        (Mark, {"stands": True}),
        (Rank, {"starts_with": 20}),
        (Trait, {"most": 3}),
        (Trait, {"experience": 2}),
        # Holdings, income and upkeep.
        (Book, {"holdings": [{"key": "mill"}]}),
        (Campaign, {"yields": [{"key": "mill"}]}),
        (Campaign, {"hauls": [{"key": "baskets"}]}),
        (Campaign, {"upkeep": [{"key": "wages"}]}),
        (Campaign, {"results": [{"kind": "decided", "captures": 1}]}),
        # Offers and prices.
        (Book, {"offers": [{"key": "tools"}]}),
        (Item, {"next_prices": [6]}),
        (Item, {"uses": 3}),
        (Item, {"resale": "1/2"}),
        (MemberLimit, {"kind": "unlisted"}),
        # Powers, groups, profiles, selectors.
        (Trait, {"value": 2}),
        (Trait, {"item": "mist"}),
        (Trait, {"effects": [{"kind": "value", "amount": 1}]}),
        (Rank, {"lacks": ["will"]}),
        (Rank, {"rolled": {"will": "1d3"}}),
        (Rank, {"squad": {"minimum": 2, "maximum": 5, "together": True}}),
        (CountLimit, {"of": {"traits": ["mist"]}}),
        (CountLimit, {"of": {"numbers": [{"characteristic": "will", "minimum": 3}]}}),
        # Rolls and the evening.
        (Book, {"rolls": [{"key": "shoot"}]}),
        (Book, {"cautions": [{"key": "slow"}]}),
        (Book, {"names": {"en": ["Ann"]}}),
        # Languages.
        (Rank, {"name": {"en": "HP", "fr": "HP", "fr_own": "PS"}}),
        (roll_effects.Counts, {"kind": "counts", "tally": "signs"}),
        (roll_effects.Out, {"kind": "out", "unhurt": True}),
    ],
)  # fmt: skip
def test_new_words_need_format_2(model: type[Frozen], data: dict[str, Any]) -> None:
    assert format_needed(data, model) == 2


class LaterRank(Rank):
    """A rank with words that no release has yet."""

    pets: tuple[str, ...] = ()
    price_roll: int | Amount = 0
    steed: Trait | None = None


LaterRank.__name__ = "Rank"


class Companion(Frozen):
    """A row that no release has yet."""

    key: str


@pytest.mark.parametrize(
    ("model", "data"),
    [
        # Words that came after 1.0.
        (Book, {"scenarios": [{"brings": [{"condition": "lost"}]}]}),
        (Book, {"rolls": [{"fallen": "also"}]}),
        (Book, {"languages": ["en", "de"]}),
        (Rank, {"name": {"de": "Wirt"}}),
        (Item, {"columns": {"range": {"en": "far", "de": "weit"}}}),
        # A new field, a new model, a new kind, and a new form of an old field.
        (LaterRank, {"pets": ["dog"]}),
        (Companion, {"key": "dog"}),
        (Campaign, {"steps": [{"kind": "prays"}]}),
        (DiceTable, {"rows": [{"outcomes": [{"kind": "pays", "amount": "2*3d6"}]}]}),
        (Trait, {"most": "3d6+30"}),
        (Mark, {"stands": "sometimes"}),
    ],
)  # fmt: skip
def test_words_after_1_0_need_format_3(model: type[Frozen], data: dict[str, Any]) -> None:
    assert format_needed(data, model) == NEWEST == 3


def test_new_field_without_a_value_needs_no_newer_format() -> None:
    assert format_needed({"pets": [], "price_roll": 0, "steed": None}, LaterRank) == 1


def test_every_word_of_1_0_is_still_known() -> None:
    """Neither a field nor a model of a release may go: files of that release use it."""
    known = {model.__name__: model for model in _models(Book, set())}
    # They are tables by language now.
    listed = {name: row for name, row in FORMATS[1].fields.items() if name not in ("Text", "Names")}
    assert not listed.keys() - known.keys()
    assert not {name for name, row in listed.items() if row.keys() - known[name].model_fields}


def test_format_1_names_models_of_the_vocabulary() -> None:
    """A model that gets another name, or whose name another model gets, needs a change here."""
    known = {model.__name__: model for model in _models(Book, set())}
    named = {name: fields.keys() for name, fields in FORMATS[0].fields.items() if name in known}
    assert not {name for name, fields in named.items() if fields - known[name].model_fields}
    assert {RollAgain, AdvancementRow, rolls.Again} <= set(known.values())
    first = FORMATS[0].fields
    assert "RollAgain" in first and "AdvancementRow" not in first


def _models(model: type[Frozen], met: set[type[Frozen]]) -> set[type[Frozen]]:
    met.add(model)
    for field in model.model_fields.values():
        for inner in models_in(field.annotation):
            if inner not in met:
                _models(inner, met)
    return met


@pytest.mark.parametrize(
    ("change", "version"),
    [
        (SetField(kind="set", table="items", row="axe", field=("price",), value=4), 1),
        (SetField(kind="set", table="items", row="axe", field=("uses",), value=2), 2),
        (SetField(kind="set", table="ranks", row="dog", field=("rolled", "legs"), value="1d3"), 2),
        (SetField(kind="set", table="campaign.marks", row="x", field=("stands",), value=True), 2),
        (AddRow(kind="add", table="traits", row="x", data={"key": "x", "experience": 0}), 1),
        (AddRow(kind="add", table="traits", row="x", data={"key": "x", "experience": 2}), 2),
        (AddRow(kind="add", table="holdings", row="x", data={"key": "x"}), 2),
        (AddRow(kind="add", table="tables.hurt.rows", row="1", data={"low": 1, "high": 1}), 1),
        (SetStatus(kind="status", table="items", row="axe", status="banned"), 1),
        (SetStatus(kind="status", table="holdings", row="mill", status="banned"), 2),
        (SetField(kind="set", table="scenarios", row="x", field=("brings",), value=[{}]), 3),
        (AddRow(kind="add", table="traits", row="x", data={"name": {"de": "Stark"}}), 3),
    ],
)  # fmt: skip
def test_file_of_a_variant_names_the_format_of_its_changes(change: Change, version: int) -> None:
    text = write_variant("Ours", shipped(SLUGS[0]), Overlay(changes=(change,)))
    assert json.loads(text)["format_version"] == version
    assert read_variant(text.encode()).overlay.changes == (change,)


def test_unknown_places_need_the_newest_format() -> None:
    for words in FORMATS:
        assert not words.says([], {"key": "x"}) and not words.says_field([], "price", 3)


def test_number_to_reach_needs_format_3() -> None:
    def needed(kind: str, cell: str) -> int:
        column = {"key": "skill", "name": {"en": "Skill", "fr": "Tir"}, "kind": kind}
        item = {"key": "gun", "group": "guns", "columns": {"skill": cell}}
        return format_needed({"groups": [{"key": "guns", "columns": [column]}], "items": [item]})

    assert needed("number", "4+") == NEWEST
    assert needed("number", "4") < NEWEST and needed("text", "4+") < NEWEST
