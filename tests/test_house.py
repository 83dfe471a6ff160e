"""Rules of the house that no single module can keep by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.conf.locale import LANG_INFO
from pydantic import BaseModel

from rules.book.vocabulary import HOUSE
from rules.library import shipped_folders
from tests.near import PACKAGES
from tests.world.gangs import shipped

ROOT = Path(__file__).parent.parent
SOURCES = [
    path
    for app in PACKAGES
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
]
TEXTS = {path: path.read_text("utf-8") for path in SOURCES}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
YARDSTICKS = sorted((ROOT / "bench").glob("*.py"))
# The shipped rulebooks' rolls have a test file for each book, apart from their other content.
OF_EACH_BOOK = ("rules", "rolls")
# The proof of imported prices concerns all rooms of the catalogues.
OF_ALL_CATALOGUES = ("rules", "catalogues", "lists")
# The small words in names, such as "de", are among them.
PARTICLES = ROOT / "gangs" / "pictures" / "faces.py"
# More rows are no map: readers search the folders instead.
LONGEST_MAP = 40


@pytest.mark.long
def test_no_code_knows_a_game() -> None:
    assert len(SOURCES) > 50
    for folder in shipped_folders():
        book = shipped(folder.name)
        names = {folder.name, folder.name.replace("-", "_"), book.name["en"], book.name["fr"]}
        for path in (*SOURCES, *TEMPLATES, *YARDSTICKS):
            text = path.read_text("utf-8")
            for name in names:
                assert not re.search(rf"\b{re.escape(name)}\b", text, re.I), f"{path} says {name}"


def test_no_code_names_a_translation() -> None:
    """A language is a catalogue: code, templates and scripts name only the site's first."""
    codes = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
    assert codes
    scripts = [path for path in (ROOT / "script").iterdir() if path.is_file()]
    pages = [*TEMPLATES, *(ROOT / "static").glob("*.js"), *(ROOT / "static" / "table").glob("*.js")]
    for code in codes:
        names = "|".join({LANG_INFO[code][name] for name in ("name", "name_local")})
        named = re.compile(rf"""["']{code}["']|\b(?:{names})\b""", re.I)
        for path in (*pages, *scripts):
            assert not named.search(path.read_text("utf-8")), path
        for path in SOURCES:
            # Most files name none anywhere, so they need not be parsed.
            if path == PARTICLES or not named.search(TEXTS[path]):
                continue
            found = [text for text in strings_in(TEXTS[path]) if text == code or named.search(text)]
            assert found == [], path


def strings_in(source: str) -> Iterator[str]:
    """Yield the strings of a program that are no docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield text


def test_no_name_repeats_its_package() -> None:
    """A module in ``nights/`` says in its name which part of nights it is about."""
    named = [path.relative_to(ROOT) for path in (*SOURCES, *TEMPLATES)]
    assert [path for path in named if path.stem.strip("_") == path.parent.name] == []


def test_templates_are_small_and_free_of_inline_script_and_style() -> None:
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        assert text.count("\n") <= 200, path
        assert [line for line in text.splitlines() if len(line) > 160] == [], path
        assert not re.search(r"\son\w+=|<script>|hx-on|javascript:", text), path
        # A sheet for paper contains its style: it never reaches a browser.
        assert "printing" in path.parts or not re.search(r"<style|\sstyle=", text), path


def test_no_template_depends_on_its_indentation() -> None:
    """Indentation is not sent (``skirmish.template_loader``): texts to translate are trimmed, too,
    and texts shown with their line breaks start their lines at the margin.
    """
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        for how, words in re.findall(
            r"{% blocktranslate(.*?)%}(.*?){% endblocktranslate %}", text, re.S
        ):
            assert "\n" not in words or "trimmed" in how, path
        for _tag, inside in re.findall(r"<(pre|textarea)\b[^>]*>(.*?)</\1>", text, re.S):
            assert not re.search(r"[ \t]\n|\n\s", inside), path


def test_map_of_the_architecture_names_existing_modules() -> None:
    """Every room and module to which ``docs/architecture.md`` sends its readers."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[\w.]*)`", page))
    assert len(named) > 50
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    rows = page.partition("\n## Five ideas")[0].count("\n| ") - 2 * page.count("\n| … ")
    assert 30 < rows <= LONGEST_MAP


def test_tests_and_templates_mirror_their_packages() -> None:
    lying = [path.parent for path in (*TEMPLATES, *sorted((ROOT / "tests").rglob("test_*.py")))]
    mirrored = {folder.relative_to(ROOT).parts[1:] for folder in lying}
    assert [
        at
        for at in mirrored
        if at[:1]
        and at[0] in PACKAGES
        and at not in (OF_EACH_BOOK, OF_ALL_CATALOGUES)
        and not ROOT.joinpath(*at).is_dir()
    ] == []


@pytest.mark.parametrize("folder", shipped_folders(), ids=lambda folder: folder.name)
def test_every_row_of_a_rulebook_names_its_source(folder: Path) -> None:
    book = shipped(folder.name)
    assert book.sources
    campaign = book.campaign
    rows: tuple[Any, ...] = (
        *book.settings,
        *book.characteristics,
        *book.ranks,
        *book.traits,
        *book.professions,
        *book.origins,
        *book.groups,
        *book.items,
        *book.tags,
        *book.ticks,
        *book.adjustments,
        *book.limits,
        *book.archetypes,
        *book.conditions,
        *book.scenarios,
        *book.deployments,
        *book.references,
        *book.glossary,
        *book.circumstances,
        *book.states,
        *book.actions,
        *book.spends,
        *book.modifiers,
        *book.procedures,
        *book.rolls,
        *book.grids,
        *book.hands,
        *book.phases,
        *book.tracks,
        *book.alarms,
        *book.cautions,
        *(row for table in book.tables for row in (table, *table.rows)),
        *campaign.results,
        *campaign.marks,
        *campaign.tallies,
        *campaign.awards,
        *campaign.underdog,
        *campaign.promotions,
        *campaign.successions,
        *campaign.departures,
        *campaign.steps,
        *campaign.trophies,
        *book.phases,
        *book.tracks,
        *book.alarms,
        *book.cautions,
    )
    for row in rows:
        assert row.source.split()[0] in {HOUSE, *book.sources}, row
    # Every row type with a source is among them, so a new kind of row is not forgotten.
    assert {id(row) for row in rows} == {id(value) for value in values(book) if sourced(value)}


def values(value: object) -> Iterator[BaseModel]:
    """Return every value of the project's classes inside ``value``, including itself."""
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
    """Whether a value has a source."""
    return "source" in type(value).model_fields
