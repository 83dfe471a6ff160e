"""Cuts a rulebook to the sizes that the site allows; every cut leaves a note."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rules.bounds.limits import BIGGEST_TEXT, MOST_INSIDE, MOST_ROWS, MOST_ROWS_OF, MOST_VALUES
from rules.catalogues.mapping.log import Log

# Room for what an author adds.
SHARE = 0.9
# Fields of selectors, with the table that their keys are of.
NAMED = {
    "ranks": "ranks",
    "gang_ranks": "ranks",
    "not_gang_ranks": "ranks",
    "item_tags": "tags",
    "not_item_tags": "tags",
    "traits": "traits",
    "not_traits": "traits",
}
# Texts are cut to these lengths, one after the other, until all fits.
LENGTHS = (1200, 400, 160, 60)


def most_rows(table: str) -> int:
    """Return the number of rows that a table of a rulebook may have."""
    return MOST_ROWS_OF.get(table, MOST_ROWS)


def cut_rows(rows: list[dict[str, Any]], table: str, log: Log) -> list[dict[str, Any]]:
    """Return as many rows as a table may have, from the front, with a note about the others."""
    most = most_rows(table)
    log.note_cut(table, len(rows) - most)
    return rows[:most]


def split[T](values: list[T]) -> Iterator[list[T]]:
    """Yield parts of a list that a row can hold."""
    for start in range(0, len(values), MOST_INSIDE):
        yield values[start : start + MOST_INSIDE]


def fit(data: dict[str, Any], log: Log) -> None:
    """Shorten the texts of a rulebook until it is small enough, then its tables."""
    shortest = 0
    for most in LENGTHS:
        if _is_small(data):
            break
        shortest = most
        for table in ("glossary", "traits", "items", "ranks", "tags"):
            for row in data.get(table, ()):
                if "text" in row:
                    row["text"] = _cut(row["text"], most)
    if shortest:
        log.note("texts_cut", "texts", (), most=shortest)
    cut: Counter[str] = Counter()
    tables = ("glossary", "tags", "offers", "limits", "items", "traits")
    while any(data.get(table) for table in tables) and not _is_small(data):
        for table in tables:
            if data.get(table) and not _is_small(data):
                part = max(1, len(data[table]) // 2)
                cut[table] += part
                del data[table][-part:]
                # It makes other lists of the rows.
                mend(data)
    for table, count in cut.items():
        log.note_cut(table, count)


def _cut(text: Any, most: int) -> Any:
    if isinstance(text, dict):
        return {key: _cut(one, most) for key, one in text.items()}
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _is_small(data: Mapping[str, Any]) -> bool:
    size = len(json.dumps(data, ensure_ascii=False).encode())
    return size <= BIGGEST_TEXT * SHARE and _count(data) <= MOST_VALUES * SHARE


def _count(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(_count(one) for one in value.values())
    if isinstance(value, list):
        return 1 + sum(_count(one) for one in value)
    return 1


def mend(data: dict[str, Any]) -> None:
    """Remove what names rows that were cut, and rows that say nothing without them."""
    keys = {
        table: {row["key"] for row in data.get(table, ())}
        for table in ("ranks", "items", "traits", "groups")
    }

    def keep(table: str, named: list[str]) -> list[str]:
        return [one for one in named if one in keys[table]]

    data["items"] = [row for row in data.get("items", ()) if row["group"] in keys["groups"]]
    keys["items"] = {row["key"] for row in data["items"]}
    for row in data.get("ranks", ()):
        if "traits" in row:
            row["traits"] = keep("traits", row["traits"])
    for row in (*data.get("traits", ()), *data.get("items", ())):
        effects = [_mend_effect(one, keys["ranks"]) for one in row.get("effects", ())]
        if effects:
            row["effects"] = [one for one in effects if one]
    rows = {row["key"]: row for row in data["items"]}
    for row in data["items"]:
        if "fits" in row:
            named = [
                one
                for one in keep("items", row["fits"]["items"])
                if "fits" not in rows.get(one, {})
            ]
            if named:
                row["fits"]["items"] = named
            else:
                del row["fits"]
    traits = []
    for row in data.get("traits", ()):
        if "ranks" in row:
            row["ranks"] = keep("ranks", row["ranks"])
            if not row["ranks"]:
                continue
        traits.append(row)
    data["traits"] = traits
    tags = {tag for row in data["items"] for tag in row.get("tags", ())}
    trait_tags = {tag for row in traits for tag in row.get("tags", ())}
    data["tags"] = [row for row in data.get("tags", ()) if row["key"] in tags | trait_tags]
    keys["tags"] = tags | trait_tags
    offers = []
    for row in data.get("offers", ()):
        row["items"] = keep("items", row["items"])
        if row["items"] and _mend_selector(row, keys):
            offers.append(row)
    data["offers"] = offers
    limits = []
    for row in data.get("limits", ()):
        if not _mend_selector(row, keys):
            continue
        if (
            not {*row.get("item_tags", ())} <= tags
            or not {*row.get("trait_tags", ())} <= trait_tags
        ):
            continue
        limits.append(row)
    data["limits"] = limits


def _mend_effect(effect: dict[str, Any], ranks: set[str]) -> dict[str, Any] | None:
    if "ranks" not in effect:
        return effect
    left = [one for one in effect["ranks"] if one in ranks]
    return {**effect, "ranks": left} if left else None


def _mend_selector(row: dict[str, Any], keys: Mapping[str, set[str]]) -> bool:
    """Remove what was cut from a row's selector; whether it still picks somebody."""
    of = row.get("of") or {}
    for name, table in NAMED.items():
        if name in of:
            of[name] = [one for one in of[name] if one in keys[table]]
    return all(of.values())
