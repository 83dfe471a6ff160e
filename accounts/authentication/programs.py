"""A user's programs, which the user lets in with keys: they end together with the user's sessions,
unless the user unticks that."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest

from accounts.models import User

HasPrograms = Callable[[User], bool]

# The tick on the forms that end sessions, and the field that says that the form had it: without it,
# as on a page from before the first program, the programs end.
TICK, SHOWN = "end_programs", "programs_shown"

_has_programs: list[HasPrograms] = []


def register(has_programs: HasPrograms) -> None:
    """Register a kind of programs; it follows ``devices.ENDED`` and ends them."""
    _has_programs.append(has_programs)


def has_programs(user: User) -> bool:
    """Whether the user has let programs in, so that the forms show the tick."""
    return any(has(user) for has in _has_programs)


def is_keeping(request: HttpRequest) -> bool:
    """Whether the user has unticked the end of their programs in this request."""
    return SHOWN in request.POST and TICK not in request.POST
