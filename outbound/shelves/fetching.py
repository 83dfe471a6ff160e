"""Requests for another site's list and packages, through the client that reaches public servers
only. Nothing here writes to the database.

Each is one request, which the client ends after five seconds. Answers are read up to a limit, and
strangers' rulebooks in a process apart.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from outbound import client
from outbound.client import NotSent, Sending
from outbound.shelves.refusals import Unfetched, refuse_unsent
from rules.book.model import Book
from rules.loading import apart
from rules.packages.archive import BIGGEST_ZIP
from rules.packages.forms import NotRead, mistake_text, read_package
from rules.shelf.index import BIGGEST_INDEX, BadIndex, Shelf, ShelfGame, read_index

# The list below the root of a site.
INDEX = "/games/index.json"
# Requests of one process at the same time: people wait for them, and slow servers must not keep
# all its threads.
MOST_AT_ONCE = 2
# Seconds that the daily look waits for its turn.
PATIENCE = 30
# The digest or the slug of a game in the address of one of its pages.
OF_GAME = re.compile(r"/rules/(?:version/([0-9a-f]{64})|([a-z][a-z0-9-]{1,39}))(?:/|\Z)")

_places = threading.BoundedSemaphore(MOST_AT_ONCE)


@dataclass(frozen=True)
class Pasted:
    """A pasted address: ``url``, that of the shelf's list, and ``wanted``, the digest or slug of
    the game that the address is of; "" for the whole shelf."""

    url: str
    wanted: str


def read_address(text: str) -> Pasted:
    """Find the shelf of the site to which an address leads: its front page, shelf, a game, or the
    list itself. Raises ``client.Refused`` if the site would send nothing there."""
    typed = text.strip()
    if "://" not in typed:
        typed = f"https://{typed}"
    host = client.check_address(typed)
    path = urlsplit(typed).path
    found = OF_GAME.search(path)
    shown = f"[{host}]" if ":" in host else host
    wanted = (found[1] or found[2]) if found else ""
    return Pasted(f"https://{shown}{path if path.endswith('.json') else INDEX}", wanted)


def fetch_index(url: str, *, is_patient: bool = False) -> Shelf:
    """Fetch the list of a shelf. ``is_patient``: wait while others fetch. Raises Unfetched."""
    content = _fetch(url, BIGGEST_INDEX, is_patient=is_patient)
    try:
        return read_index(content)
    except BadIndex as bad:
        raise Unfetched(bad.code, detail=bad.detail) from None


@dataclass(frozen=True)
class Arrived:
    """A game that came. ``size``: the bytes of its package."""

    book: Book
    size: int


def fetch_game(url: str, game: ShelfGame) -> Arrived:
    """Fetch a game that the shelf with the list at ``url`` has.

    Raises Unfetched unless the package has a sound rulebook with the digest that the list states.
    """
    content = _fetch(urljoin(url, game.package), BIGGEST_ZIP)
    try:
        book = read_package(content).book
    except NotRead as bad:
        detail = mistake_text(bad.mistakes[0]) if bad.mistakes else bad.words
        raise Unfetched("not_read", detail=detail[:300]) from None
    except apart.Busy:
        raise Unfetched("busy") from None
    if book.digest != game.digest or book.slug != game.slug:
        raise Unfetched("other_digest")
    return Arrived(book, len(content))


def _fetch(url: str, longest: int, *, is_patient: bool = False) -> bytes:
    """Return the body of an answer. Raises Unfetched if there is none, or a longer one, or if too
    many requests are on their way."""
    # A byte more than allowed shows that it is too large.
    sending = Sending("GET", url, {"Accept": "*/*"}, b"", longest + 1)
    if not _places.acquire(timeout=PATIENCE if is_patient else 0):
        raise Unfetched("busy")
    try:
        answer = client.send(sending)
    except NotSent as error:
        raise refuse_unsent(error) from None
    finally:
        _places.release()
    if 300 <= answer.status < 400:
        raise Unfetched("redirect")
    if answer.status == 404:
        raise Unfetched("no_shelf" if longest == BIGGEST_INDEX else "not_listed")
    if answer.status != 200:
        raise Unfetched("status")
    if len(answer.body) > longest:
        raise Unfetched("too_big")
    return answer.body
