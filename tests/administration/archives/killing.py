"""Kill a backup or a restore before each of its file operations, in turn, and print the remains as
JSON.

python -m tests.administration.archives.killing backup|restore ARCHIVE SIGNAL WORK STRIDE:
``DATA_DIR`` is a site that stays unchanged; ``WORK`` an empty folder, in which each victim has a
copy of it; a victim dies before every ``STRIDE``th operation.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import sys
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from administration.archives import reading, writing  # noqa: E402, F401

DATABASE = "skirmish.sqlite3"
# Seconds until the remains of a killed process have to be deleted.
PATIENCE = 10


def stored(site: Path) -> list[Any]:
    """Return the people and gangs of a site with a sound database."""
    with closing(sqlite3.connect(site / DATABASE)) as found:
        [(answer,)] = found.execute("PRAGMA integrity_check").fetchall()
        assert answer == "ok", answer
        if not found.execute("SELECT name FROM sqlite_schema WHERE name = 'gangs_gang'").fetchall():
            return []
        people = found.execute("SELECT username, password FROM accounts_user ORDER BY id")
        return [people.fetchall(), found.execute("SELECT id, name FROM gangs_gang").fetchall()]


def kill_before(step: int, folder: Path, how: int) -> None:
    """Kill this process before its ``step``th operation in a folder."""
    done = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        named = (os.fspath(one) for one in arguments if isinstance(one, (str, bytes, os.PathLike)))
        if any(str(folder) in str(name) for name in named) or event == "subprocess.Popen":
            done += 1
            if done == step:
                os.kill(os.getpid(), how)

    sys.addaudithook(watch)


def victim(step: int, site: Path, how: int, what: str, file: str) -> int:
    """Return the exit status of a process that dies at a step, or ends before it."""
    if pid := os.fork():
        return os.waitpid(pid, 0)[1]
    # Discard its output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    settings.DATA_DIR = site
    connection.settings_dict["NAME"] = str(site / DATABASE)
    kill_before(step, site, how)
    try:
        call_command(what, file, **({"force": True} if what == "restore" else {}))
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)
    os._exit(0)


def leftovers(site: Path) -> list[str]:
    """Return the temporary files that stay in a site's folder, after waiting for their removal."""
    end = time.monotonic() + PATIENCE
    while True:
        found = [file.name for file in site.iterdir() if file.name.startswith((".", "tmp"))]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def main() -> None:
    """Kill one process after the other until one reaches its end."""
    what, archive, signal_name, work, stride = sys.argv[1:]
    how, before = getattr(signal, signal_name), stored(settings.DATA_DIR)
    original = settings.DATA_DIR
    steps: list[dict[str, Any]] = []
    for step in count(1, int(stride)):
        site = Path(work) / str(step)
        shutil.copytree(original, site)
        target = site / "site.tar"
        file = str(target) if what == "backup" else archive
        end = victim(step, site, how, what, file)
        whole = None
        if target.exists():
            settings.DATA_DIR = site
            with reading.unpack(target):
                whole = stat.S_IMODE(target.stat().st_mode) == 0o600
            settings.DATA_DIR = original
        steps.append(
            {"end": end, "left": leftovers(site), "same": stored(site) == before, "whole": whole}
        )
        shutil.rmtree(site)
        if end != how:
            break
    json.dump(steps, sys.stdout)


if __name__ == "__main__":
    main()
