"""The daily look at the shelves of taken games: one request a day for each, however many people
watch it. Nothing is taken by itself."""

from __future__ import annotations

from django.conf import settings

from common.background import Lane, every
from outbound.shelves import fetching, store
from outbound.shelves.refusals import Unfetched

# Shelves of one look: each takes five seconds at most.
MOST = 20
LANE = Lane("shelves")


@every(3600, "shelves of other sites", LANE)
def look() -> None:
    """Look at the shelves whose day has come."""
    if not settings.FOREIGN_GAMES:
        return
    for url in store.claim_due(MOST):
        try:
            index = fetching.fetch_index(url)
        except Unfetched as refused:
            store.keep_failure(url, refused.code)
        else:
            store.keep_look(url, index)
