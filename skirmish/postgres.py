"""PostgreSQL options: timeouts and the connection pool."""

from __future__ import annotations

from typing import Any

from dj_database_url import DBConfig

# Seconds that a request waits for a connection of the pool.
POOL_PATIENCE = 5


def options(
    given: dict[str, Any],
    *,
    pool: int,
    pgbouncer: bool,
    statement_timeout: float,
    lock_timeout: float,
) -> DBConfig:
    """Return the database settings other than the address.

    ``given`` are the options in the address. ``pool`` is the number of connections that the threads
    of a process share; with 0, each thread has its own. ``pgbouncer`` says that a pgbouncer is in
    between, which gives a connection to another client after each transaction.
    ``statement_timeout`` and ``lock_timeout`` are seconds; 0 means no limit.
    """
    chosen = dict(given)
    found: DBConfig = {"OPTIONS": chosen}
    if pgbouncer:
        # Avoid state bound to a connection: server-side cursors and prepared statements (Django's
        # default has none). Set timeouts on the role, because pgbouncer does not pass them on.
        found["DISABLE_SERVER_SIDE_CURSORS"] = True
    else:
        limits = {"statement_timeout": statement_timeout, "lock_timeout": lock_timeout}
        said = [f"-c {name}={round(seconds * 1000)}" for name, seconds in limits.items()]
        chosen["options"] = " ".join([*filter(None, [given.get("options")]), *said])
    if pool:
        # The pool keeps connections open, so threads must not.
        found["CONN_MAX_AGE"] = 0
        chosen["pool"] = {"min_size": 1, "max_size": pool, "timeout": POOL_PATIENCE}
    return found
