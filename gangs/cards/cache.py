"""A gang worked out, and rendered as plain values, once for as long as it stays as it is.

What a snapshot means under a version of a rulebook never changes, so a process remembers the state
of a gang that it was asked for last: a page, the change made on it and the page after it share
their work, and of the next state only those members are worked out who are not as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import cast

from django.conf import settings

from accounts.language import rules_language
from common.cache import Cache
from gangs.cards.render import render
from gangs.cards.values import Page
from gangs.engine.computed import ComputedGang
from gangs.models import Gang, GangView


def cached_html[**P, R](maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep what templates make of the same values. Not while somebody works on the project: then a
    page follows every change of a template."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        return function if settings.DEBUG else cast(Callable[P, R], lru_cache(maxsize)(function))

    return decorate


# Each holds its rulebook, which takes more than a megabyte where every gang has another variant.
MOST_GANGS = 40
_computed: Cache[ComputedGang] = Cache(MOST_GANGS)
# Each page with what it was rendered from, by gang and language.
_pages: Cache[tuple[ComputedGang, Page]] = Cache(MOST_GANGS)


def _state(gang: Gang | GangView) -> tuple[str, str]:
    return gang.book_version_id, gang.snapshot


def computed_gang(gang: Gang | GangView) -> ComputedGang:
    """The gang as it stands, with its profiles worked out."""
    return _computed.get(
        gang.pk,
        _state(gang),
        lambda last: ComputedGang.of(gang.book, gang.roster, previous=last),
    )


def page_of(gang: Gang | GangView) -> Page:
    """The gang as it stands, rendered in the reader's language."""
    computed = computed_gang(gang)
    key = gang.pk, rules_language()
    return _pages.get(
        key, _state(gang), lambda last: (computed, render(computed, rules_language(), last))
    )[1]
