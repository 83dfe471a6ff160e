"""The backup that the site makes of itself each day."""

from __future__ import annotations

import signal
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from accounts.models import Notice, User
from administration.archives import daily, places
from administration.archives.manifest import BadArchive
from administration.archives.progress import Progress, Stage
from administration.archives.reading import verify
from administration.models import Run
from administration.monitoring import readiness
from administration.monitoring.metrics import write_figures
from administration.runs import Different
from common import background
from common.models import Job
from gangs.ledger.replay import SHARES, Scope
from gangs.models import Gang
from tests.faults.served import environment, seed
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 11, 27, 11, 0, tzinfo=UTC)


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """The place for daily backups, which the host has created."""
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o700)
    settings.BACKUP_DAILY = str(kept)
    settings.BACKUP_DAYS = 3
    return kept


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Set the clock."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_to(NOON)
    yield set_to


def record(started: datetime, error: str = "", **values: Any) -> Run:
    values = {"file": "x", "place": "/x", **values}
    return Run.objects.create(
        kind="backup", started_at=started, ended_at=started, values=values, error=error
    )


def test_daily_backup_is_proven_private_and_listed(
    folder: Path, settings: Any, alice: User, as_root: Client
) -> None:
    make_gang(alice)
    settings.SITE_URL = "https://gangs.example.org"
    figures = daily.back_up_today()
    [file] = folder.iterdir()
    assert file.name == f"gangs.example.org-{timezone.localdate()}.tar.gz" == figures["file"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert verify(file).counts["gangs"] == 1
    [run] = daily.daily_runs()
    assert run.error == "" and run.values["gangs"] == run.values["kept"] == 1
    page = as_root.get("/administration/backups/").content.decode()
    assert file.name in page and "gangs checked: 1" in page
    assert f"1 in {folder}, each kept for 3 days" in page
    # Once more on the same day, it replaces the first.
    daily.back_up_today()
    assert [path.name for path in folder.iterdir()] == [file.name]


def test_old_backups_of_this_site_are_deleted_and_nothing_else(
    folder: Path, settings: Any, tmp_path: Path
) -> None:
    settings.SITE_URL = "https://gangs.example.org"
    names = [f"gangs.example.org-2026-11-{day}.tar.gz" for day in (24, 25, 26, 27)]
    others = [
        "notes.txt",
        "gangs.example.org-2020-1-1.tar.gz",
        "gangs.example.org-2020-01-01.tar",
        "other.example.org-2020-01-01.tar.gz",
        "gangs.example.org-.tar.gz",
    ]
    for name in (*names, *others):
        (folder / name).touch()
    assert daily.clear_old(places.daily_place(), date(2026, 11, 27)) == 3
    assert {path.name for path in folder.iterdir()} == {*names[1:], *others}


def test_backups_that_earlier_releases_named_differently_are_deleted_when_they_are_old(
    folder: Path, settings: Any
) -> None:
    settings.SITE_URL = "https://gangs.example.org"
    names = [f"skirmish-2026-11-{day}.tar.gz" for day in (23, 24, 27)]
    for name in names:
        (folder / name).touch()
    # This site has made two of the three; the other is another site's.
    record(NOON, file=names[0], place="/elsewhere")
    for name in names[1:]:
        record(NOON, file=name, place=str(folder))
    assert daily.clear_old(places.daily_place(), date(2026, 11, 27)) == 1
    assert {path.name for path in folder.iterdir()} == {names[0], names[2]}


def test_missing_folder_is_not_created_and_administrators_see_it(
    settings: Any, tmp_path: Path, as_root: Client
) -> None:
    """The disk of the backups may not be mounted: the site's own disk must not get them."""
    missing = tmp_path / "disk" / "backups"
    settings.BACKUP_DAILY = str(missing)
    with pytest.raises(CommandError, match=f"does not exist: {missing}. Mount its disk"):
        call_command("backup", "--daily")
    assert not missing.parent.exists()
    assert_administrators_see(as_root, str(missing))


@pytest.mark.parametrize("is_file", [True, False])
def test_folder_that_cannot_be_written_is_a_failure_that_administrators_see(
    folder: Path, settings: Any, as_root: Client, monkeypatch: pytest.MonkeyPatch, is_file: bool
) -> None:
    if is_file:
        settings.BACKUP_DAILY = str(folder / "file")
        Path(settings.BACKUP_DAILY).touch()
    else:
        # Modes do not stop root, who may run these tests.
        monkeypatch.setattr(places.os, "access", lambda path, mode: False)
    with pytest.raises(CommandError, match="BACKUP_DAILY names a folder that"):
        call_command("backup", "--daily")
    assert_administrators_see(as_root, settings.BACKUP_DAILY)


def assert_administrators_see(as_root: Client, place: str) -> None:
    """The reason of the last failure is among the urgent matters and in the list of backups."""
    state = as_root.get("/administration/").content.decode()
    assert place in state.partition('id="urgent"')[2]
    listed = as_root.get("/administration/backups/").content.decode()
    assert "BACKUP_DAILY names a folder that" in listed
    assert readiness.backups().detail == "the last failed" and not readiness.backups().ok


def test_spoiled_archive_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = folder / daily.name_of(timezone.localdate())
    before.write_bytes(b"a good one of this morning")
    written = daily.write_archive

    def spoil(target: Path, **scope: Any) -> Any:
        done = written(target, **scope)
        content = bytearray(target.read_bytes())
        content[len(content) // 2] ^= 0xFF
        target.write_bytes(content)
        return done

    monkeypatch.setattr(daily, "write_archive", spoil)
    with pytest.raises(BadArchive):
        daily.back_up_today()
    assert before.read_bytes() == b"a good one of this morning"
    assert [path.name for path in folder.iterdir()] == [before.name]
    [run] = daily.daily_runs()
    assert run.error and run.values["file"] == before.name


def test_backup_is_due_once_a_day_after_the_night(folder: Path, at: Any) -> None:
    at(NOON.replace(hour=1))
    assert not daily.is_due()
    at(NOON.replace(hour=2, minute=1))
    assert daily.is_due()
    record(NOON - timedelta(days=1))
    assert daily.is_due()
    record(NOON.replace(hour=2), error="no room")
    assert daily.is_due()
    record(NOON.replace(hour=3))
    assert not daily.is_due()
    at(NOON + timedelta(days=1))
    assert daily.is_due()


def test_backup_is_given_up_for_the_day_after_three_failures(folder: Path, at: Any) -> None:
    for hour in (3, 4, 5):
        assert daily.is_due()
        record(NOON.replace(hour=hour), error="no room")
    assert not daily.is_due()
    # A backup by hand is another one.
    Run.objects.all().delete()
    Run.objects.create(kind="backup", started_at=NOON)
    assert daily.is_due()


@pytest.mark.parametrize("recorded", [True, False])
def test_failure_is_recorded_and_told_once_a_day(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch, root: User, alice: User, recorded: bool
) -> None:
    """``recorded``: the process itself has recorded it; otherwise it was killed."""

    def fail() -> str:
        if recorded:
            record(timezone.now(), error="the disk is full")
        return "the last line" if recorded else "It was ended by SIGKILL."

    monkeypatch.setattr(daily, "run_apart", fail)
    why = "the disk is full" if recorded else "It was ended by SIGKILL."
    for hour in (3, 4):
        at(NOON.replace(hour=hour))
        with pytest.raises(daily.Failed, match=why):
            daily.back_up_if_due()
    assert [run.error for run in daily.daily_runs()] == [why, why]
    [notice] = Notice.objects.all()
    assert notice.user == root and notice.url == "/administration/backups/"
    at(NOON + timedelta(days=1))
    with pytest.raises(daily.Failed):
        daily.back_up_if_due()
    assert Notice.objects.count() == 2
    client = Client()
    client.force_login(root)
    assert f"The daily backup failed. Why: {why}" in client.get("/notices/").content.decode()
    assert why in client.get("/administration/").content.decode().partition('id="urgent"')[2]


def test_only_one_process_of_all_machines_makes_the_backup(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_works", {})
    daily.register()
    Job.objects.create(kind="daily backup", periodic=True, next_at=timezone.now())
    made: list[int] = []

    def make() -> str:
        made.append(1)
        # Another machine looks while this one is at work.
        background.carry_out(daily.LANE)
        record(timezone.now())
        return ""

    monkeypatch.setattr(daily, "run_apart", make)
    monkeypatch.setattr(daily, "EARLIEST", 0)
    # Other periodic jobs do not wait for it.
    background.carry_out(background.PERIODIC)
    assert made == []
    background.carry_out(daily.LANE)
    background.carry_out(daily.LANE)
    assert made == [1]
    assert not Job.objects.get(kind="daily backup").failed_at


def test_site_without_a_place_makes_none(
    monkeypatch: pytest.MonkeyPatch, as_root: Client, settings: Any
) -> None:
    monkeypatch.setattr(background, "_works", {})
    daily.register()
    assert background.periodic_jobs() == [] and not background._works
    assert readiness.backups().ok
    assert "not made by the site" in as_root.get("/administration/backups/").content.decode()
    with pytest.raises(CommandError, match="BACKUP_DAILY names no place"):
        call_command("backup", "--daily")
    with pytest.raises(CommandError, match="Name a file"):
        call_command("backup")


def test_readiness_reports_a_backup_that_failed_or_is_old(folder: Path, at: Any) -> None:
    assert readiness.backups().detail == "none yet" and not readiness.backups().ok
    record(NOON - timedelta(hours=5))
    assert readiness.backups().ok and readiness.backups().detail == "the last is 5 h old"
    at(NOON + timedelta(hours=44))
    assert not readiness.backups().ok
    record(NOON + timedelta(hours=43), error="no room")
    assert readiness.backups().detail == "the last failed"
    assert not readiness.backups().needed


def test_process_that_takes_too_long_or_is_killed_is_a_failure(
    folder: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.BASE_DIR = tmp_path
    program = tmp_path / "manage.py"
    program.write_text("import sys; sys.exit('CommandError: no room')")
    assert daily.run_apart() == "CommandError: no room"
    program.write_text("")
    assert daily.run_apart() == ""
    program.write_text("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert daily.run_apart() == f"It was ended by {signal.SIGTERM.name}."
    program.write_text("import time; time.sleep(60)")
    monkeypatch.setattr(daily, "LONGEST_SILENCE", 0.2)
    monkeypatch.setattr(daily, "LOOKS_AT_IT", 0.1)
    assert daily.run_apart() == daily.STUCK


def test_backup_that_another_process_took_over_is_ended_and_is_no_failure(
    folder: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: User
) -> None:
    settings.BASE_DIR = tmp_path
    (tmp_path / "manage.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(daily, "LOOKS_AT_IT", 0.1)
    monkeypatch.setattr(daily, "EARLIEST", 0)

    def lose() -> None:
        raise background.LostLease

    monkeypatch.setattr(background, "renew_lease", lose)
    with pytest.raises(background.LostLease):
        daily.back_up_if_due()
    assert not daily.daily_runs().exists() and not Notice.objects.exists()


class Slow:
    """A process of a backup that says how far it is once an hour, by a clock of its own."""

    def __init__(self, told: IO[bytes], lines: list[str]) -> None:
        self.told, self.lines, self.hours = told, lines, 0

    def communicate(self, timeout: float) -> tuple[None, bytes]:
        if self.hours == len(self.lines):
            return None, b""
        self.told.write(f"{self.lines[self.hours]}\n".encode())
        self.told.flush()
        self.hours += 1
        raise subprocess.TimeoutExpired("backup", timeout)


@pytest.mark.parametrize("silent_from", [None, 2])
def test_backup_goes_on_for_as_long_as_it_makes_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent_from: int | None
) -> None:
    lines = [f"proof {number}000/24000" for number in range(24)]
    if silent_from is not None:
        lines[silent_from:] = [lines[silent_from - 1]] * (24 - silent_from)
    with (tmp_path / "told").open("w+b") as told:
        slow = Slow(told, lines)
        monkeypatch.setattr(daily, "monotonic", lambda: slow.hours * 3600)
        if silent_from is None:
            assert daily._wait_for(slow, told) == "" and slow.hours == 24  # type: ignore[arg-type]
            return
        with pytest.raises(subprocess.TimeoutExpired):
            daily._wait_for(slow, told)  # type: ignore[arg-type]
        assert slow.hours == silent_from + daily.LONGEST_SILENCE // 3600


def test_backup_goes_on_while_its_progress_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OperationalError("the database starts again")

    monkeypatch.setattr(background, "renew_lease", fail)
    with (tmp_path / "told").open("w+b") as told:
        slow = Slow(told, ["proof 1000/3000", "proof 2000/3000"])
        assert daily._wait_for(slow, told) == "" and slow.hours == 2  # type: ignore[arg-type]
    assert "the database starts again" in caplog.text


def test_failure_is_recorded_although_its_progress_cannot_be_stored(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OperationalError("the database starts again")

    monkeypatch.setattr(background, "note_progress", fail)
    monkeypatch.setattr(daily, "run_apart", lambda: "no room")
    monkeypatch.setattr(daily, "EARLIEST", 0)
    with pytest.raises(daily.Failed):
        daily.back_up_if_due()
    assert daily.daily_runs().get().error == "no room"
    assert "the database starts again" in caplog.text


def test_page_and_metrics_show_how_far_the_backup_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, as_root: Client
) -> None:
    monkeypatch.setattr(background, "_works", {})
    daily.register()
    shown: list[str] = []

    def make() -> str:
        background.note_progress(place="proof 3000/12000", backlog=9000)
        for address in ("", "backups/"):
            shown.append(as_root.get(f"/administration/{address}").content.decode())
        shown.append(write_figures())
        record(timezone.now())
        return ""

    monkeypatch.setattr(daily, "run_apart", make)
    monkeypatch.setattr(daily, "EARLIEST", 0)
    background.carry_out(daily.LANE)
    overview, page, figures = shown
    assert "checking gangs: 3000 of 12000" in overview and "3000 of 12000" in page
    assert 'skirmish_backup_progress{stage="proof"} 0.25' in figures
    assert 'skirmish_job_backlog{job="daily backup"} 9000.0' in figures
    # It is over.
    assert daily.find_progress() is None
    assert "3000 of" not in as_root.get("/administration/backups/").content.decode()
    assert "skirmish_backup_progress{" not in write_figures()


def test_progress_of_a_process_that_died_is_not_shown(folder: Path, at: Any) -> None:
    Job.objects.create(
        kind=daily.JOB,
        periodic=True,
        started_at=NOON,
        next_at=NOON + timedelta(hours=1),
        body={"place": "copy 0/0"},
    )
    assert daily.find_progress() == Progress(Stage.COPY)
    at(NOON + timedelta(hours=2))
    assert daily.find_progress() is None


def test_process_tells_its_progress_from_the_copy_to_the_place(folder: Path, alice: User) -> None:
    make_gang(alice)
    told: list[Progress] = []
    daily.back_up_today(told.append)
    assert list(
        dict.fromkeys(one.stage for one in told if one.total or one.stage != "pictures")
    ) == [
        Stage.COPY,
        Stage.PROOF,
        Stage.CHECK,
        Stage.KEEP,
    ]
    assert Progress(Stage.PROOF, 0, 1) in told
    assert [Progress.parse(str(one)) for one in told] == told


def test_page_says_how_long_backups_take_and_what_to_do_when_they_take_long(
    folder: Path, as_root: Client
) -> None:
    run = record(timezone.now() - timedelta(minutes=50), bytes=1, gangs=1)
    for minutes, is_long in ((50, False), (70, True)):
        Run.objects.update(ended_at=run.started_at + timedelta(minutes=minutes))
        for address in ("/administration/", "/administration/backups/"):
            page = as_root.get(address).content.decode()
            assert ("pg_dump" in page) == is_long
        assert ("50\xa0minutes" in page) != is_long
    assert 'skirmish_run_duration_seconds{run="backup"} 4200.0' in write_figures()


def test_backup_that_would_only_fail_again_is_not_tried_again_that_day(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    monkeypatch.setattr(daily, "run_apart", lambda: daily.STUCK)
    with pytest.raises(daily.Failed, match="no progress"):
        daily.back_up_if_due()
    assert not daily.is_due()
    at(NOON + timedelta(days=1))
    assert daily.is_due()
    # It is kept, but a gang differs: another one would only say so again.
    gang = make_gang(alice)
    Gang.objects.filter(pk=gang.pk).update(name="Another")
    with pytest.raises(Different):
        daily.back_up_today()
    assert not daily.is_due()


@pytest.mark.long
@pytest.mark.skipif(connection.vendor != "sqlite", reason="a site in a folder, with its database")
def test_process_of_a_served_site_backs_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, kept = tmp_path / "site", tmp_path / "kept"
    seed(site)
    kept.mkdir()
    names = environment(site, BACKUP_DAILY=str(kept), DJANGO_SETTINGS_MODULE="skirmish.settings")
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert daily.run_apart() == ""
    [file] = kept.iterdir()
    assert tarfile.is_tarfile(file) and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert verify(file).counts["gangs"] == 1


def test_backup_of_a_large_site_replays_changed_gangs_and_a_share_of_the_others(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = User.objects.create_user("alice")
    gangs = [make_gang(owner) for _ in range(4)]
    assert daily.find_scope() is None
    monkeypatch.setattr(daily, "MOST_PROVEN", 3)
    # Nothing has been proven yet.
    assert daily.find_scope() is None and daily.back_up_today()["gangs"] == 4
    at(NOON + timedelta(days=1))
    scopes = [Scope(timezone.now(), share) for share in range(SHARES)]
    shares = [set(scope.find(Gang.objects.all())) for scope in scopes]
    assert set().union(*shares) == set(gangs) and sum(map(len, shares)) == 4
    scope = daily.find_scope()
    assert scope is not None and scope.changed_since < timezone.now()
    # A gang that changed later is replayed, whatever its share.
    Gang.objects.filter(pk=gangs[0].pk).update(changed_at=timezone.now())
    assert gangs[0] in scope.find(Gang.objects.all())


def test_gang_that_differed_is_replayed_by_each_backup_until_it_is_mended(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = make_gang(User.objects.create_user("alice"))
    Gang.objects.filter(pk=gang.pk).update(name="Another", changed_at=NOON - timedelta(days=9))
    with pytest.raises(Different):
        daily.back_up_today()
    monkeypatch.setattr(daily, "MOST_PROVEN", 0)
    for number in range(1, 3):
        at(NOON + timedelta(days=number))
        scope = daily.find_scope()
        assert scope is not None and scope.keys == (str(gang.pk),)
        with pytest.raises(Different):
            daily.back_up_today()
    Gang.objects.filter(pk=gang.pk).update(name=gang.name)
    daily.back_up_today()
    scope = daily.find_scope()
    assert scope is not None and scope.keys == ()


def test_restored_site_replays_every_gang_once(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "MOST_PROVEN", -1)
    daily.back_up_today()
    assert daily.find_scope() is not None
    restored = NOON + timedelta(hours=1)
    Run.objects.create(kind=Run.Kind.RESTORE, started_at=NOON, ended_at=restored)
    assert daily.find_scope() is None
    at(NOON + timedelta(days=1))
    daily.back_up_today()
    assert daily.find_scope() is not None


@pytest.mark.long
def test_each_share_has_its_turn_even_if_the_site_makes_no_backup_for_days(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "MOST_PROVEN", -1)
    shares = []
    for number in range(SHARES + 1):
        # Every second day, in any process of any machine: nothing but the database is remembered.
        at(NOON + timedelta(days=2 * number))
        scope = daily.find_scope()
        shares.append(scope and scope.share)
        daily.back_up_today()
    assert shares == [None, *range(SHARES)]


def test_gang_of_a_slow_transaction_is_proven_by_the_next_backup(
    folder: Path, at: Any, monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    """It was changed before the last proof began, and stored after that."""
    monkeypatch.setattr(daily, "MOST_PROVEN", 0)
    gang = make_gang(alice)
    Gang.objects.update(changed_at=NOON - timedelta(minutes=1))
    daily.back_up_today()
    scope = daily.find_scope()
    assert scope is not None and gang in Scope(scope.changed_since, SHARES - 1).find(
        Gang.objects.all()
    )


def test_new_release_replays_every_gang_once(
    folder: Path, at: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_gang(User.objects.create_user("alice"))
    monkeypatch.setattr(daily, "MOST_PROVEN", 0)
    daily.back_up_today()
    at(NOON + timedelta(days=1))
    assert daily.find_scope() is not None
    settings.RELEASE = "another"
    assert daily.find_scope() is None
