"""``docs/rulebook-limits.md`` lists every limit."""

from __future__ import annotations

import re
from pathlib import Path

from common.wording.texts import LONGEST_LINE
from rules.bounds import limits

PAGE = (Path(__file__).parents[3] / "docs" / "rulebook-limits.md").read_text("utf-8")


def test_the_limits_page_lists_every_limit() -> None:
    said = PAGE.partition("# Limits of size")[2]
    cells = re.findall(r"^\| (.*) \| (.*) \|$", said, re.M)
    numbers = {
        int(number.replace(",", ""))
        for _what, most in cells
        for number in re.findall(r"\d[\d,]*\d|\d", most)
    }
    known = {name: value for name, value in vars(limits).items() if name.isupper()}
    rows = dict(known.pop("MOST_ROWS_OF"))
    known["CHECK_MEMORY"] >>= 20
    known["LONGEST_LINE"] = LONGEST_LINE
    assert {name: value for name, value in known.items() if value not in numbers} == {}
    for what, most in cells:
        tables = re.findall(r"`(\w+)`", what) if what.startswith("rows of `") else ()
        for table in tables:
            assert rows.pop(table) == int(most)
    assert not rows
