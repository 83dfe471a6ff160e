"""Middleware for every answer: what it tells browsers, that nobody keeps it on the way, and how it
is compressed.

Nothing that is secret in a page can be guessed from its compressed length. Whoever sees how long
answers are, and can have a guess put into one beside a secret, learns whether the guess was right
(BREACH). A stranger can put something into a page only by its address, so what is asked for with a
query is sent as it is. What players write is in each other's pages, too: Django makes every answer
longer by a random length. Static files are compressed when they are collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_cache_control

GetResponse = Callable[[HttpRequest], HttpResponse]

# What the pages use of a browser's powers: an address is copied at a press, the screen stays on
# while people play. No page asks for the others, so nothing that gets into one may use them either.
USED = {"clipboard-write": "(self)", "screen-wake-lock": "(self)"}
UNUSED = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "clipboard-read"),
    *("display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope"),
    *("hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment"),
    *("picture-in-picture", "publickey-credentials-create", "publickey-credentials-get"),
    *("serial", "storage-access", "usb", "window-management"),
    *("xr-spatial-tracking",),
)
PERMISSIONS = ", ".join(
    f"{name}={whom}" for name, whom in sorted((USED | dict.fromkeys(UNUSED, "()")).items())
)


def send_policies(get_response: GetResponse) -> GetResponse:
    """Middleware: no page of another site shows ours, and nothing that gets into a page uses what a
    browser can do. Django's SecurityMiddleware sends the rest."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        headers.setdefault("Permissions-Policy", PERMISSIONS)
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

    return middleware


class Compression(GZipMiddleware):
    """Compress pages that were asked for without a query."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """The answer, compressed if it may be and if the reader takes it."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind != "text/html" or request.META.get("QUERY_STRING"):
            return response
        return super().process_response(request, response)


def private_pages(get_response: GetResponse) -> GetResponse:
    """Middleware: a page that says nothing of caches belongs to its reader's browser alone, which
    asks again each time. What never changes is the same for everybody, whatever their cookies."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        elif {"public", "immutable"} <= set(re.findall(r"\w+", response["Cache-Control"])):
            del response["Vary"]
        return response

    return middleware
