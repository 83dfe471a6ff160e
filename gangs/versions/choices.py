"""The versions of its rules that a gang may change to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accounts.models import User
from rules.book.model import Book
from rules.library import book_of
from rules.models import BookVersion
from rules.variants.store import find_offered

DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class VersionChoice:
    """A version to choose. ``newest``: it is the newest version of the rules in use."""

    version: BookVersion
    book: Book
    newest: bool


def newest_of(version: BookVersion) -> BookVersion | None:
    """The newest version of the same rules: of the loaded rulebook, or of one variant.

    None if nobody can publish another, because the variant's owner is deleted.
    """
    versions = BookVersion.objects.filter(slug=version.slug).defer("canonical", "overlay")
    if version.number is None:
        return versions.newest().first()
    if version.variant_id is None:
        return None
    return versions.filter(variant=version.variant_id).order_by("-number").first()


def choices(digest: str, user: User | None, wanted: str = "") -> list[VersionChoice]:
    """The versions that a gang or campaign with the version ``digest`` may change to.

    They are the newest version of the same rules, the loaded rulebook, the user's own variants of
    it, and the version ``wanted`` by a link; never the version in force.
    """
    stored = BookVersion.objects.defer("canonical", "overlay")
    current = stored.get(pk=digest)
    newest = newest_of(current)
    found = [newest, stored.newest().filter(slug=current.slug).first()]
    if user is not None:
        found += [version for version, book in find_offered(user) if book.slug == current.slug]
    if DIGEST.fullmatch(wanted):
        found.append(stored.filter(pk=wanted, slug=current.slug).first())
    unique = {version.pk: version for version in found if version and version.pk != digest}
    return [
        VersionChoice(version, book_of(version.pk), version.pk == (newest and newest.pk))
        for version in unique.values()
    ]


def choose_version(offered: list[VersionChoice], wanted: str) -> VersionChoice | None:
    """The choice ``wanted``; the first if ``wanted`` is empty; None if it is not on offer."""
    if not wanted:
        return offered[0] if offered else None
    return next((choice for choice in offered if choice.version.pk == wanted), None)
