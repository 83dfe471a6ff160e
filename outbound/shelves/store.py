"""Stored shelves of other sites and the games from them; each function is one transaction, and none
sends a request inside it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import notices, quotas
from accounts.models import User
from outbound.shelves import fetching
from outbound.shelves.notices import NEWS
from outbound.shelves.refusals import Unfetched
from rules.book.model import Book
from rules.editor import slugs
from rules.editor.data import start_from
from rules.editor.store import start_game
from rules.library import book_of
from rules.models import BookDraft, BookVersion, ForeignGame, ForeignShelf
from rules.shelf.index import GAMES, LONGEST, Shelf, ShelfGame
from rules.untrusted import admit

# A shelf is looked at once in this time by itself, and less often after failures.
DAILY = timedelta(days=1)
RAREST = timedelta(days=8)
# Shelves without a taken game, and games that were looked at only, are kept for this long.
SHELF_KEPT = timedelta(days=30)
LOOKED_AT_KEPT = timedelta(days=1)


def look_at(owner: User, url: str) -> ForeignShelf:
    """Fetch a shelf's list, and store it as one of the user's. Raises Unfetched or QuotaFull."""
    if not ForeignShelf.objects.filter(owner=owner, url=url).exists():
        quotas.check(owner, "shelves")
    quotas.use(owner, "shelf_requests")
    index = fetching.fetch_index(url)
    with quotas.turn(owner):
        if not ForeignShelf.objects.filter(owner=owner, url=url).exists():
            quotas.check(owner, "shelves")
        return _keep(owner, url, index)


def _keep(owner: User, url: str, index: Shelf) -> ForeignShelf:
    now = timezone.now()
    fields = {
        "name": index.site,
        "listed": GAMES.dump_json(index.games).decode(),
        "read_at": now,
        "next_at": now + DAILY,
        "failures": 0,
        "error": "",
    }
    shelf = ForeignShelf.objects.update_or_create(owner=owner, url=url, defaults=fields)[0]
    _note_news(shelf, index)
    return shelf


def listed_games(shelf: ForeignShelf) -> tuple[ShelfGame, ...]:
    """The games of a shelf as it was read last."""
    return GAMES.validate_json(shelf.listed)


def fetch(owner: User, shelf: ForeignShelf, digest: str) -> ForeignGame:
    """Fetch a game that a shelf lists, so that its owner sees what comes; nothing uses it yet.

    Raises Unfetched or QuotaFull.
    """
    game = next((one for one in listed_games(shelf) if one.digest == digest), None)
    if game is None:
        raise Unfetched("not_listed")
    mine = ForeignGame.objects.filter(owner=owner, digest=digest)
    if (known := mine.first()) is not None and (known.canonical or known.version_id):
        return known
    quotas.check(owner, "foreign_games")
    quotas.use(owner, "shelf_requests")
    arrived = fetching.fetch_game(shelf.url, game)
    with quotas.turn(owner):
        # Its owner may have forgotten the shelf in the seconds of the request.
        if ForeignShelf.objects.select_for_update().filter(pk=shelf.pk).first() is None:
            raise Unfetched("not_listed")
        if not mine.exists():
            quotas.check(owner, "foreign_games")
        fields = {
            "shelf": shelf,
            "slug": game.slug,
            "canonical": arrived.book.canonical(),
            "licence": game.licence,
            "size": arrived.size,
        }
        return ForeignGame.objects.update_or_create(owner=owner, digest=digest, defaults=fields)[0]


def book_in(game: ForeignGame) -> Book | None:
    """The rulebook of a game; None once it was removed from this site."""
    if game.version_id:
        return book_of(game.version_id)
    # It was read apart and found sound before it was stored.
    return Book.model_validate_json(game.canonical) if game.canonical else None


def take_in(game: ForeignGame) -> BookVersion:
    """Store a game as a version, as the file of a gang would bring it: never the newest here.

    A form that arrives twice does it once. Raises Unfetched if it is no longer kept.
    """
    with transaction.atomic():
        kept = ForeignGame.objects.select_for_update().filter(pk=game.pk).first()
        if kept is None or not (kept.version_id or kept.canonical):
            raise Unfetched("not_listed")
        game = kept
        if game.version_id is None:
            now = timezone.now()
            row = BookVersion(
                digest=game.digest,
                slug=game.slug,
                canonical=game.canonical,
                loaded_at=now,
                number=1,
            )
            admit([row])
            game.version_id, game.canonical, game.taken_at = game.digest, "", now
            game.save(update_fields=["version", "canonical", "taken_at"])
            # The edition that was news for an earlier one is here now.
            earlier = ForeignGame.objects.filter(owner=game.owner_id, news=game.digest)
            earlier.update(news="", news_edition="")
    return BookVersion.objects.defer("canonical").get(pk=game.digest)


def copy_game(game: ForeignGame) -> BookDraft:
    """Start a game of the owner's as a copy of a taken one, under a slug of its own; a form that
    arrives twice starts it once. Raises QuotaFull, Unfetched, or Refused of the editor."""
    book = book_in(game)
    if book is None:
        raise Unfetched("not_listed")
    data = {**start_from(book), "slug": slugs.find_free(book.slug)}
    return start_game(game.owner, data, token=game.token)


def find_newer(shelf: ForeignShelf) -> dict[str, ShelfGame]:
    """The games that a shelf has in another edition than its owner took last, by slug."""
    taken: dict[str, str] = {}
    for game in shelf.games.taken():
        taken.setdefault(game.slug, game.digest)
    return {
        one.slug: one
        for one in listed_games(shelf)
        if one.slug in taken and one.digest != taken[one.slug]
    }


def _note_news(shelf: ForeignShelf, index: Shelf) -> None:
    """Notify the owner of games with another edition, once for each."""
    newer = find_newer(shelf)
    latest: dict[str, ForeignGame] = {}
    for game in shelf.games.taken().select_for_update():
        latest.setdefault(game.slug, game)
    for slug, mine in latest.items():
        one = newer.get(slug)
        news = one.digest if one is not None else ""
        if news == mine.news:
            continue
        mine.news, mine.news_edition = news, one.edition[:LONGEST] if one is not None else ""
        mine.save(update_fields=["news", "news_edition"])
        if one is not None:
            values = {"game": one.name.first, "edition": one.edition, "site": index.site}
            notices.notify([shelf.owner], NEWS, values, mine.get_absolute_url())


def claim_due(most: int) -> list[str]:
    """Claim the addresses of watched shelves whose day has come, so that no other process asks
    them; at most ``most``. Only shelves with a taken game are watched."""
    now = timezone.now()
    found: list[str] = []
    due = _watched().filter(next_at__lte=now).order_by("next_at")
    for url in dict.fromkeys(due.values_list("url", flat=True)[: 5 * most]):
        if len(found) == most:
            break
        # The update is the lock: of all processes, one asks; all owners of the shelf wait for it.
        if ForeignShelf.objects.filter(url=url, next_at__lte=now).update(next_at=now + DAILY):
            found.append(url)
    return found


def count_due(most: int) -> int:
    """Return the number of addresses of watched shelves whose day has come, at most ``most``."""
    due = _watched().filter(next_at__lte=timezone.now()).order_by()
    return due.values("url").distinct()[:most].count()


def _watched() -> QuerySet[ForeignShelf]:
    taken = ForeignGame.objects.exclude(version=None).values("shelf")
    return ForeignShelf.objects.filter(pk__in=taken)


def keep_look(url: str, index: Shelf) -> None:
    """Store what a daily look found, for everybody who watches this shelf."""
    for shelf in _watched().filter(url=url).select_related("owner"):
        with transaction.atomic():
            _keep(shelf.owner, url, index)


def keep_failure(url: str, code: str) -> None:
    """Store that a daily look failed; the next comes later after each failure."""
    for shelf in _watched().filter(url=url):
        pause = min(DAILY * (1 << min(shelf.failures, 5)), RAREST)
        ForeignShelf.objects.filter(pk=shelf.pk).update(
            failures=shelf.failures + 1, error=code, next_at=timezone.now() + pause
        )


def forget(game: ForeignGame) -> None:
    """Delete a user's record of a game. Its version stays for the gangs that use it."""
    game.delete()


def forget_old() -> int:
    """Delete games that were only looked at, and shelves that nobody watches; return the number of
    both."""
    now: datetime = timezone.now()
    looked_at = ForeignGame.objects.filter(version=None, created_at__lt=now - LOOKED_AT_KEPT)
    count = looked_at.delete()[0]
    kept = ForeignGame.objects.values("shelf")
    old = ForeignShelf.objects.exclude(pk__in=kept).filter(read_at__lt=now - SHELF_KEPT)
    return count + old.delete()[0]
