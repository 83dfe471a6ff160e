"""Readiness checks: each tests one thing that the site needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts import mailing
from administration import search_indexes
from administration.archives import daily
from common.background import delay_of, periodic_jobs
from printing.line import oldest_waiting
from rules.models import BookVersion

# The least free space: this many bytes, or this part of a small disk.
LEAST_ROOM = 100 << 20
LEAST_PART = 0.05
# Late mails and prints are reported, but the site stays ready for visitors.
LATE_MAIL = timedelta(minutes=30)
LATE_PRINT = timedelta(minutes=20)
# The daily job, plus a day of grace.
LATE_JOB = timedelta(days=2)


@dataclass(frozen=True)
class Report:
    """The result of a check.

    The site is ready only if all ``needed`` checks are ok; others are only reported. ``detail`` is
    in English, for the host.
    """

    name: str
    ok: bool
    detail: str = ""
    needed: bool = True


def release() -> Report:
    """Name the release that runs."""
    return Report("release", True, settings.RELEASE)


def database() -> Report:
    """Check that the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Report("database", True, connection.vendor)


_migrated = False


def migrations() -> Report:
    """Check that all migrations are applied. A success is remembered until the process ends."""
    global _migrated
    missing: list[str] = []
    if not _migrated:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        missing = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
        _migrated = not missing
    return Report("migrations", not missing, ", ".join(missing) or "applied")


def rulebooks() -> Report:
    """Check that a rulebook is loaded."""
    known = BookVersion.objects.newest().count()
    return Report("rulebooks", known > 0, f"{known} loaded")


def searches() -> Report:
    """Tell whether searches of administrators have their indexes. A site works without them."""
    if connection.vendor != "postgresql":
        return Report("searches", True, f"without trigrams on {connection.vendor}", needed=False)
    missing = search_indexes.find_missing()
    detail = "slow on a large site: its database needs the extension pg_trgm"
    return Report("searches", True, detail if missing else "with trigrams", needed=False)


def disk() -> Report:
    """Check that the data folder is writable and has free space."""
    # The data folder is created with its first file.
    folder = next(
        known for known in (settings.DATA_DIR, *settings.DATA_DIR.parents) if known.exists()
    )
    room = shutil.disk_usage(folder)
    state = os.statvfs(folder)
    detail = f"{room.free >> 20} MiB of {room.total >> 20} free"
    if state.f_flag & os.ST_RDONLY or not os.access(folder, os.W_OK):
        return Report("disk", False, f"{detail}, may only be read")
    if state.f_files and not state.f_favail:
        return Report("disk", False, f"{detail}, no file more")
    return Report("disk", room.free >= min(LEAST_ROOM, LEAST_PART * room.total), detail)


def mails() -> Report:
    """Check that no mail has waited too long."""
    oldest = mailing.stored_mails().waiting().values_list("created_at", flat=True).first()
    age = None if oldest is None else timezone.now() - oldest
    return _waiting("mails", age, LATE_MAIL)


def prints() -> Report:
    """Check that no print has waited too long."""
    return _waiting("prints", oldest_waiting(), LATE_PRINT)


def jobs() -> Report:
    """Check that all periodic jobs ran on time and without failures."""
    late = [
        f"{job.kind} failed" if job.failed_at else f"{job.kind} is late"
        for job in periodic_jobs()
        if job.failed_at or delay_of(job) > LATE_JOB
    ]
    return Report("jobs", not late, ", ".join(late) or "done", needed=False)


def backups() -> Report:
    """Check that the last daily backup succeeded, and is not too old."""
    if not settings.BACKUP_DAILY:
        return Report("backups", True, "not made by the site", needed=False)
    last = daily.daily_runs().first()
    if last is None:
        return Report("backups", False, "none yet", needed=False)
    if last.error:
        return Report("backups", False, "the last failed", needed=False)
    age = timezone.now() - last.ended_at
    detail = f"the last is {max(0, int(age.total_seconds() // 3600))} h old"
    return Report("backups", age <= daily.OVERDUE, detail, needed=False)


def _waiting(name: str, age: timedelta | None, late: timedelta) -> Report:
    if age is None:
        return Report(name, True, "none waiting", needed=False)
    detail = f"the oldest waits for {max(0, int(age.total_seconds()))} s"
    return Report(name, age <= late, detail, needed=False)


CHECKS: tuple[Callable[[], Report], ...] = (
    release,
    database,
    migrations,
    rulebooks,
    searches,
    disk,
    mails,
    prints,
    jobs,
    backups,
)


def reports() -> list[Report]:
    """Run all checks. A check that raises an exception has failed, with the exception as detail."""
    return [_made(check) for check in CHECKS]


def _made(check: Callable[[], Report]) -> Report:
    try:
        return check()
    except Exception as error:
        # Any exception is a finding here.
        detail = f"{type(error).__name__}: {error}".splitlines()[0]
        return Report(check.__name__, False, detail)
