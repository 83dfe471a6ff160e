"""A full disk, and a read-only disk: a real one of a few megabytes, where mounting is allowed.
Pages are read, changes are refused in words, and all is well when there is room again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.served import Site, copied, served

SIZE = 24 << 20
Made = tuple[Path, dict[str, str]]


def mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"No disk may be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Return an empty disk that only this test uses."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("Only root mounts a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={SIZE}", "skirmish-tests", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Write until there is no room."""
    file = folder / "rubbish"
    with file.open("wb", buffering=0) as rubbish:
        try:
            while True:
                rubbish.write(b"\0" * 4096)
        except OSError:
            return file


def read_all(site: Site) -> None:
    """Check that signed-in readers and visitors get the pages that they may see."""
    for name in ("gang", "campaign", "book"):
        answer = site.ask(site.places[name])
        assert answer.status == 200, name
    for address in ("/", site.places["book"], "/accounts/login/"):
        answer = site.ask(address, signed_in=False)
        assert answer.status == 200, address
    going = {"Sec-Fetch-Mode": "navigate"}
    assert site.ask(site.places["watch"], signed_in=False, headers=going).status == 302


def refused(site: Site) -> None:
    answer = site.rename("The Drowned")
    assert answer.status == 503
    assert answer.headers["Retry-After"] == "120"
    assert "The site cannot store anything at the moment" in answer.text
    assert 'value="The Drowned"' in answer.text


@pytest.mark.long
def test_site_shows_pages_and_refuses_changes_when_the_disk_is_full(made: Made, disk: Path) -> None:
    folder, places = made
    with served(copied(folder, disk / "site"), places) as site:
        read_all(site)
        rubbish = fill(disk)
        read_all(site)
        for _ in range(3):
            refused(site)
        assert site.ask("/ready/").status == 503
        rubbish.unlink()
        assert site.rename("The Drowned").status == 302
        assert "The Drowned" in site.ask(places["gang"]).text
        assert site.ask("/ready/").status == 200


@pytest.mark.long
def test_site_shows_pages_and_refuses_changes_when_the_disk_is_read_only(
    made: Made, disk: Path
) -> None:
    folder, places = made
    copied(folder, disk / "site")
    # As a running site leaves its files: the latest changes are in a file beside the database.
    database = sqlite3.connect(disk / "site" / "skirmish.sqlite3", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("UPDATE gangs_gang SET share_key = NULL")
    for file in (disk / "site").glob("skirmish.sqlite3*"):
        shutil.copyfile(file, disk / file.name)
    database.close()
    for file in disk.glob("skirmish.sqlite3*"):
        file.replace(disk / "site" / file.name)
    mount("-o", "remount,ro", str(disk))
    with served(disk / "site", places) as site:
        read_all(site)
        refused(site)
        assert "may only be read" in site.ask("/ready/").text
