"""Queries that are put into SQL once per process.

Django writes a query's SQL anew for every request, which takes longer than SQLite takes to answer.
What every page asks, in always the same words, need not be written again each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import Field, QuerySet


class Statement:
    """A query about one thing, whose key is another each time.

    ``build`` makes the query for a key; ``field``: the sort of field that the key is; ``stand_in``:
    a key that is nothing else in the query, in whose place the others are put.
    """

    def __init__(
        self, build: Callable[[Any], QuerySet[Any, Any]], field: Field[Any, Any], stand_in: Any
    ) -> None:
        self.build = build
        self.field = field
        self.stand_in = stand_in
        self.written: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def sql(self, key: Any) -> tuple[str, tuple[Any, ...]]:
        """The query in the words of the database at hand, and its parameters."""
        if connection.vendor not in self.written:
            compiler = self.build(self.stand_in).query.get_compiler(connection=connection)
            self.written[connection.vendor] = compiler.as_sql()
        text, parameters = self.written[connection.vendor]
        mark, given = (
            self.field.get_db_prep_value(value, connection) for value in (self.stand_in, key)
        )
        return text, tuple(given if value == mark else value for value in parameters)

    def rows(self, key: Any) -> list[tuple[Any, ...]]:
        """What the query finds, as the database tells it."""
        with connection.cursor() as cursor:
            cursor.execute(*self.sql(key))
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
