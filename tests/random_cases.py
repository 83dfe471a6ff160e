"""How many random cases a test looks at: a few whenever the tests run, many by ``script/prove``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

MANY = bool(os.environ.get("PROOFS"))


def cases(few: int, many: int) -> int:
    """How many to look at."""
    return many if MANY else few


def random_cases(few: int, many: int) -> Callable[[Any], Any]:
    """Of a test that is given random cases, however long one takes to make."""

    def marked(test: Any) -> Any:
        looked_at = settings(
            max_examples=cases(few, many),
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        return pytest.mark.random(looked_at(test))

    return marked
