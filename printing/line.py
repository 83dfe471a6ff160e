"""The line of print jobs in the database: one for all processes and machines of a site.

Every operation is a single statement, so that no lock is held during a print.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Literal

from django.db.models import F, QuerySet
from django.utils import timezone

from printing.models import PrintJob
from printing.press.jobs import Job, pack_job

Kind = Literal["picture", "sheet", "book"]

# The most jobs in each line at the same time, and the most that visitors may have asked for; later
# requests are asked to come back. Requests that come at the same moment may exceed it by one each.
MOST_JOBS = 40
MOST_FOR_VISITORS = 20
# How many failures are remembered, and for how long, so that waiting readers can be informed.
MOST_FAILURES = 100
FAILURES_KEPT = timedelta(days=1)
# A job that this many presses died of is given up.
MOST_TRIES = 3
# Nobody still waits for a job that no press has taken for this long.
STALE = timedelta(days=1)
# Fields that the state of a job does not need.
UNREAD = ("job",)


class Full(Exception):
    """Raised when there is no room in the line."""


def find(key: str) -> PrintJob | None:
    """Return the job of this key, None if it is neither in line nor has recently failed."""
    return PrintJob.objects.defer(*UNREAD).filter(key=key).first()


def before(row: PrintJob) -> int:
    """Return how many jobs are printed before this one, or are already at a press."""
    return _waiting(row.kind).filter(pk__lt=row.pk).count()


def check_room(kind: Kind, *, for_visitor: bool, more: int = 0) -> None:
    """Raise Full unless there is room for another job. ``more``: jobs that are about to be
    added.
    """
    asked = list(_waiting(kind).values_list("for_visitor", flat=True))
    if len(asked) + more >= MOST_JOBS or (for_visitor and sum(asked) + more >= MOST_FOR_VISITORS):
        raise Full


def add(key: str, kind: Kind, job: Job, *, for_visitor: bool) -> None:
    """Put a job in line, unless it is there already."""
    row = PrintJob(key=key, kind=kind, job=pack_job(job), for_visitor=for_visitor)
    PrintJob.objects.bulk_create([row], ignore_conflicts=True)


def take(
    kinds: Sequence[Kind], press: str, abandoned: Callable[[PrintJob], bool]
) -> PrintJob | None:
    """Take the first job that no living press has, all of the first of these kinds before those of
    the next; None if there is none.

    ``abandoned``: whether the press that has a job seems to be dead. Of two processes that take a
    job at the same time one gets it: the update is the lock, on every database.
    """
    for row in sorted(_waiting(*kinds).defer(*UNREAD), key=lambda row: kinds.index(row.kind)):
        if row.press and row.press != press and not abandoned(row):
            continue
        mine = _waiting(row.kind).filter(pk=row.pk, press=row.press, beats=row.beats)
        if mine.update(press=press, beats=F("beats") + 1, tries=F("tries") + 1, pages=0):
            taken: PrintJob | None = PrintJob.objects.filter(pk=row.pk).first()
            # The press that seemed to be dead may have finished it meanwhile.
            if taken is not None:
                return taken
    return None


def beat(row: PrintJob, pages: int) -> None:
    """Record that our press is alive, and how many pages of the job it has set."""
    PrintJob.objects.filter(pk=row.pk, press=row.press).update(beats=F("beats") + 1, pages=pages)


def finish(row: PrintJob) -> None:
    """Remove a printed job from the line, whichever press has it."""
    PrintJob.objects.filter(pk=row.pk).delete()


def fail(row: PrintJob, why: str) -> None:
    """Take a job out of the line, and remember why it was not printed."""
    rows = PrintJob.objects.filter(pk=row.pk, press=row.press)
    rows.update(failed_at=timezone.now(), failure=why, job=b"")
    failed = PrintJob.objects.filter(failed_at__isnull=False).order_by("-failed_at")
    if beyond := list(failed.values_list("pk", flat=True)[MOST_FAILURES:]):
        PrintJob.objects.filter(pk__in=beyond).delete()


def forget(row: PrintJob) -> None:
    """Forget a failure, so that the next request tries the job again."""
    PrintJob.objects.filter(pk=row.pk, failed_at__isnull=False).delete()


def is_empty(kinds: Sequence[Kind]) -> bool:
    """Whether there are no jobs of these kinds in line."""
    return not _waiting(*kinds).exists()


def oldest_waiting() -> timedelta | None:
    """Return how long the oldest job in the lines has been there; None if they are empty."""
    oldest = PrintJob.objects.filter(failed_at=None).order_by("created_at")
    since = oldest.values_list("created_at", flat=True).first()
    return None if since is None else timezone.now() - since


def clear_stale() -> int:
    """Delete failures, and jobs that nobody waits for any more; return their number."""
    now = timezone.now()
    _rows, failed = PrintJob.objects.filter(failed_at__lt=now - FAILURES_KEPT).delete()
    _rows, stale = PrintJob.objects.filter(failed_at=None, created_at__lt=now - STALE).delete()
    return sum(failed.values()) + sum(stale.values())


def _waiting(*kinds: str) -> QuerySet[PrintJob]:
    return PrintJob.objects.filter(kind__in=kinds, failed_at=None).order_by("pk")
