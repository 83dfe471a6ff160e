"""Work that no visitor waits for: rows of one table (``Job``), carried out in lanes.

A job is stored in the transaction that asks for it, and carried out after that by whichever process
of the site takes it: the one that moves its row on. If that process dies, another takes the job
after a while. In each process a thread of its own serves each lane, so a lane that is slow, or
whose server is out of order, delays no other.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.db.models import F
from django.utils import timezone

from common.models import Job
from common.origin import origin

logger = logging.getLogger(__name__)

# Seconds after which a process looks again whether a job is due. No period is shorter.
LOOKS_EVERY = 30
# After this a periodic job that failed, or whose process died, is done again, if its period is no
# shorter.
AGAIN_AFTER = timedelta(hours=1)
# How much of an exception is kept with the job that raised it.
LONGEST_ERROR = 1000
# How long administrators see which jobs were done or given up.
REMEMBERED = timedelta(days=7)


@dataclass(frozen=True)
class Lane:
    """A sort of work that waits for nothing but itself.

    ``taken_for``: a process finishes a job within this time, or has died. A job that failed is
    tried again after ``first_pause``, then after twice as long each time, up to ``longest_pause``,
    and given up after ``given_up_after``. ``session``: entered around all jobs that are due.
    ``remembers``: whether a job's row stays for ``REMEMBERED`` after it is done.
    """

    name: str
    taken_for: timedelta = timedelta(minutes=2)
    first_pause: timedelta = timedelta(minutes=1)
    longest_pause: timedelta = timedelta(hours=1)
    given_up_after: timedelta = timedelta(days=3)
    session: Callable[[], AbstractContextManager[object]] = nullcontext
    remembers: bool = False

    def pause(self, tries: int) -> timedelta:
        """How long after the last of so many failed tries the next one follows."""
        return min(self.first_pause * (1 << min(tries - 1, 20)), self.longest_pause)


# What is done once, and what is done again and again.
WORK = Lane("work")
PERIODIC = Lane("periodic")


class TryLater(Exception):
    """Raised ``from`` the reason why a job cannot be done now, where that is no mistake of ours.

    ``blocked``: for that reason no other job of its lane can be done either.
    """

    def __init__(self, *, blocked: bool) -> None:
        super().__init__()
        self.blocked = blocked


@dataclass(frozen=True)
class _Work:
    """A kind of jobs. ``period``: None where each is carried out once."""

    lane: Lane
    function: Callable[[Job], object]
    period: timedelta | None = None

    @property
    def taken_for(self) -> timedelta:
        """After this a job that was taken and not finished is taken by another process."""
        return self.lane.taken_for if self.period is None else min(self.period, AGAIN_AFTER)


_works: dict[str, _Work] = {}


def _register(kind: str, work: _Work) -> None:
    if kind in _works:
        raise ValueError(f"There is a kind of jobs {kind} already.")
    _works[kind] = work


def carries_out[R](
    kind: str, lane: Lane = WORK
) -> Callable[[Callable[[Job], R]], Callable[[Job], R]]:
    """Have jobs of this kind carried out by a function. If it raises anything, the job is tried
    again. Raises ValueError if there is another function for them."""

    def register(function: Callable[[Job], R]) -> Callable[[Job], R]:
        _register(kind, _Work(lane, function))
        return function

    return register


def every[R](seconds: int, name: str) -> Callable[[Callable[[], R]], Callable[[], R]]:
    """Have the site call a function once in so many seconds, wherever it runs; for the first time
    soon after it was installed.

    A failure is logged and kept (``periodic_jobs``), and the job is done again after its period, or
    after an hour if that is sooner. One that takes longer than that may be started a second time
    meanwhile, elsewhere. Raises ValueError if there is another job of this name.
    """

    def register(function: Callable[[], R]) -> Callable[[], R]:
        _register(name, _Work(PERIODIC, lambda job: function(), timedelta(seconds=seconds)))
        return function

    return register


def make_job(kind: str, title: str = "", **body: Any) -> Job:
    """A job for this request, which is not stored yet."""
    return Job(kind=kind, title=title, origin=origin.get(), body=body)


def add_jobs(jobs: Iterable[Job]) -> None:
    """Store jobs, and have them carried out when the transaction is done, and only then."""
    rows = Job.objects.bulk_create(jobs)
    for lane in {_works[row.kind].lane for row in rows}:
        transaction.on_commit(partial(_wake, lane), robust=True)


def retry(job: Job) -> None:
    """Have a job that is still to be done tried as soon as the transaction is done."""
    waiting = Job.objects.waiting().filter(pk=job.pk)
    if waiting.update(next_at=timezone.now()) and job.kind in _works:
        transaction.on_commit(partial(_wake, _works[job.kind].lane), robust=True)


def periodic_jobs() -> list[Job]:
    """Every registered job that has been due once: when it was done last, and whether it failed."""
    return list(Job.objects.filter(periodic=True, kind__in=_works).order_by("kind"))


def forget_done() -> int:
    """Delete what is known of jobs that were done or given up long ago; how many those were."""
    old = timezone.now() - REMEMBERED
    return Job.objects.filter(periodic=False, next_at=None, created_at__lt=old).delete()[0]


def carry_out(lane: Lane) -> None:
    """Carry out the jobs of a lane that are due and that nobody else has taken, the oldest first.
    A blocked lane ends the round."""
    works = {kind: work for kind, work in _works.items() if work.lane == lane}
    _add_periodic_jobs(works)
    due = Job.objects.filter(kind__in=works, next_at__lte=timezone.now())
    found = list(due.order_by("created_at", "pk").values_list("pk", "kind"))
    with lane.session():
        for number, kind in found:
            job = _take(number, works[kind])
            if job is not None and not _try(job, works[kind]):
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
    """The job, which nobody else carries out meanwhile; None if somebody else was faster. The
    update is the lock."""
    now = timezone.now()
    due = Job.objects.filter(pk=number, next_at__lte=now)
    taken = due.update(next_at=now + work.taken_for, started_at=now, tries=F("tries") + 1)
    return Job.objects.filter(pk=number).first() if taken else None


def _try(job: Job, work: _Work) -> bool:
    """Carry a job out, and write down what became of it. Whether others are worth a try now."""
    row, token = Job.objects.filter(pk=job.pk), origin.set(job.origin)
    try:
        work.function(job)
    except TryLater as later:
        logger.warning("Job %s (%s) cannot be done now: %r", job.pk, job.kind, later.__cause__)
        row.update(**_after_failure(job, work, later.__cause__ or later))
        return not later.blocked
    except Exception as error:
        logger.exception("Job %s (%s) failed", job.pk, job.kind)
        row.update(**_after_failure(job, work, error))
        return True
    finally:
        origin.reset(token)
    now = timezone.now()
    if work.period is not None:
        next_at = (job.started_at or now) + work.period
        row.update(finished_at=now, failed_at=None, error="", tries=0, next_at=next_at)
    elif work.lane.remembers:
        row.update(finished_at=now, failed_at=None, error="", body={}, next_at=None)
    else:
        row.delete()
    return True


def _after_failure(job: Job, work: _Work, error: BaseException) -> dict[str, datetime | str | None]:
    """The columns of a job that failed; a periodic one stays due when it was taken for."""
    now = timezone.now()
    words = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
    changed: dict[str, Any] = {"failed_at": now, "error": words}
    if work.period is not None:
        return changed
    if now - job.created_at > work.lane.given_up_after:
        logger.error("Job %s (%s) is given up after %s tries", job.pk, job.kind, job.tries)
        return {**changed, "next_at": None, "body": {}}
    return {**changed, "next_at": now + work.lane.pause(job.tries)}


class _Threads:
    """The threads of one process, one for each lane. ``looking``: whether they look for due jobs
    by themselves; otherwise they wait for jobs that this process adds."""

    def __init__(self) -> None:
        self.looking = False
        self._lock = threading.Lock()
        self._woken: dict[str, threading.Event] = {}

    def look(self) -> None:
        """Look for due jobs in every lane from now on."""
        if not self.looking:
            self.looking = True
            for lane in {work.lane for work in _works.values()}:
                self.wake(lane)

    def wake(self, lane: Lane) -> None:
        """Look for due jobs in a lane now."""
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
                # The database may be away: the thread goes on, and holds no connection meanwhile.
                logger.exception("Jobs of the lane %s could not be carried out", lane.name)
            finally:
                connections.close_all()


_threads = _Threads()


def _wake(lane: Lane) -> None:
    if settings.JOBS_IN_THREADS:
        _threads.wake(lane)
    else:
        carry_out(lane)


def start(**_signal: Any) -> None:
    """Let this process look for due jobs; nothing happens if it does already.

    Processes that answer pages do. A command does not: it ends too soon.
    """
    if settings.PERIODIC_JOBS:
        _threads.look()


def _leave_parent() -> None:
    # The child has no threads, and jobs that were taken are the parent's to do.
    global _threads
    _threads = _Threads()


os.register_at_fork(after_in_child=_leave_parent)
