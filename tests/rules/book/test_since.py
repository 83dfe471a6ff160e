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
from rules.book.since import FORMAT_1, format_needed, is_newer, is_newer_field
from rules.book.vocabulary import Frozen
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


@pytest.mark.parametrize("slug", SLUGS)
def test_rulebooks_with_rolls_need_format_2(slug: str) -> None:
    assert format_needed(json.loads(shipped(slug).canonical())) == 2


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
        (Rank, {"name": {"de": "Wirt"}}),
        (Item, {"columns": {"range": {"en": "far", "de": "weit"}}}),
        (roll_effects.Counts, {"kind": "counts", "tally": "signs"}),
        (roll_effects.Out, {"kind": "out", "unhurt": True}),
    ],
)  # fmt: skip
def test_new_words_need_format_2(model: type[Frozen], data: dict[str, Any]) -> None:
    assert format_needed(data, model) == 2


def test_format_1_names_models_of_the_vocabulary() -> None:
    """A model that gets another name, or whose name another model gets, needs a change here."""
    known = {model.__name__: model for model in _models(Book, set())}
    named = {name: fields.keys() for name, fields in FORMAT_1.items() if name in known}
    assert not {name for name, fields in named.items() if fields - known[name].model_fields}
    assert {RollAgain, AdvancementRow, rolls.Again} <= set(known.values())
    assert "RollAgain" in FORMAT_1 and "AdvancementRow" not in FORMAT_1


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
    ],
)  # fmt: skip
def test_file_of_a_variant_names_the_format_of_its_changes(change: Change, version: int) -> None:
    text = write_variant("Ours", shipped(SLUGS[0]), Overlay(changes=(change,)))
    assert json.loads(text)["format_version"] == version
    assert read_variant(text.encode()).overlay.changes == (change,)


def test_unknown_places_need_format_2() -> None:
    assert is_newer([], {"key": "x"}) and is_newer_field([], "price", 3)
