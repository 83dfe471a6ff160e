"""The words of the vocabulary that came after format 1 of files: older sites do not know them.

A file of a gang, campaign or variant that uses one names format 2, which an older site refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Kinds of steps and outcomes, and fields, that came with format 2.
KINDS = frozenset(
    {"rolls", "earns", "finds", "joins", "rises", "promotes", "falls_to", "chooses_trait"}
)
KINDS |= {"holdings", "upkeep", "takes", "supplies", "search", "unlisted"}
KINDS |= {"value", "counts"}
FIELDS = frozenset({"matching", "advancements", "starts_with", "dearer"})
FIELDS |= {"captures", "holdings", "yields", "hauls", "offers", "next_prices", "resale"}
FIELDS |= {"campaign.yields", "campaign.hauls", "campaign.upkeep"}
FIELDS |= {"lacks", "together", "not_traits"}
# Fields of these tables only: elsewhere the words are older.
FIELDS_OF = {
    "ranks": frozenset({"rolled"}),
    "traits": frozenset({"most", "experience", "value", "step", "item"}),
    "marks": frozenset({"stands"}),
    "steps": frozenset({"most"}),
    "items": frozenset({"uses"}),
}
# Fields of a selector, and the fields that have selectors.
FIELDS_OF_SELECTORS = frozenset({"traits", "numbers"})
SELECTORS = frozenset({"of", "among", "whose", "post", "members"})
# Amounts that calculate: "2d6x10", "3d6+20".
CALCULATION = re.compile(r"\d+d\d+[x+-][\dx+-]+")


def format_needed(data: object) -> int:
    """Return the lowest format for the data of a rulebook, or of changes to one."""
    ahead = [data]
    while ahead:
        match ahead.pop():
            case dict() as values:
                # A player's change may be anything, even a list where a kind should be.
                if str(values.get("kind")) in KINDS or not FIELDS.isdisjoint(values):
                    return 2
                if isinstance(values.get("each"), dict) or _has_new_field(values):
                    return 2
                if _selects_by_new_field(values):
                    return 2
                ahead.extend(values.values())
            case list() | tuple() as values:
                ahead.extend(values)
            case str() as text if text in FIELDS or CALCULATION.fullmatch(text):
                return 2
    return 1


def _selects_by_new_field(values: Mapping[str, object]) -> bool:
    """Whether a selector among some fields, or in a change to one of them, has a newer field."""
    parts = [values[name] for name in SELECTORS & values.keys()]
    changed = values.get("field")
    if isinstance(changed, list | tuple) and not SELECTORS.isdisjoint(map(str, changed)):
        parts += [changed, values.get("data")]
    return any(
        isinstance(part, dict | list | tuple) and not FIELDS_OF_SELECTORS.isdisjoint(map(str, part))
        for part in parts
    )


def _has_new_field(values: Mapping[str, object]) -> bool:
    """Whether the rows of a table, or a change to one of them, have a field of FIELDS_OF."""
    for table, fields in FIELDS_OF.items():
        rows = values.get(table)
        if isinstance(rows, list | tuple) and any(
            isinstance(row, dict) and not fields.isdisjoint(row) for row in rows
        ):
            return True
        if str(values.get("table", "")).rpartition(".")[2] == table:
            changed = [values.get("field"), values.get("data")]
            if any(isinstance(one, dict | list | tuple) and fields & {*one} for one in changed):
                return True
    return False
