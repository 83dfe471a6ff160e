"""The shelf: finished prints, each under the key of its content.

Stored prints carry a seal, so that no reader ever gets half a print, or a damaged one.
"""

from __future__ import annotations

import itertools
import logging
import re
import time
from contextlib import suppress

from common.files import seal, unseal
from common.storages import FileStore
from common.storages import store as file_store

logger = logging.getLogger(__name__)

MOST_KEPT = 500
# Seconds for which a print is kept: it may name people whose accounts are deleted since.
KEPT = 30 * 24 * 3600
# A process stores this many prints before it looks through the shelf again, so that a bucket is not
# listed for every print.
BETWEEN_TIDYING = 50

_kept = itertools.count(1)


def _shelf() -> FileStore:
    return file_store("prints")


def _name(key: str, kind: str) -> str:
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    return f"{key}.{kind}"


def read_print(key: str, kind: str = "pdf") -> bytes | None:
    """Return the print stored under ``key``; None if there is none, or none any more.

    A damaged print is deleted. One that cannot be read counts as missing, and is printed again.
    """
    name = _name(key, kind)
    try:
        stored = _shelf().read(name)
    except OSError:
        logger.exception("The print %s cannot be read", name)
        return None
    printed = None if stored is None else unseal(stored)
    if stored is not None and printed is None:
        logger.error("The print %s is spoiled, and is thrown away", name)
        with suppress(OSError):
            _shelf().delete(name)
    return printed


def store(key: str, printed: bytes, kind: str = "pdf") -> None:
    """Store a print, and now and then delete the oldest. Raises OSError."""
    _shelf().write(_name(key, kind), seal(printed))
    if next(_kept) % BETWEEN_TIDYING == 0:
        tidy()


def tidy() -> int:
    """Delete prints older than KEPT, and the oldest beyond MOST_KEPT, and return how many. Raises
    OSError."""
    shelf, limit = _shelf(), time.time() - KEPT
    newest_first = sorted(((at, name) for name, at in shelf.written()), reverse=True)
    kept = [name for at, name in newest_first[:MOST_KEPT] if at >= limit]
    for _at, name in newest_first[len(kept) :]:
        shelf.delete(name)
    return len(newest_first) - len(kept)
