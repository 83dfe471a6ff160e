"""Backup and restore: everything comes back; spoiled archives change nothing."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from accounts.models import User
from administration.archives import reading, sqlite, writing
from administration.archives.manifest import DATABASES
from administration.models import Run
from campaigns.models import Campaign
from common.storages import store
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.ledger import writer
from gangs.ledger.replay import prove
from gangs.models import Gang, StoredEntry
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import LARGE, Decoded
from outbound.push.keys import public_key
from rules.models import BookVersion
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import make_gang, scene_of

pytestmark = pytest.mark.django_db(transaction=True)

ON_SQLITE = connection.vendor == "sqlite"
DATABASE = DATABASES["sqlite" if ON_SQLITE else "postgresql"]


@pytest.fixture
def club(alice: User, bob: User) -> Gang:
    """A gang with a badge in a campaign, and another gang without either."""
    gang = make_player(make_campaign(bob), alice)
    pictures_storage.keep(gang, None, Decoded((b"a small badge", b"a large badge")))
    make_gang(alice, name="Another", sample=None)
    return Gang.objects.get(pk=gang.pk)


def command(name: str, *arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


def content() -> dict[str, Any]:
    """Return the stored content that a user would miss."""
    return {
        "users": list(User.objects.order_by("pk").values_list("pk", "username", "password")),
        "gangs": list(Gang.objects.order_by("pk").values()),
        "entries": list(StoredEntry.objects.order_by("pk").values()),
        "campaigns": list(Campaign.objects.order_by("pk").values()),
        "versions": set(BookVersion.objects.values_list("digest", flat=True)),
        "pictures": {
            name: store("pictures").read(name) for name, _at in store("pictures").written()
        },
    }


def other_machine(settings: Any, tmp_path: Path) -> None:
    """Switch to an empty site, as on another machine."""
    settings.DATA_DIR = tmp_path / "other machine"
    settings.SECRET_KEY = "the key of another machine " + "y" * 30
    for model in (Campaign, Gang, User, BookVersion):
        model._base_manager.all().delete()


@pytest.mark.long
@pytest.mark.parametrize("name", ["site.tar", "site.tar.gz", "site.tgz"])
def test_restore_on_another_machine_brings_everything_back(
    club: Gang, settings: Any, tmp_path: Path, name: str
) -> None:
    before, key = content(), settings.SECRET_KEY
    said = command("backup", tmp_path / name)
    assert said.endswith(" 2 gangs checked\n") and str((tmp_path / name).stat().st_size) in said
    other_machine(settings, tmp_path)
    said = command("restore", tmp_path / name)
    assert content() == before
    assert "2 accounts, 2 gangs" in said and "2 gangs checked" in said
    assert "set it to this key" in said
    own = settings.DATA_DIR / "secret_key"
    assert own.read_text().strip() == key and stat.S_IMODE(own.stat().st_mode) == 0o600
    assert Client().login(username="alice", password="correct horse battery")
    badge = pictures_storage.name_of(club, None)
    assert (
        pictures_storage.content_of(Gang.objects.get(pk=club.pk), badge, LARGE) == b"a large badge"
    )
    # The copy was made before the backup was logged, so only the restore is in the log.
    assert [run.kind for run in Run.objects.all()] == ["restore"]
    # New rows do not collide with restored ones.
    make_gang(User.objects.get(username="alice"))
    assert prove().different == ()


@pytest.mark.long
def test_archive_is_private_and_describes_its_parts(
    club: Gang, settings: Any, tmp_path: Path
) -> None:
    file = tmp_path / "site.tar"
    command("backup", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"site", "site.tar"}
    with tarfile.open(file) as archive:
        names = archive.getnames()
        found = {name: archive.extractfile(name).read() for name in names}  # type: ignore[union-attr]
    badge = pictures_storage.name_of(club, None)
    pictures = [f"pictures/{badge}-{size}.jpg" for size in (480, 96)]
    assert names == [DATABASE, *pictures, "secret_key", "manifest.json"]
    assert found["secret_key"].decode() == settings.SECRET_KEY
    manifest = json.loads(found["manifest.json"])
    assert manifest["release"] == django_settings.VERSION
    assert manifest["counts"]["gangs"] == 2 and manifest["counts"]["accounts"] == 2
    assert "0001_initial" in manifest["migrations"]["gangs"]
    for name in names[:-1]:
        part = manifest["parts"][name]
        assert part["bytes"] == len(found[name])
        assert part["sha256"] == hashlib.sha256(found[name]).hexdigest()


def test_backup_overwrites_a_file_only_on_request(club: Gang, tmp_path: Path) -> None:
    file = tmp_path / "site.tar"
    file.write_bytes(b"something else")
    with pytest.raises(CommandError, match="already exists"):
        command("backup", file)
    assert file.read_bytes() == b"something else"
    command("backup", file, overwrite=True)
    assert tarfile.is_tarfile(file)
    with pytest.raises(CommandError, match="no folder"):
        command("backup", tmp_path / "nowhere" / "site.tar")


def test_backup_keeps_a_file_that_appears_meanwhile(
    club: Gang, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "site.tar"
    naming = writing._name

    def somebody_was_faster(unfinished: Path, target: Path, *, overwrite: bool) -> None:
        target.write_bytes(b"theirs")
        naming(unfinished, target, overwrite=overwrite)

    monkeypatch.setattr(writing, "_name", somebody_was_faster)
    with pytest.raises(CommandError, match="meanwhile"):
        command("backup", file)
    assert file.read_bytes() == b"theirs"
    assert {path.name for path in tmp_path.iterdir()} == {"site", "site.tar"}


def test_failed_backup_leaves_nothing_and_is_logged(
    club: Gang, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(CommandError, match="No space left"):
        command("backup", tmp_path / "site.tar")
    assert {path.name for path in tmp_path.iterdir()} == {"site"}
    [run] = Run.objects.all()
    assert run.kind == "backup" and "No space left" in run.error


def test_backup_includes_and_names_a_gang_that_differs(club: Gang, tmp_path: Path) -> None:
    Gang.objects.filter(pk=club.pk).update(rating=12345)
    with pytest.raises(CommandError, match="The backup is written, but 1 of 2 gangs differ"):
        command("backup", tmp_path / "site.tar")
    assert (tmp_path / "site.tar").is_file()
    assert "1 of 2" in Run.objects.get().error


def test_backup_counts_missing_pictures(club: Gang, tmp_path: Path) -> None:
    name = pictures_storage.name_of(club, None)
    store("pictures").delete(f"{name}-96.jpg")
    assert "1 picture files are missing" in command("backup", tmp_path / "site.tar")


@pytest.mark.long
def test_backup_leaves_out_a_public_key(club: Gang, settings: Any, tmp_path: Path) -> None:
    settings.SECRET_KEY = settings.DEVELOPMENT_KEY
    command("backup", tmp_path / "site.tar")
    with tarfile.open(tmp_path / "site.tar") as archive:
        assert "secret_key" not in archive.getnames()
    other_machine(settings, tmp_path)
    assert "no secret key" in command("restore", tmp_path / "site.tar")
    assert not (settings.DATA_DIR / "secret_key").exists()


def test_key_for_push_messages_comes_along(club: Gang, settings: Any, tmp_path: Path) -> None:
    """Devices of the backup get messages with this key only."""
    settings.DATA_DIR = tmp_path / "machine"
    before = public_key()
    command("backup", tmp_path / "site.tar")
    other_machine(settings, tmp_path)
    # The new site made a key at its first start.
    assert public_key() != before
    command("restore", tmp_path / "site.tar")
    assert public_key() == before
    assert stat.S_IMODE((settings.DATA_DIR / "push_key").stat().st_mode) == 0o600


# During writes


@pytest.mark.long
def test_backup_shows_a_single_moment_during_writes(
    club: Gang, settings: Any, tmp_path: Path
) -> None:
    """Every gang in it is whole, and the writers go on undisturbed."""
    stop, failures, written = threading.Event(), list[BaseException](), list[int]()
    gangs = [make_gang(None, name=f"Busy {number}", sample=None) for number in range(3)]

    def play(key: Any) -> None:
        try:
            while not stop.is_set():
                gang = Gang.objects.get(pk=key)
                rank = offers.ranks(scene_of(gang))[-1].row
                entry = kinds.Recruited(rank=rank.key, name="")
                done = [kinds.Dismissed(member=one.id) for one in gang.roster.members][:1]
                acts = done or [entry]
                writer.append(gang, acts, expected_version=gang.version, actor=None)
                written.append(1)
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=play, args=[gang.pk]) for gang in gangs]
    for thread in threads:
        thread.start()
    try:
        seen = []
        for number in range(3):
            before = len(written)
            assert "5 gangs checked" in command("backup", tmp_path / f"{number}.tar")
            seen.append(len(written) - before)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == [] and min(seen) > 0
    other_machine(settings, tmp_path)
    assert "5 gangs checked" in command("restore", tmp_path / "2.tar")


# Refused archives


@pytest.fixture
def archive(club: Gang, settings: Any, tmp_path: Path) -> Path:
    """A sound backup, on an empty site."""
    file = tmp_path / "site.tar"
    command("backup", file)
    other_machine(settings, tmp_path)
    return file


def refused(file: Path, why: str, **options: Any) -> None:
    before, folder = content(), django_settings.DATA_DIR
    with pytest.raises(CommandError, match=why):
        command("restore", file, **options)
    assert content() == before
    assert (
        not folder.exists()
        or [path.name for path in folder.iterdir() if path.name != "pictures"] == []
    )


def rewritten(file: Path, change: Callable[[str, bytes], Iterator[tuple[str, bytes]]]) -> Path:
    """Rewrite the archive with other files in it."""
    changed = file.with_name("changed.tar")
    with tarfile.open(file) as old, tarfile.open(changed, "w") as new:
        for member in old:
            source = old.extractfile(member)
            assert source is not None
            for name, data in change(member.name, source.read()):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                new.addfile(info, io.BytesIO(data))
    return changed


@pytest.mark.long
def test_restore_refuses_a_truncated_archive(archive: Path) -> None:
    whole = archive.read_bytes()
    for length in (0, 100, 5_000, len(whole) // 2, len(whole) - 20_000):
        archive.write_bytes(whole[:length])
        refused(archive, "incomplete|not a complete backup")


@pytest.mark.long
@pytest.mark.parametrize("where", [0.01, 0.3, 0.6])
def test_restore_refuses_a_spoiled_archive(archive: Path, where: float) -> None:
    whole = bytearray(archive.read_bytes())
    whole[int(len(whole) * where)] ^= 0xFF
    archive.write_bytes(whole)
    refused(archive, "damaged")


def test_restore_refuses_a_wrong_checksum(archive: Path) -> None:
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, data + b" " if name.startswith("pictures/") else data

    refused(rewritten(archive, change), "does not match the manifest")


@pytest.mark.long
def test_restore_refuses_missing_and_extra_files(archive: Path) -> None:
    def without_pictures(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if not name.startswith("pictures/"):
            yield name, data

    def with_another(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, data
        if name == "secret_key":
            yield f"pictures/{'0' * 32}-96.jpg", b"one more"

    def without_manifest(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if name != "manifest.json":
            yield name, data

    refused(rewritten(archive, without_pictures), "does not match the manifest")
    refused(rewritten(archive, with_another), "does not match the manifest")
    refused(rewritten(archive, without_manifest), "no manifest")


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    ["../evil", "/tmp/evil", "pictures/../../evil", "pictures/x.jpg", "secret_key/x", "a/b"],
)
def test_restore_refuses_a_name_outside_the_site(archive: Path, name: str) -> None:
    def change(known: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield known, data
        if known == DATABASE:
            yield name, b"evil"

    refused(rewritten(archive, change), "that no backup has")
    assert not list(archive.parent.rglob("evil*"))


@pytest.mark.long
@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_restore_refuses_anything_but_plain_files(archive: Path, kind: bytes) -> None:
    changed = archive.with_name("changed.tar")
    with tarfile.open(changed, "w") as new:
        info = tarfile.TarInfo("secret_key")
        info.type, info.linkname = kind, "/etc/passwd"
        new.addfile(info)
    refused(changed, "that no backup has|damaged")


def test_restore_refuses_a_repeated_name(archive: Path) -> None:
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, data
        if name == "secret_key":
            yield name, b"another"

    refused(rewritten(archive, change), "that no backup has")


def test_restore_refuses_a_forged_manifest(archive: Path) -> None:
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, b'{"format": "other"}' if name == "manifest.json" else data

    refused(rewritten(archive, change), "cannot be read")


def with_manifest(archive: Path, **values: Any) -> Path:
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if name == "manifest.json":
            data = json.dumps({**json.loads(data), **values}).encode()
        yield name, data

    return rewritten(archive, change)


@pytest.mark.long
def test_restore_refuses_a_backup_of_a_newer_release(archive: Path) -> None:
    newer = {"gangs": ["0001_initial", "0999_what_comes"]}
    refused(with_manifest(archive, migrations=newer), "gangs.0999_what_comes.*update first")


def test_restore_refuses_a_backup_of_another_kind_of_database(archive: Path) -> None:
    kind = "postgresql" if ON_SQLITE else "sqlite"

    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if name == "manifest.json":
            manifest = json.loads(data)
            manifest["database"] = kind
            manifest["parts"][DATABASES[kind]] = manifest["parts"].pop(DATABASE)
            data = json.dumps(manifest).encode()
        yield DATABASES[kind] if name == DATABASE else name, data

    refused(rewritten(archive, change), f"backup of {kind}, and this site uses {connection.vendor}")


def test_restore_refuses_a_file_that_is_not_a_database(archive: Path) -> None:
    junk = b"not a database at all" * 100

    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if name == "manifest.json":
            manifest = json.loads(data)
            part = {"bytes": len(junk), "sha256": hashlib.sha256(junk).hexdigest()}
            manifest["parts"][DATABASE] = part
            data = json.dumps(manifest).encode()
        yield name, junk if name == DATABASE else data

    refused(rewritten(archive, change), "cannot be read|pg_restore")


def test_restore_refuses_a_file_that_is_not_an_archive(archive: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("milk, bread")
    refused(text, "damaged or incomplete")
    refused(tmp_path / "nothing.tar", "cannot be read")


@pytest.mark.long
def test_restore_refuses_a_site_that_is_not_empty(archive: Path, settings: Any) -> None:
    User.objects.create_user("somebody")
    refused(archive, "not empty: 1 accounts")
    said = command("restore", archive, force=True)
    assert "2 gangs checked" in said
    assert not User.objects.filter(username="somebody").exists()


@pytest.mark.long
def test_restore_keeps_an_existing_key_unless_asked(archive: Path, settings: Any) -> None:
    settings.DATA_DIR.mkdir(exist_ok=True)
    own = settings.DATA_DIR / "secret_key"
    own.write_text("mine\n")
    assert "differs from the backup's secret key" in command("restore", archive)
    assert own.read_text() == "mine\n"
    command("restore", archive, force=True)
    assert own.read_text() != "mine\n"


@pytest.mark.long
def test_restore_includes_and_names_a_gang_that_differs(
    club: Gang, settings: Any, tmp_path: Path
) -> None:
    Gang.objects.filter(pk=club.pk).update(rating=12345)
    with pytest.raises(CommandError):
        command("backup", tmp_path / "site.tar")
    other_machine(settings, tmp_path)
    with pytest.raises(CommandError, match="The site is restored, but 1 of 2 gangs differ"):
        command("restore", tmp_path / "site.tar")
    assert Gang.objects.count() == 2
    assert "1 of 2" in Run.objects.get(kind="restore").error


def test_backup_refuses_a_spoiled_rulebook(club: Gang, tmp_path: Path) -> None:
    BookVersion.objects.update(canonical="{}")
    with pytest.raises(CommandError, match="Stored rulebooks are damaged"):
        command("backup", tmp_path / "site.tar")
    assert not (tmp_path / "site.tar").exists()


@pytest.mark.long
def test_restore_migrates_a_backup_of_an_older_release(
    club: Gang, settings: Any, tmp_path: Path
) -> None:
    call_command("migrate", "administration", "zero", verbosity=0)
    try:
        with_older_tables = tmp_path / "older.tar"
        # An older release lacks the log's table, so the backup is not logged.
        writing._write(
            with_older_tables, tmp_path, overwrite=False, scope=None, report=lambda _: None
        )
    finally:
        call_command("migrate", verbosity=0)
    other_machine(settings, tmp_path)
    command("restore", with_older_tables)
    assert ("administration", "0001_initial") in MigrationRecorder(connection).applied_migrations()
    assert Gang.objects.count() == 2 and Run.objects.count() == 1


@pytest.mark.long
@pytest.mark.skipif(not ON_SQLITE, reason="the file of a database is SQLite's")
def test_restore_creates_the_database_on_an_empty_machine(archive: Path, tmp_path: Path) -> None:
    """Runs in a new folder without tables, in another process."""
    folder = tmp_path / "bare"
    environment = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "DEBUG": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def manage(*arguments: str) -> subprocess.CompletedProcess[str]:
        python = Path(django_settings.BASE_DIR) / ".venv" / "bin" / "python"
        return subprocess.run(
            [str(python), "manage.py", *arguments],
            cwd=django_settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    done = manage("restore", str(archive))
    assert done.returncode == 0, done.stderr
    assert "2 gangs checked" in done.stdout
    assert (folder / "secret_key").is_file()
    # Without DEBUG the site uses the restored key.
    del environment["DEBUG"]
    proven = manage("replay")
    assert "2 gangs replayed" in proven.stdout, proven.stderr
    again = manage("restore", str(archive))
    assert again.returncode == 1 and "not empty" in again.stderr


@pytest.mark.long
@pytest.mark.skipif(not ON_SQLITE, reason="PostgreSQL waits by itself, with a limit")
def test_restore_does_not_change_a_locked_database(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
    holder = sqlite3.connect(str(connection.settings_dict["NAME"]))
    try:
        holder.execute("BEGIN IMMEDIATE")
        before = content()
        with pytest.raises(CommandError, match="busy"):
            command("restore", archive)
        holder.rollback()
        assert {**content(), "pictures": None} == {**before, "pictures": None}
    finally:
        holder.close()


@pytest.mark.skipif(ON_SQLITE, reason="SQLite needs no programs")
def test_missing_programs_are_named(
    club: Gang, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="pg_dump is missing"):
        command("backup", tmp_path / "site.tar")


@pytest.mark.long
def test_archive_is_read_without_unpacking_more_than_needed(archive: Path) -> None:
    """Success and failure leave nothing in the site's folder."""
    command("restore", archive)
    left = {path.name for path in django_settings.DATA_DIR.iterdir()}
    assert left == {"pictures", "secret_key"}
    assert reading.occupants() == "2 accounts, 2 gangs, 1 campaigns"
