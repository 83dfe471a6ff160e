"""How many random cases a test looks at: a few whenever the tests run, many by ``script/prove``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

MANY = bool(os.environ.get("PROOFS"))


def cases(few: int, many: int) -> int:
    """How many to look at."""
    return many if MANY else few


def random_cases(few: int, many: int) -> Callable[[Any], Any]:
    """Of a test that is given random cases."""

    def marked(test: Any) -> Any:
        return pytest.mark.random(settings(max_examples=cases(few, many))(test))

    return marked
