"""Mails and times of periodic jobs stored by an older release: they become jobs, and can be
migrated back.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts import mailing
from common.background import carry_out
from common.models import Job

# They migrate back and forth for each test. CI runs them on PostgreSQL, long ones included.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
BEFORE = [("accounts", "0003_abbreviations"), ("common", "0001_initial")]
NOW = timezone.now()


def migrate(targets: list[tuple[str, str]]) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection)


@pytest.fixture
def older() -> Iterator[None]:
    """A database from before there were jobs, with mails and periodic jobs; it is migrated to the
    newest state again after the test.
    """
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        apps = migrate(BEFORE).loader.project_state(BEFORE).apps
        mail, periodic = apps.get_model("accounts", "Mail"), apps.get_model("common", "PeriodicJob")
        address, hour = "a@example.org", timedelta(hours=1)
        mail.objects.create(
            to=address, subject="Waits", body="Read → me.", tries=3, error="refused"
        )
        mail.objects.create(to=address, subject="Sent", sent_at=NOW, next_try_at=None, tries=1)
        mail.objects.create(to=address, subject="Lost", next_try_at=None, error="refused")
        periodic.objects.create(name="mails", next_at=NOW)
        times = {"next_at": NOW + hour, "started_at": NOW, "finished_at": NOW}
        periodic.objects.create(name="tidy", **times, failed_at=NOW - hour, error="long ago")
        failed = {**times, "failed_at": NOW, "finished_at": NOW - hour}
        periodic.objects.create(name="failed sign-ins", **failed, error="no disk")
        yield
    finally:
        migrate(newest)


def test_migration_turns_mails_and_times_into_jobs(older: None, mailoutbox: list[object]) -> None:
    migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    mails = mailing.stored_mails().order_by("pk")
    waits, sent, lost = mails
    assert [job.title for job in mails] == [
        f"{word} → a@example.org" for word in ("Waits", "Sent", "Lost")
    ]
    assert (waits.tries, waits.error, bool(waits.failed_at)) == (3, "refused", True)
    assert sent.finished_at == NOW and sent.next_at is None and not sent.failed_at
    assert list(Job.objects.given_up()) == [lost] and lost.body == {}
    bad, good = Job.objects.filter(periodic=True).order_by("kind")
    assert (bad.kind, bad.failed_at, bad.error) == ("failed sign-ins", NOW, "no disk")
    assert (good.kind, good.failed_at, good.error) == ("tidy", None, "")
    assert good.next_at == NOW + timedelta(hours=1) and good.started_at == good.finished_at == NOW
    carry_out(mailing.LANE)
    carry_out(mailing.LANE)
    [message] = mailoutbox
    assert (message.subject, message.body, message.to) == ("Waits", "Read → me.", ["a@example.org"])


def test_migration_back_restores_mails_and_times(older: None) -> None:
    apps = migrate(BEFORE).loader.project_state(BEFORE).apps
    names = ("to", "subject", "body", "tries", "error", "sent_at")
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    before = list(apps.get_model("accounts", "Mail").objects.values(*names).order_by("pk"))
    assert len(before) == 3
    migrate(newest)
    apps = migrate(BEFORE).loader.project_state(BEFORE).apps
    assert list(apps.get_model("accounts", "Mail").objects.values(*names).order_by("pk")) == before
    kept = (
        apps.get_model("common", "PeriodicJob")
        .objects.order_by("name")
        .values_list("name", "started_at")
    )
    assert list(kept) == [("failed sign-ins", NOW), ("tidy", NOW)]
