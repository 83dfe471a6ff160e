"""What this app asks the floors above it.

Rules know neither gangs nor campaigns. Whoever does installs what finds the gangs or campaigns that
publishing a variant would affect, and what finds the figures of gangs whose odds are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from django.http import HttpRequest

from accounts.models import User
from rules.book.model import Book
from rules.book.schema import Item
from rules.book.vocabulary import Settings
from rules.engine.figure import Belongings, Figure


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


def find_affected(digests: frozenset[str], book: Book, user: User) -> list[Affected]:
    """All that would change, in the order in which the finders were installed: gangs first."""
    return [change for finder in _finders for change in finder(digests, book, user)]


@dataclass(frozen=True)
class Fighter:
    """A figure with a name. ``key``: how addresses name it; ``settings``: its gang's, and ``items``
    those that only its gang knows; ``mates``: everybody in the gang, as key and name."""

    key: str
    name: str
    gang: str
    figure: Figure
    settings: Settings
    items: tuple[Item, ...] = ()
    mates: tuple[tuple[str, str], ...] = ()


class Gangs:
    """Finds members of gangs as fighters. By itself it knows of none."""

    def listed(self, request: HttpRequest, digest: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """The reader's own gangs under this version of a rulebook: of each its name, and its
        members as key and name."""
        return []

    def fighter(self, request: HttpRequest, digest: str, key: str) -> Fighter | None:
        """The member with this key, if the reader may see them and they are under this version."""
        return None

    def named(self, request: HttpRequest, slug: str) -> list[tuple[str, str]]:
        """The reader's own gangs of a game, as key and name."""
        return []

    def belongings(self, request: HttpRequest, slug: str, key: str) -> Belongings | None:
        """What the gang with this key has, if the reader may read it and it is of this game."""
        return None


gangs = Gangs()


def install_gangs(found: Gangs) -> None:
    """Ask ``found`` for members of gangs from now on."""
    global gangs
    gangs = found
