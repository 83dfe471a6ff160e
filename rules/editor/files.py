"""Files of variants, and the limits of a variant.

Strangers make files: each is measured before it is read, and everything that no honest variant
needs is refused with a code.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from common import measuring
from common.errors import Refusal
from common.measuring import BadData, Limits, parse, values_of
from common.text import clean_data, of_text, one_line
from rules.book.model import Book
from rules.book.since import FORMATS, NEWEST, Vocabulary, is_too_new
from rules.book.vocabulary import Frozen, Key, Line
from rules.bounds.limits import (
    BIGGEST_VARIANT,
    DEEPEST_TEXT,
    MOST_CHANGES,
    MOST_FACES,
    MOST_NEW_ROLLS_ON,
    MOST_NEW_TABLES,
    MOST_VARIANT_VALUES,
)
from rules.editor.overlay import AddRow, Change, Overlay, SetField
from rules.editor.places import models_of
from rules.engine.dice import sides_of_all

FORMAT = "skirmish-variant"
LIMITS = Limits(size=BIGGEST_VARIANT, depth=DEEPEST_TEXT, values=MOST_VARIANT_VALUES)

Name = Annotated[str, Field(min_length=1, max_length=80), BeforeValidator(of_text(one_line))]


class VariantFile(Frozen):
    """An exported variant: its changes, and the version of the rulebook that they were made on."""

    format: Literal["skirmish-variant"]
    format_version: Literal[1, 2, 3]
    name: Name
    book: Key
    book_name: Line
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    overlay: Overlay


class BadVariant(Refusal):
    """Raised for a file that is not a variant.

    Its codes: ``refusals.BAD_VARIANTS``; ``detail`` among its values: the place in the file.
    """


def write_variant(name: str, base: Book, overlay: Overlay) -> str:
    """Return the text of a variant's file."""
    file = VariantFile.model_validate(
        {
            "format": FORMAT,
            "format_version": _format_needed(overlay),
            "name": name,
            "book": base.slug,
            "book_name": base.name.first,
            "digest": base.digest,
            "overlay": overlay,
        }
    )
    return json.dumps(file.model_dump(mode="json"), ensure_ascii=False, indent=1)


def _format_needed(overlay: Overlay) -> int:
    """Return the lowest format that has words for every change."""
    for number, words in enumerate(FORMATS, start=1):
        if all(_says(words, change) for change in overlay.changes):
            return number
    return NEWEST


def _says(words: Vocabulary, change: Change) -> bool:
    """Whether a format has words for a change."""
    models = [*models_of(change.table).values()]
    match change:
        case AddRow():
            return words.says(models, change.data)
        case SetField():
            return words.says_field(models, change.field[0], change.value)
    return words.has_model(models)


def read_variant(content: bytes) -> VariantFile:
    """Read a variant from a file. Raises BadVariant."""
    try:
        data = parse(content, LIMITS)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise BadVariant("foreign")
    except BadData as bad:
        raise BadVariant(bad.code) from None
    if is_too_new(data.get("format_version")):
        raise BadVariant("newer")
    data = clean_data(data)
    measure(data)
    overlay = data.get("overlay")
    changes = overlay.get("changes") if isinstance(overlay, dict) else None
    if isinstance(changes, list) and len(changes) > MOST_CHANGES:
        raise BadVariant("too_many")
    try:
        file = VariantFile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:80]
        raise BadVariant("damaged", detail=where) from None
    check_bounds(file.overlay)
    return file


def measure(data: object) -> None:
    """Raise BadVariant if ``data`` (parsed JSON) is deeper, longer or stranger than variants."""
    try:
        measuring.measure(data, LIMITS)
    except BadData as bad:
        raise BadVariant(bad.code) from None


def check_bounds(overlay: Overlay) -> None:
    """Raise BadVariant if these changes exceed the limits of a variant."""
    if len(overlay.model_dump_json()) > LIMITS.size:
        raise BadVariant("too_big")
    data = overlay.model_dump(mode="json")
    measure(data)
    tables = [row for row in overlay.changes if isinstance(row, AddRow) and row.table == "tables"]
    rolls = sum(value == "rolls_on" for _, value in values_of(data, LIMITS.depth))
    if len(tables) > MOST_NEW_TABLES or rolls > MOST_NEW_ROLLS_ON:
        raise BadVariant("too_many")
    for change in overlay.changes:
        dice: object = None
        if isinstance(change, AddRow) and change.table == "tables":
            dice = change.data.get("dice")
        elif isinstance(change, SetField) and (change.table, change.field) == ("tables", ("dice",)):
            dice = change.value
        # The checker works out all totals of a table's dice, which must not take long.
        if (sides_of_all(dice) or 0) > MOST_FACES:
            raise BadVariant("too_many", detail=dice)
