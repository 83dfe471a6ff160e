"""Admitting versions of rulebooks that come with a file from another site.

They come from anybody. Each is measured, read and checked as a folder would be, and must be what
its digest says. It becomes a stored version like a variant's whose owner is gone: whatever is
pinned to it uses it, and it is never offered as the newest of its game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from common.measuring import BadData, Limits, parsed
from common.text import quoted
from rules.book.model import Book
from rules.engine.dice import sides_of_all
from rules.loading.reader import BadBook, parse
from rules.models import BookVersion

# Three times the largest of ours; and of all that come with one file.
LIMITS = Limits(size=400_000, depth=20, values=30_000)
BIGGEST_TOGETHER = 1_500_000
MOST_TABLES = 200
# All totals of a table's dice are worked out: that must not take long.
MOST_FACES = 200


class BadVersion(Exception):
    """A text that is no version of a rulebook, or not the one it is said to be. ``detail``: why."""

    def __init__(self, detail: str) -> None:
        self.detail = quoted(detail, 200)
        super().__init__(self.detail)


def read_version(digest: str, canonical: str) -> Book:
    """The rulebook in a canonical text. Raises BadVersion unless it is sound and has ``digest``."""
    try:
        # Half a letter becomes another sign, so that the text is no longer what it is said to be.
        data = parsed(canonical.encode(errors="replace"), LIMITS)
    except BadData as bad:
        raise BadVersion(bad.code) from None
    if not isinstance(data, dict):
        raise BadVersion("not_json")
    _check_dice(data)
    try:
        book = parse(data, {}, fallback=digest[:8], stored=True)
    except BadBook as bad:
        raise BadVersion(str(bad.mistakes[0])[:200]) from None
    if book.digest != digest or book.canonical() != canonical:
        raise BadVersion(digest[:8])
    return book


def admit(versions: Mapping[str, str]) -> list[BookVersion]:
    """Store those of ``versions`` (canonical texts by digest) that this site does not have.

    Raises BadVersion. Returns those that are new here.
    """
    if sum(map(len, versions.values())) > BIGGEST_TOGETHER:
        raise BadVersion("too_big")
    known = set(BookVersion.objects.filter(pk__in=versions).values_list("pk", flat=True))
    return BookVersion.objects.bulk_create(
        BookVersion(
            digest=digest,
            slug=read_version(digest, canonical).slug,
            canonical=canonical,
            loaded_at=timezone.now(),
            number=1,
        )
        for digest, canonical in versions.items()
        if digest not in known
    )


def _check_dice(data: Mapping[str, Any]) -> None:
    tables = data.get("tables", [])
    if not isinstance(tables, list) or len(tables) > MOST_TABLES:
        raise BadVersion("tables")
    for table in tables:
        dice = table.get("dice") if isinstance(table, dict) else None
        sides = sides_of_all(dice)
        if sides is None or sides > MOST_FACES:
            raise BadVersion("dice")
