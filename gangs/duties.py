"""What waits for somebody, told above his gangs.

This app knows no game that is played. Whoever does registers a function that says what waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User


@dataclass(frozen=True)
class Duty:
    """Something that waits for the reader, and where it is done."""

    url: str
    text: str
    about: str


Source = Callable[[User], list[Duty]]
_sources: list[Source] = []


def register(source: Source) -> None:
    """Let this tell what waits for a user."""
    if source not in _sources:
        _sources.append(source)


def of(user: User) -> list[Duty]:
    """All that waits for the user."""
    return [duty for source in _sources for duty in source(user)]
