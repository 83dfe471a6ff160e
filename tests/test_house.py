"""Rules of the house that no single module can keep alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from rules.library import shipped_folders
from rules.reading import read_folder
from rules.vocabulary import HOUSE

ROOT = Path(__file__).parent.parent
APPS = ("accounts", "campaigns", "gangs", "rules", "skirmish")
SOURCES = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py"))]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def test_no_code_knows_a_game() -> None:
    assert len(SOURCES) > 50
    for folder in shipped_folders():
        book = read_folder(folder)
        names = {folder.name, folder.name.replace("-", "_"), book.name.en, book.name.fr}
        for path in (*SOURCES, *TEMPLATES):
            text = path.read_text("utf-8")
            for name in names:
                assert not re.search(rf"\b{re.escape(name)}\b", text, re.I), f"{path} says {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_one_subject(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400 or "migrations" in path.parts


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_are_small_and_free_of_inline_script_and_style(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 200
    assert not re.search(r"\son\w+=|<script>|hx-on|javascript:", text)
    # A sheet for paper carries its style along: it never reaches a browser.
    on_paper = "print" in path.name or path.parent.name == "papers"
    assert on_paper or not re.search(r"<style|\sstyle=", text)


@pytest.mark.parametrize("folder", shipped_folders(), ids=lambda folder: folder.name)
def test_every_row_says_where_it_comes_from(folder: Path) -> None:
    book = read_folder(folder)
    assert book.sources
    campaign = book.campaign
    rows = (
        *(*book.settings, *book.characteristics, *book.ranks, *book.traits, *book.professions),
        *(*book.origins, *book.groups, *book.items, *book.tags, *book.ticks),
        *(*book.adjustments, *book.limits),
        *(*book.conditions, *book.scenarios, *book.deployments),
        *(*book.references, *book.glossary),
        *(row for table in book.tables for row in (table, *table.rows)),
        *(*campaign.results, *campaign.marks, *campaign.tallies, *campaign.awards),
        *(*campaign.underdog, *campaign.promotions, *campaign.successions),
        *(*campaign.departures, *campaign.steps),
    )
    for row in rows:
        assert row.source.split()[0] in {HOUSE, *book.sources}, row
    # Whatever says where it comes from is among them: a new kind of row is not forgotten.
    assert {id(row) for row in rows} == {id(value) for value in values(book) if sourced(value)}


def values(value: object) -> Iterator[BaseModel]:
    """Every value of ours inside ``value``, itself among them."""
    if isinstance(value, BaseModel):
        yield value
        for name in type(value).model_fields:
            yield from values(getattr(value, name))
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from values(part)
    elif isinstance(value, Mapping):
        yield from values(tuple(value.values()))


def sourced(value: BaseModel) -> bool:
    """Whether it is one that says where it comes from."""
    return "source" in type(value).model_fields
