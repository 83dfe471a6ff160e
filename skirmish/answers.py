"""Middleware for all answers: security headers, private caching and compression.

No secret in a page may be guessed from the page's compressed length. An attacker who sees the
lengths of answers and can put a guess beside a secret learns whether the guess was right (BREACH).
A stranger can put text into a page only through its address, so answers to addresses with a query
are not compressed. Players' texts appear on each other's pages, too, so Django adds a random length
to every answer. Static files are compressed when they are collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_cache_control

GetResponse = Callable[[HttpRequest], HttpResponse]

# Browser features that our pages use: copying an address, and keeping the screen on during play.
# All others are off, so that injected code cannot use them either.
USED = {"clipboard-write": "(self)", "screen-wake-lock": "(self)"}
UNUSED = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "clipboard-read",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "gamepad",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-create",
    "publickey-credentials-get",
    "serial",
    "storage-access",
    "usb",
    "window-management",
    "xr-spatial-tracking",
)
PERMISSIONS = ", ".join(
    f"{name}={whom}" for name, whom in sorted((USED | dict.fromkeys(UNUSED, "()")).items())
)


def send_policies(get_response: GetResponse) -> GetResponse:
    """Middleware: keep other sites from embedding our pages, and turn unused features off.

    Django's SecurityMiddleware sends the other headers.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        headers.setdefault("Permissions-Policy", PERMISSIONS)
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

    return middleware


class Compression(GZipMiddleware):
    """Compress pages if their address has no query."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress the answer if that is safe and the browser accepts it."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind != "text/html" or request.META.get("QUERY_STRING"):
            return response
        return super().process_response(request, response)


def private_pages(get_response: GetResponse) -> GetResponse:
    """Middleware: make pages without cache headers private, revalidated on each use.

    Immutable files are the same for all readers, so their answers do not vary by cookie.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        elif {"public", "immutable"} <= set(re.findall(r"\w+", response["Cache-Control"])):
            del response["Vary"]
        return response

    return middleware
