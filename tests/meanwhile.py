"""Something that happens while a request is answered.

It happens on the connection of the request, so a transaction that is refused takes it back, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def just_before(query: str, act: Callable[[], object], nth: int = 1) -> Iterator[None]:
    """Carry out ``act`` before the ``nth`` query of the context whose SQL contains ``query``. Fails
    at the end if there is none."""
    met = 0

    def look(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal met
        if query in sql:
            met += 1
            if met == nth:
                act()
        return execute(sql, *rest)

    with connection.execute_wrapper(look):
        yield
    assert met >= nth, f"No query has {query}"
