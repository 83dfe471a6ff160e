"""Copying and replacing a PostgreSQL database with PostgreSQL's own programs."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.postgresql.client import DatabaseClient

from administration.archives.manifest import BadArchive
from administration.archives.tables import tables_after
from administration.archives.workspace import create
from administration.search_indexes import PREFIX

# A table in the output of ``pg_restore --list``: its schema and its name.
TABLE = re.compile(r"^\d+; \d+ \d+ TABLE (?!DATA )(\S+) (\S+) ", re.M)
# Any entry of that output: its kind, and its schema and name.
ENTRY = re.compile(r"^\d+; \d+ \d+ ((?:[A-Z]+ )+)(.+)$", re.M)
TRIGRAMS = re.compile(rf"^\d+; \d+ \d+ INDEX \S+ {PREFIX}")
PLAIN = {
    "TABLE",
    "TABLE DATA",
    "SEQUENCE",
    "SEQUENCE SET",
    "SEQUENCE OWNED BY",
    "DEFAULT",
    "CONSTRAINT",
    "FK CONSTRAINT",
    "CHECK CONSTRAINT",
    "INDEX",
    "COMMENT",
    # Older backups contain the whole database, including the server's extensions.
    "EXTENSION",
    "SCHEMA",
}
# Milliseconds that a restore waits for a lock on a table.
PATIENCE = 60_000


@contextmanager
def copy_tables(file: Path, tables: Callable[[], Collection[str]]) -> Iterator[str]:
    """Copy the site's tables at one moment to a new file, while others write.

    Yields the alias of a connection that sees the same moment until the context ends. ``tables``
    returns the names of the tables at that moment. Raises BadArchive if the copy fails.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # No time limits: the copy may take long, and the connection waits for pg_dump.
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        create(file).close()
        _run(
            "pg_dump",
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            f"--snapshot={snapshot}",
            f"--file={file}",
            *(f"--table={_quoted(table)}" for table in sorted(tables())),
        )
        yield DEFAULT_DB_ALIAS


def check(file: Path) -> None:
    """Raise BadArchive if pg_restore cannot read the file, or unless it has only plain tables.

    Sequences, constraints and indexes are allowed.
    """
    found = _list(file)
    if not TABLE.search(found):
        raise BadArchive("The copy of the database has no tables.")
    for kind, name in ENTRY.findall(found):
        if kind.strip() not in PLAIN:
            raise BadArchive(
                f"The database has something that no migration created: {kind.lower()}{name}."
                " Delete it there, and back up again."
            )


def check_tables(file: Path, migrations: Mapping[str, Sequence[str]]) -> None:
    """Raise BadArchive unless the file has exactly the tables that these migrations make."""
    found, expected = (
        {name for _schema, name in TABLE.findall(_list(file))},
        tables_after(migrations),
    )
    if found != expected:
        raise BadArchive(
            "The database has other tables than its migrations make:"
            f" {', '.join(sorted(found ^ expected)[:5])}."
        )


def replace(file: Path) -> None:
    """Replace the site's database by the file, in one transaction.

    Raises BadArchive if PostgreSQL rejects it or a lock takes too long; then nothing has changed.
    """
    tables = [f"{_quoted(schema)}.{_quoted(name)}" for schema, name in TABLE.findall(_list(file))]
    # Also drop tables that the copy does not have: the next migration creates them again.
    tables += map(_quoted, connection.introspection.django_table_names(only_existing=True))
    tables.append(_quoted("django_migrations"))
    connections.close_all()
    drops, script = file.with_suffix(".drop.sql"), file.with_suffix(".sql")
    kept = file.with_suffix(".list")
    with create(drops) as file_of_drops:
        statements = (f"DROP TABLE IF EXISTS {table} CASCADE;\n" for table in tables)
        file_of_drops.write("".join(statements).encode())
    create(script).close()
    # Write a script first: piped output that breaks off in the middle would be half applied.
    with create(kept) as file_of_entries:
        file_of_entries.write(_without_trigrams(_list(file)).encode())
    options = ("--no-owner", "--no-privileges", f"--use-list={kept}", f"--file={script}")
    _call("pg_restore", *options, str(file))
    _run(
        "psql",
        "--no-psqlrc",
        "--quiet",
        "--single-transaction",
        "--set=ON_ERROR_STOP=1",
        f"--file={drops}",
        f"--file={script}",
        PGOPTIONS=f"{os.environ.get('PGOPTIONS', '')} -c lock_timeout={PATIENCE}",
    )


def _without_trigrams(entries: str) -> str:
    """Leave the indexes of trigrams out of these entries: the database may lack their extension,
    and the next migration creates them again."""
    return "".join(line for line in entries.splitlines(True) if not TRIGRAMS.match(line))


def _quoted(name: str) -> str:
    return str(connection.ops.quote_name(name))


def _list(file: Path) -> str:
    return _call("pg_restore", "--list", str(file))


def _run(program: str, *options: str, **environment: str) -> str:
    """Run one of PostgreSQL's programs on the site's database."""
    found = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    arguments, secrets = found[0][1:], found[1] or {}
    name = connection.settings_dict["NAME"]
    if name and arguments[-1:] == [name]:
        arguments[-1:] = [f"--dbname={name}"]
    return _call(program, *options, *arguments, **secrets, **environment)


def _call(program: str, *options: str, **environment: str) -> str:
    command: Sequence[str] = [program, *options]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise BadArchive(
            f"{program} is missing: install PostgreSQL's programs (postgresql-client on Debian)."
        ) from None
    if done.returncode:
        raise BadArchive(f"{program}: {done.stderr.strip()[:1500] or done.returncode}")
    return done.stdout
