"""The site's figures in Prometheus' text format.

Figures of requests and memory belong to the machine that answers; all others come from the
database, and are the same on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

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
from common.background import backlog_of, periodic_jobs
from gangs.models import Gang
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
    """Number of accounts, gangs and campaigns, at most a minute old if it is large. At most three
    queries."""
    people = totals.count(User.objects.filter(stands_for=""), "accounts")
    yield GaugeMetricFamily("skirmish_users", "Accounts.", people)
    gangs = totals.count(Gang.objects.all(), "gangs")
    yield GaugeMetricFamily("skirmish_gangs", "Gangs.", gangs)
    campaigns = totals.count(Campaign.objects.all(), "campaigns")
    yield GaugeMetricFamily("skirmish_campaigns", "Campaigns.", campaigns)


def queue_figures() -> Iterator[Metric]:
    """Number of mails and prints that wait. Two queries."""
    mails = mailing.stored_mails().waiting().count()
    yield GaugeMetricFamily("skirmish_mails_waiting", "Mails waiting to be sent.", mails)
    prints = PrintJob.objects.filter(failed_at=None).count()
    yield GaugeMetricFamily("skirmish_prints_waiting", "Prints waiting for a press.", prints)


def job_figures() -> Iterator[Metric]:
    """Time of each periodic job's last success, whether its last run failed, and its backlog; the
    share done of the daily backup's present stage. One query."""
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
    for row in periodic_jobs():
        left.add_metric([row.kind], backlog_of(row))
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
