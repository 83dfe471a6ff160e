"""A warm process: everything is imported and the rulebooks are read, so that forking a process that
does one act and dies takes only a moment.

    python -m tests.killing.warm DATABASE

Orders are lines of JSON (``act``, ``values``, and ``kill`` or ``after``), and the forked process's
output has the same format, with ``ended`` at the end. A forked process kills itself at its
``kill``-th access to the database: before each query and before and after each COMMIT; or it is
killed from outside ``after`` some seconds.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any


def say(said: dict[str, Any]) -> None:
    """Send a line to the process that gave the order, before anything else happens."""
    rest = memoryview(f"\n{json.dumps(said)}\n".encode())
    while rest:
        rest = rest[os.write(1, rest) :]


@contextlib.contextmanager
def killed_at(moment: int | None) -> Iterator[None]:
    """Kill this process at this access to the database, counted from 1."""
    from django.db import connection

    moments = itertools.count(1)

    def tick() -> None:
        if next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def query(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        tick()
        return execute(sql, params, many, context)

    really_commit = connection._commit

    def commit() -> None:
        tick()
        really_commit()
        tick()

    connection._commit = commit
    with connection.execute_wrapper(query):
        yield


def carry_out(order: dict[str, Any]) -> None:
    """Carry out the order, and report how it ended if the process was not killed."""
    from common.errors import Refusal, Stale
    from tests.killing.acts import ACTS

    try:
        with killed_at(order.get("kill")):
            ACTS[order["act"]](**order["values"], say=say)
    except Stale:
        say({"refused": "stale"})
    except Refusal as refusal:
        say({"refused": refusal.code})
    except Exception:
        say({"broke": traceback.format_exc()})


def warm_up() -> None:
    """Read the rulebooks, and leave no connection that a fork would share."""
    from django.db import connection

    from rules.library import book_of
    from rules.models import BookVersion

    for digest in BookVersion.objects.values_list("pk", flat=True):
        book_of(digest)
    connection.close()


def fork(order: dict[str, Any]) -> int:
    """Carry out an order in a forked process; return how that ended."""
    pid = os.fork()
    if pid == 0:
        try:
            carry_out(order)
        finally:
            # Skip the handlers that the warm process would run at its end.
            os._exit(0)
    if order.get("after") is not None:
        time.sleep(order["after"])
        # Even if it has ended already: until it is waited for, no other process has its number.
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return status


def main(database: str) -> None:
    """Carry out orders until there are no more."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    from django.urls import get_resolver

    from tests.killing import acts  # noqa: F401

    _ = get_resolver().url_patterns
    for line in sys.stdin:
        warm_up()
        status = fork(json.loads(line))
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        say({"ended": "killed" if killed else "done"})


if __name__ == "__main__":
    main(sys.argv[1])
