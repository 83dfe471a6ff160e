"""Writing a backup: one archive of database, pictures and secret key, while the site runs."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import tarfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from django.conf import settings
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from accounts.models import User
from administration import proving, runs
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
from administration.models import Run
from campaigns.models import Campaign, Game
from common.storages import store
from gangs.ledger.replay import Proof, prove
from gangs.models import Gang, StoredEntry
from gangs.pictures.storage import file_names

COUNTED = {
    "accounts": User,
    "gangs": Gang,
    "entries": StoredEntry,
    "campaigns": Campaign,
    "games": Game,
}


def back_up(target: Path, *, overwrite: bool = False) -> dict[str, Any]:
    """Write a backup to ``target``, and remember how that went; returns how large it is (bytes),
    how many gangs were proven in it, and how many files of pictures were missing.

    ``.gz`` or ``.tgz`` at the end of the name compresses it. Under its name there is the whole
    backup or nothing. Raises BadArchive if it cannot be written, and Different if the backup is
    written but something in it, as on the site, is not what its entries say.
    """
    if target.exists() and not overwrite:
        raise BadArchive(f"{target} is there already: name another file, or say --overwrite.")
    if not target.parent.is_dir():
        raise BadArchive(f"There is no folder {target.parent}.")
    with runs.remembered(Run.Kind.BACKUP) as values:
        with TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            proof, missing = _write(target, Path(folder), overwrite=overwrite)
        size = target.stat().st_size
        values |= {"bytes": size, "gangs": proof.gangs, "missing": missing}
        proving.check(proof)
    return values


def _write(target: Path, folder: Path, *, overwrite: bool) -> tuple[Proof, int]:
    """Write the archive; what was proven in it, and how many files of pictures are missing."""
    kind: Kind = "postgresql" if connection.vendor == "postgresql" else "sqlite"
    database = folder / DATABASES[kind]
    with _copied(kind, database) as using:
        if spoiled := proving.spoiled_versions(using):
            raise BadArchive(f"Stored rulebooks are damaged: {', '.join(spoiled)}")
        proof = prove(using=using)
        counts = {name: model._base_manager.using(using).count() for name, model in COUNTED.items()}
        migrations = _migrations(using)
        pictures = sorted(file_names(using))
    unfinished = folder / "archive"
    with unfinished.open("xb") as file:
        os.chmod(unfinished, 0o600)
        mode = "w:gz" if target.suffix in (".gz", ".tgz") else "w"
        with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
            writer = _Writer(archive)
            writer.add_file(database.name, database)
            database.unlink()
            missing = _add_pictures(writer, pictures)
            if settings.SECRET_KEY != settings.DEVELOPMENT_KEY:
                writer.add(SECRET_KEY, str(settings.SECRET_KEY).encode())
            manifest = Manifest(
                release=settings.VERSION,
                made_at=timezone.now(),
                database=kind,
                migrations=migrations,
                counts=counts,
                missing_pictures=missing,
                parts=writer.parts,
            )
            # Last: a backup that broke off has none.
            writer.add(MANIFEST, manifest.model_dump_json(indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    _name(unfinished, target, overwrite=overwrite)
    return proof, missing


@contextmanager
def _copied(kind: Kind, file: Path) -> Iterator[str]:
    """The database at one moment in a file, and the alias under which Django sees that moment."""
    if kind == "postgresql":
        with postgres.copied(file) as using:
            postgres.check(file)
            yield using
    else:
        sqlite.copy(file)
        sqlite.check(file)
        with sqlite.opened(file) as using:
            yield using


def _migrations(using: str) -> dict[str, tuple[str, ...]]:
    found = defaultdict[str, list[str]](list)
    for app, name in MigrationRecorder(connections[using]).applied_migrations():
        found[app].append(name)
    return {app: tuple(sorted(names)) for app, names in sorted(found.items())}


def _add_pictures(writer: _Writer, names: list[str]) -> int:
    """Add all pictures that there are; returns how many are missing: taken down since the database
    was copied, or lost before."""
    pictures, missing = store("pictures"), 0
    for name in names:
        content = pictures.read(name)
        if content is None:
            missing += 1
        else:
            writer.add(f"pictures/{name}", content)
    return missing


@dataclass
class _Writer:
    """An archive being written, and what its parts are."""

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
    """A file that is summed up while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        found = self.file.read(size)
        self.sum.update(found)
        return found


def _name(unfinished: Path, target: Path, *, overwrite: bool) -> None:
    """Let what is finished have its name, which stays after a power failure, too."""
    if overwrite:
        os.replace(unfinished, target)
    else:
        try:
            # Unlike a renaming, this never takes the place of a file that is there by now.
            os.link(unfinished, target)
        except FileExistsError:
            raise BadArchive(f"{target} has been written by somebody else meanwhile.") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
            # A disk that knows no second names.
            shutil.move(unfinished, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
