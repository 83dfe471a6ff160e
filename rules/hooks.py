"""Followers: what, outside this app, would change if a variant were published.

Rules know neither gangs nor campaigns. Whoever does registers a finder. It is given what the
variant was up to now, the rulebook that it would be, and whose variant it is; it yields one
follower for each of the user's gangs or campaigns that is pinned to one of those versions and
would not be the same under the new rulebook.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from accounts.models import User
from rules.book import Book


@dataclass(frozen=True)
class Follower:
    """A gang or campaign that would change. ``changes``: sentences in the reader's language."""

    name: str
    url: str
    changes: tuple[str, ...]


class Finder(Protocol):
    """Finds followers of one kind.

    ``digests``: the versions that count: the variant's base and all its published states.
    ``book``: the checked rulebook that would be published; it is stored nowhere yet.
    ``user``: the variant's owner; only what is his may be told.
    """

    def __call__(self, digests: frozenset[str], book: Book, user: User) -> Iterable[Follower]: ...


_finders: list[Finder] = []


def register(finder: Finder) -> None:
    """Ask ``finder`` whenever a variant is about to be published."""
    if finder not in _finders:
        _finders.append(finder)


def followers(digests: frozenset[str], book: Book, user: User) -> list[Follower]:
    """All that would change, in the order in which the finders were registered."""
    return [found for finder in _finders for found in finder(digests, book, user)]
