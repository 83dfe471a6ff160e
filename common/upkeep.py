"""Cleaning up: each part of the site deletes what it no longer needs.

An app registers its steps when Django starts; ``manage.py tidy`` runs them all, and so does the
site once a day.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Done:
    """The outcome of a step: the number of things deleted, or the ``error``.

    ``name`` says in English what the step deletes, as commands print it.
    """

    name: str
    count: int = 0
    error: str = ""


_steps: dict[str, Callable[[], int]] = {}


def register(name: str, step: Callable[[], int]) -> None:
    """Register a step that deletes things and returns their number."""
    _steps[name] = step


def steps() -> Iterator[Done]:
    """Run every step in the order of registration and yield its outcome.

    A failing step is logged and does not stop the others.
    """
    for name, step in list(_steps.items()):
        try:
            yield Done(name, step())
        except Exception as error:
            logger.exception("Could not clean up: %s", name)
            yield Done(name, error=f"{type(error).__name__}: {error}"[:300])
