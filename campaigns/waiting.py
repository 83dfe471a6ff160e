"""Pages that wait for somebody else: they ask every few seconds whether there is anything new.

A page says in what state it was made (``data-waits``), and static/news.js asks its address for
what came ``since``: 204 while nothing has, the page as it is now otherwise.
"""

from __future__ import annotations

from hashlib import sha256

from django.http import HttpRequest, HttpResponse

SINCE = "since"


def state(*shown: object) -> str:
    """The state of a page, in short: equal only if all that it ``shown`` is. Each value has a
    ``repr`` of its own."""
    return sha256(repr(shown).encode()).hexdigest()[:16]


def nothing_new(request: HttpRequest, now: str) -> HttpResponse | None:
    """The answer for a page that has seen the state as it is ``now``; None if it wants the page."""
    return HttpResponse(status=204) if request.GET.get(SINCE) == now else None
