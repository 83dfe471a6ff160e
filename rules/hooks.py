"""Questions of this app to the floors above it, which know gangs and campaigns.

These install finders: for the gangs and campaigns that publishing a version would affect, for notes
on a rulebook's ready-made gangs, and for the members of gangs whose odds a page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.models import User
from rules.book.model import Book, Sample
from rules.book.schema import Item
from rules.book.vocabulary import Settings
from rules.engine.figure import Belongings, Figure
from rules.loading import apart


@dataclass(frozen=True)
class Affected:
    """A gang or campaign that would change. ``changes``: sentences in the reader's language."""

    name: str
    url: str
    changes: tuple[str, ...]


# Finds the changes on one floor; takes the same arguments as ``find_affected``.
Finder = Callable[[frozenset[str], Book, User], Iterable[Affected]]
_finders: list[Finder] = []


def install(finder: Finder) -> None:
    """Call ``finder`` whenever a variant or a game is about to be published."""
    if finder not in _finders:
        _finders.append(finder)


def find_affected(digests: frozenset[str], book: Book, user: User) -> list[Affected]:
    """The gangs, then the campaigns, that publishing a variant or a game would change.

    ``digests``: the versions that count: a variant's base, and all published states. ``book``: the
    checked rulebook that would be published, not stored yet. ``user``: the owner, who may see only
    their own.
    """
    return [change for finder in _finders for change in finder(digests, book, user)]


# Finds notes on a rulebook for its author: the place of a row, and a sentence.
Examiner = Callable[[Book], Iterable[tuple[tuple[int | str, ...], str]]]
_examiners: list[Examiner] = []


def install_examiner(examiner: Examiner) -> None:
    """Ask ``examiner`` for notes whenever a rulebook is examined. It is a function of a module that
    the process for strangers' rulebooks can import, too."""
    if examiner not in _examiners:
        _examiners.append(examiner)
        apart.install_examiner(examiner.__module__, examiner.__name__)


def find_notes(book: Book) -> list[tuple[tuple[int | str, ...], str]]:
    """The notes of the floors above on a rulebook without mistakes."""
    return [note for examiner in _examiners for note in examiner(book)]


@dataclass(frozen=True)
class Fighter:
    """A figure with a name. ``key``: its name in addresses; ``settings``: its gang's; ``items``:
    the gang's custom items; ``mates``: all members of the gang, as key and name."""

    key: str
    name: str
    gang: str
    figure: Figure
    settings: Settings
    items: tuple[Item, ...] = ()
    mates: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TrialGang:
    """A ready-made gang as its sheet would show it. ``sheet``: its members as HTML; ``rating``: its
    worth in words; ``findings``: what the builder would say, each with its severity."""

    name: str
    sheet: SafeString
    rating: str
    findings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FirstGang:
    """A legal gang for people who do not know the game. ``sample``: the gang as data; ``cards``:
    its members as HTML, one card for each group, with the places of its members in the gang;
    ``size``: the number of its members; ``rating``: its worth in words; ``notes``: the legend of
    the cards as HTML."""

    sample: Sample
    cards: tuple[tuple[frozenset[int], SafeString], ...]
    size: int
    rating: str
    notes: SafeString


class Gangs:
    """Finds members of gangs as fighters. This one, for a site without gangs, finds none."""

    def listed(self, request: HttpRequest, digest: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """The reader's own gangs under this version of a rulebook, each with its name and its
        members as key and name."""
        return []

    def fighter(self, request: HttpRequest, digest: str, key: str) -> Fighter | None:
        """The member with this key, if the reader may see them and they are under this version."""
        return None

    def named(self, request: HttpRequest, slug: str) -> list[tuple[str, str]]:
        """The reader's own gangs of a game, as key and name."""
        return []

    def belongings(self, request: HttpRequest, slug: str, key: str) -> Belongings | None:
        """The belongings of the gang with this key, if the reader may read it and it is of this
        game."""
        return None

    def is_used_by(self, request: HttpRequest, digest: str) -> bool:
        """Whether the reader plays by this version: with a gang, or in a campaign that they see."""
        return False

    def try_out(self, book: Book, sample: Sample, language: str) -> TrialGang | None:
        """A ready-made gang of a rulebook that is not stored, built without storing it."""
        return None

    def first_gang(self, book: Book, language: str) -> FirstGang | None:
        """A legal gang of a rulebook, ready-made or put together; None if there is none."""
        return None


gangs = Gangs()


def install_gangs(found: Gangs) -> None:
    """Find members of gangs with ``found`` from now on."""
    global gangs
    gangs = found
