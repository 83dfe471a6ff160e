"""Panels of the administrators' first page: reports, upkeep, space, people, rulebooks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext, pgettext_lazy

from accounts import mailing, notices
from accounts.authentication.addresses import unannounced_proxy
from accounts.dates import date_format
from accounts.models import SiteInvitation, User
from administration import runs, totals
from administration.archives import daily
from administration.archives.progress import Progress, Stage
from administration.models import PageReport, Run
from campaigns.models import Campaign
from common import background
from common.files import size_of
from common.models import Job
from common.site_state import Fact, Level
from common.site_state import register as register_panel
from common.storages import DataFolder
from gangs.models import Gang
from gangs.text.formats import localize
from printing import line
from rules.library import newest_books, site_folders, why_kept
from rules.loading.reader import BadBook, read_folder

MONTH = timedelta(days=30)
# The names of periodic jobs, as readers see them.
JOBS = (
    gettext_noop("daily backup"),
    gettext_noop("expired cache entries"),
    gettext_noop("failed sign-ins"),
    gettext_noop("luck of games"),
    gettext_noop("news for channels"),
    gettext_noop("notices of rounds"),
    gettext_noop("reminders"),
    gettext_noop("shelves of other sites"),
    gettext_noop("tidy"),
)
# A print that waits longer than this is not merely behind others.
LONGEST_WAIT = timedelta(minutes=20)
# A restarting mail server accepts mail again within this time.
LONGEST_MAIL = timedelta(minutes=30)
# A periodic job that is due for longer has no process, or waits behind one that hangs.
LONGEST_DELAY = timedelta(hours=1)
# Free bytes on the disk below which to warn, and below which it is an error.
LITTLE_ROOM, NO_ROOM = 2 << 30, 300 << 20
# Maximum age of the last good run of each kind.
OLDEST = {
    Run.Kind.BACKUP: timedelta(days=7),
    Run.Kind.REPLAY: timedelta(days=30),
    Run.Kind.TIDY: timedelta(days=2),
}


def register() -> None:
    """Register all panels."""
    register_panel(gettext_lazy("What was reported"), reports)
    register_panel(pgettext_lazy("of the site", "Upkeep"), upkeep)
    register_panel(gettext_lazy("Waiting"), waiting)
    register_panel(gettext_lazy("Signing up and in"), signing_up)
    register_panel(gettext_lazy("Room"), room)
    register_panel(gettext_lazy("People and their games"), people)
    register_panel(gettext_lazy("Rulebooks"), rulebooks)


def reports() -> Iterator[Fact]:
    """Yield the open reports and the number of administrators who get them by mail."""
    waiting = PageReport.objects.filter(handled_at=None)
    count, url = waiting.count(), reverse("administration:reports")
    if count:
        oldest = waiting.order_by("at").values_list("at", flat=True)[0]
        advice = _("Look at them: the oldest has waited for %(time)s.") % {
            "time": timesince(oldest)
        }
        yield Fact(_("Reports waiting"), number_format(count), Level.WARNING, advice, url)
    else:
        yield Fact(_("Reports waiting"), pgettext("how many", "none"), url=url)
    mailed = User.objects.filter(is_staff=True, is_active=True, mail_notices=True)
    reached = len(
        mailing.confirmed_addresses(one for one in mailed if one.wants_mail_about(notices.SITE))
    )
    if reached:
        told = ngettext("%(count)s administrator", "%(count)s administrators", reached)
        yield Fact(_("Notified by mail"), told % {"count": reached})
    else:
        advice = _(
            "Reports only show up at the bell: confirm your address and turn on notices by e-mail."
        )
        yield Fact(_("Notified by mail"), _("nobody"), Level.WARNING, advice, reverse("notices"))


def upkeep() -> Iterator[Fact]:
    """Yield the release, the times of the last backup, replay and tidying, and the state of daily
    backups."""
    yield Fact(_("This release"), settings.RELEASE)
    what_to_do = {
        Run.Kind.BACKUP: (
            _("“manage.py backup --daily” tries again now, and says why it fails.")
            if settings.BACKUP_DAILY
            else _("Set BACKUP_DAILY, or run “manage.py backup FILE” and keep it elsewhere.")
        ),
        Run.Kind.REPLAY: _("Run “manage.py replay”."),
        Run.Kind.TIDY: _("The site does this once a day. “manage.py tidy” does it now."),
    }
    backups = reverse("administration:backups")
    for kind, words in what_to_do.items():
        url = backups if kind == Run.Kind.BACKUP else ""
        run, good = runs.find_last(kind), runs.find_last(kind, good=True)
        name = str(kind.label)
        if run is not None and run.error:
            value = _("failed %(when)s: %(why)s") % {"when": _when(run.ended_at), "why": run.error}
            yield Fact(name, value, Level.ERROR, words, url)
        elif good is None:
            if kind == Run.Kind.BACKUP and settings.BACKUP_DAILY:
                words = _(
                    "The site makes the first one soon; “manage.py backup --daily” does it now."
                )
            yield Fact(name, _("never"), Level.WARNING, words, url)
        else:
            oldest = OLDEST[kind]
            if kind == Run.Kind.BACKUP and settings.BACKUP_DAILY:
                oldest = daily.OVERDUE
            old = timezone.now() - good.ended_at > oldest
            advice = words if old else advise_on_time(good)
            level = Level.WARNING if advice else Level.GOOD
            value = f"{_when(good.ended_at)} · {summary(good)}"
            yield Fact(name, value, level, advice, url)
    yield Fact(_("Daily backups"), describe_daily_backups(), url=backups)
    if progress := daily.find_progress():
        yield Fact(_("Backup in progress"), describe_progress(progress), url=backups)


def describe_daily_backups() -> str:
    """Say where the site keeps its daily backups, how many and for how long."""
    if not settings.BACKUP_DAILY:
        return _("not made by the site")
    last = daily.daily_runs().filter(error="").first()
    told = {
        "count": 0 if last is None else last.values.get("kept", 0),
        "place": settings.BACKUP_DAILY,
        "days": settings.BACKUP_DAYS,
    }
    return _("%(count)s in %(place)s, each kept for %(days)s days") % told


def describe_progress(progress: Progress) -> str:
    """Say how far the backup is that is being made."""
    told = {"done": number_format(progress.done), "total": number_format(progress.total)}
    match progress.stage:
        case Stage.COPY:
            return _("copying the database")
        case Stage.PROOF:
            return _("checking gangs: %(done)s of %(total)s") % told
        case Stage.PICTURES:
            return _("packing pictures: %(done)s of %(total)s") % told
        case Stage.CHECK:
            return _("checking the archive")
        case Stage.KEEP:
            return _("storing the archive")


def advise_on_time(run: Run | None) -> str:
    """Return advice if the last daily backup took too long, else ""."""
    if run is None or not daily.is_long(run):
        return ""
    return _(
        "Backups take more than an hour: let pg_dump or your provider back up the database, copy "
        "the pictures’ bucket and keep the secret key. “How far one machine goes” in "
        "docs/running.md says more."
    )


def summary(run: Run) -> str:
    """Summarise a successful run in the reader's language."""
    values = run.values
    match run.kind:
        case Run.Kind.TIDY:
            return _("cleared away: %(count)s") % {"count": values.get("count", 0)}
        case Run.Kind.REPLAY:
            return _("gangs checked: %(count)s") % {"count": values.get("gangs", 0)}
        case _:
            size = filesizeformat(values.get("bytes", 0))
            took = timesince(run.started_at, run.ended_at)
            told = {"count": values.get("gangs", 0), "size": size, "time": took}
            return _("%(size)s, gangs checked: %(count)s, took %(time)s") % told


def waiting() -> Iterator[Fact]:
    """Yield waiting mails, waiting prints and the periodic jobs."""
    yield from mails()
    oldest = line.oldest_waiting()
    if oldest is None:
        yield Fact(_("Oldest print"), _("none waiting"))
    else:
        late = oldest > LONGEST_WAIT
        advice = _("Printing may have stopped: restart the site.") if late else ""
        value = _("%(count)s minutes") % {"count": int(oldest.total_seconds() // 60)}
        yield Fact(_("Oldest print"), value, Level.WARNING if late else Level.GOOD, advice)
    for job in background.periodic_jobs():
        yield describe_job(job)


def describe_job(job: Job) -> Fact:
    """Describe a periodic job: its last run, the one that goes on, and its backlog."""
    name = _("Automatic: %(job)s") % {"job": _(job.kind)}
    if job.failed_at:
        return Fact(name, job.error, Level.ERROR, _("The site’s log says more."))
    done, began = job.finished_at, job.started_at
    parts = [_when(done) if done is not None else _("not yet done")]
    if began is not None and (done is None or done < began):
        parts.append(_("running since %(when)s") % {"when": _when(began)})
    if left := background.backlog_of(job):
        parts.append(_("still waiting: %(count)s") % {"count": number_format(left)})
    value = " · ".join(parts)
    if background.delay_of(job) <= LONGEST_DELAY:
        return Fact(name, value)
    advice = _(
        "Due since %(when)s: no process of the site carries it out. Restart one without"
        " PERIODIC_JOBS=0."
    )
    when = "" if job.next_at is None else _when(job.next_at)
    return Fact(name, value, Level.WARNING, advice % {"when": when})


def mails() -> Iterator[Fact]:
    """Yield whether there is a mail server, the oldest waiting mail, and the mails abandoned after
    days."""
    if not settings.MAIL_SERVER:
        advice = _(
            "EMAIL_HOST is not set: mails reach nobody. The site’s log names them and their"
            " addresses. For a forgotten password, the page of the account makes a link."
        )
        yield Fact(_("Mail server"), _("not set up"), Level.WARNING, advice)
    known = mailing.stored_mails()
    oldest = known.waiting().first()
    url = reverse("administration:jobs")
    if oldest is None:
        yield Fact(_("Oldest mail"), _("none waiting"), url=url)
    else:
        late = timezone.now() - oldest.created_at > LONGEST_MAIL
        advice = _(
            "The mail server accepts nothing: check its settings. The mails will be sent again."
        )
        value = timesince(oldest.created_at)
        if late and oldest.error:
            value = f"{value} · {oldest.error}"
        level = Level.WARNING if late else Level.GOOD
        yield Fact(_("Oldest mail"), value, level, advice if late else "", url)
    if lost := known.given_up().count():
        advice = _("No mail server accepted them for days; their texts are deleted.")
        yield Fact(
            _("Mails given up"), number_format(lost), Level.WARNING, advice, f"{url}?which=lost"
        )


def room() -> Iterator[Fact]:
    """Yield the space used by database, pictures and prints, and the free space."""
    yield Fact(_("Database"), f"{filesizeformat(database_size())} ({connection.vendor})")
    stores = (
        (_("Pictures"), storages["pictures"]),
        (_("Prints"), storages["prints"]),
        (_("Pictures of links"), storages["previews"]),
    )
    for name, storage in stores:
        if isinstance(storage, DataFolder):
            size = size_of(Path(storage.location))
            files = _("%(count)s files") % {"count": number_format(size.files)}
            yield Fact(name, f"{filesizeformat(size.bytes)} ({files})")
        else:
            yield Fact(name, _("in a bucket"))
    free = shutil.disk_usage(settings.DATA_DIR).free
    level = Level.ERROR if free < NO_ROOM else Level.WARNING if free < LITTLE_ROOM else Level.GOOD
    advice = "" if level == Level.GOOD else _("Make room: soon nothing can be saved any more.")
    yield Fact(_("Free on the disk"), filesizeformat(free), level, advice)


def signing_up() -> Iterator[Fact]:
    """Yield who may sign up, and whether the settings miss a proxy."""
    told = {
        "open": _("open to everybody"),
        "invitation": _("by invitation"),
        "closed": _("closed"),
    }
    usable = SiteInvitation.objects.usable().count()
    invited = ngettext("%(count)s invitation is open", "%(count)s invitations are open", usable)
    value = f"{told[settings.SIGNUP]} · {invited % {'count': usable}}"
    yield Fact(_("Sign-up"), value, url=reverse("site-invitations"))
    seen = unannounced_proxy()
    if seen is not None:
        advice = _(
            "Set TRUSTED_PROXIES to the number of proxies: until then all visitors count as one "
            "and share the limits on signing in and creating gangs."
        )
        name = _("A proxy that is not announced")
        yield Fact(name, _("seen %(when)s") % {"when": _when(seen)}, Level.ERROR, advice)


def database_size() -> int:
    """Return the bytes that the database takes on its disk."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        files = (Path(f"{name}{ending}") for ending in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.is_file())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def people() -> Iterator[Fact]:
    """Yield the numbers of accounts, gangs and campaigns; large ones are at most a minute old."""
    accounts, month = User.objects.filter(stands_for=""), timezone.now() - MONTH
    url = reverse("administration:accounts")
    counts = {
        "all": totals.count(accounts, "accounts"),
        "here": totals.count(accounts.filter(last_login__gte=month), "accounts here"),
        "new": totals.count(accounts.filter(date_joined__gte=month), "accounts new"),
        "blocked": totals.count(accounts.filter(is_active=False), "accounts blocked"),
    }
    told = _("%(all)s; in 30 days %(here)s signed in and %(new)s are new; %(blocked)s blocked")
    yield Fact(_("Accounts"), told % counts, url=url)
    if not accounts.filter(is_staff=True, is_active=True, is_superuser=True).exists():
        advice = _("Run “manage.py createsuperuser”: nobody can appoint administrators.")
        yield Fact(_("Administrators"), _("none with all rights"), Level.WARNING, advice)
    gangs = Gang.objects.all()
    counts = {
        "all": totals.count(gangs, "gangs"),
        "guests": totals.count(gangs.filter(owner=None, kept_at=None), "gangs of guests"),
        "changed": totals.count(gangs.filter(changed_at__gte=month), "gangs changed"),
    }
    told = _("%(all)s, of which %(guests)s are visitors’; %(changed)s changed in 30 days")
    yield Fact(_("Gangs"), told % counts, url=reverse("administration:gangs"))
    campaigns = Campaign.objects.all()
    counts = {
        "all": totals.count(campaigns, "campaigns"),
        "open": totals.count(campaigns.open(), "campaigns open"),
    }
    told = _("%(all)s, of which %(open)s are not archived")
    yield Fact(_("Campaigns"), told % counts, url=reverse("administration:campaigns"))


def rulebooks() -> Iterator[Fact]:
    """Yield the loaded rulebooks, and the shipped ones that are not loaded."""
    books = newest_books()
    for version, book in books:
        told = _("%(edition)s, %(digest)s, loaded %(when)s; %(count)s gangs use this version") % {
            "edition": localize(book.edition),
            "digest": version.digest[:8],
            "when": date_format(timezone.localtime(version.loaded_at), "j N Y"),
            "count": totals.count(
                Gang.objects.filter(book_version=version), f"gangs of {version.digest}"
            ),
        }
        url = reverse("administration:rulebook", args=[book.slug])
        yield Fact(localize(book.title), told, url=url)
    # The site's own editions and removals are no fault.
    missing = [name for name, digest in site_digests() if why_kept(name, digest) is None]
    if missing:
        advice = _("Run “manage.py books load”; if that names a mistake, the files were changed.")
        yield Fact(_("Not loaded as shipped"), ", ".join(missing), Level.WARNING, advice)
    elif not books:
        advice = _("Run “manage.py books load”.")
        yield Fact(_("Rulebooks"), pgettext("how many", "none"), Level.ERROR, advice)


@cache
def site_digests() -> tuple[tuple[str, str], ...]:
    """Return the rulebooks that every start loads by folder, each with its digest ("" if it has
    mistakes).

    They are read once in a process.
    """
    found = []
    for folder in site_folders():
        try:
            found.append((folder.name, read_folder(folder).digest))
        except BadBook:
            found.append((folder.name, ""))
    return tuple(found)


def _when(moment: datetime) -> str:
    local = timezone.localtime(moment)
    return date_format(local, "j N Y, H:i")
