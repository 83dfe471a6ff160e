"""The JSON Schema for editors matches the model, and every rulebook follows it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from django.core.management import CommandError, call_command

from rules.book.model import Book
from rules.library import shipped_folders
from rules.loading.json_schema import as_text, file_schema

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "docs" / "rulebook.schema.json"
SIXTH = sorted(folder for folder in (ROOT / "tests" / "sixth").iterdir() if folder.is_dir())
FILES = [path for folder in (*shipped_folders(), *SIXTH) for path in sorted(folder.glob("*.toml"))]
TEXT = {"en": "Words", "fr": "Mots"}
HIT = {"count": "hits", "dice": 2, "target": 4}
RANK: dict[str, Any] = {"key": "chief", "name": TEXT, "source": "house", "price": 3}


def rolled(step: object) -> dict[str, Any]:
    """Return a file with one roll of one step."""
    return {"rolls": [{"key": "r", "name": TEXT, "source": "house", "steps": [step]}]}


Validate = Callable[[object], object]


@pytest.fixture(scope="module")
def validate() -> Validate:
    """Return a function that validates a file, like an editor."""
    compiled: Validate = fastjsonschema.compile(file_schema(), use_default=False)
    return compiled


def test_the_stored_schema_matches_the_model() -> None:
    said = "run: python manage.py books schema"
    assert KEPT.read_text("utf-8") == as_text(file_schema()), said


def test_the_command_writes_the_schema(tmp_path: Path) -> None:
    call_command("books", "schema", tmp_path / "schema.json")
    assert (tmp_path / "schema.json").read_text("utf-8") == KEPT.read_text("utf-8")
    with pytest.raises(CommandError):
        call_command("books", "schema", tmp_path / "one.json", tmp_path / "two.json")


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_rulebook_file_follows_the_schema(path: Path, validate: Validate) -> None:
    validate(tomllib.loads(path.read_text("utf-8")))


def test_every_rulebook_file_points_to_the_schema() -> None:
    for path in FILES:
        first = path.read_text("utf-8").splitlines()[0]
        assert first.startswith("#:schema "), path
        assert (path.parent / first.removeprefix("#:schema ")).resolve() == KEPT, path


@pytest.mark.long
def test_the_schema_accepts_any_table_in_any_file(validate: Validate) -> None:
    validate({})
    validate({"ranks": [RANK]})
    validate(rolled(HIT))
    validate(rolled({"again": "shot", "times": 2, "steps": [HIT, {"end": "missed"}]}))
    assert set(file_schema()["properties"]) == set(Book.model_fields) - {"variant"}


@pytest.mark.parametrize(
    "data",
    [
        {"wands": []},
        {"ranks": [{**RANK, "prize": 3}]},
        {"ranks": [{**RANK, "price": "three"}]},
        {"ranks": [{**RANK, "key": "The chief"}]},
        {"ranks": [{**RANK, "profession": "perhaps"}]},
        {"ranks": [{**RANK, "values": {"Might": 3}}]},
        {"ranks": [{key: value for key, value in RANK.items() if key != "name"}]},
        {"ranks": [{**RANK, "squad": {"minimum": 3}}]},
        {"limits": [{"kind": "never", "code": "E", "severity": "error", "text": TEXT}]},
        {"tables": [{"key": "t", "name": TEXT, "source": "house", "dice": "three", "rows": []}]},
        {"campaign": {"text": TEXT}},
        {"slug": "Two words"},
        {"variant": {"key": "v", "name": "V", "number": 1}},
        rolled({"dice": 2, "target": 4}),
        rolled({"count": "hits", "target": 4}),
        rolled({**HIT, "targt": 4}),
        rolled({**HIT, "let": "n", "be": 1}),
        rolled({**HIT, "dice": 1.5}),
        rolled({"again": "shot", "times": 2, "steps": [{"dice": 1}]}),
    ],
    ids=lambda data: json.dumps(data)[-44:],
)
def test_the_schema_rejects_mistakes(data: object, validate: Validate) -> None:
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate(data)


def words(schema: object) -> Iterator[str]:
    """Yield every key of the schema that belongs to JSON Schema, not to the vocabulary."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            named = key in ("properties", "patternProperties", "$defs", "mapping")
            for inner in value.values() if named and isinstance(value, dict) else (value,):
                yield from words(inner)
    elif isinstance(schema, list):
        for value in schema:
            yield from words(value)


@pytest.mark.long
def test_the_schema_uses_only_words_that_old_editors_know() -> None:
    assert set(words(file_schema())) == {
        "$schema",
        "$defs",
        "$ref",
        "title",
        "description",
        "default",
        "type",
        "enum",
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "anyOf",
        "oneOf",
        "discriminator",
        "mapping",
        "propertyName",
    }
    assert '"null"' not in as_text(file_schema())
