"""How a request for the picture of a link is answered: from the shelf, or drawn at once.

Who may see it is the caller's to check. Programs that show what a link leads to wait for seconds
at most, so nothing stands in line; but one is drawn at a time, and few requests wait: the threads
are for pages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

from printing import cache as printing_cache

logger = logging.getLogger(__name__)

KIND = "png"
MOST_FACES = 8
# Requests that draw or wait at once, in a process; seconds after which it is worth another try.
MOST_AT_ONCE, AGAIN = 2, 10

_room = BoundedSemaphore(MOST_AT_ONCE)
_drawing = Lock()


@dataclass(frozen=True)
class Face:
    """Somebody's picture, or letters on a colour in its place."""

    letters: str
    colour: str
    picture: bytes | None = None


@dataclass(frozen=True)
class Preview:
    """What is told of a page: ``title``; ``above`` it, what it belongs to; ``facts`` below it;
    ``foot``: whose site it is. ``emblem``: an SVG path in a box of 32 by 32, even-odd; ``accent``:
    its colour and the stripe's, to be seen on a dark ground."""

    title: str
    above: str
    facts: str
    foot: str
    emblem: str
    accent: str
    badge: Face | None = None
    faces: Sequence[Face] = ()


def answer(request: HttpRequest, key: str, make: Callable[[], Preview]) -> HttpResponseBase:
    """The picture under ``key``, or word that the reader has it already; 503 where too many are
    wanted at once. ``make``: what is told, asked for only if it has to be drawn."""
    etag = quote_etag(key)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        drawn = printing_cache.read_print(key, KIND)
        if drawn is None:
            drawn = _draw(key, make)
        if drawn is None:
            busy = HttpResponse(status=503)
            busy["Retry-After"] = str(AGAIN)
            return busy
        response = HttpResponse(drawn, content_type="image/png")
        response["ETag"] = etag
    response["X-Robots-Tag"] = "noindex"
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _draw(key: str, make: Callable[[], Preview]) -> bytes | None:
    """The picture, put on the shelf; None if there is no room to draw it."""
    # It loads the libraries that draw and read fonts.
    from printing import preview_drawing

    if not _room.acquire(blocking=False):
        return None
    try:
        with _drawing:
            drawn = preview_drawing.png(make())
    finally:
        _room.release()
    try:
        printing_cache.store(key, drawn, KIND)
    except OSError:
        logger.exception("The picture of a link cannot be kept")
    return drawn
