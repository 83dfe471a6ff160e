"""Values that a process keeps for as long as the state they were made from stays the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock


class Cache[T]:
    """Values by key, each kept with the ``state`` that it was made in: whatever is compared to tell
    whether it would be the same if it were made now. Threads may share it.

    ``most``: how many; what was not asked for longest goes first.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Hashable, state: object, make: Callable[[T | None], T]) -> T:
        """The value as it was made in this state, or made now out of the one that was made last.

        The state is read before: what changes while a value is made is noticed by the next reader.
        """
        with self.lock:
            known = self.kept.get(key)
            if known is not None and known[0] == state:
                self.kept.move_to_end(key)
                return known[1]
        value = make(known[1] if known is not None else None)
        with self.lock:
            self.kept[key] = state, value
            self.kept.move_to_end(key)
            while len(self.kept) > self.most:
                self.kept.popitem(last=False)
        return value
