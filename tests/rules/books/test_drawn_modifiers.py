"""Tables of modifiers are drawn from the modifiers, so that no amount is typed twice."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from rules.book.model import Book
from rules.book.reference import ReferenceLine
from rules.book.vocabulary import Text
from rules.loading.reader import read_folder
from rules.reference_pages.play import reference_piece
from rules.reference_pages.words import BookWording
from tests.world.gangs import SLUGS, shipped

SIXTH = Path(__file__).parents[2] / "sixth" / "moor-ghosts"
# The tables as they were typed, in the language of a rulebook.
TYPED = tomllib.loads(Path(__file__).with_name("modifiers_as_typed.toml").read_text("utf-8"))
# A number with a sign marks a modifier. "3-4" is a span.
SIGNED = re.compile(r"(?<![\w–-])[+-]\d")
# References with such a number, or a modifier's name, that are no table of modifiers: sentences
# that explain an attack, and numbers that are no modifiers.
EXPLAINED: dict[str, dict[str, str]] = {
    "au-un-pour-un": {
        "actions": "what a charge brings is told with it",
        "cover": "a score for each range, not what the range adds",
        "experience": "experience earned",
        "melee": "a step of an attack",
        "passive": "what comes of a roll",
        "targets": "a step of a burst",
        "wounds": "life lost",
    },
    "blackwater-gulch": {
        "horses": "a sentence on riding",
        "levels": "each level against each characteristic",
        "melee_attacks": "how many attacks there are in all",
        "melee_dice: Each luck die spent by the leader": "luck is spent, and is no modifier",
        "movement": "inches; no roll is changed",
        "shooting_dice: Each luck die spent by the leader": "luck is spent, and is no modifier",
        "sight_and_cover": "which cover it is, not what it does",
        "two_weapons": "a step of two attacks",
        "weapon_types": "what each type of weapon is, in a sentence",
    },
    "cran": {"infamy": "infamy earned"},
    "du-sang-sur-la-lame": {
        "charge": "a step of a charge",
        "wounds": "what a wound does, in a sentence",
    },
    "zombstone": {
        "cover_example": "sums of an example",
        "dice_once": "what a Potential below nothing rolls",
        "dice_several": "what a Potential below nothing rolls",
    },
    SIXTH.name: {},
}


def read(slug: str) -> Book:
    return read_folder(SIXTH) if slug == SIXTH.name else shipped(slug)


def lines_of(book: Book, key: str, language: str) -> list[list[str]]:
    """Return a table as its page shows it: each line's name and its cells."""
    with translation.override(language):
        row = next(row for row in book.references if row.key == key)
        grid = reference_piece(BookWording(book, language), row).grid
        assert grid is not None
        return [[line.name, *(cell.text for cell in line.cells)] for line in grid.lines]


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("table", TYPED["tables"], ids=lambda table: table["key"])
def test_a_drawn_modifier_table_matches_its_former_text(
    table: dict[str, object], language: str
) -> None:
    lines = [ReferenceLine.model_validate(line) for line in table["lines"]]
    typed = [
        [
            cell.translated(language) if isinstance(cell, Text) else cell
            for cell in (line.name, *line.cells)
        ]
        for line in lines
    ]
    assert lines_of(read(str(table["book"])), str(table["key"]), language) == typed


def repeated(book: Book) -> Iterator[str]:
    """Yield references with a typed line that may repeat a modifier by hand.

    Such a line has a signed number, or the name of a modifier that tables show. For tables that
    are drawn from modifiers, yield the line, too.
    """
    names = {
        text for row in book.modifiers if row.listed for text in (row.name["en"], row.name["fr"])
    }
    for row in book.references:
        for line in row.lines:
            told = [
                text
                for cell in (line.name, *line.cells)
                for text in ([cell["en"], cell["fr"]] if isinstance(cell, Text) else [cell])
            ]
            named = bool(line.cells) and bool(names & {line.name["en"], line.name["fr"]})
            if named or any(SIGNED.search(text) for text in told):
                yield f"{row.key}: {line.name['en']}" if row.modifiers else row.key


@pytest.mark.parametrize("slug", [*SLUGS, SIXTH.name])
def test_no_line_repeats_a_modifier_by_hand(slug: str) -> None:
    assert set(repeated(read(slug))) == set(EXPLAINED[slug])
