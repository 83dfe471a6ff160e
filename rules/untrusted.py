"""Admits versions of rulebooks that come with a file from another site.

Anybody may have written them. Each is measured (``rules.bounds.limits``), read and checked as a
folder would be, and must have its digest. It is stored like a variant whose owner is deleted: gangs
that are pinned to it use it, and it is never offered as the newest version of its game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import monotonic

from django.utils import timezone

from common.measuring import BadData, Limits, parse
from common.text import quote
from common.turns import Busy
from rules.book.model import Book
from rules.bounds import limits
from rules.loading import apart
from rules.loading.reader import BadBook
from rules.models import BookVersion

LIMITS = Limits(size=limits.BIGGEST_TEXT, depth=limits.DEEPEST_TEXT, values=limits.MOST_VALUES)
# The refusal of a version that takes more time, memory or work than it may.
TOO_LARGE = "too large to work out"


class BadVersion(Exception):
    """Raised for a text that is not a version of a rulebook, or has another digest. ``detail``: the
    reason."""

    def __init__(self, detail: str) -> None:
        self.detail = quote(detail, 200)
        super().__init__(self.detail)


def read_version(digest: str, canonical: str) -> Book:
    """The rulebook in a canonical text. Raises BadVersion unless it is sound and has ``digest``,
    and Busy."""
    try:
        # Half of a surrogate pair becomes another sign, so that the digest no longer matches.
        data = parse(canonical.encode(errors="replace"), LIMITS)
    except BadData as bad:
        raise BadVersion(bad.code) from None
    if not isinstance(data, dict):
        raise BadVersion("not_json")
    try:
        book = apart.read_apart(data, digest[:8], stored=True, tried=True)
    except BadBook as bad:
        raise BadVersion(str(bad.mistakes[0])[:200]) from None
    except apart.TooLarge:
        raise BadVersion(TOO_LARGE) from None
    except apart.Busy:
        raise Busy from None
    if book.digest != digest or book.canonical() != canonical:
        raise BadVersion(digest[:8])
    return book


def read_versions(versions: Mapping[str, str]) -> list[BookVersion]:
    """The ``versions`` (canonical texts by digest) that this site does not have, to be stored.

    Raises BadVersion and Busy. Do not call it inside a transaction: it takes a while.
    """
    if sum(map(len, versions.values())) > limits.BIGGEST_TOGETHER:
        raise BadVersion("too_big")
    known = set(BookVersion.objects.filter(pk__in=versions).values_list("pk", flat=True))
    new = {digest: text for digest, text in versions.items() if digest not in known}
    if len(new) > limits.MOST_VERSIONS:
        raise BadVersion("too_many")
    found, start = [], monotonic()
    for digest, canonical in new.items():
        slug = read_version(digest, canonical).slug
        now = timezone.now()
        row = BookVersion(digest=digest, slug=slug, canonical=canonical, loaded_at=now, number=1)
        found.append(row)
        if monotonic() - start > limits.LONGEST_TOGETHER:
            raise BadVersion(TOO_LARGE)
    return found


def admit(versions: Iterable[BookVersion]) -> None:
    """Store the ``versions``, except those that were stored meanwhile."""
    BookVersion.objects.bulk_create(versions, ignore_conflicts=True)
