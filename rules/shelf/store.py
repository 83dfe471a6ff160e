"""Puts games on the site's shelf, and takes them off; each function is one transaction."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from common.errors import Stale
from rules.library import book_of
from rules.models import BookDraft, Rulebook, SharedGame
from rules.packages.archive import BIGGEST_ZIP
from rules.packages.views import pack_translated
from rules.shelf.index import BIGGEST_INDEX, LONGEST, MOST_GAMES, ShelfGame

# Bytes of a list beside its games.
ROOM_FOR_HEAD = 2_000


class TooLargeToShare(Exception):
    """Raised for a game whose package is larger than other sites accept."""


def share(
    rulebook: Rulebook, digest: str, licence: str, *, by: User, draft: BookDraft | None = None
) -> SharedGame:
    """Put a version of a game on the shelf, in place of the one that is there.

    ``draft``: the player's own game that it is a published state of. Raises TooLargeToShare, and
    Stale if that game is deleted.
    """
    book = book_of(digest)
    now = timezone.now()
    size = len(pack_translated(book))
    if size > BIGGEST_ZIP:
        raise TooLargeToShare
    game = ShelfGame(
        slug=book.slug,
        title={key: words[:LONGEST] for key, words in book.name if key in book.languages},
        languages=book.languages,
        licence=licence,
        edition=book.edition[:LONGEST],
        author=book.author[:LONGEST],
        digest=digest,
        size=size,
        page=reverse("rules:version", args=[digest]),
        package=reverse("rules:version-package", args=[digest]),
        picture=reverse("rules:version-preview", args=[digest]),
        shared_at=now,
    )
    with transaction.atomic():
        if draft is not None:
            locked = BookDraft.objects.select_for_update(no_key=True)
            if locked.only("pk").filter(pk=draft.pk).first() is None:
                raise Stale
        return SharedGame.objects.update_or_create(
            rulebook=rulebook,
            defaults={
                "version_id": digest,
                "draft": draft,
                "licence": licence,
                "entry": game.model_dump_json(),
                "by": by,
                "shared_at": now,
            },
        )[0]


def shelf_entries() -> list[str]:
    """The games that everybody finds on the shelf, as JSON (``ShelfGame``), the last shared first,
    as many as a list may have. One query."""
    shared = SharedGame.objects.visible().order_by("-shared_at", "pk")
    found: list[str] = []
    room = BIGGEST_INDEX - ROOM_FOR_HEAD
    for entry in shared.values_list("entry", flat=True)[:MOST_GAMES]:
        room -= len(entry.encode()) + 1
        if room < 0:
            break
        found.append(entry)
    return found
