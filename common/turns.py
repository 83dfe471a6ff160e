"""Fair turns for work that takes much memory: one request at a time in each process."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

# Requests working or waiting, in all and of one account, and the longest wait in seconds. Threads
# are for pages, so further requests must come back later.
MOST_PENDING = 3
MOST_OF_ONE = 2
PATIENCE = 8
# The number of accounts whose last turn is remembered.
MOST_REMEMBERED = 100
BUSY = gettext_lazy("Many files are arriving just now. Try again in a minute.")


class Busy(Exception):
    """Others are working, and the wait would be too long."""


@dataclass(eq=False)
class _Request:
    """A request that works or waits; ``refused`` if another account has taken its place."""

    who: Hashable
    refused: bool = False


class Turns:
    """Turns for one kind of work. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        # The first one works.
        self._pending: list[_Request] = []
        # Accounts by last turn, oldest first.
        self._served: dict[Hashable, None] = {}

    @contextmanager
    def one(self, who: Hashable) -> Iterator[None]:
        """Wait for a turn of the account ``who``. Raises Busy.

        The waiting account with the oldest last turn is next, so an account that sends file after
        file delays another by at most one of them. When the line is full, an account with nothing
        in it replaces another account's second file.
        """
        request = _Request(who)
        with self._changed:
            self._make_room(who)
            self._pending.append(request)
            try:
                mine = self._changed.wait_for(
                    lambda: request.refused or self._pending[0] is request, PATIENCE
                )
                if not mine or request.refused:
                    raise Busy
            except BaseException:
                self._leave(request)
                raise
            self._served.pop(who, None)
            self._served[who] = None
            if len(self._served) > MOST_REMEMBERED:
                del self._served[next(iter(self._served))]
        try:
            yield
        finally:
            with self._changed:
                self._leave(request)

    def _make_room(self, who: Hashable) -> None:
        """Make room for a request of this account. Raises Busy."""
        accounts = [request.who for request in self._pending]
        if accounts.count(who) >= MOST_OF_ONE:
            raise Busy
        if len(accounts) < MOST_PENDING:
            return
        waiting = self._pending[1:]
        second = [request for request in waiting if accounts.count(request.who) > 1]
        if who in accounts or not second:
            raise Busy
        second[-1].refused = True
        self._pending.remove(second[-1])
        self._changed.notify_all()

    def _leave(self, request: _Request) -> None:
        """Remove a request from the line; if it was working, start the next."""
        if request not in self._pending:
            return
        worked = self._pending[0] is request
        self._pending.remove(request)
        if worked and self._pending:
            ages = {account: age for age, account in enumerate(self._served)}
            following = min(self._pending, key=lambda other: ages.get(other.who, -1))
            self._pending.remove(following)
            self._pending.insert(0, following)
            self._changed.notify_all()


# Turns for reading gangs and campaigns from files.
importing = Turns()
