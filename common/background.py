"""Background jobs: rows of one table (``Job``), carried out in lanes.

A job is stored in the transaction that requests it. After the commit, any process of the site can
take it, by being the first to move the row's ``next_at`` on; if that process dies, another takes
the job later. Each process has a thread for each lane, so a slow lane, or one whose server is down,
delays no other.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.utils import timezone

from common.models import Job
from common.origin import origin

logger = logging.getLogger(__name__)

# Seconds between two looks for due jobs. No period is shorter.
LOOKS_EVERY = 30
# Repeat a periodic job after this time if it failed or its process died, unless its period is
# shorter.
AGAIN_AFTER = timedelta(hours=1)
# Processes that may end during the same one-off job, one after the other, before it is given up.
MOST_DEATHS = 3
# Characters of an exception that are stored with the failed job.
LONGEST_ERROR = 1000
# Administrators see finished and abandoned jobs for this long.
REMEMBERED = timedelta(days=7)


@dataclass(frozen=True)
class Lane:
    """A kind of work with its own thread, which never waits for other lanes.

    ``taken_for``: a process that has neither finished a job within this time nor renewed its lease
    counts as dead. A failed job is retried after ``first_pause``, then after twice as long each
    time up to ``longest_pause``, and abandoned after ``given_up_after``. ``session``: a context
    entered around all due jobs. ``remembers``: whether a finished job's row is kept for
    ``REMEMBERED``.
    """

    name: str
    taken_for: timedelta = timedelta(minutes=2)
    first_pause: timedelta = timedelta(minutes=1)
    longest_pause: timedelta = timedelta(hours=1)
    given_up_after: timedelta = timedelta(days=3)
    session: Callable[[], AbstractContextManager[object]] = nullcontext
    remembers: bool = False

    def pause(self, tries: int) -> timedelta:
        """Return the pause after this number of failed tries."""
        return min(self.first_pause * (1 << min(tries - 1, 20)), self.longest_pause)


# One-off jobs and periodic jobs.
WORK = Lane("work")
PERIODIC = Lane("periodic")


class TryLater(Exception):
    """Raised ``from`` the reason why a job cannot be done now, if that is not a bug.

    ``blocked``: whether the same reason stops all other jobs of the lane; ``after``: the pause
    before the next try, if it is not the lane's; ``tries``: the number that counts as the job's
    failed tries, if the job waits for something that others wait for, too: all of them keep their
    order.
    """

    def __init__(
        self, *, blocked: bool, after: timedelta | None = None, tries: int | None = None
    ) -> None:
        super().__init__()
        self.blocked = blocked
        self.after = after
        self.tries = tries


@dataclass(frozen=True)
class _Work:
    """A registered kind of job; ``period`` is None for one-off jobs. ``given_up``: called with a
    job that is given up."""

    lane: Lane
    function: Callable[[Job], object]
    period: timedelta | None = None
    given_up: Callable[[Job], object] | None = None

    @property
    def taken_for(self) -> timedelta:
        """Another process takes a job that is unfinished after this time, unless the job renews its
        lease (``renew_lease``)."""
        if self.period is None:
            return self.lane.taken_for
        return min(max(self.period, self.lane.taken_for), AGAIN_AFTER)


class LostLease(Exception):
    """Raised in a job that has not renewed its lease in time: another process has taken it."""


@dataclass
class _Lease:
    """The right of this process to carry out a job, until ``taken_for`` after its last renewal."""

    job: Job
    taken_for: timedelta
    renewed_at: float

    @property
    def row(self) -> QuerySet[Job]:
        """The job's row, as long as no other process has taken it."""
        return Job.objects.filter(pk=self.job.pk, started_at=self.job.started_at)

    def renew(self) -> None:
        """Extend the lease after a quarter of its time. Raises LostLease."""
        if monotonic() - self.renewed_at < self.taken_for.total_seconds() / 4:
            return
        if not self.row.update(next_at=timezone.now() + self.taken_for):
            raise LostLease(f"Another process has taken the job {self.job.kind}.")
        self.renewed_at = monotonic()


# The lease of the job that this thread carries out.
_lease: ContextVar[_Lease | None] = ContextVar("lease", default=None)

_works: dict[str, _Work] = {}


def _register(kind: str, work: _Work) -> None:
    if kind in _works:
        raise ValueError(f"A job of the kind {kind} is already registered.")
    _works[kind] = work


def carries_out[R](
    kind: str, lane: Lane = WORK, *, given_up: Callable[[Job], object] | None = None
) -> Callable[[Callable[[Job], R]], Callable[[Job], R]]:
    """Register the decorated function for jobs of this kind.

    A job is retried if the function raises anything. ``given_up`` is called with a job that is not
    retried any more, or that an administrator deletes, so that nobody's page waits for it forever.
    Raises ValueError if the kind is taken.
    """

    def register(function: Callable[[Job], R]) -> Callable[[Job], R]:
        _register(kind, _Work(lane, function, given_up=given_up))
        return function

    return register


def every[R](
    seconds: int, name: str, lane: Lane = PERIODIC
) -> Callable[[Callable[[], R]], Callable[[], R]]:
    """Call the decorated function every ``seconds`` in some process of the site.

    A function that takes long needs a ``lane`` of its own, so that it delays no other.

    The first call follows soon after installation.

    A failure is logged and stored (``periodic_jobs``), and the job is repeated after its period, or
    after an hour if that is sooner. Another process starts a job again that has run for its
    period, for two minutes at least and an hour at most, unless it calls ``renew_lease`` between
    its pieces. Raises ValueError if the name is taken.
    """

    def register(function: Callable[[], R]) -> Callable[[], R]:
        _register(name, _Work(lane, lambda job: function(), timedelta(seconds=seconds)))
        return function

    return register


def make_job(kind: str, title: str = "", **body: Any) -> Job:
    """Make an unsaved job that belongs to the current request."""
    return Job(kind=kind, title=title, origin=origin.get(), body=body)


def add_jobs(jobs: Iterable[Job]) -> None:
    """Store jobs; they are carried out after the transaction commits."""
    rows = Job.objects.bulk_create(jobs)
    for lane in {_works[row.kind].lane for row in rows}:
        transaction.on_commit(partial(_wake, lane), robust=True)


def retry(job: Job) -> None:
    """Retry a waiting job as soon as the transaction commits."""
    waiting = Job.objects.waiting().filter(pk=job.pk)
    if waiting.update(next_at=timezone.now()) and job.kind in _works:
        transaction.on_commit(partial(_wake, _works[job.kind].lane), robust=True)


def forget(job: Job) -> None:
    """Delete a job; a waiting one is given up."""
    with transaction.atomic():
        row = Job.objects.select_for_update().filter(pk=job.pk).first()
        if row is not None and row.next_at is not None and row.kind in _works:
            _tell_given_up(row, _works[row.kind])
        job.delete()


def renew_lease() -> None:
    """Extend the time for which this process has the current job, so that no other process starts
    it, too: a long job calls this between its pieces. Does nothing outside a job.

    At most one query in a quarter of that time. Raises LostLease if another process has the job.
    """
    lease = _lease.get()
    if lease is not None:
        lease.renew()


def resume_place() -> str:
    """Return the place where the last run of the current periodic job stopped, or ""."""
    lease = _lease.get()
    return place_of(lease.job) if lease is not None else ""


def note_progress(*, place: str = "", backlog: int = 0) -> None:
    """Store how far the current periodic job is: the place where its next run goes on, and the
    number of things that are still to be done. Does nothing outside a job."""
    lease = _lease.get()
    if lease is not None:
        lease.job.body = {"place": place, "backlog": backlog}
        lease.row.update(body=lease.job.body)


def backlog_of(job: Job) -> int:
    """Return the number of things that a periodic job still has to do, or left to later runs."""
    return int(job.body.get("backlog", 0))


def place_of(job: Job) -> str:
    """Return the place that a periodic job has reached, or ""."""
    return str(job.body.get("place", ""))


def is_running(job: Job) -> bool:
    """Whether some process carries out a periodic job now, as far as its lease says."""
    ends = [end for end in (job.finished_at, job.failed_at) if end is not None]
    is_begun = job.started_at is not None and all(end < job.started_at for end in ends)
    return is_begun and job.next_at is not None and job.next_at > timezone.now()


def delay_of(job: Job) -> timedelta:
    """Return for how long a periodic job has been due without a process that carries it out."""
    delay = timedelta() if job.next_at is None else timezone.now() - job.next_at
    return max(delay, timedelta())


def periodic_jobs() -> list[Job]:
    """List the registered periodic jobs that have been due, with their last run and failure."""
    return list(Job.objects.filter(periodic=True, kind__in=_works).order_by("kind"))


def forget_done() -> int:
    """Delete jobs that finished or were abandoned long ago; return their number."""
    old = timezone.now() - REMEMBERED
    return Job.objects.filter(periodic=False, next_at=None, created_at__lt=old).delete()[0]


def carry_out(lane: Lane) -> None:
    """Carry out a lane's due jobs, except jobs that other processes have taken.

    New jobs come before those that have failed, which would delay them at each try; among jobs
    with as many tries, the oldest comes first. A job that blocks the lane ends the round. A job
    whose last processes died is given up: it may be what ends every process.
    """
    works = {kind: work for kind, work in _works.items() if work.lane == lane}
    _add_periodic_jobs(works)
    due = Job.objects.filter(kind__in=works, next_at__lte=timezone.now())
    found = list(due.order_by("tries", "created_at", "pk").values_list("pk", "kind"))
    with lane.session():
        for number, kind in found:
            work = works[kind]
            job = _take(number, work)
            if job is None:
                continue
            if job.deaths and _is_given_up(job, lane):
                ended = ChildProcessError("the process that carried it out ended")
                _store_failure(job, work, ended)
            elif not _try(job, work):
                due.update(next_at=timezone.now() + lane.first_pause)
                break


def _add_periodic_jobs(works: Mapping[str, _Work]) -> None:
    periodic = {kind for kind, work in works.items() if work.period is not None}
    if not periodic:
        return
    known = Job.objects.filter(periodic=True, kind__in=periodic).values_list("kind", flat=True)
    missing = [Job(kind=kind, periodic=True) for kind in sorted(periodic.difference(known))]
    if missing:
        Job.objects.bulk_create(missing, ignore_conflicts=True)


def _take(number: int, work: _Work) -> Job | None:
    """Take a job so that no other process does; None if another was faster.

    The update is the lock.
    """
    now = timezone.now()
    due = Job.objects.filter(pk=number, next_at__lte=now)
    columns: dict[str, Any] = {"next_at": now + work.taken_for, "started_at": now}
    if work.period is None:
        # The last try has neither succeeded nor failed.
        is_unanswered = Q(failed_at=None) | Q(failed_at__lt=F("started_at"))
        died = When(is_unanswered, started_at__isnull=False, then=F("deaths") + 1)
        columns["deaths"] = Case(died, default=0)
    taken = due.update(tries=F("tries") + 1, **columns)
    return Job.objects.filter(pk=number).first() if taken else None


def _try(job: Job, work: _Work) -> bool:
    """Carry out a job and store the outcome; return whether the lane's next job is worth a try."""
    lease = _Lease(job, work.taken_for, monotonic())
    row, token, held = lease.row, origin.set(job.origin), _lease.set(lease)
    try:
        work.function(job)
    except TryLater as later:
        logger.warning("Job %s (%s) cannot be done now: %r", job.pk, job.kind, later.__cause__)
        counted = {} if later.tries is None else {"tries": later.tries}
        _store_failure(job, work, later.__cause__ or later, later.after, **counted)
        return not later.blocked
    except Exception as error:
        logger.exception("Job %s (%s) failed", job.pk, job.kind)
        _store_failure(job, work, error)
        return True
    finally:
        origin.reset(token)
        _lease.reset(held)
    now = timezone.now()
    if work.period is not None:
        next_at = (job.started_at or now) + work.period
        row.update(finished_at=now, failed_at=None, error="", tries=0, next_at=next_at)
    elif work.lane.remembers:
        row.update(finished_at=now, failed_at=None, error="", body={}, next_at=None)
    else:
        row.delete()
    return True


def _is_given_up(job: Job, lane: Lane) -> bool:
    """Whether a job of this lane is given up if it fails now."""
    is_old = timezone.now() - job.created_at > lane.given_up_after
    return is_old or job.deaths >= MOST_DEATHS


def _store_failure(
    job: Job, work: _Work, error: BaseException, after: timedelta | None = None, **counted: int
) -> None:
    """Store that a job failed, unless another process has taken it. ``after``: the pause before the
    next try; ``counted``: further columns."""
    changed = _after_failure(job, work, error, after)
    with transaction.atomic():
        row = Job.objects.filter(pk=job.pk, started_at=job.started_at)
        if row.update(**changed, **counted) and changed["next_at"] is None:
            _tell_given_up(job, work)


def _tell_given_up(job: Job, work: _Work) -> None:
    if work.given_up is None:
        return
    try:
        with transaction.atomic():
            work.given_up(job)
    except Exception:
        # Otherwise the job would be carried out once more, and fail again.
        logger.exception("Could not note that the job %s (%s) is given up", job.pk, job.kind)


def _after_failure(
    job: Job, work: _Work, error: BaseException, after: timedelta | None = None
) -> dict[str, datetime | str | None]:
    """Return the new values of a failed job's row. ``after``: the pause before the next try.

    A periodic job is repeated after its period.
    """
    now = timezone.now()
    words = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
    changed: dict[str, Any] = {"failed_at": now, "error": words}
    if work.period is not None:
        again = (job.started_at or now) + min(work.period, AGAIN_AFTER)
        return {**changed, "next_at": again}
    if _is_given_up(job, work.lane):
        logger.error("Job %s (%s) is given up after %s tries", job.pk, job.kind, job.tries)
        return {**changed, "next_at": None, "body": {}}
    return {**changed, "next_at": now + (after or work.lane.pause(job.tries))}


class _Threads:
    """The threads of this process, one for each lane.

    ``looking``: whether they look for due jobs on their own, or only wait for jobs that this
    process adds.
    """

    def __init__(self) -> None:
        self.looking = False
        self._lock = threading.Lock()
        self._woken: dict[str, threading.Event] = {}

    def look(self) -> None:
        """Start to look for due jobs in every lane."""
        if not self.looking:
            self.looking = True
            for lane in {work.lane for work in _works.values()}:
                self.wake(lane)

    def wake(self, lane: Lane) -> None:
        """Look for due jobs in a lane now, starting its thread if necessary."""
        with self._lock:
            woken = self._woken.get(lane.name)
            if woken is None:
                woken = self._woken[lane.name] = threading.Event()
                run = partial(self._run, lane, woken)
                threading.Thread(target=run, name=lane.name, daemon=True).start()
        woken.set()

    def _run(self, lane: Lane, woken: threading.Event) -> None:
        while True:
            woken.wait(LOOKS_EVERY if self.looking else None)
            woken.clear()
            try:
                carry_out(lane)
            except Exception:
                # The database may be away: keep the thread, but hold no connection.
                logger.exception("Could not run the jobs of the lane %s", lane.name)
            finally:
                connections.close_all()


_threads = _Threads()


def _wake(lane: Lane) -> None:
    if settings.JOBS_IN_THREADS:
        _threads.wake(lane)
    else:
        carry_out(lane)


def start(**_signal: Any) -> None:
    """Let this process look for due jobs, if it does not already.

    Only processes that answer pages do this. A command ends too soon.
    """
    if settings.PERIODIC_JOBS:
        _threads.look()


def _leave_parent() -> None:
    # A forked child has no threads; its parent carries out the jobs that were taken.
    global _threads
    _threads = _Threads()


os.register_at_fork(after_in_child=_leave_parent)
