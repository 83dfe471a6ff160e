"""The print queue: jobs stand in line, one is printed at a time, and pages never wait for long.

A thread takes the jobs to the press's process and their PDFs to the cache. Whoever asks waits a
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

from printing import cache as printing_cache
from printing.press import Job
from printing.worker import Failed, Worker

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
class _Queue:
    """The line of one process: jobs in the order in which they came in, the first at the press.

    ``rendering``: the keys of those that are just being rendered; ``pages``: how many of the first
    are set; ``failed``: why, and when; ``remembers``: for how many seconds everybody is told of a
    failure, 0 if only the first who asks.
    """

    changed: threading.Condition = field(default_factory=threading.Condition)
    line: dict[str, Job] = field(default_factory=dict)
    rendering: set[str] = field(default_factory=set)
    pages: int = 0
    failed: dict[str, tuple[str, float]] = field(default_factory=dict)
    remembers: float = 0
    waiting: int = 0
    worker: Worker = field(default_factory=Worker)
    thread: threading.Thread | None = None

    def has(self, key: str) -> bool:
        """Whether the job is rendered, stands in line, or is printed."""
        return key in self.line or key in self.rendering


def _book_queue() -> _Queue:
    return _Queue(worker=Worker(LONGEST_BOOK), remembers=FAILED_BOOK)


_sheets = _Queue()
_books = _book_queue()


def ask(key: str, job: Callable[[], Job], *, book: bool = False) -> bytes:
    """The PDF under ``key``: from the cache, or printed, which may be waited for.

    ``job``: renders what is printed; called only if that is neither cached nor stands in line,
    and by one of those who ask at once. ``book``: it may take minutes. Raises Waiting if it will
    take longer, Busy if too many others do, and Failed if it cannot be printed; asking again tries
    again, in the case of a book after a while.
    """
    found = printing_cache.read(key)
    if found is not None:
        return found
    queue = _open(_books if book else _sheets)
    with queue.changed:
        _raise_failure(queue, key)
        mine = not queue.has(key)
        if mine and len(queue.line) + len(queue.rendering) >= MOST_JOBS:
            raise Busy
        if mine:
            queue.rendering.add(key)
    if mine:
        _render(queue, key, job)
    with queue.changed:
        _wait(queue, key)
        _raise_failure(queue, key)
        if queue.has(key):
            before = list(queue.line).index(key) if key in queue.line else len(queue.line)
            raise Waiting(before, 0 if before else queue.pages)
    found = printing_cache.read(key)
    if found is None:
        raise Waiting(0)
    return found


def _render(queue: _Queue, key: str, job: Callable[[], Job]) -> None:
    """Draw a job and put it in line."""
    rendered = None
    try:
        rendered = job()
    finally:
        with queue.changed:
            queue.rendering.discard(key)
            if rendered is not None:
                queue.line[key] = rendered
            queue.changed.notify_all()


def _raise_failure(queue: _Queue, key: str) -> None:
    """Raise Failed if the job has failed of late."""
    if key not in queue.failed:
        return
    why, at = queue.failed[key]
    late = time.monotonic() - at > queue.remembers
    if late:
        del queue.failed[key]
    if not (late and queue.remembers):
        raise Failed(why)


def _wait(queue: _Queue, key: str) -> None:
    """Wait for a moment until the job is done, unless enough others wait."""
    if queue.waiting >= MOST_WAITING:
        return
    queue.waiting += 1
    try:
        queue.changed.wait_for(lambda: not queue.has(key), timeout=settings.PRINT_PATIENCE)
    finally:
        queue.waiting -= 1


def _open(queue: _Queue) -> _Queue:
    """The queue, with its thread at work."""
    with queue.changed:
        if queue.thread is None or not queue.thread.is_alive():
            queue.thread = threading.Thread(
                target=_run, args=(queue,), name="print queue", daemon=True
            )
            queue.thread.start()
    return queue


def _forked() -> None:
    # The child has neither the thread nor a press of its own.
    global _sheets, _books
    _sheets, _books = _Queue(), _book_queue()


os.register_at_fork(after_in_child=_forked)


def _run(queue: _Queue) -> None:
    while True:
        with queue.changed:
            queue.changed.wait_for(lambda: queue.line)
            key, job = next(iter(queue.line.items()))
        started, failure = time.monotonic(), ""
        try:
            _print(queue, key, job)
        except (Failed, OSError) as error:
            failure = str(error) or type(error).__name__
            logger.exception("A print failed after %.1f s", time.monotonic() - started)
        with queue.changed:
            del queue.line[key]
            queue.pages = 0
            if failure:
                queue.failed[key] = failure, time.monotonic()
                while len(queue.failed) > MOST_FAILURES:
                    del queue.failed[next(iter(queue.failed))]
            queue.changed.notify_all()


def _print(queue: _Queue, key: str, job: Job) -> None:
    """Print the first job, unless another process of the site has just done it."""

    def count(pages: int) -> None:
        queue.pages = pages

    with printing_cache.claimed(key):
        if printing_cache.read(key) is None:
            printing_cache.store(key, queue.worker.print(job, count))


@atexit.register
def close() -> None:
    """End the presses' processes."""
    _sheets.worker.stop()
    _books.worker.stop()
