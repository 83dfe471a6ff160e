"""The readiness page: its checks and its readers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from accounts import mailing
from accounts.models import User
from administration.monitoring import readiness
from common import background
from common.models import Job
from printing.models import PrintJob
from rules.models import BookVersion
from tests.world.gangs import make_version

pytestmark = pytest.mark.django_db
HERE = {"Host": "127.0.0.1:8000"}


@pytest.fixture(autouse=True)
def _forget_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_migrated", False)


@pytest.fixture
def book() -> BookVersion:
    """A rulebook, without which no site is ready."""
    return make_version()


def lines(client: Client) -> dict[str, str]:
    """Return the line of each check."""
    answer = client.get("/ready/", headers=HERE)
    first, *rest = answer.content.decode().splitlines()
    assert (first == "ready") == (answer.status_code == 200)
    assert answer.status_code in (200, 503)
    told = dict(line.split(":", 1) for line in rest)
    return {key.split()[1]: key.split()[0] + value for key, value in told.items()}


def test_healthy_site_passes_every_check(client: Client, book: BookVersion) -> None:
    told = lines(client)
    assert (
        " ".join(told)
        == "release database migrations rulebooks searches disk mails prints jobs backups"
    )
    assert all(line.startswith("good ") for line in told.values())
    assert told["rulebooks"] == "good 1 loaded"
    assert told["release"] == f"good {django_settings.RELEASE}"


def test_site_without_a_rulebook_is_not_ready(client: Client) -> None:
    assert lines(client)["rulebooks"] == "FAILED 0 loaded"
    assert client.get("/ready/").status_code == 503


def test_missing_migration_is_named(
    client: Client, book: BookVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process that has seen all migrations does not query them again.
    monkeypatch.setattr(readiness, "_migrated", False)
    newest = MigrationRecorder.Migration.objects.filter(app="gangs").latest("name")
    newest.delete()
    assert lines(client)["migrations"].startswith(f"FAILED gangs.{newest.name}")


def test_migrations_are_checked_once(
    client: Client, book: BookVersion, django_assert_num_queries: Any
) -> None:
    client.get("/ready/")
    with django_assert_num_queries(5):
        client.get("/ready/")


def test_unreachable_database_is_reported(
    client: Client, book: BookVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OperationalError("connection refused\nis it running?")

    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", gone)
    told = lines(client)
    assert told["database"] == "FAILED OperationalError: connection refused"
    assert told["disk"].startswith("good")


@pytest.mark.parametrize(
    ("free", "total", "flags", "files", "ok"),
    [
        (200 << 20, 20 << 30, 0, 5, True),
        (50 << 20, 20 << 30, 0, 5, False),
        (50 << 20, 500 << 20, 0, 5, True),
        (20 << 20, 500 << 20, 0, 5, False),
        (200 << 20, 20 << 30, os.ST_RDONLY, 5, False),
        (200 << 20, 20 << 30, 0, 0, False),
    ],
)
def test_disk_check_needs_room_inodes_and_write_access(
    monkeypatch: pytest.MonkeyPatch, free: int, total: int, flags: int, files: int, ok: bool
) -> None:
    state = SimpleNamespace(f_flag=flags, f_files=100, f_favail=files)
    room = SimpleNamespace(free=free, total=total)
    monkeypatch.setattr(readiness.os, "statvfs", lambda folder: state)
    monkeypatch.setattr(readiness.shutil, "disk_usage", lambda folder: room)
    assert readiness.disk().ok is ok


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register a single periodic job."""
    monkeypatch.setattr(background, "_works", {})
    background.every(86400, "tidying")(lambda: None)
    yield


def test_late_work_is_reported_but_the_site_stays_ready(
    client: Client, book: BookVersion, jobs: None
) -> None:
    long_ago = timezone.now() - timedelta(hours=50)
    mails, periodic = (Job.objects.filter(periodic=which) for which in (False, True))
    mails.create(kind=mailing.MAIL)
    PrintJob.objects.create(key="1", kind="sheet", job=b"")
    periodic.create(periodic=True, kind="tidying", next_at=timezone.now())
    assert all(line.startswith("good ") for line in lines(client).values())
    mails.update(created_at=long_ago)
    PrintJob.objects.update(created_at=long_ago)
    periodic.update(next_at=long_ago)
    told = lines(client)
    # A slow machine takes some seconds to answer.
    for name in ("mails", "prints"):
        assert re.fullmatch(r"LATE the oldest waits for 180\d{3} s", told[name])
    assert told["jobs"] == "LATE tidying is late"
    periodic.update(next_at=timezone.now(), failed_at=timezone.now())
    assert lines(client)["jobs"] == "LATE tidying failed"
    assert client.get("/ready/", headers=HERE).status_code == 200


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, False),
        ({"headers": HERE}, True),
        ({"headers": {"Host": "localhost"}}, True),
        ({"headers": {"Host": "[::1]:80"}, "REMOTE_ADDR": "::1"}, True),
        ({"headers": HERE, "REMOTE_ADDR": "192.0.2.1"}, False),
        ({"headers": HERE, "REMOTE_ADDR": ""}, False),
        # A web server on the same machine forwards the request of another client.
        ({"headers": HERE | {"X-Forwarded-For": "192.0.2.1"}}, False),
        ({"headers": HERE | {"Via": "1.1 front"}}, False),
        ({"headers": {"Authorization": "Bearer right"}}, True),
        ({"headers": {"Authorization": "Bearer wrong"}}, False),
        ({"headers": {"Authorization": "Basic right"}}, False),
    ],
)
def test_details_are_shown_only_locally_or_with_the_token(
    client: Client, book: BookVersion, settings: Any, asked: dict[str, Any], told: bool
) -> None:
    settings.METRICS_TOKEN = "right"
    text = client.get("/ready/", **asked).content.decode()
    assert text.startswith("ready\n") and ("MiB" in text) is told


def test_details_are_shown_to_administrators(
    client: Client, book: BookVersion, alice: User
) -> None:
    client.force_login(alice)
    assert client.get("/ready/").content == b"ready\n"
    User.objects.update(is_staff=True)
    assert "MiB" in client.get("/ready/").content.decode()
