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


Teller = Callable[[User], list[Duty]]
_tellers: list[Teller] = []


def register(teller: Teller) -> None:
    """Let this tell what waits for a user."""
    if teller not in _tellers:
        _tellers.append(teller)


def of(user: User) -> list[Duty]:
    """All that waits for the user."""
    return [duty for teller in _tellers for duty in teller(user)]
