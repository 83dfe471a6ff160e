"""Folders for unfinished backups and restores. They hold what nobody else may read, and end with
the process that uses them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

LEFTOVER = re.compile(r"\.(?:backup|restore)-[a-z0-9_]{8}")
# Seconds after which no backup or restore is still at work.
OLD = 24 * 3600
# Its input ends with the process that started it, even if that is killed.
REMOVER = """trap '' HUP INT TERM; cat >/dev/null; rm -rf -- "$1" """


@contextmanager
def workspace(parent: Path, kind: Literal["backup", "restore"]) -> Iterator[Path]:
    """A folder of the caller's own (0700) in ``parent``, deleted at the end or as soon as this
    process ends, however it does. Deletes what others left behind there long ago. Raises OSError.
    """
    clear_leftovers(parent)
    folder = parent / f".{kind}-{secrets.token_hex(4)}"
    with subprocess.Popen(
        ["sh", "-c", REMOVER, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # It finds its programs even if this process was started without a PATH.
        env={"PATH": f"{os.environ.get('PATH', '')}{os.pathsep}{os.defpath}"},
        # Keys that end this process do not end that one.
        start_new_session=True,
    ):
        try:
            folder.mkdir(0o700)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def create(file: Path) -> IO[bytes]:
    """A new file to write and read, which is its user's alone (0600) from the beginning."""
    return os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def clear_leftovers(folder: Path) -> int:
    """Delete what backups and restores that broke off left in a folder more than a day ago, as
    when the power failed; returns how many. Older releases left them whenever they were killed."""
    count = 0
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if not LEFTOVER.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False):
                continue
            # Somebody else's, or deleted meanwhile.
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - OLD:
                    shutil.rmtree(entry.path)
                    count += 1
    return count
