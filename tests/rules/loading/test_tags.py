"""Names of tags, which players read as properties of items, traits and results."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import translation

from gangs.builder.forms import OwnItemForm
from rules.book.schema import Tag
from rules.book.vocabulary import Selector, Text
from rules.editor.places import between, take_apart
from rules.editor.refusals import complaint
from rules.editor.text import difference_line, tag_label
from rules.library import shipped_folders
from rules.reference_pages.chapters import render
from rules.reference_pages.words import BookWording
from tests.rules.small import mistakes, row, small
from tests.world.gangs import shipped

BLADES = row("blade", name={"en": "Blades", "fr": "Lames"})
NAMED = small(tags=[BLADES])


def test_a_named_tag_is_found_by_its_key() -> None:
    assert NAMED.tag["blade"].name["fr"] == "Lames"
    assert "heavy" not in NAMED.tag
    assert NAMED.digest == small(tags=[BLADES]).digest != small().digest
    assert '"tags":[{' not in small().canonical()


def test_a_name_for_an_unused_tag_is_a_mistake() -> None:
    assert mistakes(tags=[BLADES, row("wand")]) == {"tags.1.key": ["no row has the tag “wand”"]}
    assert mistakes(tags=[BLADES, BLADES]) == {
        "tags.1.key": ["the key “blade” is used twice: choose another one"]
    }
    assert complaint("no row has the tag “wand”") == "No row has the tag “wand”."


def test_tags_of_traits_and_results_can_have_names() -> None:
    result = {"low": 1, "high": 1, "name": {"en": "One", "fr": "Un"}, "source": "house"}
    rows = [{**result, "tags": ["deep"]}, {**result, "low": 2, "high": 2}]
    book = small(
        tags=[row("sly"), row("deep")],
        traits=[{**row("quick", tags=["sly"]), "text": {"en": "Q.", "fr": "Q."}}],
        tables=[row("fate", dice="1d2", rows=rows)],
    )
    assert set(book.tag) == {"sly", "deep"}


def test_the_custom_item_form_offers_tags_by_name() -> None:
    with translation.override("fr"):
        form = OwnItemForm(NAMED, NAMED.group["arms"])
        labels = dict(form.fields["tags"].choices)
    assert labels["blade"] == "Lames (Sword, Axe)"
    assert labels["heavy"] == "Heavy (Axe)"


def test_variants_list_changed_tags_by_name() -> None:
    other = small(tags=[{**BLADES, "name": {"en": "Edges", "fr": "Tranchants"}}])
    (told,) = [difference_line(take_apart(other), one) for one in between(NAMED, other)]
    (changed,) = told.changes
    assert (told.name, changed.old, changed.new) == ("Edges", "Blades", "Edges")
    assert tag_label(take_apart(NAMED), "blade") == "Blades"
    assert tag_label(take_apart(NAMED), "two_handed") == "two handed"


def test_the_wording_of_a_selector_names_the_tag_and_its_rows() -> None:
    words = BookWording(NAMED, "fr")
    assert words.whom(Selector(item_tags=("blade",))) == "Lames (Sword, Axe)"
    assert words.whom(Selector(item_tags=("ranged",))) == "Bow"
    alone = NAMED.changed(tags=(Tag(key="ranged", name=Text(en="Bow", fr="Bow"), source="house"),))
    assert BookWording(alone, "fr").whom(Selector(item_tags=("ranged",))) == "Bow"
    glossary = render(NAMED, "en").chapter("glossary")
    assert glossary is not None
    (piece,) = glossary.sections[-1].pieces
    assert (piece.anchor, piece.name) == ("tag-blade", "Blades")
    assert [(one.label, one.values[0].text) for one in piece.facts] == [("Items", "Sword, Axe")]


@pytest.mark.parametrize("folder", shipped_folders(), ids=lambda folder: folder.name)
def test_every_tag_of_a_shipped_rulebook_has_a_name(folder: Path) -> None:
    book = shipped(folder.name)
    rows = [*book.items, *book.traits, *(row for table in book.tables for row in table.rows)]
    rows += [item.fits for item in book.items if item.fits]
    assert {tag for row in rows for tag in row.tags} == set(book.tag)
