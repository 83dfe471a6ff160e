"""Work that takes much memory, done for one request of a process at a time, in a fair order."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

# Requests that do such work or wait for it, all together and of one account, and seconds that one
# waits: threads are for pages. Requests beyond that are asked to come back.
MOST_PENDING = 3
MOST_OF_ONE = 2
PATIENCE = 8
# How many accounts are remembered that had a turn.
MOST_REMEMBERED = 100
BUSY = gettext_lazy("Many files are arriving just now. Try again in a minute.")


class Busy(Exception):
    """Others are doing it, and it would take too long to wait for them."""


@dataclass(eq=False)
class _Request:
    """A request that works or waits. ``refused``: another account needs its place."""

    who: Hashable
    refused: bool = False


class Turns:
    """One sort of work. Threads share it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        # The first of them works.
        self._pending: list[_Request] = []
        # Accounts that had a turn, the one whose turn was longest ago first.
        self._served: dict[Hashable, None] = {}

    @contextmanager
    def one(self, who: Hashable) -> Iterator[None]:
        """Wait until nobody else does it. Raises Busy.

        ``who``: the account. Of those that wait, the one whose last turn was longest ago is next,
        so an account that sends file after file delays another by no more than one of them. Where
        there is no room, an account with nothing in line takes the place of another's second file.
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
        """Raises Busy."""
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
        """Take a request out of the line; if it worked, the next begins."""
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


# Gangs and campaigns out of files.
importing = Turns()
