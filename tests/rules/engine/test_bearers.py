"""Cells of item tables, computed for the bearer of the item."""

from __future__ import annotations

import pytest

from rules.book.schema import Column
from rules.engine.cells import for_bearer
from tests.rules.small import text

BEARER = {"by.str": 6, "by.force": 3}
STRENGTH = {"key": "strength", "kind": "number", "names": {"M": "by.str", "Pers.": "by.force"}}
RANGE = {"key": "short", "kind": "length", "names": {"Str": "by.str"}}
SIZE = {"key": "size", "kind": "die", "names": {"own": "2 * by.force"}}


@pytest.mark.parametrize(
    ("column", "written", "shown"),
    [
        (STRENGTH, "M+1", ("7", "M+1, M = 6")),
        (STRENGTH, "M", ("6", "M")),
        (STRENGTH, "2-M", ("-4", "2-M, M = 6")),
        (STRENGTH, "Pers.", ("3", "Pers.")),
        (RANGE, 'Str + 1D6"', ('6+1D6"', 'Str + 1D6", Str = 6')),
        (SIZE, "own", ("D6", "own")),
        # The same for every bearer, or not computable: the text stays.
        (STRENGTH, "+2", None),
        (STRENGTH, "4", None),
        (STRENGTH, "–", None),
        (STRENGTH, "", None),
        (STRENGTH, "M and more", None),
        (STRENGTH, "Z+1", None),
        (RANGE, '12"', None),
        (SIZE, "D8", None),
        ({**STRENGTH, "kind": "text"}, "M+1", None),
        ({**STRENGTH, "names": {"M": "by.nothing"}}, "M+1", None),
    ],
)
def test_for_bearer_works_out_a_cell_and_shows_the_formula(
    column: dict[str, object], written: str, shown: tuple[str, str] | None
) -> None:
    assert for_bearer(Column(name=text("Column"), **column), written, BEARER) == shown
