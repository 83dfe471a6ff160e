"""What, outside this app, would change if a variant were published.

Rules know neither gangs nor campaigns. Whoever does installs what finds the gangs or campaigns that
publishing would affect.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from accounts.models import User
from rules.book.model import Book


@dataclass(frozen=True)
class Affected:
    """A gang or campaign that would change. ``changes``: sentences in the reader's language."""

    name: str
    url: str
    changes: tuple[str, ...]


class Finder(Protocol):
    """Finds what would change on one floor.

    ``digests``: the versions that count: the variant's base and all its published states.
    ``book``: the checked rulebook that would be published; it is stored nowhere yet.
    ``user``: the variant's owner; only what is theirs may be told.
    """

    def __call__(self, digests: frozenset[str], book: Book, user: User) -> Iterable[Affected]: ...


_finders: list[Finder] = []


def install(finder: Finder) -> None:
    """Ask ``finder`` whenever a variant is about to be published."""
    if finder not in _finders:
        _finders.append(finder)


def affected(digests: frozenset[str], book: Book, user: User) -> list[Affected]:
    """All that would change, in the order in which the finders were installed: gangs first."""
    return [change for finder in _finders for change in finder(digests, book, user)]
