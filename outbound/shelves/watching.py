"""The daily look at the shelves of taken games: one request a day for each, however many people
watch it. Nothing is taken by itself."""

from __future__ import annotations

from django.conf import settings

from common.background import Lane, every, note_progress, renew_lease
from outbound.shelves import fetching, store
from outbound.shelves.refusals import Unfetched

# Shelves of one look: each takes five seconds at most.
MOST = 20
# The backlog is counted up to this number.
MOST_COUNTED = 1_000
LANE = Lane("shelves")


@every(3600, "shelves of other sites", LANE)
def look() -> None:
    """Look at some of the shelves whose day has come, and note how many are left."""
    if not settings.FOREIGN_GAMES:
        return
    errors = []
    for url in store.claim_due(MOST):
        try:
            store.keep_look(url, fetching.fetch_index(url, is_patient=True))
        except Unfetched as refused:
            store.keep_failure(url, refused.code)
        except Exception as error:
            # One shelf must not stop the others.
            store.keep_failure(url, "damaged")
            errors.append(error)
        renew_lease()
    note_progress(backlog=store.count_due(MOST_COUNTED))
    if errors:
        raise ExceptionGroup("Some shelves could not be read", errors)
