"""What a process keeps: values for as long as what they were made of stays the same, and the SQL of
queries that every page asks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from django.db import connection
from django.db.models import Field, QuerySet


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

    def forget(self, key: Hashable, unless: Callable[[T], bool]) -> None:
        """Let go of a value, unless it is still good for another reason than its state."""
        with self.lock:
            if key in self.kept and not unless(self.kept[key][1]):
                del self.kept[key]


class Statement:
    """A query about one thing, whose key is another each time, put into SQL once per process:
    that takes Django longer than it takes SQLite to answer.

    ``build`` makes the query for a key; ``field``: the sort of field that the key is; ``stand_in``:
    a key that is nothing else in the query, in whose place the others are put.
    """

    def __init__(
        self, build: Callable[[Any], QuerySet[Any, Any]], field: Field[Any, Any], stand_in: Any
    ) -> None:
        self.build = build
        self.field = field
        self.stand_in = stand_in
        self.compiled: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def sql(self, key: Any) -> tuple[str, tuple[Any, ...]]:
        """The query in the words of the database at hand, and its parameters."""
        if connection.vendor not in self.compiled:
            compiler = self.build(self.stand_in).query.get_compiler(connection=connection)
            self.compiled[connection.vendor] = compiler.as_sql()
        text, parameters = self.compiled[connection.vendor]
        mark, given = (
            self.field.get_db_prep_value(value, connection) for value in (self.stand_in, key)
        )
        return text, tuple(given if value == mark else value for value in parameters)

    def rows(self, key: Any) -> list[tuple[Any, ...]]:
        """What the query finds, as the database tells it."""
        with connection.cursor() as cursor:
            cursor.execute(*self.sql(key))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
