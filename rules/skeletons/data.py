"""Reads a rulebook's data that nothing has checked: what is malformed is left out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from common.wording.texts import Text

Data = dict[str, Any]
# A game with other budgets than this has prices of a size that the guess cannot know.
MOST_BUDGET = 100_000


def rows_of(data: Mapping[str, Any], table: str) -> dict[str, Data]:
    """Return the rows of a table by key. ``table``: a dotted path ("campaign.marks")."""
    here: Any = data
    for part in table.split("."):
        here = here.get(part) if isinstance(here, Mapping) else None
    found: dict[str, Data] = {}
    for row in here if isinstance(here, list) else ():
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            found.setdefault(row["key"], row)
    return found


def words_of(row: Mapping[str, Any], *fields: str) -> list[str]:
    """Return the words in these texts of a row, in each of their languages."""
    found = []
    for text in (row.get(field) for field in fields):
        words = text.values() if isinstance(text, dict) else [text]
        found += [one for one in words if isinstance(one, str)]
    return found


def name_of(row: Mapping[str, Any] | None, key: str) -> Text | str:
    """Return the name of a row as a text; its key without one."""
    name = row.get("name") if row else None
    words = {code: one for code, one in name.items() if one} if isinstance(name, dict) else {}
    if not words or not all(isinstance(one, str) for one in words.values()):
        return name if isinstance(name, str) else key
    return Text.model_construct(words)


def tags_of(data: Mapping[str, Any], table: str) -> list[str]:
    """Return the tags that rows of a table have, sorted."""
    found: set[str] = set()
    for row in rows_of(data, table).values():
        tags = row.get("tags")
        found |= {tag for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else set()
    return sorted(found)


def budget_of(data: Mapping[str, Any]) -> Fraction | None:
    """Return the budget of a new gang by the game's first row; None if it has none."""
    rows = data.get("budgets")
    row = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
    amount = row.get("amount")
    if amount is None:
        amount = rows_of(data, "settings").get(str(row.get("setting")), {}).get("default")
    if isinstance(amount, int) and 0 < amount <= MOST_BUDGET:
        return Fraction(amount)
    return None
