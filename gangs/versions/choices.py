"""Which versions of its rules a gang may go by, and who says so.

This app knows no campaign. Whoever does registers a function that says why a gang's owner may not
decide alone: all gangs of a campaign go by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User
from gangs.models import Gang
from gangs.refusal import Refusal
from rules.book import Book
from rules.library import book_of
from rules.models import BookVersion
from rules.variants.store import offered_to

DIGEST = re.compile(r"[0-9a-f]{64}")
Say = Callable[[Gang], Refusal | None]

_says: list[Say] = []


def register(say: Say) -> None:
    """Ask ``say`` before a gang's owner changes the version of its rules."""
    if say not in _says:
        _says.append(say)


def why_not(gang: Gang) -> Refusal | None:
    """Why the gang's owner may not say by which rules it goes, if he may not."""
    if gang.archived_at is not None:
        return Refusal("archived")
    for say in _says:
        refusal = say(gang)
        if refusal is not None:
            return refusal
    return None


def check(gang: Gang) -> None:
    """Raise Refusal if the gang's owner may not say by which rules it goes."""
    refusal = why_not(gang)
    if refusal is not None:
        raise refusal


@dataclass(frozen=True)
class Choice:
    """A version that one may go over to. ``newest``: it is the latest of the rules one goes by."""

    version: BookVersion
    book: Book
    newest: bool


def newest_of(version: BookVersion) -> BookVersion | None:
    """The newest version of the same rules: of the rulebook as it is loaded, or of one variant.

    None where nobody can publish another, because the variant's owner is gone.
    """
    versions = BookVersion.objects.filter(slug=version.slug).defer("canonical", "overlay")
    if version.number is None:
        return versions.newest().first()
    if version.variant_id is None:
        return None
    return versions.filter(variant=version.variant_id).order_by("-number").first()


def choices(digest: str, user: User | None, wanted: str = "") -> list[Choice]:
    """The versions to choose from for whoever goes by the one with ``digest``.

    The newest of the same rules; the rulebook as it is loaded; the user's own variants of it; and
    the one that a link asks for. Never the one in force.
    """
    stored = BookVersion.objects.defer("canonical", "overlay")
    current = stored.get(pk=digest)
    newest = newest_of(current)
    found = [newest, stored.newest().filter(slug=current.slug).first()]
    if user is not None:
        found += [version for version, book in offered_to(user) if book.slug == current.slug]
    if DIGEST.fullmatch(wanted):
        found.append(stored.filter(pk=wanted, slug=current.slug).first())
    unique = {version.pk: version for version in found if version and version.pk != digest}
    return [
        Choice(version, book_of(version.pk), version.pk == (newest and newest.pk))
        for version in unique.values()
    ]


def chosen(offered: list[Choice], wanted: str) -> Choice | None:
    """The choice that was asked for; the first if none was; None if it is not on offer."""
    if not wanted:
        return offered[0] if offered else None
    return next((choice for choice in offered if choice.version.pk == wanted), None)
