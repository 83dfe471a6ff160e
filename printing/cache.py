"""A folder of what has been printed before, each under the key of what it shows."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from common.files import write_whole

MOST_KEPT = 500


def folder() -> Path:
    """Where what has been printed lies."""
    found: Path = settings.DATA_DIR / "prints"
    return found


def read(key: str) -> bytes | None:
    """What was printed under ``key``, None if nothing was or if it was cleared away."""
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    with suppress(FileNotFoundError):
        return (folder() / f"{key}.pdf").read_bytes()
    return None


@contextmanager
def claimed(key: str) -> Iterator[None]:
    """Nobody else prints what has this key meanwhile, in any process of the site."""
    claims: Path = settings.DATA_DIR / "printing"
    claims.mkdir(parents=True, exist_ok=True)
    # A file for many keys: one that was deleted afterwards could be claimed twice.
    with (claims / key[:2]).open("w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)
        yield


def store(key: str, printed: bytes) -> None:
    """Keep what was printed, whole or not at all, and clear away the oldest beyond MOST_KEPT."""
    write_whole(folder() / f"{key}.pdf", printed)
    files = []
    for file in folder().iterdir():
        # Another process may clear away the same file.
        with suppress(FileNotFoundError):
            files.append((file.stat().st_mtime_ns, file))
    for _age, file in sorted(files)[: max(0, len(files) - MOST_KEPT)]:
        file.unlink(missing_ok=True)
