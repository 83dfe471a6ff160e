"""The metrics, parsed like Prometheus does, with one and with several workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts import mailing
from accounts.models import User
from administration.models import Run
from administration.monitoring import counting, metrics
from common import background
from common.models import Job
from tests.faults.conftest import made
from tests.faults.served import copied, served
from tests.world.gangs import make_gang

__all__ = ["made"]
HERE = {"Host": "127.0.0.1:8000"}


def read(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return all numbers by name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture(autouse=True)
def _no_counts() -> Iterator[None]:
    """Ignore the counts of other tests."""
    counting._table[:] = memoryview(bytes(counting._table.nbytes)).cast("d")
    yield
    counting.use_row(0)


@pytest.mark.parametrize(
    ("on", "token", "headers", "status"),
    [
        (False, "", HERE, 404),
        (True, "", HERE, 200),
        (True, "", {}, 404),
        (True, "", HERE | {"X-Forwarded-For": "192.0.2.1"}, 404),
        (True, "right", HERE, 404),
        (True, "right", {"Authorization": "Bearer right"}, 200),
        (True, "right", {"Authorization": "Bearer "}, 404),
    ],
)
def test_metrics_are_shown_only_with_the_token(
    client: Client,
    db: None,
    settings: Any,
    on: bool,
    token: str,
    headers: dict[str, str],
    status: int,
) -> None:
    settings.METRICS, settings.METRICS_TOKEN = on, token
    assert client.get("/metrics/", headers=headers).status_code == status


def test_metrics_count_users_gangs_mails_and_jobs(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_works", {})
    background.every(60, 'a "job"')(lambda: None)
    make_gang(owner=alice)
    make_gang(owner=None)
    User.objects.create(username="elsewhere", stands_for="Somebody")
    began = timezone.now() - timedelta(seconds=100)
    Job.objects.create(kind=mailing.MAIL, title="Waiting", created_at=began)
    Job.objects.create(kind=mailing.MAIL, title="Sent", next_at=None)
    at = timezone.now()
    Job.objects.create(periodic=True, kind='a "job"', next_at=at, finished_at=at)
    told = read(metrics.write_figures())
    expected = {"users": 1, "gangs": 2, "campaigns": 0, "mails_waiting": 1, "prints_waiting": 0}
    assert {name: told[(f"skirmish_{name}", ())] for name in expected} == expected
    job = (("job", 'a "job"'),)
    assert told[("skirmish_job_last_success_timestamp_seconds", job)] == at.timestamp()
    assert told[("skirmish_job_failing", job)] == 0
    assert 0 <= told[("skirmish_job_delay_seconds", job)] < 100
    mail = (("task", mailing.MAIL),)
    assert told[("skirmish_tasks_waiting", mail)] == 1
    assert 100 <= told[("skirmish_tasks_oldest_seconds", mail)] < 200
    assert told[("skirmish_prints_oldest_seconds", ())] == 0


def test_metrics_give_the_time_of_the_last_successful_run(db: None) -> None:
    at = timezone.now()
    Run.objects.create(kind=Run.Kind.BACKUP, started_at=at, ended_at=at)
    Run.objects.create(kind=Run.Kind.BACKUP, started_at=at, error="no room")
    Run.objects.create(kind=Run.Kind.REPLAY, started_at=at, error="two differ")
    name = "skirmish_run_last_success_timestamp_seconds"
    told = {
        labels: value
        for (known, labels), value in read(metrics.write_figures()).items()
        if known == name
    }
    assert told == {(("run", "backup"),): at.timestamp()}


def test_durations_are_counted_by_bucket(db: None) -> None:
    for seconds in (0.001, 0.005, 0.3, 20.0):
        counting.count("GET", 200, seconds)
    counting.count("PROPFIND", 405, 0.001)
    told = read(metrics.write_figures())
    name = "skirmish_request_duration_seconds"
    at_most = {
        bound: told[(f"{name}_bucket", (("le", bound),))] for bound in ("0.005", "0.5", "10")
    }
    assert at_most == {"0.005": 3, "0.5": 4, "10": 4}
    assert told[(f"{name}_bucket", (("le", "+Inf"),))] == told[(f"{name}_count", ())] == 5
    assert told[(f"{name}_sum", ())] == pytest.approx(20.307)
    other = (("method", "OTHER"), ("status", "4xx"))
    assert told[("skirmish_requests_total", other)] == 1


def test_counts_of_ended_processes_are_kept() -> None:
    for row in (1, 2):
        if (pid := os.fork()) == 0:
            counting.use_row(row)
            for _ in range(1000):
                counting.count("GET", 200, 0.01)
            os._exit(0)
        os.waitpid(pid, 0)
    counting.use_row(1)
    counting.count("GET", 200, 0.01)
    assert list(counting.requests()) == [("GET", "2xx", 2001)]
    assert counting.processes() == [(1, os.getpid())]
    assert counting.free_row({0, 1, 3}) == 2


@pytest.mark.long
def test_each_of_two_workers_reports_the_counts_of_both(
    made: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """This is true even after one worker was killed."""
    folder, places = made
    with served(copied(folder, tmp_path / "site"), places, METRICS="1") as site:
        for _ in range(40):
            assert site.ask(places["book"]).status == 200
        assert site.ask("/nowhere/").status == 404

        def counted() -> dict[str, float]:
            told = read(site.ask("/metrics/").text)
            name = "skirmish_requests_total"
            return {
                dict(labels)["status"]: value
                for (which, labels), value in told.items()
                if which == name
            }

        before = counted()
        assert before["4xx"] == 1 and before["2xx"] >= 40
        # An answer is counted only after it was sent.
        assert [counted()["2xx"] for _ in range(6)] == [before["2xx"] + n for n in range(1, 7)]
        memory = read(site.ask("/metrics/").text)
        workers = {labels for name, labels in memory if name == "skirmish_worker_memory_bytes"}
        assert workers == {(("worker", "0"),), (("worker", "1"),)}
        assert all(
            memory[("skirmish_worker_memory_bytes", worker)] > 10 << 20 for worker in workers
        )
        os.kill(site.workers()[0], 9)
        for _ in range(20):
            site.ask("/health/")
        assert counted()["2xx"] >= before["2xx"] + 26
        assert site.ask("/ready/").text.startswith("ready\ngood release: ")
