"""Background jobs that run in threads, as on a site, and a way to wait until all are done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from common import background
from common.models import Job

LONGEST = 60


@pytest.fixture
def in_threads(
    settings: Any, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> Iterator[None]:
    """Run jobs in threads of this test; they stop when it is over."""
    carry_out, threads = background.carry_out, background._Threads()
    over, stopped = threading.Event(), set[str]()

    def carry_out_meanwhile(lane: background.Lane) -> None:
        if over.is_set():
            stopped.add(lane.name)
            threading.Event().wait()
        carry_out(lane)

    monkeypatch.setattr(background, "_threads", threads)
    monkeypatch.setattr(background, "carry_out", carry_out_meanwhile)
    settings.JOBS_IN_THREADS = True
    yield
    threads.looking = False
    wait_for_jobs()
    over.set()
    # A thread that only waits would look for jobs once more, during another test.
    for woken in threads._woken.values():
        woken.set()
    wait_until(lambda: stopped == set(threads._woken))


def wait_for_jobs() -> None:
    """Return when every job that is due has been tried and its result is stored."""

    def are_tried() -> bool:
        due = Job.objects.filter(next_at__lte=timezone.now())
        begun = Job.objects.waiting().filter(failed_at=None, tries__gt=0)
        return not due.exists() and not begun.exists()

    wait_until(are_tried)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < deadline, list(Job.objects.values())
        time.sleep(0.02)
