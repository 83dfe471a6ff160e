"""Versions of its rules that a gang may go over to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accounts.models import User
from gangs.text.formats import version_name
from rules.book.model import Book
from rules.editor.store import find_offered
from rules.library import book_of
from rules.models import BookVersion

DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class VersionChoice:
    """A version to go over to. ``is_newest``: it is the latest of the rules in use."""

    version: BookVersion
    book: Book
    is_newest: bool

    @property
    def name(self) -> str:
        """The name of the version for readers."""
        return version_name(self.book, self.version.number)


def newest_of(version: BookVersion) -> BookVersion | None:
    """The newest version of the same rules: of the rulebook as it is loaded, of one variant, or of
    one player's own game.

    None if nobody can publish another, because the owner was deleted.
    """
    versions = BookVersion.objects.filter(slug=version.slug).defer("canonical", "overlay")
    if version.number is None:
        return versions.newest().first()
    if version.draft_id is not None:
        return versions.filter(draft=version.draft_id).order_by("-number").first()
    if version.variant_id is None:
        return None
    return versions.filter(variant=version.variant_id).order_by("-number").first()


def choices(digest: str, user: User | None, wanted: str = "") -> list[VersionChoice]:
    """The versions to choose from instead of the one with ``digest``.

    The newest of the same rules; the rulebook as it is loaded; the user's own variants of it; and
    the one in a link (``wanted``). Never the one in force.
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
    """The ``wanted`` choice; the first if that is empty; None if it is not on offer."""
    if not wanted:
        return offered[0] if offered else None
    return next((choice for choice in offered if choice.version.pk == wanted), None)
