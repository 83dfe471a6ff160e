"""Ask for prints: jobs wait in line, the press prints one at a time, and no page waits long.

The line is in the database (``printing.line``), so that any process of any machine takes the next
job and knows its progress. In each process that receives a request, a thread takes jobs to the
machine's press (``printing.press.worker``) and their PDFs to the shelf, until the line is empty. A
request waits a moment; if a sheet takes longer, or is further back in line, the page asks again.
Pictures, which programs ask for, are taken before sheets, and their requests wait longer. Books
have a line and a press of their own, so that no sheet waits behind one; that press ends when it has
nothing to do.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import cast

from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.utils import timezone

from common.files import unseal
from common.storages import store as file_store
from printing import cache as printing_cache
from printing import line
from printing.line import Full, Kind
from printing.models import PrintJob
from printing.press.jobs import Job, unpack_job
from printing.press.worker import Died, Failed, Worker

logger = logging.getLogger(__name__)

# The most requests of each kind that wait at the same time. All others get the state of their job:
# the threads are for pages.
MOST_WAITING = 2
# Seconds that a background job waits for its picture.
LONGEST_WAIT = 120
# Seconds that a book may take, and seconds for which every request for it gets its failure.
LONGEST_BOOK = 900
FAILED_BOOK = 60
# Seconds after which the press for books ends if there are no books to print.
IDLE_BOOKS = 10
# Seconds between two signs of life of a press, and after which a silent one is dead.
BEAT = 2.0
DEAD = 10.0
# Seconds between two looks at another process's press, by a request that waits for a print and by a
# press that has nothing to do.
LOOK, LOOK_IDLE = 0.25, 1.0


class Busy(Exception):
    """Raised when too many jobs are in line."""


class Unavailable(Exception):
    """Raised when nothing can be put in line because the database does not accept it."""


class Waiting(Exception):
    """Raised when the job is not printed yet; ``before``: how many jobs are printed first;
    ``pages``: how many of its own are set already; ``waited``: whether this request waited as long
    as it may.
    """

    def __init__(self, before: int, pages: int = 0, *, waited: bool = False) -> None:
        super().__init__(before, pages)
        self.before = before
        self.pages = pages
        self.waited = waited


@dataclass
class _Queue:
    """The state of the lines of one press in this process.

    ``kinds``: of jobs, the first of which are taken first; ``waiting``: how many requests wait for
    each; ``rendering``: the keys of the jobs that are being rendered here; ``pages``: how many
    pages of the job at our press are set; ``remembers``: for how many seconds every request gets a
    failure, 0 if only the first does; ``finished``: counts the jobs that our press has done;
    ``asked``: whether there may be something to do that our thread has not seen; ``at_press``: held
    while the press is in use; ``seen``: for jobs at other presses, the last number of beats and
    when it changed.
    """

    kinds: Sequence[Kind] = ("picture", "sheet")
    remembers: float = 0
    worker: Worker = field(default_factory=Worker)
    press: str = field(default_factory=lambda: uuid.uuid4().hex)
    changed: threading.Condition = field(default_factory=threading.Condition)
    rendering: set[str] = field(default_factory=set)
    waiting: Counter[Kind] = field(default_factory=Counter)
    finished: int = 0
    pages: int = 0
    asked: bool = False
    thread: threading.Thread | None = None
    at_press: threading.Lock = field(default_factory=threading.Lock)
    seen: dict[int, tuple[int, float]] = field(default_factory=dict)
    # The clock that measures how long a press has been silent.
    clock: Callable[[], float] = monotonic

    def abandoned(self, row: PrintJob) -> bool:
        """Whether the press that has this job has been silent for too long.

        Its beats are counted, so that differences between the machines' clocks do not matter.
        """
        beats, since = self.seen.get(row.pk, (-1, 0.0))
        if beats != row.beats:
            self.seen[row.pk] = row.beats, self.clock()
            return False
        return self.clock() - since > DEAD


def _book_queue(worker: Worker | None = None) -> _Queue:
    return _Queue(("book",), FAILED_BOOK, worker or Worker(LONGEST_BOOK, IDLE_BOOKS))


def open_presses() -> None:
    """Let this process and its later children share one press for sheets, which is started now, and
    one for books, which is started when it is needed.
    """
    _sheets.worker.open(start=True)
    _books.worker.open()


# Whether this process is about to end.
_closing = threading.Event()
_sheets = _Queue()
_books = _book_queue()


def ask(
    key: str,
    job: Callable[[], Job],
    kind: Kind = "sheet",
    *,
    for_visitor: bool = False,
    in_background: bool = False,
) -> bytes:
    """Return the print under ``key``: from the shelf, or printed within settings.PRINT_PATIENCE, or
    settings.PICTURE_PATIENCE for a picture.

    ``job``: renders the content; called only if the print is neither on the shelf nor in line, and
    by only one of several requests to this process. ``kind``: a book may take minutes.
    ``for_visitor``: the reader has no account; there is less room for those. ``in_background``: no
    reader waits, so the call waits for LONGEST_WAIT. Raises Waiting if it will take longer,
    Busy if too many others do, Unavailable if the database does not accept it, Died if presses died
    of it, and Failed if it cannot be printed; asking again tries again, for a book only after a
    while.
    """
    found = printing_cache.read_print(key, kind)
    if found is not None:
        return found
    # The time for rendering the job counts.
    patience = settings.PICTURE_PATIENCE if kind == "picture" else settings.PRINT_PATIENCE
    deadline = monotonic() + (LONGEST_WAIT if in_background else patience)
    queue = _books if kind == "book" else _sheets
    if connection.in_atomic_block:
        # No press sees a job that was put in line in a transaction before that ends.
        return _printed(queue, key, kind, job())
    try:
        _line_up(queue, key, kind, job, for_visitor=for_visitor)
        waited = _wait(queue, key, deadline, None if in_background else kind)
        row = line.find(key)
        if row is None:
            found = printing_cache.read_print(key, kind)
            if found is not None:
                return found
            raise Waiting(0)
        _raise_failure(queue, row)
        raise Waiting(*_place(queue, row), waited=waited)
    except Full as error:
        raise Busy from error
    except DatabaseError as error:
        logger.exception("The line of prints is unavailable")
        raise Unavailable from error


def _line_up(
    queue: _Queue, key: str, kind: Kind, job: Callable[[], Job], *, for_visitor: bool
) -> None:
    """Put a job in line unless it is there, and start the thread. Raises Failed, and Full."""
    with queue.changed:
        mine = key not in queue.rendering
        if mine:
            queue.rendering.add(key)
    if not mine:
        return
    try:
        row = line.find(key)
        if row is not None:
            _raise_failure(queue, row)
        if row is None or row.failed_at:
            others = len(queue.rendering) - 1
            line.check_room(kind, for_visitor=for_visitor, more=others)
            line.add(key, kind, job(), for_visitor=for_visitor)
    finally:
        with queue.changed:
            queue.rendering.discard(key)
            queue.changed.notify_all()
    _set_to_work(queue)


def _raise_failure(queue: _Queue, row: PrintJob) -> None:
    """Raise Failed if the job failed recently, and forget the failure if no other reader gets
    it.
    """
    if row.failed_at is None:
        return
    # If the clock was set back since then, no reader has to wait.
    late = not timedelta() <= timezone.now() - row.failed_at < timedelta(seconds=queue.remembers)
    if late:
        line.forget(row)
    if not (late and queue.remembers):
        raise Died if row.failure == Died.WORDS else Failed(row.failure)


def _place(queue: _Queue, row: PrintJob) -> tuple[int, int]:
    """Return how many jobs come before this one, and how many of its own pages are set."""
    if not row.press:
        return line.before(row), 0
    return 0, queue.pages if row.press == queue.press else row.pages


def _wait(queue: _Queue, key: str, deadline: float, kind: Kind | None) -> bool:
    """Wait until the job is done, or the deadline, unless enough others wait; return whether it was
    the deadline. ``kind``: of the job that a request waits for, None in the background.
    """
    with queue.changed:
        if kind is not None and queue.waiting[kind] >= MOST_WAITING:
            return False
        if kind is not None:
            queue.waiting[kind] += 1
    try:
        while monotonic() < deadline:
            with queue.changed:
                finished = queue.finished
                rendering = key in queue.rendering
            if not rendering:
                row = line.find(key)
                if row is None or row.failed_at:
                    return False
            with queue.changed:
                queue.changed.wait_for(
                    lambda seen=finished: queue.finished != seen,  # type: ignore[misc]
                    timeout=max(0, min(LOOK, deadline - monotonic())),
                )
        return True
    finally:
        if kind is not None:
            with queue.changed:
                queue.waiting[kind] -= 1


def _set_to_work(queue: _Queue) -> None:
    """Let our thread look at the line, if it does not do so already."""
    with queue.changed:
        queue.asked = True
        if queue.thread is None or not queue.thread.is_alive():
            queue.thread = threading.Thread(
                target=_run, args=(queue,), name="print queue", daemon=True
            )
            queue.thread.start()
        queue.changed.notify_all()


def _forked() -> None:
    # A child process has no thread, but it shares the way to the press.
    global _sheets, _books
    _sheets, _books = _Queue(worker=_sheets.worker), _book_queue(_books.worker)


os.register_at_fork(after_in_child=_forked)


def _run(queue: _Queue) -> None:
    """Print the jobs in line, and end when there are none, so that an idle site makes no queries.
    While others print, their presses are watched.
    """
    try:
        while not _closing.is_set():
            with queue.changed:
                queue.asked = False
            row = line.take(queue.kinds, queue.press, queue.abandoned)
            if row is not None:
                _print(queue, row)
                continue
            empty = line.is_empty(queue.kinds)
            with queue.changed:
                if queue.asked:
                    continue
                if empty:
                    queue.thread = None
                    queue.seen.clear()
                    return
                queue.changed.wait_for(lambda: queue.asked, timeout=LOOK_IDLE)
        queue.thread = None
    except DatabaseError:
        # The next request tries again.
        logger.exception("The line of prints is unavailable")
    finally:
        connections.close_all()


def _print(queue: _Queue, row: PrintJob) -> None:
    """Print a job that this process has taken."""
    started, failure = time.monotonic(), ""
    try:
        if row.tries > line.MOST_TRIES:
            raise Died
        with _alive(queue, row):
            _printed(queue, row.key, cast(Kind, row.kind), unpack_job(bytes(row.job)))
    except (Failed, OSError, ValueError) as error:
        if _closing.is_set():
            # Our press was ended with this process in the middle of the job: another one takes
            # over.
            return
        failure = str(error) or type(error).__name__
        logger.exception("A print failed after %.1f s", time.monotonic() - started)
    try:
        if failure:
            line.fail(row, failure)
        else:
            line.finish(row)
    finally:
        with queue.changed:
            queue.pages = 0
            queue.finished += 1
            queue.changed.notify_all()


def _printed(queue: _Queue, key: str, kind: Kind, job: Job) -> bytes:
    """Return the print of a job, stored on the shelf unless it is there already. Raises Failed, and
    OSError if it cannot be stored.
    """

    def count(pages: int) -> None:
        queue.pages = pages

    with queue.at_press:
        printed = printing_cache.read_print(key, kind)
        if printed is None:
            printed = queue.worker.print(job, shown_pictures(job), count)
            printing_cache.store(key, printed, kind)
    return printed


def shown_pictures(job: Job) -> Mapping[str, bytes]:
    """Return the pictures that a job shows, without deleted ones. Raises OSError."""
    pictures = file_store("pictures")
    found = {name: pictures.read(name) for name in job.pictures}
    return {name: unseal(file) or file for name, file in found.items() if file is not None}


@contextmanager
def _alive(queue: _Queue, row: PrintJob) -> Iterator[None]:
    """Report that our press is alive, and how many pages it has set, until the print is done. Short
    prints report nothing.
    """
    done = threading.Event()

    def beat() -> None:
        try:
            while not done.wait(BEAT):
                try:
                    line.beat(row, queue.pages)
                except DatabaseError:
                    logger.warning("The press cannot report its progress", exc_info=True)
        finally:
            connections.close_all()

    beating = threading.Thread(target=beat, name="print beat", daemon=True)
    beating.start()
    try:
        yield
    finally:
        done.set()
        beating.join()


@atexit.register
def close() -> None:
    """Let go of the presses, which end with the site."""
    _closing.set()
    _sheets.worker.stop()
    _books.worker.stop()
