"""Pages are sent compressed, where nothing that is secret in them can be guessed from their length.

Whoever sees how long answers are, and can have a guess put into one beside a secret, learns whether
the guess was right (BREACH). A stranger can put something into a page only by its address: so what
is asked for with a query is sent as it is. What players write stands in each other's pages, too:
Django makes every answer longer by a random length. Static files are compressed when they are
collected.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware


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
