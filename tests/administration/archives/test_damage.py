"""Damaged, truncated and malicious archives are refused with an explanation and change nothing."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import random
import sqlite3
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection

from administration.archives import extracting, reading
from administration.archives.manifest import DATABASES, BadArchive
from gangs.models import Gang
from tests.administration.archives.test_backup import (
    archive,  # noqa: F401
    club,  # noqa: F401
    command,
    content,
    other_machine,
    refused,
)
from tests.random_cases import MANY, cases

pytestmark = pytest.mark.django_db(transaction=True)

ON_SQLITE = connection.vendor == "sqlite"
DATABASE = DATABASES["sqlite" if ON_SQLITE else "postgresql"]
only_sqlite = pytest.mark.skipif(not ON_SQLITE, reason="the database is a file")
SEED = int(os.environ.get("SEED") or 2026)


def members(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as found:
        return {one.name: found.extractfile(one).read() for one in found}  # type: ignore[union-attr]


def packed(file: Path, parts: dict[str, bytes], *, summed: bool = True) -> Path:
    """Return an archive of these files; ``summed``: with a manifest that matches them."""
    parts = dict(parts)
    if summed:
        manifest = json.loads(parts["manifest.json"])
        manifest["parts"] = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in parts.items()
            if name != "manifest.json"
        }
        parts["manifest.json"] = json.dumps(manifest).encode()
    with tarfile.open(file, "w") as new:
        for name, data in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            new.addfile(info, io.BytesIO(data))
    return file


def outcome(file: Path, whole: dict[str, bytes]) -> str:
    """Read an archive and return "refused", "harmless" or "words".

    "harmless": the content equals the original; "words": only the manifest differs.
    """
    folder = django_settings.DATA_DIR
    try:
        with reading.unpack(file) as found:
            reading._check_kind(found)
            names = [name for name in found.manifest.parts if name.startswith("pictures/")]
            same = all(
                (found.folder / name).read_bytes() == data
                for name, data in whole.items()
                if name != "manifest.json"
            )
            assert same and names == [name for name in whole if name.startswith("pictures/")]
            told = (found.folder / "manifest.json").read_bytes()
            result = "harmless" if told == whole["manifest.json"] else "words"
    except BadArchive as bad:
        assert str(bad).isprintable() and len(str(bad)) > 20
        result = "refused"
    assert list(folder.iterdir()) == []
    return result


def damages(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Yield the bytes of an archive with one damage each."""
    where, length = chance.randrange(len(data)), chance.choice([1, 2, 511, 512, 10_240, 70_000])
    some = chance.randbytes(length)
    kinds: dict[str, Callable[[], bytes]] = {
        "cut off": lambda: data[:where],
        "cut off near the end": lambda: data[: -chance.randrange(1, 30_000)],
        "begun late": lambda: data[where:],
        "longer": lambda: data + some,
        "longer by nothing": lambda: data + bytes(length),
        "twice": lambda: data + data,
        "one bit": lambda: (
            data[:where] + bytes([data[where] ^ 1 << chance.randrange(8)]) + data[where + 1 :]
        ),
        "other bytes": lambda: data[:where] + some + data[where + length :],
        "bytes missing": lambda: data[:where] + data[where + length :],
        "bytes more": lambda: data[:where] + some + data[where:],
        "zeros": lambda: data[:where] + bytes(length) + data[where + length :],
        "blocks in another order": lambda: _exchanged(data, chance),
    }
    kind = chance.choice(sorted(kinds))
    return kind, kinds[kind]()


def _exchanged(data: bytes, chance: random.Random) -> bytes:
    blocks = [data[at : at + 512] for at in range(0, len(data), 512)]
    one, other = chance.sample(range(len(blocks)), 2)
    blocks[one], blocks[other] = blocks[other], blocks[one]
    return b"".join(blocks)


@pytest.mark.long
@pytest.mark.random
@pytest.mark.parametrize("name", ["site.tar", "site.tar.gz"])
def test_restore_refuses_damaged_archives_or_reads_what_was_written(
    club: Gang,  # noqa: F811
    settings: Any,
    tmp_path: Path,
    name: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / name
    command("backup", file)
    data, whole = file.read_bytes(), members(file)
    other_machine(settings, tmp_path)
    settings.DATA_DIR.mkdir()
    before, chance = content(), random.Random(SEED)
    told: Counter[tuple[str, str]] = Counter()
    for _ in range(cases(60, 4_000)):
        kind, damaged = damages(data, chance)
        file.write_bytes(damaged)
        told[kind, outcome(file, whole) if damaged != data else "the same"] += 1
    assert content() == before
    by_outcome: Counter[str] = Counter()
    for (_kind, result), count in told.items():
        by_outcome[result] += count
    # A wrong length is noticed at either end.
    changed = (
        "cut off",
        "cut off near the end",
        "begun late",
        "longer",
        "longer by nothing",
        "twice",
    )
    assert {result for kind, result in told if kind in changed} <= {"refused"}
    assert by_outcome["refused"] > 40
    if MANY:
        with capsys.disabled():
            print(f"\n{name}: {dict(by_outcome)}; {sorted(told.items())}")


@pytest.mark.long
@pytest.mark.parametrize("compressed", [False, True])
def test_restore_refuses_bytes_missing_or_added_at_the_end(
    archive: Path,  # noqa: F811
    compressed: bool,
) -> None:
    data = archive.read_bytes()
    if compressed:
        data = gzip.compress(data)
    changes = [data[:-1], data[:-512], data[:-4], data[:-10_240], data + b"\0", data + bytes(512)]
    changes += [data + bytes(10_240), data + b"x" * 512, data + gzip.compress(b""), data + data]
    if compressed:
        changes += [gzip.compress(gzip.decompress(data) + bytes(10_240)), data[:-8]]
    for changed in changes:
        archive.write_bytes(changed)
        refused(archive, "damaged or incomplete")
    archive.write_bytes(data)
    assert "2 gangs checked" in command("restore", archive)


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE, data: bytes = b"") -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512)


def long_names(count: int) -> bytes:
    return header("././@LongLink", 8, tarfile.GNUTYPE_LONGNAME, b"evil.txt") * count


@pytest.mark.long
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(header(DATABASE, 1 << 50), id="a petabyte"),
        pytest.param(header("secret_key", 1 << 30), id="a key of a gigabyte"),
        pytest.param(header("manifest.json", 1 << 40), id="a manifest of a terabyte"),
        pytest.param(header("secret_key", -(1 << 20)), id="less than nothing"),
        pytest.param(header("x", 1 << 31, tarfile.GNUTYPE_LONGNAME), id="a name of gigabytes"),
        pytest.param(header("x", 1 << 31, tarfile.XHDTYPE), id="a header of gigabytes"),
        pytest.param(long_names(3_000), id="headers without an end"),
        pytest.param(header(DATABASE, 512, tarfile.GNUTYPE_SPARSE, b"x" * 512), id="holes"),
        pytest.param(header("secret_key", 9, tarfile.XHDTYPE, b"99 size=x"), id="no number"),
    ],
)
def test_restore_refuses_archives_that_are_larger_than_they_look(
    archive: Path,  # noqa: F811
    data: bytes,
) -> None:
    for content_of in (data + bytes(20_480), data):
        archive.write_bytes(gzip.compress(content_of))
        refused(archive, "damaged or incomplete|there is room for|no backup has")


@pytest.mark.long
def test_restore_refuses_a_bomb_before_the_disk_is_full(
    archive: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fifty megabytes of zeros take fifty kilobytes."""
    parts = members(archive) | {DATABASE: bytes(50_000_000)}
    whole = packed(archive.with_name("bomb.tar"), parts).read_bytes()
    archive.write_bytes(gzip.compress(whole))
    room = extracting.shutil.disk_usage("/")._replace(free=40_000_000)
    monkeypatch.setattr(extracting.shutil, "disk_usage", lambda _folder: room)
    refused(archive, "there is room for 40000000")


@pytest.mark.long
@pytest.mark.parametrize(
    "key", [b"", b"\n", b"two\nlines", b"\xff\xfe", b"nul\0", b"x" * 20_000_000]
)
def test_restore_refuses_an_invalid_secret_key(
    archive: Path,  # noqa: F811
    key: bytes,
) -> None:
    packed(archive, members(archive) | {"secret_key": key})
    refused(archive, "secret key is invalid|there is room for")


def test_restore_refuses_an_invalid_key_for_push_messages(
    archive: Path,  # noqa: F811
) -> None:
    # The manifest is the last file.
    packed(archive, {"push_key": b"no key"} | members(archive))
    refused(archive, "key for push messages is invalid")


@pytest.mark.long
def test_restore_accepts_a_secret_key_of_any_letters(
    club: Gang,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.SECRET_KEY = "clé secrète, avec des accents et des espaces"
    command("backup", tmp_path / "site.tar")
    key = settings.SECRET_KEY
    other_machine(settings, tmp_path)
    command("restore", tmp_path / "site.tar")
    assert (settings.DATA_DIR / "secret_key").read_text("utf-8").strip() == key


def edited(archive: Path, statement: str) -> Path:  # noqa: F811
    """Return the archive after an SQL statement on its database, with matching checksums."""
    parts, copy = members(archive), archive.with_name("copy.sqlite3")
    copy.write_bytes(parts[DATABASE])
    with closing(sqlite3.connect(copy)) as database:
        database.executescript(statement)
    return packed(archive.with_name("edited.tar"), parts | {DATABASE: copy.read_bytes()})


@pytest.mark.long
@only_sqlite
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON accounts_user BEGIN DELETE FROM gangs_gang; END",
        "CREATE VIEW evil AS SELECT * FROM accounts_user",
        "CREATE VIRTUAL TABLE evil USING fts5(text)",
        "CREATE TABLE evil (id INTEGER PRIMARY KEY)",
        "DROP TABLE gangs_timeline",
        "DELETE FROM django_migrations WHERE app = 'gangs'",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('gangs', '0999_evil', 1)",
    ],
)
def test_restore_refuses_a_database_with_anything_but_the_sites_tables(
    archive: Path,  # noqa: F811
    statement: str,
) -> None:
    refused(edited(archive, statement), "no migration created|other tables|migrations differ")


THEIRS = ["TABLE notes (a integer)", "VIEW seen AS SELECT 1 AS one"]
WORDS = ["VIRTUAL TABLE words USING fts5(text)"] if ON_SQLITE else []
TRIGGER = (
    ["TRIGGER odd AFTER INSERT ON gangs_gang BEGIN SELECT 1; END"]
    if ON_SQLITE
    else [
        "FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "TRIGGER odd AFTER INSERT ON gangs_gang FOR EACH ROW EXECUTE FUNCTION odd()",
    ]
)


@contextmanager
def created(*things: str, dropped: tuple[str, ...]) -> Iterator[None]:
    """Add these to the database, beside the site's own tables."""
    try:
        with connection.cursor() as cursor:
            for thing in things:
                cursor.execute(f"CREATE {thing}")
        yield
    finally:
        with connection.cursor() as cursor:
            for name in dropped:
                cursor.execute(f"DROP {name}")


@pytest.mark.long
def test_backup_leaves_out_tables_of_others_and_names_them(
    club: Gang,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    words = ("TABLE words",) if ON_SQLITE else ()
    with created(*THEIRS, *WORDS, dropped=("TABLE notes", "VIEW seen", *words)):
        said = command("backup", tmp_path / "site.tar")
    assert "Left out" in said and "notes" in said and "seen" in said
    other_machine(settings, tmp_path)
    assert "2 gangs checked" in command("restore", tmp_path / "site.tar")


@pytest.mark.long
@only_sqlite
def test_backup_keeps_the_internal_tables_of_sqlite(
    club: Gang,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    try:
        assert "Left out" not in command("backup", tmp_path / "site.tar")
        other_machine(settings, tmp_path)
        assert "2 gangs checked" in command("restore", tmp_path / "site.tar")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE sqlite_stat1")


def test_backup_refuses_a_database_with_a_trigger(
    club: Gang,  # noqa: F811
    tmp_path: Path,
) -> None:
    dropped = ("TRIGGER odd",) if ON_SQLITE else ("TRIGGER odd ON gangs_gang", "FUNCTION odd()")
    with (
        created(*TRIGGER, dropped=dropped),
        pytest.raises(CommandError, match="no migration created: trigger .*odd.*Delete it"),
    ):
        call_command("backup", str(tmp_path / "site.tar"))
    assert not (tmp_path / "site.tar").exists()


@pytest.mark.long
def test_texts_of_an_archive_are_cleaned_before_they_are_shown(
    archive: Path,  # noqa: F811
) -> None:
    """A terminal obeys some characters."""
    parts = members(archive)
    manifest = json.loads(parts["manifest.json"])
    manifest["counts"] = {"\x1b[2J\u202egangs": 2}
    parts["manifest.json"] = json.dumps(manifest).encode()
    said = command("restore", packed(archive, parts))
    assert "\x1b" not in said and "\u202e" not in said
    manifest["migrations"] = {"\x1b[2J": ["\ufeff" * 2_000]}
    parts["manifest.json"] = json.dumps(manifest).encode()
    with pytest.raises(CommandError, match="update first") as refusal:
        command("restore", packed(archive, parts), force=True)
    assert "\x1b" not in str(refusal.value)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes")
def test_file_name_that_is_not_text_is_explained(
    archive: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    odd = Path(os.fsdecode(bytes(tmp_path) + b"/\xff\n.tar"))
    with pytest.raises(CommandError, match="cannot be read") as refusal:
        command("restore", odd)
    str(refusal.value).encode()
    archive.rename(odd)
    assert "gangs checked" in command("restore", odd)
