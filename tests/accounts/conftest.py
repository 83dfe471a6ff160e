"""A clock that stands still for everything that counts wrong passwords."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.authentication import attempts


class _Clock:
    at = timezone.now()

    @classmethod
    def now(cls) -> object:
        return cls.at


@pytest.fixture(autouse=True)
def move_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Stop the clock that delays sign-ins, since a slow machine would outwait a delay of a second.

    Returns a function that moves the clock forward by a number of seconds.
    """

    def move(seconds: float) -> None:
        _Clock.at += timedelta(seconds=seconds)

    monkeypatch.setattr(_Clock, "at", timezone.now())
    monkeypatch.setattr(attempts, "timezone", _Clock)
    return move
