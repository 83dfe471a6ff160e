"""The print room: jobs stand in line, one is printed at a time, and pages never wait for long.

A thread takes the jobs to the press's process and their PDFs to the shelf. Whoever asks waits a
moment; a sheet that takes longer, or stands further back in the line, is asked for again.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings

from gangs.printing import shelf
from gangs.printing.press import Job
from gangs.printing.worker import Failed, Worker

logger = logging.getLogger(__name__)

# Jobs in line at once; whoever comes then is asked to come back.
MOST_JOBS = 40
# Requests that wait at once. All others are told where they stand: the threads are for pages.
MOST_WAITING = 2
# How many failures are remembered, so that whoever waits is told.
MOST_FAILURES = 100


class Busy(Exception):
    """Too many jobs stand in line."""


class Waiting(Exception):
    """The job is not printed yet; ``before``: how many jobs are printed first."""

    def __init__(self, before: int) -> None:
        super().__init__(before)
        self.before = before


@dataclass
class _Room:
    """The line of one process: jobs in the order in which they came in, the first at the press."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    line: dict[str, Job] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    waiting: int = 0
    worker: Worker = field(default_factory=Worker)
    thread: threading.Thread | None = None


_room = _Room()


def ask(key: str, job: Callable[[], Job]) -> bytes:
    """The PDF under ``key``: from the shelf, or printed, which may be waited for.

    ``job``: draws what is printed; called only if it neither lies on the shelf nor stands in line.
    Raises Waiting if it will take longer, Busy if too many others do, and Failed if it cannot be
    printed; asking again tries again.
    """
    found = shelf.kept(key)
    if found is not None:
        return found
    room = _open()
    with room.changed:
        known = key in room.line
        if not known and len(room.line) >= MOST_JOBS:
            raise Busy
    drawn = None if known else job()
    with room.changed:
        if drawn is not None and key not in room.line:
            room.line[key] = drawn
            room.changed.notify_all()
        _wait(room, key)
        if key in room.failed:
            raise Failed(room.failed.pop(key))
        if key in room.line:
            raise Waiting(list(room.line).index(key))
    found = shelf.kept(key)
    if found is None:
        raise Waiting(0)
    return found


def _wait(room: _Room, key: str) -> None:
    """Wait for a moment until the job is done, unless enough others wait."""
    if room.waiting >= MOST_WAITING:
        return
    room.waiting += 1
    try:
        room.changed.wait_for(lambda: key not in room.line, timeout=settings.PRINT_PATIENCE)
    finally:
        room.waiting -= 1


def _open() -> _Room:
    """The room, with its thread at work."""
    room = _room
    with room.changed:
        if room.thread is None or not room.thread.is_alive():
            room.thread = threading.Thread(
                target=_run, args=(room,), name="print room", daemon=True
            )
            room.thread.start()
    return room


def _forked() -> None:
    # The child has neither the thread nor a press of its own.
    global _room
    _room = _Room()


os.register_at_fork(after_in_child=_forked)


def _run(room: _Room) -> None:
    while True:
        with room.changed:
            room.changed.wait_for(lambda: room.line)
            key, job = next(iter(room.line.items()))
        started, failure = time.monotonic(), ""
        try:
            shelf.keep(key, room.worker.print(job))
        except (Failed, OSError) as error:
            failure = str(error) or type(error).__name__
            logger.exception("A print failed after %.1f s", time.monotonic() - started)
        with room.changed:
            del room.line[key]
            if failure:
                room.failed[key] = failure
                while len(room.failed) > MOST_FAILURES:
                    del room.failed[next(iter(room.failed))]
            room.changed.notify_all()


@atexit.register
def close() -> None:
    """End the press's process."""
    _room.worker.stop()
