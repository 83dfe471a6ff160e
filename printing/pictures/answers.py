"""Answer requests for the picture of a link or one to save: from the shelf, or from the press.

The caller checks who may see it. Chat programs wait only seconds for a preview, and show no page,
so a picture that is not there in time is refused, with the time to come back.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

from printing import queue
from printing.pictures.drawing import job
from printing.pictures.values import Preview
from printing.press.worker import Died, Failed

# Seconds after which a refused request may try again.
AGAIN = 10


def answer(request: HttpRequest, key: str, make: Callable[[], Preview]) -> HttpResponseBase:
    """Return the picture under ``key``, or 304 if the reader has it already; 503 if it cannot be
    there in time. ``make``: returns the content, called only if it has to be drawn.
    """
    etag = quote_etag(key)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        is_visitor = not request.user.is_authenticated
        try:
            drawn = queue.ask(key, lambda: job(make()), "picture", for_visitor=is_visitor)
        except (queue.Waiting, queue.Busy, queue.Unavailable, Died):
            late = HttpResponse(status=503, content_type="text/plain")
            late["Retry-After"] = str(AGAIN)
            return late
        except Failed:
            if settings.DEBUG:
                raise
            return HttpResponse(status=500, content_type="text/plain")
        response = HttpResponse(drawn, content_type="image/png")
        response["ETag"] = etag
    response["X-Robots-Tag"] = "noindex"
    patch_cache_control(response, private=True, no_cache=True)
    return response


def wait_for(key: str, make: Callable[[], Preview]) -> bytes:
    """Return the picture under ``key`` for a message. No reader waits, so the call waits until the
    press has drawn it. Raises the exceptions of ``queue.ask``.
    """
    return queue.ask(key, lambda: job(make()), "picture", in_background=True)
