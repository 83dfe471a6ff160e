"""A site that forbids a browser to run scripts, for a browser whose driver cannot turn them off. As
in a sandboxed frame, buttons for readers without scripts are shown.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

HEADER = "X-Without-Scripts"
POLICY = "Content-Security-Policy"
MAY = "forms same-origin top-navigation popups downloads modals"
SANDBOX = "; sandbox " + " ".join(f"allow-{what}" for what in MAY.split())


def forbidding(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """The site's first middleware."""

    def forbid(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        if HEADER in request.headers and POLICY in response.headers:
            response.headers[POLICY] += SANDBOX
        return response

    return forbid
