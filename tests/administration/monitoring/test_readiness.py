"""Whether the site says that it can do its work, and to whom it says more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
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
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_migrated", False)


@pytest.fixture
def book() -> BookVersion:
    """A game to play, without which no site is ready."""
    return make_version()


def lines(client: Client) -> dict[str, str]:
    """What is told of each check."""
    answer = client.get("/ready/", headers=HERE)
    first, *rest = answer.content.decode().splitlines()
    assert (first == "ready") == (answer.status_code == 200)
    assert answer.status_code in (200, 503)
    told = dict(line.split(":", 1) for line in rest)
    return {key.split()[1]: key.split()[0] + value for key, value in told.items()}


def test_a_site_that_is_well(client: Client, book: BookVersion) -> None:
    told = lines(client)
    assert list(told) == ["database", "migrations", "rulebooks", "disk", "mails", "prints", "jobs"]
    assert all(line.startswith("good ") for line in told.values())
    assert told["rulebooks"] == "good 1 loaded"


def test_no_rulebook(client: Client) -> None:
    assert lines(client)["rulebooks"] == "FAILED 0 loaded"
    assert client.get("/ready/").status_code == 503


def test_a_migration_that_is_missing(
    client: Client, book: BookVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Once all were there, a process asks no more.
    monkeypatch.setattr(readiness, "_migrated", False)
    newest = MigrationRecorder.Migration.objects.filter(app="gangs").latest("name")
    newest.delete()
    assert lines(client)["migrations"].startswith(f"FAILED gangs.{newest.name}")


def test_that_there_are_none_missing_is_asked_once(
    client: Client, book: BookVersion, django_assert_num_queries: Any
) -> None:
    client.get("/ready/")
    with django_assert_num_queries(5):
        client.get("/ready/")


def test_the_database_is_gone(
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
def test_room_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, free: int, total: int, flags: int, files: int, ok: bool
) -> None:
    state = SimpleNamespace(f_flag=flags, f_files=100, f_favail=files)
    room = SimpleNamespace(free=free, total=total)
    monkeypatch.setattr(readiness.os, "statvfs", lambda folder: state)
    monkeypatch.setattr(readiness.shutil, "disk_usage", lambda folder: room)
    assert readiness.disk().ok is ok


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One periodic job, and no others."""
    monkeypatch.setattr(background, "_works", {})
    background.every(86400, "tidying")(lambda: None)
    yield


def test_what_waits_for_long_is_told_and_keeps_nobody_away(
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
    assert told["mails"] == told["prints"] == "LATE the oldest waits for 180000 s"
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
        # A web server on the same machine asks for somebody else.
        ({"headers": HERE | {"X-Forwarded-For": "192.0.2.1"}}, False),
        ({"headers": HERE | {"Via": "1.1 front"}}, False),
        ({"headers": {"Authorization": "Bearer right"}}, True),
        ({"headers": {"Authorization": "Bearer wrong"}}, False),
        ({"headers": {"Authorization": "Basic right"}}, False),
    ],
)
def test_who_is_told_more(
    client: Client, book: BookVersion, settings: Any, asked: dict[str, Any], told: bool
) -> None:
    settings.METRICS_TOKEN = "right"
    text = client.get("/ready/", **asked).content.decode()
    assert text.startswith("ready\n") and ("MiB" in text) is told


def test_administrators_are_told_more(client: Client, book: BookVersion, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/ready/").content == b"ready\n"
    User.objects.update(is_staff=True)
    assert "MiB" in client.get("/ready/").content.decode()
