"""The heading of a proof's figures: date, commit, seed and machine, as ``docs/trust.md`` shows it.

``python -m tests.heading [WORDS...]`` prints it for a script that has no Python of its own.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent


def heading(command: str, seed: object = None, address: str = "") -> str:
    """Return the heading's three lines. ``command``: as typed; ``address``: the database's URL, by
    default the environment's DATABASE_URL, or else SQLite.
    """
    now = datetime.now(UTC)
    what = [f"{now.day} {now:%B %Y, %H:%M} UTC", f"commit {commit()}", f"`{command}`"]
    if seed is not None:
        what.append(f"seed {seed}")
    address = address or os.environ.get("DATABASE_URL", "")
    software = [f"{platform.system()} {platform.release()}", f"Python {platform.python_version()}"]
    software += [f"Django {django_version()}", database(address)]
    return "\n".join((", ".join(what), ", ".join(machine()), ", ".join(software)))


def commit() -> str:
    """Return the commit that is checked out and whether anything was changed since; "unknown"
    outside a repository.
    """
    found = _output("git", "rev-parse", "--short", "HEAD")
    changed = " with changes" if _output("git", "status", "--porcelain") else ""
    return f"{found}{changed}" if found else "unknown"


def machine() -> Iterator[str]:
    """Return cores, processor, memory and the load of the last minute."""
    yield f"{len(os.sched_getaffinity(0))} cores"
    yield _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    memory = _field("/proc/meminfo", "MemTotal").removesuffix(" kB")
    if memory:
        yield f"{int(memory) / 2**20:.0f} GiB"
    yield f"load before {os.getloadavg()[0]:.1f}"


def django_version() -> str:
    """Return the version of Django that is installed."""
    import django

    return django.get_version()


def database(address: str) -> str:
    """Return the database and its version; only its kind if it does not answer."""
    if not address.startswith("postgres"):
        return f"SQLite {sqlite3.sqlite_version}"
    import psycopg

    try:
        with psycopg.connect(address, connect_timeout=5) as connection:
            version = connection.info.parameter_status("server_version") or ""
    except psycopg.Error:
        return "PostgreSQL"
    return f"PostgreSQL {version.split()[0]}"


def table(rows: dict[str, object]) -> str:
    """Format figures as a Markdown table."""
    lines = ["| | |", "| --- | ---: |"]
    for name, figure in rows.items():
        lines.append(f"| {name} | {f'{figure:,}' if isinstance(figure, int) else figure} |")
    return "\n".join(lines)


def typed(program: str) -> str:
    """Return the command line of this process, which runs ``program``, as it was typed."""
    return f"{program} {shlex.join(sys.argv[1:])}".strip()


def _field(path: str, name: str) -> str:
    """Return the first value of a name in one of the system's files; "" if there is none."""
    try:
        text = Path(path).read_text()
    except OSError:
        return ""
    found = re.search(rf"^{name}\s*:\s*(.*)$", text, re.M)
    return " ".join(found[1].split()) if found else ""


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


if __name__ == "__main__":
    print(heading(shlex.join(sys.argv[1:])))
