"""In-process cache whose values stay valid while the state they were made from is unchanged."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock


class Cache[T]:
    """Values by key, each with the ``state`` it was made in. Thread-safe.

    A value is valid while the current state equals its ``state``. ``most`` is the number of values
    kept; the least recently used goes first.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Hashable, state: object, make: Callable[[T | None], T]) -> T:
        """Return the value for this state; if there is none, make it, given the previous value.

        Read the state before the call: a change while a value is made is then noticed next time.
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
