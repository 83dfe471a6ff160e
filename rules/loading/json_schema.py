"""The vocabulary as JSON Schema, with which an editor checks and completes rulebook files."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from rules.book.model import Book

DIALECT = "http://json-schema.org/draft-07/schema#"
ABOUT = (
    "One file of a rulebook: some of its tables, each of which stands in one file only. "
    "docs/writing-a-rulebook.md says what every word means."
)


def file_schema() -> dict[str, Any]:
    """The schema of one file of a rulebook: any of a book's tables, and nothing else."""
    schema = Book.model_json_schema(schema_generator=_ForToml)
    # A file is a part of the book, and no author writes a variant's own data.
    del schema["required"], schema["properties"]["variant"], schema["$defs"]["Variation"]
    # In a book of one language a text may be plain. A single file need not say how many languages
    # the book has.
    text = schema["$defs"]["Text"]
    schema["$defs"]["Text"] = {"anyOf": [text, {"type": "string", "minLength": 1}]}
    return {"$schema": DIALECT, **schema, "title": "Rulebook", "description": ABOUT}


def as_text(schema: dict[str, Any]) -> str:
    """The schema as the text of its file; editors show the descriptions as Markdown."""
    return json.dumps(schema, ensure_ascii=False, indent=1).replace("``", "`") + "\n"


class _ForToml(GenerateJsonSchema):
    """A schema without null, which TOML lacks, in an older dialect that editors understand."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """A field that may be missing: TOML has no null to write instead."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A field's default, unless it is empty."""
        found = super().default_schema(schema)
        if is_nothing(found.get("default")):
            found.pop("default", None)
        return found

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        """A fixed number of parts of one kind, in words of the older dialect."""
        found = super().tuple_schema(schema)
        if parts := found.pop("prefixItems", None):
            assert all(part == parts[0] for part in parts)
            found["items"] = parts[0]
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """A table with keys that match a pattern: other keys are errors."""
        found = super().dict_schema(schema)
        if "patternProperties" in found:
            found["additionalProperties"] = False
        return found

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        """One of a few words; a single word is a list of one, as in older dialects."""
        found = super().literal_schema(schema)
        if "const" in found:
            found["enum"] = [found.pop("const")]
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:
        """A field's name is enough: it needs no title."""
        return False


def is_nothing(value: object) -> bool:
    """Whether a default is useless to an author: an empty list, or a table (its fields have their
    own defaults).
    """
    return value is None or value == [] or isinstance(value, dict)
