"""Parts of the pages for authors of rulebooks: examples as files, rows and sheets."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
TUTORIAL = (DOCS / "rulebook-tutorial.md").read_text("utf-8")
COOKBOOK = (DOCS / "rulebook-cookbook.md").read_text("utf-8")
MISSING = (DOCS / "rulebook-limits.md").read_text("utf-8")
GAME = "river-rats"
Data = dict[str, Any]


def parts(page: str) -> dict[str, str]:
    """Return the text under each heading of the second level."""
    found = re.split(r"^## (.*)\n", page, flags=re.M)
    return dict(zip(found[1::2], found[2::2], strict=True))


def blocks(text: str, language: str) -> list[str]:
    """Return the examples in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def files(text: str) -> Iterator[tuple[str, str]]:
    """Yield the files that the examples show, with their names."""
    for block in blocks(text, "toml"):
        named = re.match(rf"# {GAME}/(\S+)\n", block)
        assert named, block[:60]
        yield named[1], block


def whole_game() -> Data:
    """Return the data of the tutorial's finished game."""
    last = {name: block for part in parts(TUTORIAL).values() for name, block in files(part)}
    data: Data = {}
    for block in last.values():
        data |= tomllib.loads(block)
    return data


def with_more(data: Data, more: Data) -> Data:
    """Return the data with more rows in some tables, and other values for the rest."""
    merged = copy.deepcopy(data)
    for key, value in more.items():
        old = merged.get(key)
        if (
            isinstance(old, list)
            and value
            and isinstance(value, list)
            and isinstance(value[0], dict)
        ):
            # A row of the same key replaces the one that is there.
            keys = {row.get("key") for row in value} - {None}
            merged[key] = [row for row in old if row.get("key") not in keys] + value
        elif isinstance(old, dict) and isinstance(value, dict):
            merged[key] = with_more(old, value)
        else:
            merged[key] = value
    return merged
