"""How the site talks to PostgreSQL: how long it waits, and through which connections."""

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
    """What the settings of a database say besides its address.

    ``given``: options from its address. ``pool``: how many connections a process keeps for all its
    threads, 0 if each thread has its own. ``pgbouncer``: whether one stands between, which hands a
    connection to somebody else after each transaction. ``statement_timeout``, ``lock_timeout``:
    seconds after which the database gives up a statement, and waiting for a lock; 0: never.
    """
    chosen = dict(given)
    found: DBConfig = {"OPTIONS": chosen}
    if pgbouncer:
        # Nothing that is bound to a connection: neither cursors nor, as Django has it anyway,
        # prepared statements. Timeouts are the role's, for pgbouncer passes none on.
        found["DISABLE_SERVER_SIDE_CURSORS"] = True
    else:
        limits = {"statement_timeout": statement_timeout, "lock_timeout": lock_timeout}
        said = [f"-c {name}={round(seconds * 1000)}" for name, seconds in limits.items()]
        chosen["options"] = " ".join([*filter(None, [given.get("options")]), *said])
    if pool:
        # The pool keeps the connections, and so no thread may.
        found["CONN_MAX_AGE"] = 0
        chosen["pool"] = {"min_size": 1, "max_size": pool, "timeout": POOL_PATIENCE}
    return found
