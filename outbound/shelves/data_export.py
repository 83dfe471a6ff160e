"""A user's shelves and games of other sites in the export of all their data."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.data_export import File, as_json
from accounts.models import User
from rules.models import ForeignGame, ForeignShelf


def files_of(user: User) -> Iterator[File]:
    """Yield one file with the shelves and the games, if there are any."""
    shelves = [
        {"address": one.url, "site": one.name, "read_at": one.read_at}
        for one in ForeignShelf.objects.filter(owner=user).order_by("pk")
    ]
    games = [
        {
            "game": one.slug,
            "digest": one.digest,
            "licence": one.licence,
            "shelf": one.shelf.url,
            "looked_at": one.created_at,
            "taken_at": one.taken_at,
        }
        for one in ForeignGame.objects.filter(owner=user).select_related("shelf").order_by("pk")
    ]
    if shelves:
        yield File("games-of-other-sites.json", as_json({"shelves": shelves, "games": games}))
