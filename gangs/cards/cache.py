"""A cache of gangs with their computed values and rendered cards.

The meaning of a snapshot under a version of a rulebook never changes, so a process remembers the
latest requested state of each gang. A page, a change made on it and the next page share that work,
and for the next state only changed members are computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from accounts.language import rules_language
from common.cache import Cache
from gangs.cards.render import render
from gangs.cards.values import Page
from gangs.engine.computed import ComputedGang
from gangs.models import Gang, GangView

# Pages of one gang, each for another reader's tag.
MOST_PAGES = 8


@dataclass(frozen=True)
class _WorkedOut:
    """A gang in one state, with the ``pages`` rendered so far, by language; ``before``: the same
    for the previous state."""

    computed: ComputedGang
    before: tuple[ComputedGang, Mapping[str, Page]] | None
    pages: dict[str, Page] = field(default_factory=dict)

    def page(self, language: str) -> Page:
        page = self.pages.get(language)
        if page is None:
            computed, pages = self.before or (self.computed, {})
            last = (computed, pages[language]) if language in pages else None
            page = render(self.computed, language, last)
            # A visitor may choose any languages.
            if len(self.pages) >= MOST_PAGES:
                self.pages.pop(next(iter(self.pages)), None)
            self.pages[language] = page
        return page


# Few, since each keeps its rulebook in memory: over a megabyte, and every gang may use a different
# variant.
_gangs: Cache[_WorkedOut] = Cache(40)


def _worked_out(gang: Gang | GangView) -> _WorkedOut:
    def work_out(last: _WorkedOut | None) -> _WorkedOut:
        previous = last.computed if last else None
        computed = ComputedGang.of(gang.book, gang.roster, previous=previous)
        return _WorkedOut(computed, (last.computed, last.pages) if last else None)

    return _gangs.get(gang.pk, (gang.book_version_id, gang.snapshot), work_out)


def computed_gang(gang: Gang | GangView) -> ComputedGang:
    """The gang as it is now, with its computed profiles."""
    return _worked_out(gang).computed


def page_of(gang: Gang | GangView) -> Page:
    """The gang as it is now, rendered in the reader's language."""
    return _worked_out(gang).page(rules_language())
