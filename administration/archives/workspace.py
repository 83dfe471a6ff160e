"""Private temporary folders for backups and restores, deleted when their process ends."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

LEFTOVER = re.compile(r"\.(?:backup|restore)-[a-z0-9_]{8}")
# Seconds without a sign of life after which a folder belongs to no running backup or restore, and
# seconds between two such signs.
OLD, BEAT = 24 * 3600, 600
# The shell's input closes when the process that started it ends, even if that is killed.
REMOVER = """trap '' HUP INT TERM; cat >/dev/null; rm -rf -- "$1" """


@contextmanager
def workspace(parent: Path, kind: Literal["backup", "restore"]) -> Iterator[Path]:
    """Create a private folder (0700) in ``parent``; delete it at the end of the context.

    It is also deleted if this process is killed. Old leftovers in ``parent`` are deleted first.
    Raises OSError.
    """
    clear_leftovers(parent)
    folder = parent / f".{kind}-{secrets.token_hex(4)}"
    with subprocess.Popen(
        ["sh", "-c", REMOVER, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # The shell must find its programs even if this process has no PATH.
        env={"PATH": f"{os.environ.get('PATH', '')}{os.pathsep}{os.defpath}"},
        # Ctrl-C must end this process but not the shell.
        start_new_session=True,
    ):
        is_over = threading.Event()
        try:
            folder.mkdir(0o700)
            threading.Thread(target=_keep_young, args=(folder, is_over), daemon=True).start()
            yield folder
        finally:
            is_over.set()
            shutil.rmtree(folder, ignore_errors=True)


def _keep_young(folder: Path, is_over: threading.Event) -> None:
    """Renew a folder's time until its context is over, however long that takes."""
    while not is_over.wait(BEAT):
        with suppress(OSError):
            os.utime(folder)


def create(file: Path) -> IO[bytes]:
    """Create a private file (0600) for writing and reading."""
    return os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def clear_leftovers(folder: Path) -> int:
    """Delete folders that interrupted backups and restores left more than a day ago.

    A running one renews the time of its folder. Returns their number. They remain after a power
    failure; older releases left them whenever they were killed.
    """
    count = 0
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if not LEFTOVER.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False):
                continue
            # The folder belongs to somebody else or was deleted meanwhile.
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - OLD:
                    shutil.rmtree(entry.path)
                    count += 1
    return count
