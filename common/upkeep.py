"""Cleaning up: each part of the site clears away what it no longer needs.

An app registers its steps when Django starts; ``manage.py tidy`` takes all of them, and so does the
site itself once a day.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Done:
    """What became of a step: how many it cleared away; ``error``: why it failed, "" if it did not.

    ``name``: what it clears away, in English, as commands speak.
    """

    name: str
    count: int = 0
    error: str = ""


_steps: dict[str, Callable[[], int]] = {}


def register(name: str, step: Callable[[], int]) -> None:
    """Let ``step`` be taken from now on; it returns how many it has cleared away."""
    _steps[name] = step


def steps() -> Iterator[Done]:
    """Take every step, in the order in which they were registered; tells what became of each.

    A step that fails is logged, and stops no other.
    """
    for name, step in list(_steps.items()):
        try:
            yield Done(name, step())
        except Exception as error:
            logger.exception("Could not clear away: %s", name)
            yield Done(name, error=f"{type(error).__name__}: {error}"[:300])
