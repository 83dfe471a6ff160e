"""The site's figures in Prometheus' text form.

Those of requests and memory are the machine's that is asked; all others are the site's, from the
database, and the same on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from accounts.models import Mail, User
from administration import runs
from administration.models import Run
from administration.monitoring import counting
from campaigns.models import Campaign
from common.background import periodic_jobs
from gangs.models import Gang
from printing.models import PrintJob

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PAGE = os.sysconf("SC_PAGESIZE")


@dataclass(frozen=True)
class Sample:
    """One number: ``suffix`` of its figure's name, its labels, and its value."""

    value: float
    labels: tuple[tuple[str, str], ...] = ()
    suffix: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure and all of its numbers."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: tuple[Sample, ...]


def requests() -> Iterator[Figure]:
    """How many requests there were, and how long they took."""
    answers = tuple(
        Sample(number, (("method", method), ("status", status)))
        for method, status, number in counting.requests()
    )
    yield Figure("skirmish_requests_total", "counter", "Requests answered.", answers)
    numbers, seconds = counting.durations()
    bounds = (f"{bound:g}".replace("inf", "+Inf") for bound in counting.BUCKETS)
    taken = tuple(
        Sample(number, (("le", bound),), "_bucket")
        for bound, number in zip(bounds, numbers, strict=True)
    )
    together = (Sample(seconds, suffix="_sum"), Sample(numbers[-1], suffix="_count"))
    name = "skirmish_request_duration_seconds"
    yield Figure(name, "histogram", "How long answers took.", (*taken, *together))


def memory() -> Iterator[Figure]:
    """What each worker process has in memory."""
    used = []
    for row, pid in counting.processes():
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except FileNotFoundError:
            continue
        used.append(Sample(pages * PAGE, (("worker", str(row)),)))
    yield _gauge("skirmish_worker_memory_bytes", "Resident memory of a worker.", *used)


def contents() -> Iterator[Figure]:
    """What the site holds."""
    people = User.objects.filter(stands_for="").count()
    yield _gauge("skirmish_users", "Accounts.", Sample(people))
    yield _gauge("skirmish_gangs", "Gangs.", Sample(Gang.objects.count()))
    yield _gauge("skirmish_campaigns", "Campaigns.", Sample(Campaign.objects.count()))


def waiting() -> Iterator[Figure]:
    """What waits to be sent or printed."""
    mails = Mail.objects.waiting().count()
    yield _gauge("skirmish_mails_waiting", "Mails that are to be sent.", Sample(mails))
    prints = PrintJob.objects.filter(failed_at=None).count()
    yield _gauge("skirmish_prints_waiting", "Prints that stand in line.", Sample(prints))


def jobs() -> Iterator[Figure]:
    """When each periodic job was last done, and whether it failed."""
    rows = periodic_jobs()
    done = (
        Sample(row.finished_at.timestamp(), (("job", row.name),)) for row in rows if row.finished_at
    )
    name = "skirmish_job_last_success_timestamp_seconds"
    yield _gauge(name, "When a periodic job was last done.", *done)
    failing = (Sample(row.failing, (("job", row.name),)) for row in rows)
    yield _gauge("skirmish_job_failing", "Whether a periodic job failed the last time.", *failing)


def upkeep() -> Iterator[Figure]:
    """When backup, replay and tidying last went well."""
    found = ((kind, runs.last(kind, good=True)) for kind in Run.Kind)
    done = (
        Sample(run.ended_at.timestamp(), (("run", str(kind.value)),))
        for kind, run in found
        if run is not None
    )
    name = "skirmish_run_last_success_timestamp_seconds"
    yield _gauge(name, "When a backup, replay or tidying last went well.", *done)


def _gauge(name: str, words: str, *samples: Sample) -> Figure:
    return Figure(name, "gauge", words, samples)


FIGURES: tuple[Callable[[], Iterator[Figure]], ...] = (
    *(requests, memory, contents),
    *(waiting, jobs, upkeep),
)


def exposition() -> str:
    """All figures, as Prometheus reads them."""
    return "".join(_lines(figure) for figures in FIGURES for figure in figures())


def _lines(figure: Figure) -> str:
    lines = [f"# HELP {figure.name} {figure.help}", f"# TYPE {figure.name} {figure.kind}"]
    for sample in figure.samples:
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels)
        braces = f"{{{labels}}}" if labels else ""
        lines.append(f"{figure.name}{sample.suffix}{braces} {float(sample.value)!r}")
    return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
