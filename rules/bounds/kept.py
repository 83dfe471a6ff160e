"""Keeps results of functions as long as all together are not too large.

``functools.lru_cache`` counts results, and not their size; but the results for the dice of a
stranger's rulebook may be a thousand times larger than usual.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class Kept[**P, V]:
    """A function whose results are kept until they weigh more than ``most`` together; then all are
    forgotten. Its arguments must be hashable; a result is never None.
    """

    def __init__(self, function: Callable[P, V], most: int, weigh: Callable[[Any], int]) -> None:
        self._function, self._most, self._weigh = function, most, weigh
        self._known: dict[object, V] = {}
        self.weight = 0
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        known = self._known
        key = (args, *kwargs.items()) if kwargs else args
        # One look-up: another thread may forget everything at this moment.
        found = known.get(key)
        if found is not None:
            return found
        result = self._function(*args, **kwargs)
        weight = 1 + self._weigh(result)
        if self.weight + weight > self._most:
            self.cache_clear()
        if weight <= self._most:
            known[key] = result
            self.weight += weight
        return result

    def cache_clear(self) -> None:
        """Forget everything."""
        self._known.clear()
        self.weight = 0


def keep_within[**P, V](
    most: int, weigh: Callable[[Any], int]
) -> Callable[[Callable[P, V]], Kept[P, V]]:
    """Keep the results of a function while their weights together are at most ``most``."""
    return lambda function: Kept(function, most, weigh)
