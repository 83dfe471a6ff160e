"""The cache that all processes and machines of the site share, in the database or in Redis.

Limits are counted in it, so nothing leaves it before its time. One that cannot be read counts as
empty: people are let in rather than shut out, and the log says so.
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
    """The method of this name of the cache below, which gives ``empty`` where that fails."""

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
    """Mixed into a cache: whatever goes wrong there, it answers as if it were empty."""

    add = _forgiving("add", True)
    set = _forgiving("set", None)
    touch = _forgiving("touch", False)
    delete = _forgiving("delete", False)
    has_key = _forgiving("has_key", False)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value, or ``default`` if there is none that can be read."""
        try:
            return super().get(key, default, version)
        except Exception as error:
            _tell(error)
            return default


class SharedDatabaseCache(Forgiving, DatabaseCache):
    """Rows of the database, which only go when their time is over."""

    def _cull(self, db: str, cursor: Any, now: Any, num: int) -> None:
        """Nothing: Django would make room by throwing away what still counts."""


class SharedRedisCache(Forgiving, RedisCache):
    """Redis, or Valkey."""


@every(seconds=3600, name="expired cache entries")
def forget_expired() -> int:
    """Delete the rows whose time is over; how many those were."""
    return CacheEntry.objects.filter(expires__lt=timezone.now()).delete()[0]
