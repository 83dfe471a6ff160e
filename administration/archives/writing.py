"""Writing a backup: one archive of database, pictures and keys, while the site runs."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypedDict

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import timezone

from accounts.models import User
from administration import runs
from administration.archives import postgres, sqlite
from administration.archives.manifest import (
    DATABASES,
    MANIFEST,
    SECRET_KEY,
    BadArchive,
    Kind,
    Manifest,
    Part,
)
from administration.archives.progress import Progress, Report, Stage, ignore
from administration.archives.tables import migrations_of, tables_after
from administration.archives.workspace import create, workspace
from administration.models import Run
from campaigns.models import Campaign, Game
from common.files import keep_names
from common.storages import store
from gangs.ledger.replay import Proof, Scope, prove
from gangs.models import Gang, StoredEntry
from gangs.pictures.storage import file_names
from outbound.push.keys import PUSH_KEY, has_key, read_key

# Pictures after which a backup says how far it is.
TOLD_EVERY = 100
COUNTED = {
    "accounts": User,
    "gangs": Gang,
    "entries": StoredEntry,
    "campaigns": Campaign,
    "games": Game,
}


class BackupFigures(TypedDict):
    """The recorded figures of a backup.

    ``bytes`` is its size, ``gangs`` the number of gangs proven, ``missing`` the number of missing
    picture files, and ``left_out`` lists tables that no migration of the site made.
    """

    bytes: int
    gangs: int
    missing: int
    left_out: list[str]


def back_up(target: Path, *, overwrite: bool = False) -> BackupFigures:
    """Write a backup to ``target``, and record the outcome.

    Raises as ``write_archive``, and Different if the backup is written but a gang in it (and on the
    site) differs from its replay.
    """
    with runs.remember_run(Run.Kind.BACKUP) as values:
        figures, proof = write_archive(target, overwrite=overwrite)
        values |= figures
        runs.check(proof)
    return figures


def write_archive(
    target: Path,
    *,
    overwrite: bool = False,
    scope: Scope | None = None,
    report: Report = ignore,
) -> tuple[BackupFigures, Proof]:
    """Write a backup to ``target``; return its figures and the proof of its gangs, or of those in
    the ``scope``. ``report`` is called with the progress.

    A name ending in ``.gz`` or ``.tgz`` compresses it. ``target`` appears only when the backup is
    complete. Raises BadArchive or OSError if it cannot be written.
    """
    if target.exists() and not overwrite:
        raise BadArchive(f"{target} already exists: name another file, or use --overwrite.")
    if not target.parent.is_dir():
        raise BadArchive(f"There is no folder {target.parent}.")
    with workspace(target.parent, "backup") as folder:
        proof, missing, left_out = _write(
            target, folder, overwrite=overwrite, scope=scope, report=report
        )
    figures: BackupFigures = {
        "bytes": target.stat().st_size,
        "gangs": proof.gangs,
        "missing": missing,
        "left_out": left_out,
    }
    return figures, proof


def _write(
    target: Path, folder: Path, *, overwrite: bool, scope: Scope | None, report: Report
) -> tuple[Proof, int, list[str]]:
    """Write the archive; return its proof, the number of missing pictures, the tables left out."""
    kind: Kind = "postgresql" if connection.vendor == "postgresql" else "sqlite"
    database = folder / DATABASES[kind]
    report(Progress(Stage.COPY))
    with _copied(kind, database) as (using, left_out):
        if spoiled := runs.spoiled_versions(using):
            raise BadArchive(f"Stored rulebooks are damaged: {', '.join(spoiled)}")
        proof = prove(
            using=using,
            scope=scope,
            report=lambda done, total: report(Progress(Stage.PROOF, done, total)),
        )
        counts = {name: model._base_manager.using(using).count() for name, model in COUNTED.items()}
        migrations = migrations_of(using)
        pictures = sorted(file_names(using))
    unfinished = folder / "archive"
    with create(unfinished) as file:
        mode = "w:gz" if target.suffix in (".gz", ".tgz") else "w"
        with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
            writer = _Writer(archive)
            writer.add_file(database.name, database)
            database.unlink()
            missing = _add_pictures(writer, pictures, report)
            if settings.SECRET_KEY != settings.DEVELOPMENT_KEY:
                writer.add(SECRET_KEY, str(settings.SECRET_KEY).encode())
            if has_key():
                writer.add(PUSH_KEY, read_key().encode())
            manifest = Manifest(
                release=settings.VERSION,
                made_at=timezone.now(),
                database=kind,
                migrations=migrations,
                counts=counts,
                missing_pictures=missing,
                parts=writer.parts,
            )
            # Last, so that an interrupted backup has none.
            writer.add(MANIFEST, manifest.model_dump_json(indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    _name(unfinished, target, overwrite=overwrite)
    return proof, missing, left_out


@contextmanager
def _copied(kind: Kind, file: Path) -> Iterator[tuple[str, list[str]]]:
    """Copy the site's tables at one moment to a file.

    Yields the alias of a connection that sees the copy's moment, and the tables left out.
    """

    def tables() -> frozenset[str]:
        return tables_after(migrations_of(DEFAULT_DB_ALIAS))

    if kind == "postgresql":
        with postgres.copy_tables(file, tables) as using:
            postgres.check(file)
            postgres.check_tables(file, migrations_of(using))
            others = connection.introspection.table_names(include_views=True)
            yield using, sorted({*others} - tables())
    else:
        sqlite.copy(file)
        with sqlite.open_copy(file) as using:
            migrations = migrations_of(using)
        left_out = sqlite.leave_out(file, tables_after(migrations))
        sqlite.check(file)
        sqlite.check_tables(file, migrations)
        with sqlite.open_copy(file) as using:
            yield using, left_out


def _add_pictures(writer: _Writer, names: list[str], report: Report) -> int:
    """Add all existing pictures; return the number missing.

    A picture is missing if it was removed after the copy of the database, or lost before.
    """
    pictures, missing = store("pictures"), 0
    for number, name in enumerate(names):
        if number % TOLD_EVERY == 0:
            report(Progress(Stage.PICTURES, number, len(names)))
        content = pictures.read(name)
        if content is None:
            missing += 1
        else:
            writer.add(f"pictures/{name}", content)
    return missing


@dataclass
class _Writer:
    """An archive being written, and the parts so far."""

    archive: tarfile.TarFile
    parts: dict[str, Part] = field(default_factory=dict)

    def add(self, name: str, content: bytes) -> None:
        self._add(name, len(content), io.BytesIO(content))

    def add_file(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            self._add(name, path.stat().st_size, file)

    def _add(self, name: str, size: int, file: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mtime, info.mode = size, int(time.time()), 0o600
        summing = _Summing(file)
        self.archive.addfile(info, summing)
        self.parts[name] = Part(bytes=size, sha256=summing.sum.hexdigest())


class _Summing:
    """A file that computes its SHA-256 while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        found = self.file.read(size)
        self.sum.update(found)
        return found


def _name(unfinished: Path, target: Path, *, overwrite: bool) -> None:
    """Move the finished archive to its name, durably."""
    if overwrite:
        os.replace(unfinished, target)
    else:
        try:
            # Unlike a rename, a link never replaces a file that has appeared meanwhile.
            os.link(unfinished, target)
        except FileExistsError:
            raise BadArchive(f"{target} was written by another process meanwhile.") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
            # The file system has no hard links.
            shutil.move(unfinished, target)
    keep_names(target.parent)
