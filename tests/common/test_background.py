"""Background work: jobs are rows, each done by one process, in lanes that do not delay others."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from common import background
from common.background import PERIODIC, WORK, Lane, TryLater, add_jobs, carry_out, make_job
from common.models import Job
from tests.jobs import wait_until

SOON = 120
SLOW = Lane("slow", first_pause=timedelta(seconds=10), longest_pause=timedelta(seconds=30))


@pytest.fixture(autouse=True)
def works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register only the kinds of jobs of the test."""
    monkeypatch.setattr(background, "_works", {})


def have_done(function: Callable[[Job], object], kind: str = "task", lane: Lane = WORK) -> None:
    background.carries_out(kind, lane)(function)


def make_due(**values: Any) -> None:
    Job.objects.update(next_at=timezone.now(), **values)


def fail(*_jobs: Job) -> None:
    raise OSError("the disk is on fire")


def test_periodic_job_is_done_once_in_its_period(db: None) -> None:
    done: list[int] = []
    background.every(60, "count")(lambda: done.append(1))
    for _look in range(3):
        carry_out(PERIODIC)
    assert len(done) == 1
    [job] = background.periodic_jobs()
    assert job.started_at and job.finished_at and job.next_at and not job.failed_at
    assert job.next_at - job.started_at == timedelta(seconds=60)
    make_due()
    carry_out(PERIODIC)
    assert len(done) == 2 and Job.objects.count() == 1


def test_failure_is_stored_and_stops_no_other_job(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[int] = []
    background.every(24 * 3600, "a_failing")(fail)
    background.every(60, "b_counting")(lambda: done.append(1))
    caplog.set_level(logging.ERROR)
    carry_out(PERIODIC)
    assert done == [1]
    assert "a_failing" in caplog.text and "the disk is on fire" in caplog.text
    bad, good = background.periodic_jobs()
    assert bad.failed_at and bad.error == "OSError: the disk is on fire"
    assert not good.failed_at
    # It is retried long before its day is over, but not immediately.
    assert bad.next_at and timedelta(0) < bad.next_at - timezone.now() <= background.AGAIN_AFTER
    background._works["a_failing"] = background._works["b_counting"]
    make_due()
    carry_out(PERIODIC)
    assert not Job.objects.exclude(failed_at=None, error="", tries=0).exists()


def test_two_kinds_of_jobs_have_two_names() -> None:
    background.every(60, "one")(fail)
    with pytest.raises(ValueError):
        background.every(60, "one")(fail)
    with pytest.raises(ValueError):
        have_done(fail, "one")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("periodic", [True, False])
def test_only_one_of_many_processes_does_a_job(periodic: bool) -> None:
    done: list[int] = []
    lane = PERIODIC if periodic else SLOW
    if periodic:
        background.every(60, "count")(lambda: done.append(1))
    else:
        have_done(lambda job: done.append(1), "count", lane)
    start = threading.Barrier(8)

    def look() -> None:
        try:
            start.wait(SOON)
            carry_out(lane)
        finally:
            connection.close()

    for runs in (1, 2):
        if not periodic:
            Job.objects.bulk_create([make_job("count")])
        with ThreadPoolExecutor(8) as pool:
            for looked in [pool.submit(look) for _ in range(8)]:
                looked.result()
        assert len(done) == runs
        make_due()


def test_job_gets_its_data_and_is_deleted_when_done(db: None) -> None:
    given: list[Any] = []
    have_done(lambda job: given.append(job.body))
    Job.objects.bulk_create([make_job("task", place="here"), make_job("task", place="there")])
    carry_out(WORK)
    assert given == [{"place": "here"}, {"place": "there"}] and not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_job_of_a_failed_transaction_is_not_done() -> None:
    done: list[int] = []
    have_done(lambda job: done.append(1))
    with pytest.raises(RuntimeError), transaction.atomic():
        add_jobs([make_job("task")])
        assert not done
        raise RuntimeError
    assert not done and not Job.objects.exists()
    with transaction.atomic():
        add_jobs([make_job("task")])
        assert not done
    assert done == [1]


def test_job_of_a_dead_process_is_done_by_another(db: None) -> None:
    done: list[int] = []
    have_done(lambda job: done.append(job.tries))
    Job.objects.bulk_create([make_job("task")])
    [number] = Job.objects.values_list("pk", flat=True)
    assert background._take(number, background._works["task"]) is not None
    carry_out(WORK)
    assert not done
    Job.objects.update(next_at=timezone.now() - WORK.taken_for + timedelta(minutes=1))
    carry_out(WORK)
    assert done == [2]


def test_job_that_ends_each_process_is_given_up_once_it_is_old(db: None) -> None:
    have_done(lambda job: None)
    Job.objects.bulk_create([make_job("task", secret="word")])
    [number] = Job.objects.values_list("pk", flat=True)
    for _process in range(2):
        assert background._take(number, background._works["task"]) is not None
        make_due(created_at=timezone.now() - timedelta(days=4))
    carry_out(WORK)
    [lost] = Job.objects.given_up()
    assert lost.body == {} and "ended" in lost.error


def let_processes_die(number: int) -> None:
    """Let this number of processes take the only job, and end without an answer."""
    [job] = Job.objects.all()
    for _process in range(number):
        assert background._take(job.pk, background._works[job.kind]) is not None
        make_due()


def test_job_that_ends_each_process_is_given_up_after_a_few(db: None) -> None:
    done: list[int] = []
    told: list[object] = []

    def tell(job: Job) -> None:
        told.append(job.body)

    background.carries_out("task", WORK, given_up=tell)(lambda job: done.append(1))
    Job.objects.bulk_create([make_job("task", secret="word")])
    let_processes_die(background.MOST_DEATHS)
    carry_out(WORK)
    assert not done and told == [{"secret": "word"}]
    [lost] = Job.objects.given_up()
    assert lost.body == {} and "ended" in lost.error


def test_job_is_done_if_only_some_of_its_processes_ended(db: None) -> None:
    have_done(fail)
    Job.objects.bulk_create([make_job("task")])
    # An answer between them shows that the job does not end every process.
    for _time in range(2):
        let_processes_die(background.MOST_DEATHS - 1)
        carry_out(WORK)
        assert Job.objects.waiting().get().error == "OSError: the disk is on fire"
        make_due()
    done: list[int] = []
    background._works.clear()
    have_done(lambda job: done.append(1))
    carry_out(WORK)
    assert done == [1] and not Job.objects.exists()


def test_periodic_job_is_repeated_however_many_processes_end(db: None) -> None:
    done: list[int] = []
    background.every(60, "count")(lambda: done.append(1))
    carry_out(PERIODIC)
    make_due()
    let_processes_die(9)
    carry_out(PERIODIC)
    assert len(done) == 2


@pytest.mark.parametrize("is_deleted", [True, False])
def test_owner_is_told_that_a_job_is_given_up_or_deleted(db: None, is_deleted: bool) -> None:
    told: list[object] = []

    def tell(job: Job) -> None:
        told.append(job.body)
        raise OSError("nobody listens")

    background.carries_out("task", WORK, given_up=tell)(fail)
    Job.objects.bulk_create([make_job("task", page="import")])
    carry_out(WORK)
    assert not told
    make_due(created_at=timezone.now() - timedelta(days=4))
    if is_deleted:
        background.forget(Job.objects.get())
        assert not Job.objects.exists()
    else:
        carry_out(WORK)
        background.forget(Job.objects.given_up().get())
    assert told == [{"page": "import"}]


def test_old_job_that_no_process_has_begun_is_done(db: None) -> None:
    have_done(lambda job: None)
    Job.objects.bulk_create([make_job("task")])
    make_due(created_at=timezone.now() - timedelta(days=4))
    carry_out(WORK)
    assert not Job.objects.exists()


def test_job_is_retried_at_the_pace_of_its_lane_and_given_up(db: None) -> None:
    have_done(fail, "task", SLOW)
    Job.objects.bulk_create([make_job("task", secret="word")])
    pauses = []
    for _try in range(4):
        carry_out(SLOW)
        [job] = Job.objects.waiting()
        assert job.failed_at and job.next_at
        pauses.append(round((job.next_at - timezone.now()).total_seconds()))
        make_due()
    assert pauses == [10, 20, 30, 30]
    make_due(created_at=timezone.now() - timedelta(days=4))
    carry_out(SLOW)
    assert not Job.objects.waiting()
    [lost] = Job.objects.given_up()
    assert lost.body == {} and lost.error == "OSError: the disk is on fire"


def test_new_jobs_come_before_failed_ones_and_older_before_newer(db: None) -> None:
    tried: list[int] = []

    def note(job: Job) -> None:
        tried.append(job.pk)
        raise OSError

    have_done(note, "task", SLOW)
    Job.objects.bulk_create([make_job("task"), make_job("task")])
    carry_out(SLOW)
    Job.objects.bulk_create([make_job("task"), make_job("task")])
    make_due()
    tried.clear()
    carry_out(SLOW)
    one, two, three, four = Job.objects.order_by("pk").values_list("pk", flat=True)
    assert tried == [three, four, one, two]


def test_jobs_that_wait_for_the_same_thing_keep_their_order(db: None) -> None:
    tried: list[int] = []

    def wait(job: Job) -> None:
        tried.append(job.pk)
        raise TryLater(blocked=False, tries=7)

    have_done(wait, "task", SLOW)
    for _round in range(3):
        Job.objects.bulk_create([make_job("task")])
        make_due()
        carry_out(SLOW)
    tried.clear()
    make_due()
    carry_out(SLOW)
    assert tried == sorted(tried) and len(tried) == 3


def test_blocked_lane_tries_one_job_and_postpones_the_others(db: None) -> None:
    tried: list[int] = []

    def be_blocked(job: Job) -> None:
        tried.append(job.pk)
        raise TryLater(blocked=True) from OSError("no network")

    have_done(be_blocked, "task", SLOW)
    have_done(lambda job: tried.append(-1), "other")
    Job.objects.bulk_create([make_job("task"), make_job("task"), make_job("other")])
    carry_out(SLOW)
    carry_out(SLOW)
    first, second, other = Job.objects.order_by("pk")
    assert tried == [first.pk] and first.error == "OSError: no network"
    assert second.tries == 0 and second.next_at > timezone.now()
    carry_out(WORK)
    assert tried == [first.pk, -1] and other.next_at < timezone.now()


def test_a_slow_lane_delays_no_other(in_threads: None) -> None:
    go_on, begun, done = threading.Event(), threading.Event(), threading.Event()
    where: list[str] = []

    def be_slow(job: Job) -> None:
        begun.set()
        assert go_on.wait(SOON)
        where.append(threading.current_thread().name)

    have_done(be_slow, "slow task", SLOW)
    have_done(lambda job: done.set())
    add_jobs([make_job("slow task")])
    assert begun.wait(SOON)
    add_jobs([make_job("task")])
    assert done.wait(SOON) and not where
    go_on.set()
    wait_until(lambda: where == ["slow"])


def test_failing_task_is_logged_and_the_next_is_done(
    in_threads: None, caplog: pytest.LogCaptureFixture
) -> None:
    done = threading.Event()
    have_done(fail, "failing")
    have_done(lambda job: done.set())
    add_jobs([make_job("failing"), make_job("task")])
    assert done.wait(SOON)
    assert "the disk is on fire" in caplog.text


def test_page_starts_the_periodic_jobs_but_a_task_does_not(
    in_threads: None, settings: Any, client: Client
) -> None:
    counted, done = threading.Event(), threading.Event()
    background.every(60, "count")(counted.set)
    have_done(lambda job: done.set())
    settings.PERIODIC_JOBS = True
    add_jobs([make_job("task")])
    assert done.wait(SOON) and not counted.wait(0.2)
    client.get("/health/")
    assert counted.wait(SOON)
    wait_until(lambda: Job.objects.filter(periodic=True).exclude(finished_at=None).exists())


def test_process_finds_jobs_left_by_another(
    in_threads: None, settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "LOOKS_EVERY", 0.05)
    done = threading.Event()
    have_done(lambda job: done.set())
    settings.PERIODIC_JOBS = True
    client.get("/health/")
    Job.objects.bulk_create([make_job("task")])
    assert done.wait(SOON)


FORKED = """
import os, threading, django
django.setup()
from common import background
found = threading.Event()
background.carry_out = lambda lane: found.set()
background._threads.wake(background.WORK)
assert found.wait(120)
pid = os.fork()
if pid == 0:
    try:
        found = threading.Event()
        background._threads.wake(background.WORK)
        os._exit(0 if found.wait(120) else 1)
    finally:
        os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.mark.long
def test_forked_process_has_its_own_thread() -> None:
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


def test_long_job_keeps_other_processes_away_by_renewing_its_lease(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(background, "monotonic", lambda: clock[0])
    taken: list[timedelta] = []

    def work() -> None:
        # The lease is nearly over.
        clock[0] += 119
        Job.objects.update(next_at=timezone.now() + timedelta(seconds=1))
        background.renew_lease()
        row = Job.objects.get()
        assert row.next_at is not None
        taken.append(row.next_at - timezone.now())

    background.every(30, "long")(work)
    carry_out(PERIODIC)
    assert len(taken) == 1 and taken[0] > timedelta(seconds=110)
    assert not Job.objects.get().failed_at


def test_process_that_lost_its_job_stops_and_leaves_it_to_the_other(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(background, "monotonic", lambda: clock[0])
    reached: list[str] = []

    def work() -> None:
        clock[0] += 119
        # Another process takes the job meanwhile.
        Job.objects.update(started_at=timezone.now() + timedelta(seconds=5))
        background.renew_lease()
        reached.append("the end")

    background.every(30, "long")(work)
    carry_out(PERIODIC)
    row = Job.objects.get()
    assert not reached and row.finished_at is None and row.failed_at is None


def test_periodic_job_goes_on_at_its_place_and_shows_its_backlog(db: None) -> None:
    places: list[str] = []

    def work() -> None:
        places.append(background.resume_place())
        background.note_progress(place=f"after {len(places)}", backlog=7)

    background.every(60, "in pieces")(work)
    for _run in range(2):
        carry_out(PERIODIC)
        make_due()
    assert places == ["", "after 1"]
    [job] = background.periodic_jobs()
    assert background.backlog_of(job) == 7


def test_progress_and_lease_outside_a_job_do_nothing(db: None) -> None:
    background.renew_lease()
    background.note_progress(backlog=3)
    assert background.resume_place() == "" and not Job.objects.exists()
