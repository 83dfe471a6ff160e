"""Work beside the pages: tasks in a thread, and jobs of which each is done once in its period."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.tasks import task
from django.test import Client
from django.utils import timezone

from common import background
from common.models import PeriodicJob

SOON = 120


@pytest.fixture(autouse=True)
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No jobs but the test's own, and a thread of its own."""
    monkeypatch.setattr(background, "_jobs", {})
    monkeypatch.setattr(background, "_thread", background._Thread())
    yield


def due_again(name: str) -> None:
    PeriodicJob.objects.filter(name=name).update(next_at=timezone.now())


def failing() -> None:
    raise OSError("the disk is on fire")


def test_a_job_is_done_once_in_its_period(db: None) -> None:
    done: list[int] = []
    background.every(60, "count")(lambda: done.append(1))
    for _look in range(3):
        background.run_due_jobs()
    assert len(done) == 1
    [job] = background.periodic_jobs()
    assert job.started_at and job.finished_at and not job.failing
    assert job.next_at - job.started_at == timedelta(seconds=60)
    due_again("count")
    background.run_due_jobs()
    assert len(done) == 2


def test_a_failure_is_told_and_stops_no_other_job(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[int] = []
    background.every(24 * 3600, "a_failing")(failing)
    background.every(60, "b_counting")(lambda: done.append(1))
    caplog.set_level(logging.ERROR)
    background.run_due_jobs()
    assert done == [1]
    assert "a_failing" in caplog.text and "the disk is on fire" in caplog.text
    bad, good = background.periodic_jobs()
    assert bad.failing and bad.error == "OSError: the disk is on fire"
    assert not good.failing
    # It is tried again long before its day is over, and not at once.
    assert timedelta(0) < bad.next_at - timezone.now() <= background.AGAIN_AFTER


def test_two_jobs_have_two_names() -> None:
    background.every(60, "one")(failing)
    with pytest.raises(ValueError):
        background.every(60, "one")(failing)


@pytest.mark.django_db(transaction=True)
def test_of_many_that_look_at_once_one_does_the_job() -> None:
    done: list[int] = []
    background.every(60, "count")(lambda: done.append(1))
    start = threading.Barrier(8)

    def look() -> None:
        try:
            start.wait(SOON)
            background.run_due_jobs()
        finally:
            connection.close()

    for runs in (1, 2):
        with ThreadPoolExecutor(8) as pool:
            for looked in [pool.submit(look) for _ in range(8)]:
                looked.result()
        assert len(done) == runs
        due_again("count")


# What tasks of these tests do; a task is a function of a module.
_act: Callable[[], Any] = failing


@task
def act() -> None:
    """Whatever the test wants."""
    _act()


@pytest.fixture
def in_thread(settings: Any, transactional_db: None) -> None:
    """Tasks as a site has them unless told otherwise."""
    settings.TASKS = {"default": {"BACKEND": "common.background.ThreadBackend"}}


def acts(monkeypatch: pytest.MonkeyPatch, function: Callable[[], Any]) -> None:
    monkeypatch.setattr(sys.modules[__name__], "_act", function)


def test_whoever_enqueues_does_not_wait(in_thread: None, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, where, done = threading.Event(), [], threading.Event()

    def slow() -> None:
        assert go_on.wait(SOON)
        where.append(threading.current_thread().name)
        done.set()

    acts(monkeypatch, slow)
    act.enqueue()
    assert not where
    go_on.set()
    assert done.wait(SOON)
    assert where == ["background"]


def test_a_task_that_fails_is_logged_and_the_next_is_done(
    in_thread: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done = threading.Event()
    left = [failing, done.set]
    acts(monkeypatch, lambda: left.pop(0)())
    act.enqueue()
    act.enqueue()
    assert done.wait(SOON)
    assert "the disk is on fire" in caplog.text


def test_a_page_starts_the_periodic_jobs_and_a_task_does_not(
    in_thread: None, settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, acted = threading.Event(), threading.Event()
    background.every(60, "count")(done.set)
    settings.PERIODIC_JOBS = True
    acts(monkeypatch, acted.set)
    act.enqueue()
    assert acted.wait(SOON) and not done.wait(0.2)
    client.get("/health/")
    assert done.wait(SOON)
    # What is written after the job is done must not reach into the next test.
    background._thread.periodic = False
    while not PeriodicJob.objects.get().finished_at:
        time.sleep(0.01)


FORKED = """
import os, threading, django
django.setup()
from common import background
done = threading.Event()
background._thread.add(done.set)
assert done.wait(120)
pid = os.fork()
if pid == 0:
    try:
        again = threading.Event()
        background._thread.add(again.set)
        os._exit(0 if again.wait(120) else 1)
    finally:
        os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


def test_a_forked_process_has_a_thread_of_its_own() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
