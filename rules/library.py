"""The library: rulebooks stored as versions, each parsed once per process."""

from __future__ import annotations

import enum
from datetime import timedelta
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from rules.book.model import Book
from rules.bounds.kept import keep_within
from rules.models import BookVersion, RemovedVersion, Rulebook
from rules.words.store import translate_book

SHIPPED = Path(__file__).parent / "books"
# Letters of the rulebooks that are kept parsed. Each letter takes nine bytes, and parsing takes a
# millisecond for each twenty thousand. There is room for the rulebooks that are played and for some
# variants: thirty of the shipped size, or seven of the largest that strangers may write.
MOST_LETTERS_PARSED = 6_000_000
# Rulebooks still in use, for example by a cached page, so that each is in memory only once.
_held: WeakValueDictionary[str, Book] = WeakValueDictionary()
_parsing = Lock()


class Parsed(NamedTuple):
    """A parsed rulebook, and the letters of its canonical text."""

    book: Book
    letters: int


def book_of(digest: str) -> Book:
    """The rulebook stored as the version with this digest.

    A version never changes, so a process parses each once. Raises BookVersion.DoesNotExist.
    """
    return parse_stored(digest).book


@keep_within(MOST_LETTERS_PARSED, attrgetter("letters"))
def parse_stored(digest: str) -> Parsed:
    """Parse the rulebook for ``book_of``."""
    held = _held.get(digest)
    if held is not None:
        return Parsed(held, len(held.canonical()))
    canonical = BookVersion.objects.values_list("canonical", flat=True).get(digest=digest)
    parsed = Book.model_validate_json(canonical)
    with _parsing:
        # Another thread may have parsed it meanwhile: all pages share one.
        book = _held.get(digest)
        if book is None:
            translate_book(parsed, digest)
            book = _held[digest] = parsed
    return Parsed(book, len(canonical))


class Loaded(NamedTuple):
    """A stored version of a rulebook, and whether it is new."""

    version: BookVersion
    is_new: bool


class Kept(enum.Enum):
    """The reasons why a start of the site leaves a rulebook of a release as it is."""

    STORED = "already stored"
    REMOVED = "was removed here, left out"


def load(book: Book) -> Loaded:
    """Store ``book`` as the newest version of its game, because somebody wants it to be.

    A version that is already stored becomes the newest again, and the pinned one if another version
    was pinned. One query if it still is the newest; the canonical form is made only for storing.
    """
    versions = BookVersion.objects.defer("canonical")
    newest = versions.newest().filter(slug=book.slug).first()
    if newest is not None and newest.digest == book.digest:
        return Loaded(newest, False)
    with transaction.atomic():
        loaded = _store(book)
        RemovedVersion.objects.filter(digest=book.digest).delete()
        Rulebook.objects.filter(slug=book.slug).exclude(pinned=None).update(pinned=loaded.version)
    return loaded


def load_release(book: Book) -> Loaded | Kept:
    """Store a rulebook of a release, unless the site's own choice stands against it.

    It becomes the newest version of its game unless another one is pinned.
    """
    kept = why_kept(book.slug, book.digest)
    if kept is not None:
        return kept
    with transaction.atomic():
        return _store(book)


def why_kept(slug: str, digest: str) -> Kept | None:
    """Why a start leaves this version of a rulebook as it is; None if it would store it.

    The site stored or removed it before, or removed the whole game.
    """
    versions = BookVersion.objects.rulebooks()
    if versions.filter(digest=digest).exists():
        return Kept.STORED
    removed = RemovedVersion.objects.filter(slug=slug)
    if removed.filter(digest=digest).exists() or (
        removed.exists() and not versions.filter(slug=slug).exists()
    ):
        return Kept.REMOVED
    return None


def _store(book: Book) -> Loaded:
    """Store a version, or find it, as the one loaded last. Call it in a transaction."""
    versions = BookVersion.objects.defer("canonical")
    now = timezone.now()
    last = versions.rulebooks().filter(slug=book.slug).aggregate(at=models.Max("loaded_at"))["at"]
    if last is not None:
        # Later than the last, even if the machine's clock has been set back since.
        now = max(now, last + timedelta(microseconds=1))
    Rulebook.objects.get_or_create(slug=book.slug)
    stored = versions.filter(digest=book.digest)
    # A published state of a player's own game keeps its number. Another one may have come with a
    # file from another site, which numbers it like a variant's state.
    if stored.filter(models.Q(offered=True) | ~models.Q(draft=None)).update(
        loaded_at=now, offered=True
    ) or stored.update(loaded_at=now, number=None):
        return Loaded(stored.get(), False)
    fields = {"slug": book.slug, "canonical": book.canonical(), "loaded_at": now}
    return Loaded(*BookVersion.objects.get_or_create(digest=book.digest, defaults=fields))


def take_off(slug: str) -> int:
    """Take the published states of a player's own game off the front page; return their number.

    They stay their author's, and gangs and campaigns on them go on. Call it in a transaction.
    """
    states = BookVersion.objects.filter(slug=slug, offered=True).exclude(draft=None)
    rulebook = Rulebook.objects.filter(slug=slug)
    rulebook.filter(pinned__in=states).update(pinned=None)
    count = states.update(offered=False)
    if not BookVersion.objects.rulebooks().filter(slug=slug).exists():
        # Nothing is left to hide, and it should be seen when it is put back.
        rulebook.update(is_hidden=False)
    return count


class Needed(Exception):
    """Raised for a rulebook in use. ``by``: the rows pinned to it, in words."""

    def __init__(self, by: list[str]) -> None:
        super().__init__(", ".join(by))
        self.by = by


def remove(slug: str, digest: str = "") -> int:
    """Remove a version of a rulebook from the library, or all its versions; returns their number.

    The next start does not store them again. Published states of a player's own game stay: they
    are taken off instead. Raises Needed, and removes nothing, if a gang, campaign or variant uses
    one of them or did so in its past.
    """
    versions = BookVersion.objects.rulebooks().filter(slug=slug, draft=None)
    chosen = versions.filter(digest=digest) if digest else versions
    now = timezone.now()
    try:
        with transaction.atomic():
            marks = [
                RemovedVersion(digest=one, slug=slug, removed_at=now)
                for one in chosen.values_list("digest", flat=True)
            ]
            chosen.delete()
            RemovedVersion.objects.bulk_create(marks, ignore_conflicts=True)
            count = len(marks) + (0 if digest else take_off(slug))
            if not BookVersion.objects.of_game(slug).exists():
                Rulebook.objects.filter(slug=slug).delete()
    except models.ProtectedError as error:
        by = {f"{row._meta.verbose_name} “{row}”" for row in error.protected_objects}
        raise Needed(sorted(by)) from None
    return count


def shipped_folders() -> list[Path]:
    """The folders of the rulebooks that come with the project."""
    return sorted(folder for folder in SHIPPED.iterdir() if folder.is_dir())


def site_folders() -> list[Path]:
    """The folders of the rulebooks that every start of the site loads: those in ``BOOKS``, or all
    that come with the project. A folder of rulebooks stands for each of them."""
    if not settings.BOOKS:
        return shipped_folders()
    found: list[Path] = []
    for name in settings.BOOKS:
        folder = Path(name) if "/" in name else SHIPPED / name
        inner = sorted({path.parent for path in folder.glob("*/*.toml")})
        found += [folder] if any(folder.glob("*.toml")) or not inner else inner
    return found


def newest_books() -> list[tuple[BookVersion, Book]]:
    """The newest version of every rulebook, each with its parsed book, even of hidden ones."""
    return _parsed(BookVersion.objects.newest())


def offered_books() -> list[tuple[BookVersion, Book]]:
    """The newest version of every rulebook that pages list, each with its parsed book."""
    return _parsed(BookVersion.objects.offered())


def _parsed(versions: models.QuerySet[BookVersion]) -> list[tuple[BookVersion, Book]]:
    return [(version, book_of(version.digest)) for version in versions.defer("canonical")]
