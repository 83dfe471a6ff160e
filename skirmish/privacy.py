"""What a page shows somebody is kept by nobody on the way."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

GetResponse = Callable[[HttpRequest], HttpResponse]


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
