"""Rulebooks in one language: their texts are plain and serve for both languages."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from django.test import Client

from rules.book.model import Book
from rules.library import load
from rules.loading.json_schema import file_schema
from rules.loading.reader import BadBook, RawBook, parse, read_folder
from tests.rules.conftest import BOOKS
from tests.rules.small import changed, text

TEXT = re.compile(r'\{ en = ("(?:[^"\\]|\\.)*"), fr = ("(?:[^"\\]|\\.)*") \}')
IN_FRENCH = {"plain": r"\2", "only French": r"{ fr = \2 }"}


@pytest.fixture(params=IN_FRENCH)
def french(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a shipped rulebook with only the French of its texts."""
    folder = Path(shutil.copytree(BOOKS / "cran", tmp_path / "cran"))
    for path in folder.glob("*.toml"):
        words = TEXT.sub(IN_FRENCH[request.param], path.read_text("utf-8"))
        if path.name == "book.toml":
            words = words.replace('slug = "cran"', 'slug = "cran"\nlanguages = ["fr"]')
        path.write_text(words, "utf-8")
    return folder


def test_a_french_rulebook_reads_like_the_french_of_a_bilingual_rulebook(french: Path) -> None:
    ours, whole = read_folder(french), read_folder(BOOKS / "cran")
    assert ours.languages == ("fr",)
    for table in ("ranks", "traits", "items", "tables", "references", "scenarios"):
        for row, other in zip(getattr(ours, table), getattr(whole, table), strict=True):
            assert row.name["fr"] == row.name["en"] == other.name["fr"]
    assert ours.campaign.steps[0].text["en"] == whole.campaign.steps[0].text["fr"]


def test_a_stored_french_rulebook_reads_back(french: Path) -> None:
    book = read_folder(french)
    assert Book.model_validate_json(book.canonical()) == book


def test_a_text_in_both_languages_keeps_both() -> None:
    book = parse(RawBook(changed(languages=["fr"], name={"en": "Small", "fr": "Petit"}), ""))
    assert (book.name["en"], book.name["fr"]) == ("Small", "Petit")


def test_a_plain_text_is_a_mistake_when_the_rulebook_has_both_languages() -> None:
    with pytest.raises(BadBook) as caught:
        parse(RawBook(changed(name="Small"), "book.toml"))
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "name, book.toml: must be a text in each language: { en = …, fr = … }"
    ]


def test_a_rulebook_may_be_in_any_language() -> None:
    words = {"de": "Klein"}
    data = in_only("de", changed(languages=["de"]))
    book = parse(RawBook(data, ""))
    assert book.name.root == {"de": "Small"}
    assert {book.name.translated(one) for one in ("de", "en", "fr-x-own")} == {"Small"}
    assert Book.model_validate_json(book.canonical()) == book
    with pytest.raises(BadBook) as caught:
        parse(RawBook({**data, "name": {"de": "Klein", "fr": "Petit"}}, ""))
    assert [mistake.path for mistake in caught.value.mistakes] == ["name.fr"]
    assert parse(RawBook({**data, "name": words}, "")).name.root == words


def in_only(language: str, value: Any) -> Any:
    """Return a rulebook's data with its English texts in another language."""
    if isinstance(value, list):
        return [in_only(language, one) for one in value]
    if isinstance(value, dict) and value.keys() == {"en", "fr"}:
        return {language: value["en"]}
    if isinstance(value, dict):
        return {key: in_only(language, one) for key, one in value.items()}
    return value


@pytest.mark.parametrize("languages", [["german"], ["DE"], [], "fr", [1]])
def test_a_rulebook_in_an_unknown_language_is_a_mistake(languages: object) -> None:
    with pytest.raises(BadBook) as caught:
        parse(RawBook(changed(languages=languages), ""))
    assert {mistake.path.split(".")[0] for mistake in caught.value.mistakes} == {"languages"}


def test_a_text_in_only_the_other_language_is_a_mistake() -> None:
    with pytest.raises(BadBook) as caught:
        parse(RawBook(changed(languages=["fr"], name={"en": "Small"}), ""))
    assert [(m.path, m.message) for m in caught.value.mistakes] == [("name.fr", "is missing")]


def test_a_rulebook_has_both_languages_by_default() -> None:
    assert parse(RawBook(changed(), "")).languages == ("en", "fr")
    assert "languages" not in parse(RawBook(changed(name=text("Small")), "")).canonical()


@pytest.mark.long
@pytest.mark.django_db
def test_pages_name_the_language_of_a_rulebook_in_one_language(
    client: Client, french: Path
) -> None:
    load(read_folder(french))
    load(read_folder(BOOKS / "zombstone"))
    for address in ("/rules/cran/", "/rules/cran/characters/"):
        assert (
            "These rules are in one language only: French." in client.get(address).content.decode()
        )
    assert "These rules are in one language" not in client.get("/rules/zombstone/").content.decode()


@pytest.mark.long
def test_the_schema_accepts_a_plain_text() -> None:
    validate = fastjsonschema.compile(file_schema(), use_default=False)
    validate({"name": "Duel d’étain", "languages": ["fr"]})
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate({"name": {"English": "Tin Duel"}})
