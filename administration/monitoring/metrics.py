"""The site's figures in Prometheus' text format.

Figures of requests and memory belong to the machine that answers; all others come from the
database, and are the same on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from accounts import mailing
from accounts.models import User
from administration import runs, totals
from administration.archives import daily
from administration.models import Run
from administration.monitoring import counting
from campaigns.models import Campaign
from common.background import backlog_of, delay_of, periodic_jobs
from common.models import Job
from gangs.models import Gang
from printing import line
from printing.models import PrintJob

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PAGE = os.sysconf("SC_PAGESIZE")


def request_figures() -> Iterator[Metric]:
    """Number and duration (seconds) of the requests answered."""
    answered = CounterMetricFamily(
        "skirmish_requests", "Requests answered.", labels=["method", "status"]
    )
    for method, status, number in counting.requests():
        answered.add_metric([method, status], number)
    yield answered
    numbers, seconds = counting.durations()
    # Integers without a decimal point, so that existing time series continue.
    bounds = (f"{bound:g}".replace("inf", "+Inf") for bound in counting.BUCKETS)
    buckets = [(bound, float(number)) for bound, number in zip(bounds, numbers, strict=True)]
    yield HistogramMetricFamily(
        "skirmish_request_duration_seconds", "How long answers took.", buckets, seconds
    )


def memory_figures() -> Iterator[Metric]:
    """Resident memory of each worker process, in bytes."""
    used = GaugeMetricFamily(
        "skirmish_worker_memory_bytes", "Resident memory of a worker.", labels=["worker"]
    )
    for row, pid in counting.processes():
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except FileNotFoundError:
            continue
        used.add_metric([str(row)], pages * PAGE)
    yield used


def content_figures() -> Iterator[Metric]:
    """Number of accounts, gangs and campaigns, at most a minute old if it is large, and the
    database's estimate if it is very large. At most two queries each."""
    people = totals.count(User.objects.filter(stands_for=""), "accounts")
    yield GaugeMetricFamily("skirmish_users", "Accounts, about.", people)
    gangs = totals.count(Gang.objects.all(), "gangs")
    yield GaugeMetricFamily("skirmish_gangs", "Gangs, about.", gangs)
    campaigns = totals.count(Campaign.objects.all(), "campaigns")
    yield GaugeMetricFamily("skirmish_campaigns", "Campaigns, about.", campaigns)


def queue_figures() -> Iterator[Metric]:
    """Number of mails, prints and tasks that wait, and the age of the oldest. Four queries."""
    mails = mailing.stored_mails().waiting().count()
    yield GaugeMetricFamily("skirmish_mails_waiting", "Mails waiting to be sent.", mails)
    prints = PrintJob.objects.filter(failed_at=None).count()
    yield GaugeMetricFamily("skirmish_prints_waiting", "Prints waiting for a press.", prints)
    age = (line.oldest_waiting() or timedelta()).total_seconds()
    yield GaugeMetricFamily(
        "skirmish_prints_oldest_seconds", "How long the oldest print has waited.", age
    )
    waiting = GaugeMetricFamily(
        "skirmish_tasks_waiting", "Tasks, such as mails, that wait.", labels=["task"]
    )
    ages = GaugeMetricFamily(
        "skirmish_tasks_oldest_seconds", "How long the oldest task has waited.", labels=["task"]
    )
    now = timezone.now()
    known = Job.objects.waiting().order_by().values_list("kind")
    for kind, number, oldest in known.annotate(Count("pk"), Min("created_at")):
        waiting.add_metric([kind], number)
        ages.add_metric([kind], max(now - oldest, timedelta()).total_seconds())
    yield waiting
    yield ages


def job_figures() -> Iterator[Metric]:
    """Time of each periodic job's last success, whether its last run failed, for how long it has
    been due, and its backlog; the share done of the daily backup's present stage. One query."""
    done = GaugeMetricFamily(
        "skirmish_job_last_success_timestamp_seconds",
        "Time of a periodic job's last success.",
        labels=["job"],
    )
    failing = GaugeMetricFamily(
        "skirmish_job_failing", "Whether a periodic job's last run failed.", labels=["job"]
    )
    left = GaugeMetricFamily(
        "skirmish_job_backlog", "What a periodic job still has to do.", labels=["job"]
    )
    reached = GaugeMetricFamily(
        "skirmish_backup_progress",
        "Share done of the present stage of the backup that is being made.",
        labels=["stage"],
    )
    due = GaugeMetricFamily(
        "skirmish_job_delay_seconds",
        "How long a periodic job has been due, and no process carries it out.",
        labels=["job"],
    )
    for row in periodic_jobs():
        left.add_metric([row.kind], backlog_of(row))
        due.add_metric([row.kind], delay_of(row).total_seconds())
        if row.finished_at:
            done.add_metric([row.kind], row.finished_at.timestamp())
        failing.add_metric([row.kind], row.failed_at is not None)
        if row.kind == daily.JOB and (progress := daily.progress_of(row)):
            share = progress.done / progress.total if progress.total else 0
            reached.add_metric([progress.stage], share)
    yield done
    yield failing
    yield left
    yield reached
    yield due


def upkeep_figures() -> Iterator[Metric]:
    """Time and duration of the last good backup, replay and tidying. One query each."""
    done = GaugeMetricFamily(
        "skirmish_run_last_success_timestamp_seconds",
        "Time of the last good backup, replay or tidying.",
        labels=["run"],
    )
    took = GaugeMetricFamily(
        "skirmish_run_duration_seconds",
        "How long the last good backup, replay or tidying took.",
        labels=["run"],
    )
    for kind in Run.Kind:
        run = runs.find_last(kind, good=True)
        if run is not None:
            done.add_metric([str(kind.value)], run.ended_at.timestamp())
            took.add_metric([str(kind.value)], (run.ended_at - run.started_at).total_seconds())
    yield done
    yield took


FIGURES: tuple[Callable[[], Iterator[Metric]], ...] = (
    request_figures,
    memory_figures,
    content_figures,
    queue_figures,
    job_figures,
    upkeep_figures,
)


class SiteCollector(Collector):
    """A collector that computes every figure when Prometheus reads it."""

    def collect(self) -> Iterator[Metric]:
        """All figures of the site."""
        for figures in FIGURES:
            yield from figures()


def write_figures() -> str:
    """Return all figures as Prometheus reads them."""
    # A registry of its own: the library's default one adds figures of one worker process only.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SiteCollector())
    return generate_latest(registry).decode()
