"""What a process remembers: the things that were asked for last, no more of them than so many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock


class Memory[T]:
    """Values by key; threads may share it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.known: OrderedDict[Hashable, T] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Hashable) -> T | None:
        """What is remembered, if it still is."""
        with self.lock:
            if key in self.known:
                self.known.move_to_end(key)
            return self.known.get(key)

    def put(self, key: Hashable, value: T) -> None:
        """Remember a value; what was not asked for longest is forgotten for it."""
        with self.lock:
            self.known[key] = value
            self.known.move_to_end(key)
            while len(self.known) > self.most:
                self.known.popitem(last=False)
