"""The importer's own words in a rulebook, in the language of the catalogues (``phrases.toml``)."""

from __future__ import annotations

import tomllib
from pathlib import Path

from common.wording.texts import FIRST

PHRASES: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "phrases.toml").read_text("utf-8")
)


def phrases_in(language: str) -> dict[str, str]:
    """Return the words in a language, or in the site's first."""
    return PHRASES.get(language.partition("-")[0], PHRASES[FIRST])
