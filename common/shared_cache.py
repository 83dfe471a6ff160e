"""The cache that all processes and machines share, in the database or in Redis.

It counts attempts against limits, so no entry is dropped early. A cache that cannot be read counts
as empty: people are let in, and the log says why.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.redis import RedisCache
from django.utils import timezone

from common.background import every
from common.models import CacheEntry

logger = logging.getLogger(__name__)


def _forgiving(name: str, empty: Any) -> Callable[..., Any]:
    """Wrap a method of the cache's base class so that it returns ``empty`` when it fails."""

    def method(self: Forgiving, *args: Any, **options: Any) -> Any:
        try:
            return getattr(super(Forgiving, self), name)(*args, **options)
        except Exception as error:
            _tell(error)
            return empty

    return method


def _tell(error: Exception) -> None:
    logger.warning("The shared cache failed and counts as empty: %r", error)


class Forgiving(BaseCache):
    """Mixin for a cache that behaves as empty when its store fails."""

    add = _forgiving("add", True)
    set = _forgiving("set", None)
    touch = _forgiving("touch", False)
    delete = _forgiving("delete", False)
    has_key = _forgiving("has_key", False)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or ``default`` if it is missing or cannot be read."""
        try:
            return super().get(key, default, version)
        except Exception as error:
            _tell(error)
            return default


class SharedDatabaseCache(Forgiving, DatabaseCache):
    """A cache in the database that drops only expired entries."""

    def _cull(self, db: str, cursor: Any, now: Any, num: int) -> None:
        """Do nothing: Django would drop entries that still count."""


class SharedRedisCache(Forgiving, RedisCache):
    """A cache in Redis or Valkey."""


@every(seconds=3600, name="expired cache entries")
def forget_expired() -> int:
    """Delete expired entries; return their number."""
    return CacheEntry.objects.filter(expires__lt=timezone.now()).delete()[0]
