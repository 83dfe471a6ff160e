"""Pages that wait for other people: they ask the server every few seconds for news.

A page contains the state in which it was made (``data-waits``). static/news.js requests its address
with that state as ``since``: the answer is 204 while nothing has changed, then the new page.
"""

from __future__ import annotations

from hashlib import sha256

from django.http import HttpRequest, HttpResponse

SINCE = "since"


def state(*shown: object) -> str:
    """A short digest of a page's state: equal only if all values ``shown`` are equal. Each value
    needs a ``repr`` that shows its content."""
    return sha256(repr(shown).encode()).hexdigest()[:16]


def nothing_new(request: HttpRequest, now: str) -> HttpResponse | None:
    """The answer to a page that has already seen the state ``now``; None if it needs the page."""
    return HttpResponse(status=204) if request.GET.get(SINCE) == now else None
