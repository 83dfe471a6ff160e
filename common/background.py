"""Work that no visitor waits for: one thread of each process carries out tasks and periodic jobs.

Tasks are Django's (``django.tasks``), kept in the memory of the process that was asked for them:
what must not be lost is a row of the database first, and a periodic job finds rows left behind.
Periodic jobs are registered by apps with ``every``. Of all processes and machines one does a job in
its period: the one that moves the job's row on.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.models import F
from django.tasks import Task, TaskResult
from django.tasks.backends.immediate import ImmediateBackend
from django.tasks.base import TaskResultStatus
from django.utils import timezone
from django.utils.crypto import get_random_string

from common.models import PeriodicJob

logger = logging.getLogger(__name__)

# Seconds after which a process looks again whether a periodic job is due. No period is shorter.
LOOKS_EVERY = 30
# After this a job that failed, or whose process died, is done again, if its period is no shorter.
AGAIN_AFTER = timedelta(hours=1)
# How much of an exception is kept with the job that raised it.
LONGEST_ERROR = 1000


@dataclass(frozen=True)
class _Job:
    period: timedelta
    function: Callable[[], object]


_jobs: dict[str, _Job] = {}


def every[R](seconds: int, name: str) -> Callable[[Callable[[], R]], Callable[[], R]]:
    """Have the site call a function once in so many seconds, wherever it runs; for the first time
    soon after it was installed.

    A failure is logged and kept (``periodic_jobs``), and the job is done again after its period, or
    after an hour if that is sooner. One that takes longer than that may be started a second time
    meanwhile, elsewhere. Raises ValueError if there is another job of this name.
    """

    def register(function: Callable[[], R]) -> Callable[[], R]:
        if name in _jobs:
            raise ValueError(f"There is a periodic job {name} already.")
        _jobs[name] = _Job(timedelta(seconds=seconds), function)
        return function

    return register


def periodic_jobs() -> list[PeriodicJob]:
    """Every registered job that has been due once: when it was done last, and whether it failed."""
    return list(PeriodicJob.objects.filter(name__in=_jobs).order_by("name"))


def run_due_jobs() -> None:
    """Do the periodic jobs that are due and that nobody else has taken."""
    now = timezone.now()
    known = dict(PeriodicJob.objects.values_list("name", "next_at"))
    missing = [PeriodicJob(name=name, next_at=now) for name in _jobs if name not in known]
    if missing:
        PeriodicJob.objects.bulk_create(missing, ignore_conflicts=True)
    for name, job in _jobs.items():
        if known.get(name, now) <= now and _take(name, job):
            _do(name, job)


def _take(name: str, job: _Job) -> bool:
    """Whether it is this process that does the job now. The update is the lock."""
    now = timezone.now()
    due = PeriodicJob.objects.filter(name=name, next_at__lte=now)
    return bool(due.update(next_at=now + min(job.period, AGAIN_AFTER), started_at=now))


def _do(name: str, job: _Job) -> None:
    row = PeriodicJob.objects.filter(name=name)
    try:
        job.function()
    except Exception as error:
        logger.exception("The periodic job %s failed", name)
        words = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
        row.update(failed_at=timezone.now(), error=words)
    else:
        row.update(finished_at=timezone.now(), next_at=F("started_at") + job.period)


@dataclass
class _Thread:
    """The thread of one process, and the tasks that wait for it, the oldest first.

    ``periodic``: whether it does periodic jobs as well.
    """

    periodic: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)
    tasks: deque[Callable[[], object]] = field(default_factory=deque)
    thread: threading.Thread | None = None

    def start(self, *, periodic: bool = False) -> None:
        """Let it run. Called by whoever needs it, and so in the process that it is to serve."""
        if self.thread is not None and self.thread.is_alive() and self.periodic >= periodic:
            return
        with self.changed:
            self.periodic = self.periodic or periodic
            self.changed.notify()
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._run, name="background", daemon=True)
                self.thread.start()

    def add(self, task: Callable[[], object]) -> None:
        """Carry out a task when those before it are done."""
        with self.changed:
            self.tasks.append(task)
            self.changed.notify()
        self.start()

    def _run(self) -> None:
        look_at = monotonic()
        while True:
            with self.changed:
                if not self.tasks:
                    self.changed.wait(max(0, look_at - monotonic()) if self.periodic else None)
                task = self.tasks.popleft() if self.tasks else None
            if task is not None:
                _carry_out(task)
            if self.periodic and monotonic() >= look_at:
                _carry_out(run_due_jobs)
                look_at = monotonic() + LOOKS_EVERY


def _carry_out(work: Callable[[], object]) -> None:
    """Whatever happens is logged; the thread goes on, and holds no connection meanwhile."""
    try:
        work()
    except Exception:
        logger.exception("Work in the background failed")
    finally:
        connections.close_all()


_thread = _Thread()


def start(**_signal: Any) -> None:
    """Let this process do its share of the periodic jobs; nothing happens if it does already.

    Processes that answer pages do. A command that enqueues a task does not: it ends too soon.
    """
    if settings.PERIODIC_JOBS:
        _thread.start(periodic=True)


def _forked() -> None:
    # The child has no thread, and whatever waits is the parent's to do.
    global _thread
    _thread = _Thread()


os.register_at_fork(after_in_child=_forked)


class ThreadBackend(ImmediateBackend):
    """Django's tasks, carried out by this process's thread, one after the other."""

    def enqueue[**P, R](
        self, task: Task[P, R], args: list[Any], kwargs: dict[str, Any]
    ) -> TaskResult[P, R]:
        """Let the thread carry it out. Raises InvalidTask for what no task can be."""
        self.validate_task(task)
        result = TaskResult(
            task=task,
            id=get_random_string(32),
            status=TaskResultStatus.READY,
            enqueued_at=None,
            started_at=None,
            last_attempted_at=None,
            finished_at=None,
            args=args,
            kwargs=kwargs,
            backend=self.alias,
            errors=[],
            worker_ids=[],
        )
        # In the context of the request that asked for it, which the log names then.
        _thread.add(partial(copy_context().run, self._execute_task, result))  # type: ignore[attr-defined]
        return result
