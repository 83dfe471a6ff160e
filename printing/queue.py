"""The print room: jobs stand in line, one is printed at a time, and pages never wait for long.

A thread takes the jobs to the press's process and their PDFs to the shelf. Whoever asks waits a
moment; a sheet that takes longer, or stands further back in the line, is asked for again. Books
have a line and a press of their own, so that no sheet stands behind one.
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
# Seconds that a book may take, and for which all who wait for one are told that it failed.
LONGEST_BOOK = 900
FAILED_BOOK = 60


class Busy(Exception):
    """Too many jobs stand in line."""


class Waiting(Exception):
    """The job is not printed yet; ``before``: how many jobs are printed first; ``pages``: how many
    of its own are set already."""

    def __init__(self, before: int, pages: int = 0) -> None:
        super().__init__(before, pages)
        self.before = before
        self.pages = pages


@dataclass
class _Room:
    """The line of one process: jobs in the order in which they came in, the first at the press.

    ``drawing``: the keys of those that are just being drawn; ``pages``: how many of the first are
    set; ``failed``: why, and when; ``remembers``: for how many seconds everybody is told of a
    failure, 0 if only the first who asks.
    """

    changed: threading.Condition = field(default_factory=threading.Condition)
    line: dict[str, Job] = field(default_factory=dict)
    drawing: set[str] = field(default_factory=set)
    pages: int = 0
    failed: dict[str, tuple[str, float]] = field(default_factory=dict)
    remembers: float = 0
    waiting: int = 0
    worker: Worker = field(default_factory=Worker)
    thread: threading.Thread | None = None

    def has(self, key: str) -> bool:
        """Whether the job is drawn, stands in line, or is printed."""
        return key in self.line or key in self.drawing


def _bindery() -> _Room:
    return _Room(worker=Worker(LONGEST_BOOK), remembers=FAILED_BOOK)


_room = _Room()
_books = _bindery()


def ask(key: str, job: Callable[[], Job], *, book: bool = False) -> bytes:
    """The PDF under ``key``: from the shelf, or printed, which may be waited for.

    ``job``: draws what is printed; called only if it neither lies on the shelf nor stands in line,
    and by one of those who ask at once. ``book``: it may take minutes. Raises Waiting if it will
    take longer, Busy if too many others do, and Failed if it cannot be printed; asking again tries
    again, in the case of a book after a while.
    """
    found = shelf.kept(key)
    if found is not None:
        return found
    room = _open(_books if book else _room)
    with room.changed:
        _tell_failure(room, key)
        mine = not room.has(key)
        if mine and len(room.line) + len(room.drawing) >= MOST_JOBS:
            raise Busy
        if mine:
            room.drawing.add(key)
    if mine:
        _draw(room, key, job)
    with room.changed:
        _wait(room, key)
        _tell_failure(room, key)
        if room.has(key):
            before = list(room.line).index(key) if key in room.line else len(room.line)
            raise Waiting(before, 0 if before else room.pages)
    found = shelf.kept(key)
    if found is None:
        raise Waiting(0)
    return found


def _draw(room: _Room, key: str, job: Callable[[], Job]) -> None:
    """Draw a job and put it in line."""
    drawn = None
    try:
        drawn = job()
    finally:
        with room.changed:
            room.drawing.discard(key)
            if drawn is not None:
                room.line[key] = drawn
            room.changed.notify_all()


def _tell_failure(room: _Room, key: str) -> None:
    """Raise Failed if the job has failed of late."""
    if key not in room.failed:
        return
    why, at = room.failed[key]
    late = time.monotonic() - at > room.remembers
    if late:
        del room.failed[key]
    if not (late and room.remembers):
        raise Failed(why)


def _wait(room: _Room, key: str) -> None:
    """Wait for a moment until the job is done, unless enough others wait."""
    if room.waiting >= MOST_WAITING:
        return
    room.waiting += 1
    try:
        room.changed.wait_for(lambda: not room.has(key), timeout=settings.PRINT_PATIENCE)
    finally:
        room.waiting -= 1


def _open(room: _Room) -> _Room:
    """The room, with its thread at work."""
    with room.changed:
        if room.thread is None or not room.thread.is_alive():
            room.thread = threading.Thread(
                target=_run, args=(room,), name="print room", daemon=True
            )
            room.thread.start()
    return room


def _forked() -> None:
    # The child has neither the thread nor a press of its own.
    global _room, _books
    _room, _books = _Room(), _bindery()


os.register_at_fork(after_in_child=_forked)


def _run(room: _Room) -> None:
    while True:
        with room.changed:
            room.changed.wait_for(lambda: room.line)
            key, job = next(iter(room.line.items()))
        started, failure = time.monotonic(), ""
        try:
            _print(room, key, job)
        except (Failed, OSError) as error:
            failure = str(error) or type(error).__name__
            logger.exception("A print failed after %.1f s", time.monotonic() - started)
        with room.changed:
            del room.line[key]
            room.pages = 0
            if failure:
                room.failed[key] = failure, time.monotonic()
                while len(room.failed) > MOST_FAILURES:
                    del room.failed[next(iter(room.failed))]
            room.changed.notify_all()


def _print(room: _Room, key: str, job: Job) -> None:
    """Print the first job, unless another process of the site has just done it."""

    def told(pages: int) -> None:
        room.pages = pages

    with shelf.claimed(key):
        if shelf.kept(key) is None:
            shelf.keep(key, room.worker.print(job, told))


@atexit.register
def close() -> None:
    """End the presses' processes."""
    _room.worker.stop()
    _books.worker.stop()
