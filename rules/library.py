"""The library: rulebooks stored as versions, each parsed once per process."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from weakref import WeakValueDictionary

from django.db import models, transaction
from django.utils import timezone

from rules.book.model import Book
from rules.models import BookVersion

SHIPPED = Path(__file__).parent / "books"
# A parsed rulebook takes more than a megabyte, and ten milliseconds to parse. There is room for the
# rulebooks that are played, and for some variants.
MOST_PARSED = 24
# Rulebooks still in use, for example by a cached page, so that each is in memory only once.
_held: WeakValueDictionary[str, Book] = WeakValueDictionary()


@lru_cache(maxsize=MOST_PARSED)
def book_of(digest: str) -> Book:
    """The rulebook stored as the version with this digest.

    A version never changes, so a process parses each once. Raises BookVersion.DoesNotExist.
    """
    held = _held.get(digest)
    if held is not None:
        return held
    canonical = BookVersion.objects.values_list("canonical", flat=True).get(digest=digest)
    book = _held[digest] = Book.model_validate_json(canonical)
    return book


def load(book: Book) -> tuple[BookVersion, bool]:
    """Store ``book`` as the newest version of its game; returns it and whether it is new.

    A version that is already stored becomes the newest again. One query if it still is the newest;
    the canonical form is made only for storing.
    """
    versions = BookVersion.objects.defer("canonical")
    newest = versions.newest().filter(slug=book.slug).first()
    if newest is not None and newest.digest == book.digest:
        return newest, False
    now = timezone.now()
    if newest is not None:
        # Later than the newest, even if the machine's clock has been set back since.
        now = max(now, newest.loaded_at + timedelta(microseconds=1))
    if versions.filter(digest=book.digest).update(loaded_at=now):
        return versions.get(digest=book.digest), False
    return BookVersion.objects.get_or_create(
        digest=book.digest,
        defaults={"slug": book.slug, "canonical": book.canonical(), "loaded_at": now},
    )


def offer(version: BookVersion) -> None:
    """Put a published state of a player's own game on the front page, as its newest version."""
    now = timezone.now()
    BookVersion.objects.filter(pk=version.pk).update(offered=True, loaded_at=now)


class Needed(Exception):
    """Raised for a rulebook in use. ``by``: the rows pinned to it, in words."""

    def __init__(self, by: list[str]) -> None:
        super().__init__(", ".join(by))
        self.by = by


def remove(slug: str) -> int:
    """Remove all versions of a rulebook from the library; returns their number.

    Raises Needed, and removes nothing, if a gang, campaign or variant uses one of them or did so in
    its past.
    """
    try:
        with transaction.atomic():
            return BookVersion.objects.rulebooks().filter(slug=slug).delete()[0]
    except models.ProtectedError as error:
        by = {f"{row._meta.verbose_name} “{row}”" for row in error.protected_objects}
        raise Needed(sorted(by)) from None


def shipped_folders() -> list[Path]:
    """The folders of the rulebooks that come with the project."""
    return sorted(folder for folder in SHIPPED.iterdir() if folder.is_dir())


def newest_books() -> list[tuple[BookVersion, Book]]:
    """The newest version of every rulebook, each with its parsed book."""
    versions = BookVersion.objects.newest().defer("canonical")
    return [(version, book_of(version.digest)) for version in versions]
