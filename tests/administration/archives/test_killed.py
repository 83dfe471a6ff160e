"""A killed backup or restore leaves nothing behind, at any moment and with any signal."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from administration.archives import workspace as workspaces
from administration.archives.workspace import OLD, clear_leftovers, workspace
from tests.faults.served import environment, seed
from tests.random_cases import cases

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="a site in a folder, with its database"
    ),
]


BADGE = """
from gangs.models import Gang
from gangs.pictures.storage import Decoded, keep
keep(Gang.objects.get(), None, Decoded((b"a small badge", b"a large badge")))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in a folder, with a gang and its badge."""
    folder = tmp_path_factory.mktemp("made")
    seed(folder)
    done = run(folder, "manage.py", "shell", "-v0", "-c", BADGE)
    assert done.returncode == 0, done.stderr
    return folder


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env=environment(site, DJANGO_SETTINGS_MODULE="skirmish.settings"),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def archive(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("archive") / "site.tar"
    done = run(made, "manage.py", "backup", str(file))
    assert done.returncode == 0, done.stderr
    return file


@pytest.mark.random
@pytest.mark.parametrize("how", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.long)])
@pytest.mark.parametrize("what", ["backup", "restore"])
def test_a_killed_command_leaves_nothing_behind(
    made: Path, archive: Path, tmp_path: Path, what: str, how: str
) -> None:
    """It is killed before each file that it opens, names or deletes."""
    program, stride = "tests.administration.archives.killing", str(cases(4, 1))
    done = run(made, "-m", program, what, str(archive), how, str(tmp_path), stride)
    assert done.returncode == 0, done.stderr[-3000:]
    steps: list[dict[str, Any]] = json.loads(done.stdout)
    *killed, last = steps
    assert len(killed) >= cases(5, 20) and last["end"] == 0, (len(killed), done.stderr[-2000:])
    assert {step["end"] for step in killed} == {getattr(signal, how)}
    assert [step["left"] for step in steps] == [[]] * len(steps)
    assert {step["whole"] for step in steps} <= {None, True}
    # The archive is of the same site, so a restore does not change the content.
    assert all(step["same"] for step in steps)


def test_workspace_is_private_and_ends_with_its_process(tmp_path: Path) -> None:
    tmp_path = tmp_path / "folder"
    tmp_path.mkdir()
    with workspace(tmp_path, "backup") as folder:
        assert folder.parent == tmp_path and stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "database.sqlite3").write_bytes(b"secret")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), workspace(tmp_path, "restore") as folder:
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_folder_of_a_backup_that_runs_for_days_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspaces, "BEAT", 0.02)
    with workspace(tmp_path, "backup") as folder:
        (folder / "database.sqlite3").touch()
        then = time.time() - OLD - 60
        os.utime(folder, (then, then))
        deadline = time.monotonic() + 60
        while folder.stat().st_mtime == pytest.approx(then, abs=1):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        # Another backup into the same place, and tidying, clear leftovers.
        assert clear_leftovers(tmp_path) == 0
        assert (folder / "database.sqlite3").exists()


def test_leftovers_of_older_releases_are_deleted_after_a_day(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [".backup-abc_1234", ".restore-12345678", ".backup-new_0000", ".backup-x", "pictures"]
    for name in names:
        (folder / name).mkdir()
        (folder / name / "database.sqlite3").touch()
    (folder / ".restore-00000000").symlink_to(outside)
    (folder / ".backup-file0000").touch()
    then = time.time() - OLD - 60
    for file in folder.iterdir():
        if file.name != ".backup-new_0000":
            os.utime(file, (then, then), follow_symlinks=False)
    assert clear_leftovers(folder) == 2
    left = {*names, ".restore-00000000", ".backup-file0000"}
    assert {file.name for file in folder.iterdir()} == left - set(names[:2])
    assert (outside / "kept").exists()
    assert clear_leftovers(tmp_path / "nowhere") == 0
