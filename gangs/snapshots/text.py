"""What changed in a gang between two moments, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gangs.between import Between, Changed, Difference, Sort
from gangs.upgrade_words import ShiftLine, shift_line
from gangs.wording import spoken
from rules.book import Book

MORE: dict[Sort, Promise] = {
    "traits": gettext_lazy("Gained: %(things)s."),
    "items": gettext_lazy("Now carries: %(things)s."),
    "conditions": gettext_lazy("Now suffers from: %(things)s."),
}
LESS: dict[Sort, Promise] = {
    "traits": gettext_lazy("Has no longer: %(things)s."),
    "items": gettext_lazy("No longer carries: %(things)s."),
    "conditions": gettext_lazy("Is free of: %(things)s."),
}
STASH_MORE = gettext_lazy("Now in the stash: %(things)s.")
STASH_LESS = gettext_lazy("No longer in the stash: %(things)s.")


@dataclass(frozen=True)
class MemberLines:
    """What changed for a member. ``rank``: "" where that is what he is called by."""

    id: int
    name: str
    rank: str
    there: bool
    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Lines:
    """Everything that changed: of the gang, and for each member."""

    shifts: tuple[ShiftLine, ...]
    sentences: tuple[str, ...]
    members: tuple[MemberLines, ...]

    def __bool__(self) -> bool:
        return bool(self.shifts or self.sentences or self.members)


def told(changes: Between, book: Book) -> Lines:
    """``changes`` in words. ``book``: the one that the gang went by at the later moment."""
    return Lines(
        shifts=tuple(shift_line(shift, book) for shift in changes.shifts),
        sentences=tuple(_stash(changes.stash)),
        members=tuple(_member(changed, book) for changed in changes.members),
    )


def _stash(differences: Iterable[Difference]) -> Iterator[str]:
    for difference in differences:
        if difference.more:
            yield str(STASH_MORE) % {"things": _listed(difference.more)}
        if difference.less:
            yield str(STASH_LESS) % {"things": _listed(difference.less)}


def _member(changed: Changed, book: Book) -> MemberLines:
    name, rank = spoken(changed.name), spoken(changed.rank)
    return MemberLines(
        id=changed.id,
        name=name,
        rank="" if name == rank else rank,
        there=changed.now is not None,
        shifts=tuple(shift_line(shift, book) for shift in changed.shifts),
        sentences=tuple(_sentences(changed, book)),
    )


def _sentences(changed: Changed, book: Book) -> Iterator[str]:
    if changed.was is None:
        yield _("Joined the gang.")
    if changed.now is None:
        yield fate_sentence(changed.fate, book)
    for difference in changed.differences:
        if difference.more:
            yield str(MORE[difference.sort]) % {"things": _listed(difference.more)}
        if difference.less:
            yield str(LESS[difference.sort]) % {"things": _listed(difference.less)}


def fate_sentence(fate: str, book: Book) -> str:
    """What became of somebody who is gone."""
    if fate == "dead":
        return _("Died.")
    if fate == "dismissed":
        return _("Was sent away.")
    ways = {row.key: row for row in book.campaign.departures}
    how = spoken(ways[fate].name) if fate in ways else fate
    return _("Left the gang: %(how)s.") % {"how": how}


def _listed(names: Iterable[object]) -> str:
    """Names in one line, those that are there several times once, with how often."""
    counted: dict[str, int] = {}
    for name in names:
        said = spoken(name)
        counted[said] = counted.get(said, 0) + 1
    return ", ".join(
        f"{name}\u00a0× {count}" if count > 1 else name for name, count in counted.items()
    )
