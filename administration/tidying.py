"""Cleaning up the whole site: by ``manage.py tidy``, and once a day automatically."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module

from django.conf import settings
from django.utils import timezone

from accounts import quotas
from accounts.models import Notice
from administration import runs
from administration.archives import workspace
from administration.models import PageReport, Run
from common import background, upkeep
from common.upkeep import Done
from printing import cache as printing_cache
from printing import line

DAY = 24 * 3600
# Ages at which notices and settled reports are deleted.
READ_NOTICES = timedelta(days=180)
UNREAD_NOTICES = timedelta(days=365)
SETTLED_REPORTS = timedelta(days=365)


class Untidy(Exception):
    """A step failed; all others were run."""


def register() -> None:
    """Register steps for data that belong to no app of the site, and the daily run of all steps."""
    upkeep.register("expired sessions", clear_sessions)
    upkeep.register("old notices", clear_notices)
    upkeep.register("mails sent long ago", background.forget_done)
    upkeep.register("old counts of daily use", quotas.clear_old_uses)
    upkeep.register("reports settled long ago", clear_reports)
    upkeep.register("old runs", runs.clear_old)
    upkeep.register("old prints", printing_cache.tidy)
    upkeep.register("prints that nobody waits for", line.clear_stale)
    upkeep.register("leftovers of backups and restores", clear_leftovers)
    background.every(DAY, "tidy")(tidy_all)


def tidy() -> Iterator[Done]:
    """Run every step, record the run, and yield each outcome.

    Raises Untidy at the end if a step failed.
    """
    with runs.remember_run(Run.Kind.TIDY) as values:
        failed = []
        for done in upkeep.steps():
            if done.error:
                failed.append(f"{done.name}: {done.error}")
            values["count"] = values.get("count", 0) + done.count
            yield done
        if failed:
            raise Untidy("; ".join(failed))


def tidy_all() -> None:
    """Run every step as a periodic job. Raises Untidy."""
    for _done in tidy():
        pass


def clear_sessions() -> int:
    """Delete expired sessions; return their number, or 0 if they are not in the database."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    if not hasattr(store, "get_model_class"):
        store.clear_expired()
        return 0
    expired = store.get_model_class().objects.filter(expire_date__lt=timezone.now())
    return int(expired.delete()[0])


def clear_leftovers() -> int:
    """Delete folders that interrupted backups and restores left in the site's folder."""
    return workspace.clear_leftovers(settings.DATA_DIR)


def clear_notices() -> int:
    """Delete notices read long ago and notices nobody reads; return their number."""
    now = timezone.now()
    read = Notice.objects.filter(read_at__lt=now - READ_NOTICES)
    unread = Notice.objects.filter(read_at=None, at__lt=now - UNREAD_NOTICES)
    return read.delete()[0] + unread.delete()[0]


def clear_reports() -> int:
    """Delete reports settled long ago; return their number. Acts on them stay."""
    old = PageReport.objects.filter(handled_at__lt=timezone.now() - SETTLED_REPORTS)
    return old.delete()[0]
