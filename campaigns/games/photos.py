"""Photos of games: their files, which rows refer to, and who may add and remove them.

The files are kept like portraits (``gangs.pictures.storage``), but show the whole picture.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.urls import reverse

from accounts import quotas
from accounts.models import User
from campaigns.models import Game, Photo, Side
from gangs.pictures import storage
from gangs.pictures.decoder import PHOTO_SIZES
from gangs.pictures.storage import Decoded

SMALL, LARGE = PHOTO_SIZES
# The most photos of a game, hidden ones included.
MOST = 6


class Full(Exception):
    """Raised when the game has as many photos as it may."""


@dataclass(frozen=True)
class PhotoLine:
    """A photo on a page. ``small`` and ``large``: the addresses of its files; ``may_remove``:
    whether the reader may remove it."""

    photo: Photo
    small: str
    large: str
    may_remove: bool = False

    @property
    def caption(self) -> str:
        """Its text, which also describes it to readers who do not see it."""
        return self.photo.label


def may_add(game: Game, sides: Sequence[Side], user: User) -> bool:
    """Whether the user may add photos to a game: its players and the organisers may, unless the
    game is undone."""
    if game.status == Game.Status.STRUCK:
        return False
    return game.campaign.is_run_by(user) or any(side.is_of(user) for side in sides)


def may_remove(photo: Photo, game: Game, user: User) -> bool:
    """Whether the user may remove a photo: its uploader and the organisers may."""
    return photo.by_id == user.pk or game.campaign.is_run_by(user)


def lines_of(game: Game, user: User) -> list[PhotoLine]:
    """The photos of a game as its page shows them, the oldest first. One query."""
    return [_line(photo, may_remove=may_remove(photo, game, user)) for photo in game.photos.shown()]


def lines_by_game(games: Collection[str]) -> dict[str, list[PhotoLine]]:
    """The photos of these games by the key of the game. One query, or none without games."""
    found: dict[str, list[PhotoLine]] = {}
    if not games:
        return found
    for photo in Photo.objects.shown().filter(game__in=list(map(uuid.UUID, games))):
        found.setdefault(str(photo.game_id), []).append(_line(photo))
    return found


def _line(photo: Photo, *, may_remove: bool = False) -> PhotoLine:
    small, large = (
        reverse("campaigns:game-photo", args=[photo.game_id, size, photo.name])
        for size in PHOTO_SIZES
    )
    return PhotoLine(photo, small, large, may_remove)


def keep(game: Game, user: User, picture: Decoded, caption: str) -> Photo:
    """Store a photo. A game has the same picture only once: a new caption replaces its old one.

    Raises Full, QuotaFull, ``Game.DoesNotExist`` if the game was deleted, and OSError if the disk
    is full.
    """
    name = picture.name_in(game.pk)
    with quotas.turn(user):
        Game.objects.select_for_update(no_key=True).only("pk").get(pk=game.pk)
        known = game.photos.filter(name=name).first()
        if known is not None:
            if caption and may_remove(known, game, user):
                game.photos.filter(pk=known.pk).update(caption=caption)
            return known
        if game.photos.count() >= MOST:
            raise Full
        quotas.check(user, "photos")
        # Written while the row is locked, so that ``clear`` cannot delete them before it is saved.
        storage.write_files(name, PHOTO_SIZES, picture)
        return Photo.objects.create(game=game, by=user, name=name, caption=caption)


def content_of(photo: Photo, size: int) -> bytes | None:
    """The JPEG of a photo; None if it is missing or corrupt. Raises OSError."""
    return storage.read_file(photo.name, size) if size in PHOTO_SIZES else None


def leave_with(instance: Photo, **_signal: object) -> None:
    """Delete a photo's files once the deletion of its row is committed."""
    game, name = instance.game_id, instance.name
    transaction.on_commit(lambda: _clear(game, name), robust=True)


def _clear(game: uuid.UUID, name: str) -> None:
    with transaction.atomic():
        # A photo that is being stored again waits for this, or this for it.
        list(Game.objects.select_for_update(no_key=True).filter(pk=game).values_list("pk"))
        if not Photo.objects.filter(game=game, name=name).exists():
            storage.delete_files(name, PHOTO_SIZES)


def file_names(using: str) -> Iterator[str]:
    """The names in the storage of all files of a database's photos."""
    names = Photo.objects.using(using).order_by().values_list("name", flat=True)
    for name in names.iterator():
        for size in PHOTO_SIZES:
            yield storage.file_name(name, size)


def hide(game: Game, photos: Iterable[str], reason: str) -> list[Photo]:
    """Hide some photos of a game, by key; returns them with their uploaders."""
    found = list(game.photos.shown().select_related("by").filter(pk__in=list(photos)))
    game.photos.filter(pk__in=[photo.pk for photo in found]).update(hidden_why=reason)
    return found


def show_hidden(game: Game) -> list[Photo]:
    """Show the hidden photos of a game again; returns them with their uploaders."""
    found = list(game.photos.exclude(hidden_why="").select_related("by"))
    game.photos.filter(pk__in=[photo.pk for photo in found]).update(hidden_why="")
    return found
