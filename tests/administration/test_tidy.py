"""Cleaning up: every step runs even when others fail, and is logged."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Notice, User
from administration import runs, tidying
from administration.models import Act, PageReport, Run
from common import background, upkeep
from common.models import Job
from gangs.models import Gang
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db


def tidy() -> str:
    out = StringIO()
    call_command("tidy", stdout=out, stderr=out)
    return out.getvalue()


def test_every_step_reports_its_result(alice: User) -> None:
    now = timezone.now()
    Session.objects.create(session_key="old", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=now + timedelta(days=1))
    lost, hers = make_gang(None), make_gang(alice)
    Gang.objects.update(changed_at=now - timedelta(days=400))
    said = tidy()
    assert "expired sessions: 1\n" in said and "visitors' gangs: 1\n" in said
    assert [row.session_key for row in Session.objects.all()] == ["new"]
    assert not Gang.objects.filter(pk=lost.pk).exists() and Gang.objects.filter(pk=hers.pk).exists()
    [run] = Run.objects.all()
    assert (run.kind, run.error, run.values) == ("tidy", "", {"count": 2})
    assert "expired sessions: 0\n" in tidy()


def test_old_notices_are_deleted_and_new_ones_kept(alice: User) -> None:
    now = timezone.now()
    for kind, read_days, days in (
        ("read long ago", 181, 190),
        ("read lately", 1, 300),
        ("never read", None, 366),
        ("not read yet", None, 364),
    ):
        notice = Notice.objects.create(user=alice, kind=kind)
        read = None if read_days is None else now - timedelta(days=read_days)
        Notice.objects.filter(pk=notice.pk).update(read_at=read, at=now - timedelta(days=days))
    assert tidying.clear_notices() == 2
    assert set(Notice.objects.values_list("kind", flat=True)) == {"read lately", "not read yet"}


def test_old_settled_reports_are_deleted_and_acts_kept(root: User) -> None:
    now = timezone.now()
    for days in (None, 1, 400):
        at = None if days is None else now - timedelta(days=days)
        PageReport.objects.create(page="/s/x/", title="x", why="other", words="x", handled_at=at)
    Act.objects.create(by=root, kind="handle", subject="report", at=now - timedelta(days=4000))
    assert tidying.clear_reports() == 1
    assert PageReport.objects.count() == 2 and Act.objects.count() == 1


def test_old_runs_are_deleted_except_the_last_of_each_kind() -> None:
    now = timezone.now()
    for kind, days, error in (
        ("backup", 500, ""),
        ("backup", 400, "no room"),
        ("backup", 450, ""),
        ("tidy", 300, ""),
        ("tidy", 1, ""),
    ):
        at = now - timedelta(days=days)
        Run.objects.create(kind=kind, started_at=at, ended_at=at, error=error)
    assert runs.clear_old() == 2
    kept = [(run.kind, run.error) for run in Run.objects.all()]
    assert kept == [("tidy", ""), ("backup", "no room"), ("backup", "")]


def test_failing_step_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> int:
        raise OSError("the disk is gone")

    taken: list[str] = []
    monkeypatch.setattr(upkeep, "_steps", {})
    upkeep.register("before", lambda: len(taken) + 1)
    upkeep.register("broken", broken)
    upkeep.register("after", lambda: taken.append("after") or 4)  # type: ignore[func-returns-value]
    out = StringIO()
    with pytest.raises(CommandError, match="Some data could not"):
        call_command("tidy", stdout=out, stderr=out)
    assert out.getvalue().splitlines() == [
        "before: 1",
        "broken: failed: OSError: the disk is gone",
        "after: 4",
    ]
    [run] = Run.objects.all()
    assert run.error == "broken: OSError: the disk is gone" and run.values == {"count": 5}


def test_site_cleans_up_once_a_day() -> None:
    job = background._works["tidy"]
    assert job.period == timedelta(days=1)
    job.function(Job())
    assert [run.kind for run in Run.objects.all()] == ["tidy"]
