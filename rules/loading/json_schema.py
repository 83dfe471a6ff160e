"""The vocabulary as JSON Schema, by which an editor checks and completes a rulebook's files."""

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
    """What one file of a rulebook may hold: any of a book's tables, and nothing else."""
    schema = Book.model_json_schema(schema_generator=_ForToml)
    # A file is a part of the book; and what tells a variant from its rulebook nobody writes.
    del schema["required"], schema["properties"]["variant"], schema["$defs"]["Variation"]
    # In a book of one language a text may be a plain one; which book that is, a file may not tell.
    text = schema["$defs"]["Text"]
    schema["$defs"]["Text"] = {"anyOf": [text, {"type": "string", "minLength": 1}]}
    return {"$schema": DIALECT, **schema, "title": "Rulebook", "description": ABOUT}


def as_text(schema: dict[str, Any]) -> str:
    """The schema as the file that is kept; editors show its descriptions as Markdown."""
    return json.dumps(schema, ensure_ascii=False, indent=1).replace("``", "`") + "\n"


class _ForToml(GenerateJsonSchema):
    """Says it as TOML can: without null; and as editors understand it: in an older dialect."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """A field that may be missing: TOML has no null to write instead."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default, unless it is that there is nothing."""
        found = super().default_schema(schema)
        if _is_nothing(found.get("default")):
            found.pop("default", None)
        return found

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        """So many things of one sort, in words that the older dialect has too."""
        found = super().tuple_schema(schema)
        if parts := found.pop("prefixItems", None):
            assert all(part == parts[0] for part in parts)
            found["items"] = parts[0]
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """A table whose keys have a form has no other keys."""
        found = super().dict_schema(schema)
        if "patternProperties" in found:
            found["additionalProperties"] = False
        return found

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        """One of these words; a single one as a list, which old dialects know too."""
        found = super().literal_schema(schema)
        if "const" in found:
            found["enum"] = [found.pop("const")]
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:
        """A field is called by its name: no titles made of it."""
        return False


def _is_nothing(value: object) -> bool:
    """Whether a default tells an author nothing: an empty list, or a whole table, whose fields
    have defaults of their own."""
    return value is None or value == [] or isinstance(value, dict)
