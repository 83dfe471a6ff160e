"""Answer requests for the picture of a link or one to save: from the shelf, or drawn immediately.

The caller checks who may see it. Chat programs wait only seconds for a preview, so it is not put in
line; but only one is drawn at a time, and few requests wait, to keep the threads for pages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import BoundedSemaphore, Lock

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

from printing import cache as printing_cache
from printing.pictures.values import Preview

logger = logging.getLogger(__name__)

KIND = "png"
# The most requests that draw or wait at the same time, in a process; the seconds after which a
# refused one may try again.
MOST_AT_ONCE, AGAIN = 2, 10

_room = BoundedSemaphore(MOST_AT_ONCE)
_drawing = Lock()


def answer(request: HttpRequest, key: str, make: Callable[[], Preview]) -> HttpResponseBase:
    """Return the picture under ``key``, or 304 if the reader has it already; 503 if too many are
    wanted at the same time. ``make``: returns the content, called only if it has to be drawn.
    """
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
    """Draw the picture and store it; None if there is no room to draw it."""
    # Imported here because it loads the libraries that draw and read fonts.
    from printing.pictures import preview_drawing

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
