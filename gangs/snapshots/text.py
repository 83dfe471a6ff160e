"""Changes of a gang between two moments, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gangs.engine.differences import Between, Changed, Difference, Sort
from gangs.text.formats import count_names, fate_sentence, localize
from gangs.versions.text import Differences, MemberLines, shift_lines
from rules.book.model import Book

MORE: dict[Sort, Promise] = {
    "traits": gettext_lazy("Gained: %(things)s."),
    "items": gettext_lazy("Now carries: %(things)s."),
    "conditions": gettext_lazy("Now suffers from: %(things)s."),
    "holdings": gettext_lazy("Now holds: %(things)s."),
}
LESS: dict[Sort, Promise] = {
    "traits": gettext_lazy("Has no longer: %(things)s."),
    "items": gettext_lazy("No longer carries: %(things)s."),
    "conditions": gettext_lazy("No longer suffers from: %(things)s."),
    "holdings": gettext_lazy("No longer holds: %(things)s."),
}
STASH_MORE = gettext_lazy("Now in the stash: %(things)s.")
STASH_LESS = gettext_lazy("No longer in the stash: %(things)s.")


def describe(changes: Between, book: Book) -> Differences:
    """``changes`` in words. ``book``: the one that the gang used at the later moment."""
    return Differences(
        shifts=shift_lines(changes.shifts, book),
        sentences=tuple(
            text
            for difference in changes.stash
            for text in _difference(difference, STASH_MORE, STASH_LESS)
        )
        + tuple(
            text
            for difference in changes.holdings
            for text in _difference(difference, MORE["holdings"], LESS["holdings"])
        ),
        members=tuple(_member(changed, book) for changed in changes.members),
    )


def _member(changed: Changed, book: Book) -> MemberLines:
    name, rank = localize(changed.name), localize(changed.rank)
    return MemberLines(
        name=name,
        shifts=shift_lines(changed.shifts, book),
        sentences=tuple(_sentences(changed, book)),
        rank="" if name == rank else rank,
    )


def _sentences(changed: Changed, book: Book) -> Iterator[str]:
    if changed.was is None:
        yield _("Joined the gang.")
    if changed.now is None:
        yield fate_sentence(changed.fate, book)
    for difference in changed.differences:
        yield from _difference(difference, MORE[difference.sort], LESS[difference.sort])


def _difference(difference: Difference, more: Promise, less: Promise) -> Iterator[str]:
    for text, things in ((more, difference.more), (less, difference.less)):
        if things:
            yield str(text) % {"things": _listed(things)}


def _listed(names: Iterable[object]) -> str:
    """Names in one line; repeated ones once, with their count."""
    return ", ".join(count_names(map(localize, names)))
