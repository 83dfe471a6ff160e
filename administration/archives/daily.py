"""The backup that the site makes of itself each day, if BACKUP_DAILY names a place for it."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from time import monotonic
from typing import IO, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error, close_old_connections
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import notices
from accounts.models import User
from administration import runs
from administration.archives.places import Place, daily_place
from administration.archives.progress import Progress, Report, Stage, ignore, read_last
from administration.archives.reading import verify
from administration.archives.workspace import workspace
from administration.archives.writing import BackupFigures, write_archive
from administration.models import Run
from common import background
from common.models import Job
from common.text import quote
from gangs.ledger.replay import SHARES, Scope
from gangs.models import Gang

logger = logging.getLogger(__name__)

# A backup may take long, and delays no other job.
LANE = background.Lane("backups")
# Seconds between two looks whether a backup is due.
LOOKS_EVERY = 3600
# Local hour before which the day's backup is not due: few people play then.
EARLIEST = 3
# Tries in a day: each costs the time of a replay of every gang.
MOST_TRIES = 3
JOB = "daily backup"
# Seconds without progress after which a backup is ended, and between two looks at it.
LONGEST_SILENCE, LOOKS_AT_IT = 6 * 3600, 15
# A site with a backup that takes longer is better served by a tool of its database.
LONG = timedelta(hours=1)
STUCK = f"It made no progress for {LONGEST_SILENCE // 3600} hours, and was ended."
# A site with more gangs replays only some of them each day: 15,000 entries take a second.
MOST_PROVEN = 20_000
# A proof includes gangs that changed so long before the last one: transactions take their time, and
# the clocks of machines differ.
OVERLAP = timedelta(hours=1)
# Gangs that differed, of which the next backup replays each.
MOST_KEYS = 1_000
# Priority of a backup, so that pages come first.
NICENESS = 10
# A site without a backup for so long has missed a day.
OVERDUE = timedelta(days=2)
LONGEST_REASON = 300
# The name of a site without SITE_URL, and the end of each backup's name.
UNNAMED = "skirmish"
ENDING = ".tar.gz"


class DailyFigures(BackupFigures):
    """The recorded figures of a daily backup.

    ``file``: its name in the place; ``place``: BACKUP_DAILY at that time; ``kept``: the number of
    the site's backups there afterwards.
    """

    file: str
    place: str
    kept: int


class Failed(Exception):
    """Raised when the day's backup failed; its message is the reason, in English."""


class DayState(NamedTuple):
    """The state of a day's backup: whether it is made, the number of failed tries, and whether
    another one would only fail like the last."""

    is_made: bool
    failures: int
    is_hopeless: bool


def register() -> None:
    """Register the notice of a failure, and the job if the site makes daily backups."""
    notices.register("backup_failed", _describe_failure, topic=notices.SITE)
    if settings.BACKUP_DAILY:
        background.every(LOOKS_EVERY, JOB, LANE)(back_up_if_due)


def _describe_failure(values: dict[str, str]) -> str:
    return _("The daily backup failed. Why: %(why)s") % values


def daily_runs() -> QuerySet[Run]:
    """Return the recorded daily backups, newest first."""
    return Run.objects.filter(kind=Run.Kind.BACKUP, values__has_key="file")


def look_at(day: date) -> DayState:
    """Return the state of a day's backup, which is also made if it is kept with gangs that differ
    from their replay. One query."""
    rows = list(daily_runs().filter(started_at__date=day).values_list("error", "values"))
    return DayState(
        any(not error or "kept" in values for error, values in rows),
        sum(1 for error, _values in rows if error),
        any(error == STUCK for error, _values in rows),
    )


def is_due() -> bool:
    """Whether the backup of today is still to be made, and may be tried now."""
    now = timezone.localtime()
    if now.hour < EARLIEST:
        return False
    state = look_at(now.date())
    return not state.is_made and not state.is_hopeless and state.failures < MOST_TRIES


def find_progress() -> Progress | None:
    """Return how far the backup that is being made is; None if the site makes none now. One
    query."""
    job = Job.objects.filter(kind=JOB, periodic=True).first()
    return progress_of(job) if job is not None else None


def progress_of(job: Job) -> Progress | None:
    """Return how far the job of the daily backup is; None if nobody carries it out."""
    return Progress.parse(background.place_of(job)) if background.is_running(job) else None


def is_long(run: Run) -> bool:
    """Whether a daily backup took longer than a site should spend on it."""
    return "file" in run.values and run.ended_at - run.started_at > LONG


def back_up_if_due() -> None:
    """Make the backup of today in a process of its own, unless it is made.

    Only one process of all machines runs this at a time. Administrators get a notice of the day's
    first failure. Raises Failed, and LostLease if another process has taken over.
    """
    if not is_due():
        return
    began = timezone.now()
    try:
        error = run_apart()
    finally:
        with _without_database():
            background.note_progress()
    if not error:
        return
    recorded = daily_runs().filter(started_at__gte=began).exclude(error="").first()
    if recorded is not None:
        error = recorded.error
    else:
        # The process was killed, or could not even start.
        values = {"file": name_of(timezone.localdate(began)), "place": settings.BACKUP_DAILY}
        Run.objects.create(kind=Run.Kind.BACKUP, started_at=began, values=values, error=error)
    if look_at(timezone.localdate(began)).failures == 1:
        notify_administrators(error)
    raise Failed(error)


def run_apart() -> str:
    """Run ``manage.py backup --daily`` with low priority; return the reason of a failure, or "".
    Raises LostLease.

    A page's process would answer slowly meanwhile, and could not be ended when it takes too long.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "backup", "--daily"]
    if nice := shutil.which("nice"):
        command = [nice, "-n", str(NICENESS), *command]
    with (
        tempfile.TemporaryFile() as told,
        subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=subprocess.PIPE,
            # pg_dump must end with it.
            start_new_session=True,
        ) as process,
    ):
        try:
            said = _wait_for(process, told)
        except subprocess.TimeoutExpired:
            _end(process)
            return STUCK
        except BaseException:
            # Leaving the block would wait for it without a limit. If another process has taken the
            # job, its backup is that of the day.
            _end(process)
            raise
    if process.returncode < 0:
        return f"It was ended by {signal.Signals(-process.returncode).name}."
    return quote(said.splitlines()[-1] if said else "", 2_000) if process.returncode else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait_for(process: subprocess.Popen[bytes], told: IO[bytes]) -> str:
    """Return the errors that a process has written when it ends. Meanwhile the job's lease is
    renewed, and its progress is noted; if the database is away for a moment, the next look does
    both. ``told``: the output of the process. Raises LostLease, and TimeoutExpired if it makes no
    progress for ``LONGEST_SILENCE``."""
    last, since = None, monotonic()
    while True:
        try:
            said = process.communicate(timeout=LOOKS_AT_IT)[1]
        except subprocess.TimeoutExpired:
            progress = read_last(told)
            _note(progress)
            if progress is not None and progress != last:
                last, since = progress, monotonic()
            elif monotonic() - since >= LONGEST_SILENCE:
                raise
        else:
            return said.decode(errors="replace").strip()


def _note(progress: Progress | None) -> None:
    """Renew the job's lease, and store how far the backup is. Raises LostLease."""
    with _without_database():
        background.renew_lease()
        if progress is not None:
            background.note_progress(place=str(progress), backlog=progress.left)


@contextmanager
def _without_database() -> Iterator[None]:
    """Log an error of the database, and go on."""
    try:
        yield
    except Error as error:
        logger.warning("Could not note how far the backup is: %s", error)
        close_old_connections()


def back_up_today(report: Report = ignore) -> DailyFigures:
    """Make the backup of today, check it as a restore would, and delete those that are too old.
    ``report`` is called with the progress.

    It replaces an earlier one of the same day. Raises BadArchive or OSError if nothing new is kept,
    and Different if the backup is kept but a gang differs from its replay.
    """
    today = timezone.localdate()
    name = name_of(today)
    with runs.remember_run(Run.Kind.BACKUP) as values:
        values |= {"file": name, "place": settings.BACKUP_DAILY}
        place = daily_place()
        began, scope = timezone.now(), find_scope()
        share = 0 if scope is None else (scope.share + 1) % SHARES
        with workspace(place.workshop, "backup") as folder:
            archive = folder / name
            written, proof = write_archive(archive, scope=scope, report=report)
            # Stored of a failed run, too: the next proof goes on from this one.
            values["proof"] = {
                "began": began.isoformat(),
                "release": settings.RELEASE,
                "next_share": share,
                "different": list(proof.keys[:MOST_KEYS]),
            }
            report(Progress(Stage.CHECK))
            verify(archive)
            report(Progress(Stage.KEEP))
            place.keep(archive, name)
        kept = clear_old(place, today)
        figures: DailyFigures = {
            **written,
            "file": name,
            "place": settings.BACKUP_DAILY,
            "kept": kept,
        }
        values |= figures
        runs.check(proof)
    return figures


def find_scope() -> Scope | None:
    """Return the gangs that the backup of today replays: on a large site those that changed since
    the last proof or differed then, and a share of the others, so that fourteen backups replay each
    at least once. None: all, on a smaller site, for a release that has proven none yet, and after a
    restore. Three queries."""
    if Gang.objects.all()[: MOST_PROVEN + 1].count() <= MOST_PROVEN:
        return None
    last = daily_runs().filter(values__has_key="proof").first()
    if last is None or last.values["proof"]["release"] != settings.RELEASE:
        return None
    proof, began = last.values["proof"], datetime.fromisoformat(last.values["proof"]["began"])
    # The proof of a restored site was about another database.
    if Run.objects.filter(kind=Run.Kind.RESTORE, ended_at__gte=began).exists():
        return None
    if len(proof["different"]) >= MOST_KEYS:
        return None
    return Scope(began - OVERLAP, proof.get("next_share", 0), tuple(proof["different"]))


def name_of(day: date) -> str:
    """Return the name of a day's backup."""
    return _name(site_name(), day)


def site_name() -> str:
    """Return the site's name in those of its backups: its host. Sites that share a place have
    different names."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    return re.sub(r"[^a-z0-9.-]", "", host) or UNNAMED


def clear_old(place: Place, today: date) -> int:
    """Delete this site's backups of more than BACKUP_DAYS days; return the number of the others.
    One query."""
    oldest = today - timedelta(days=settings.BACKUP_DAYS - 1)
    site = site_name()
    # In earlier releases a command that was typed without SITE_URL did not know the site's name.
    recorded = daily_runs().filter(values__place=settings.BACKUP_DAILY)
    unnamed = set(recorded.values_list("values__file", flat=True))
    kept = 0
    for name in place.names():
        day = _day_of(name, site) or (_day_of(name, UNNAMED) if name in unnamed else None)
        if day is None:
            continue
        if day < oldest:
            place.delete(name)
        else:
            kept += 1
    return kept


def _name(site: str, day: date) -> str:
    return f"{site}-{day.isoformat()}{ENDING}"


def _day_of(name: str, site: str) -> date | None:
    """Return the day of a site's backup; None for any other file."""
    try:
        day = date.fromisoformat(name.removeprefix(f"{site}-").removesuffix(ENDING))
    except ValueError:
        return None
    return day if _name(site, day) == name else None


def is_kept(run: Run) -> bool:
    """Whether a successful daily backup is still in its place, by its age."""
    age = timezone.localdate() - timezone.localdate(run.started_at)
    return not run.error and age.days < settings.BACKUP_DAYS


def notify_administrators(why: str) -> None:
    """Notify every administrator of a failed backup."""
    readers = User.objects.filter(is_staff=True, is_active=True)
    values = {"why": quote(why, LONGEST_REASON)}
    notices.notify(readers, "backup_failed", values, reverse("administration:backups"))
