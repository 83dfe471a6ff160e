"""Modes of the data folder and its files: nobody else on the machine may read them."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
OPEN = 0o022


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run(*command: str, **variables: str) -> str:
    """Run a command as a user whose new files everybody may read."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**kept, "SECRET_KEY": "x" * 50, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        umask=OPEN,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(commands: str, **variables: str) -> str:
    return run("bash", "-c", f"set -euo pipefail; source script/lib.sh; {commands}", **variables)


def manage(*arguments: str, **variables: str) -> str:
    return run(sys.executable, "manage.py", *arguments, **variables)


def test_script_server_closes_a_data_folder_that_was_open(tmp_path: Path) -> None:
    data = tmp_path / "var"
    (data / "pictures").mkdir(parents=True)
    names = ("skirmish.sqlite3", "skirmish.sqlite3-wal", "skirmish.sqlite3-shm", "secret_key")
    for name in names:
        (data / name).touch(0o644)
    (data / "elsewhere").symlink_to(tmp_path / "other")
    (tmp_path / "other").touch(0o644)
    data.chmod(0o755)
    script("site_settings; touch $DATA_DIR/new; mkdir $DATA_DIR/folder", DATA_DIR=str(data))
    assert mode(data) == mode(data / "folder") == 0o700
    assert {name: mode(data / name) for name in (*names, "new")} == dict.fromkeys(
        (*names, "new"), 0o600
    )
    assert mode(tmp_path / "other") == 0o644


def test_script_server_makes_a_closed_folder_and_key(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "var"
    script("site_settings", DATA_DIR=str(data), SECRET_KEY="")
    assert mode(data) == 0o700 and mode(data / "secret_key") == 0o600
    assert len((data / "secret_key").read_text()) > 60


def test_script_server_does_not_change_a_shared_folder(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "file").touch(0o644)
    script("site_settings", DATA_DIR=str(shared))
    assert mode(shared) == 0o1777 and mode(shared / "file") == 0o644


@pytest.mark.long
def test_collected_static_files_stay_readable(tmp_path: Path) -> None:
    """A web server that serves them itself runs as another user."""
    static = tmp_path / "static"
    names = {"DATA_DIR": str(tmp_path / "var"), "STATIC_ROOT": str(static)}
    manage("prepare", "--static", **names)
    found = [static, *static.rglob("*")]
    assert len(found) > 50
    closed = [path for path in found if mode(path) != (0o755 if path.is_dir() else 0o644)]
    assert closed == []


@pytest.mark.long
def test_commands_write_files_that_only_their_user_reads(tmp_path: Path) -> None:
    """The commands are typed directly, without a script around them."""
    data, out = tmp_path / "var", tmp_path / "site.json"
    names = {"DATA_DIR": str(data)}
    manage("migrate", "-v0", **names)
    manage("dumpdata", "accounts", "-o", str(out), "-v0", **names)
    manage("backup", str(tmp_path / "site.tar"), **names)
    database = data / "skirmish.sqlite3"
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("CREATE TABLE for_the_log (a)")
        for name in ("-wal", "-shm"):
            assert mode(database.with_name(database.name + name)) == 0o600
        opened.execute("DROP TABLE for_the_log")
    assert mode(data) == 0o700
    assert mode(database) == mode(out) == mode(tmp_path / "site.tar") == 0o600
    # A restore also closes a database file that others could read.
    database.chmod(0o644)
    manage("restore", "--force", str(tmp_path / "site.tar"), **names)
    assert mode(database) == 0o600
    secret = data / "secret_key"
    assert not secret.exists() or mode(secret) == 0o600


def test_first_command_of_any_kind_makes_a_private_database(tmp_path: Path) -> None:
    """It will contain the hashes of passwords, whichever command opened it first."""
    manage("showmigrations", "accounts", DATA_DIR=str(tmp_path / "var"))
    assert mode(tmp_path / "var" / "skirmish.sqlite3") == 0o600


@pytest.mark.long
def test_refused_restore_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "site.tar").write_bytes(b"not an archive")
    with pytest.raises(AssertionError, match="damaged"):
        manage("restore", str(tmp_path / "site.tar"), DATA_DIR=str(tmp_path / "var"))
    assert [path for path in (tmp_path / "var").rglob("*") if path.is_file()] == []


def test_every_way_to_run_a_site_closes_its_files() -> None:
    deploy = ROOT / "deploy"
    assert "umask 077" in (deploy / "entrypoint").read_text("utf-8")
    service = (deploy / "skirmish.service").read_text("utf-8")
    assert "UMask=0077" in service and "StateDirectoryMode=0700" in service
    assert re.search(r"--mode=0700 /data", (ROOT / "Dockerfile").read_text("utf-8"))
    running = (ROOT / "docs" / "running.md").read_text("utf-8")
    assert "-m 700 /var/lib/skirmish /var/backups/skirmish" in running
    assert re.search(r"^    umask 077$", running, re.M)
