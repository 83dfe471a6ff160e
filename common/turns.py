"""Work that takes much memory, done for one request of a process at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext_lazy

# Requests that do such work or wait for it, and seconds that one waits: threads are for pages.
# Whoever comes then is asked to come back.
MOST_WAITING = 2
PATIENCE = 5
BUSY = gettext_lazy("Many files are arriving just now. Try again in a minute.")


class Busy(Exception):
    """Others are doing it, and it would take too long to wait for them."""


class Turns:
    """One sort of work. Threads share it."""

    def __init__(self) -> None:
        self._pending = threading.BoundedSemaphore(MOST_WAITING)
        self._working = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait until nobody else does it. Raises Busy."""
        if not self._pending.acquire(blocking=False):
            raise Busy
        try:
            if not self._working.acquire(timeout=PATIENCE):
                raise Busy
            try:
                yield
            finally:
                self._working.release()
        finally:
            self._pending.release()


# Gangs and campaigns out of files.
importing = Turns()
