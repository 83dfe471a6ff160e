"""The shelves: finished prints and finished pictures, each under the key of its content.

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
from printing.line import Kind

logger = logging.getLogger(__name__)

MOST_KEPT = 500
# Seconds for which a print is kept: it may name people whose accounts are deleted since.
KEPT = 30 * 24 * 3600
# A process stores this many prints before it looks through the shelf again, so that a bucket is not
# listed for every print.
BETWEEN_TIDYING = 50

SHELVES = ("prints", "previews")

_kept = itertools.count(1)


def _shelf(kind: Kind) -> FileStore:
    return file_store("previews" if kind == "picture" else "prints")


def _name(key: str, kind: Kind) -> str:
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    return f"{key}.png" if kind == "picture" else f"{key}.pdf"


def read_print(key: str, kind: Kind = "sheet") -> bytes | None:
    """Return the print stored under ``key``; None if there is none, or none any more.

    A damaged print is deleted. One that cannot be read counts as missing, and is printed again.
    """
    name = _name(key, kind)
    try:
        stored = _shelf(kind).read(name)
    except OSError:
        logger.exception("The print %s cannot be read", name)
        return None
    printed = None if stored is None else unseal(stored)
    if stored is not None and printed is None:
        logger.error("The print %s is spoiled, and is thrown away", name)
        with suppress(OSError):
            _shelf(kind).delete(name)
    return printed


def store(key: str, printed: bytes, kind: Kind = "sheet") -> None:
    """Store a print, and now and then delete the oldest. Raises OSError."""
    _shelf(kind).write(_name(key, kind), seal(printed))
    if next(_kept) % BETWEEN_TIDYING == 0:
        tidy()


def tidy() -> int:
    """Delete prints older than KEPT, and the oldest beyond MOST_KEPT on each shelf, and return how
    many. Raises OSError."""
    return sum(_tidy(file_store(shelf)) for shelf in SHELVES)


def _tidy(shelf: FileStore) -> int:
    limit = time.time() - KEPT
    newest_first = sorted(((at, name) for name, at in shelf.written()), reverse=True)
    kept = [name for at, name in newest_first[:MOST_KEPT] if at >= limit]
    for _at, name in newest_first[len(kept) :]:
        shelf.delete(name)
    return len(newest_first) - len(kept)
