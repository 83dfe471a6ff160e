"""The words by which an import guesses what no catalogue says (``guesses.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from rules.catalogues.results import Role

GUESSES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "guesses.toml").read_text("utf-8"))


def _any_of(words: Iterable[str], end: str = "") -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)}){end}", re.IGNORECASE)


LEADER = _any_of(GUESSES["leader"])
MONEY = _any_of(GUESSES["money"])
MEMBERS = _any_of(GUESSES["member"])
SKILLS = _any_of(GUESSES["skill"])
LIFE = _any_of(GUESSES["life"], r"\.?$")
ROLE_WORDS = [(cast(Role, role), _any_of(words)) for role, words in GUESSES["roles"].items()]
LANGUAGES: dict[str, frozenset[str]] = {
    code: frozenset(words) for code, words in GUESSES["languages"].items()
}
