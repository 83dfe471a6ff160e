"""Keys of cached values, where comparing the values would take too long."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Keyed[T]:
    """A value that equals another with the same ``key``: an argument for ``lru_cache``."""

    key: Hashable
    value: T = field(compare=False)
