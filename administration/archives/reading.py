"""Bringing a backup back: checked whole before anything is changed, proven afterwards."""

from __future__ import annotations

import hashlib
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from pydantic import ValidationError

from accounts.models import User
from administration import proving, runs
from administration.archives import postgres, sqlite
from administration.archives.manifest import (
    DATABASES,
    MANIFEST,
    PICTURE,
    SECRET_KEY,
    BadArchive,
    Kind,
    Manifest,
    Part,
    is_part,
)
from administration.models import Run
from campaigns.models import Campaign
from common.files import write_whole
from common.storages import store
from gangs.ledger.replay import prove
from gangs.models import Gang

CHUNK = 1 << 20
# A manifest has a line for each picture, and no site has so many.
BIGGEST_MANIFEST = 256 << 20


@dataclass(frozen=True)
class Restored:
    """What came back. ``key``: "used" if the site goes by the backup's secret key, "stored" if it
    lies in the site's folder now while another one is set, "other" if another one was kept there,
    "none" if the backup has none."""

    manifest: Manifest
    gangs: int
    key: str


@dataclass
class Unpacked:
    """A backup whose files lie in a folder, each as its manifest says."""

    folder: Path
    manifest: Manifest
    pictures: list[str] = field(default_factory=list)

    @property
    def database(self) -> Path:
        """The copy of the database."""
        return self.folder / DATABASES[self.manifest.database]


def restore(archive: Path, *, force: bool = False) -> Restored:
    """Let the site be what a backup holds, and bring it up to date.

    ``force``: even if there is somebody or something on it, which is lost. Raises BadArchive if the
    file is no sound backup, or not of this site's kind, or if the site is not empty: then nothing
    has changed. Raises Different if all is back, but something is not what its entries say.
    """
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with unpacked(archive) as backup:
        _check_kind(backup)
        if not force and (there := occupants()):
            raise BadArchive(
                f"This site is not empty: {there}. Restore to a new one, or say --force: then"
                " everything on it is lost."
            )
        # Pictures first: nothing points to them until the database is there.
        pictures = store("pictures")
        for name in backup.pictures:
            pictures.write(name, (backup.folder / "pictures" / name).read_bytes())
        _database(backup.manifest.database).replace(backup.database)
        key = _restore_key(backup.folder / SECRET_KEY, force=force)
    ContentType.objects.clear_cache()
    # A backup of an older release is brought up to this one.
    call_command("migrate", verbosity=0, interactive=False)
    with runs.remembered(Run.Kind.RESTORE) as values:
        values["bytes"] = archive.stat().st_size
        if spoiled := proving.spoiled_versions():
            raise BadArchive(f"All is back, but stored rulebooks are damaged: {', '.join(spoiled)}")
        proof = prove()
        values["gangs"] = proof.gangs
        proving.check(proof)
    return Restored(backup.manifest, proof.gangs, key)


def occupants() -> str:
    """Who and what is on this site already, in English; "" if it is empty."""
    tables = set(connection.introspection.table_names())
    counts = {
        "accounts": User.objects.count() if User._meta.db_table in tables else 0,
        "gangs": Gang.objects.count() if Gang._meta.db_table in tables else 0,
        "campaigns": Campaign.objects.count() if Campaign._meta.db_table in tables else 0,
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


@contextmanager
def unpacked(archive: Path) -> Iterator[Unpacked]:
    """The files of a backup in a folder of the site's data, for as long as this lasts; every one is
    there, and as long and of the sum that the manifest says. Raises BadArchive."""
    with TemporaryDirectory(dir=settings.DATA_DIR, prefix=".restore-") as folder:
        try:
            parts = _extract(archive, Path(folder))
        except (tarfile.TarError, EOFError, zlib.error) as error:
            raise BadArchive(f"{archive} is damaged or not whole: {error}") from None
        except OSError as error:
            raise BadArchive(f"{archive} cannot be read: {error}") from None
        manifest = _read_manifest(archive, Path(folder), parts)
        names = (match[1] for name in manifest.parts if (match := PICTURE.fullmatch(name)))
        yield Unpacked(Path(folder), manifest, list(names))


def _extract(archive: Path, folder: Path) -> dict[str, Part]:
    """Write every file of an archive to the folder; returns what each is. Only names that a backup
    has are ever written, and only plain files."""
    parts: dict[str, Part] = {}
    (folder / "pictures").mkdir()
    with tarfile.open(archive, "r:*") as found:
        for member in found:
            if not is_part(member.name) or not member.isreg() or member.name in parts:
                raise BadArchive(f"There is something in {archive} that no backup has.")
            content, total = hashlib.sha256(), 0
            source = found.extractfile(member)
            assert source is not None
            with source, (folder / member.name).open("xb") as target:
                while chunk := source.read(CHUNK):
                    content.update(chunk)
                    total += len(chunk)
                    target.write(chunk)
            if total != member.size:
                raise BadArchive(f"{archive} is damaged or not whole: {member.name} is too short.")
            parts[member.name] = Part(bytes=total, sha256=content.hexdigest())
    return parts


def _read_manifest(archive: Path, folder: Path, parts: dict[str, Part]) -> Manifest:
    known = parts.pop(MANIFEST, None)
    if known is None or known.bytes > BIGGEST_MANIFEST:
        raise BadArchive(f"{archive} is no backup of a site, or not whole: it has no manifest.")
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except ValidationError as error:
        raise BadArchive(
            f"The manifest of {archive} cannot be read: it is damaged, or of a newer release"
            f" ({error.error_count()} mistakes)."
        ) from None
    for name in sorted({*manifest.parts, *parts}):
        if manifest.parts.get(name) != parts.get(name):
            raise BadArchive(f"{archive} is damaged: {name} is not what the manifest says.")
    if DATABASES[manifest.database] not in parts:
        raise BadArchive(f"{archive} is damaged: it has no database.")
    return manifest


def _check_kind(backup: Unpacked) -> None:
    """Raise BadArchive if this release and this site's kind of database cannot take the backup."""
    manifest = backup.manifest
    if manifest.database != connection.vendor:
        raise BadArchive(
            f"This is a backup of {manifest.database}, and this site uses {connection.vendor}: a"
            " backup is restored to the kind of database that it is of."
        )
    known = MigrationLoader(None).disk_migrations or {}
    unknown = [
        f"{app}.{name}"
        for app, names in manifest.migrations.items()
        for name in names
        if (app, name) not in known
    ]
    if unknown:
        raise BadArchive(
            f"This backup is of release {manifest.release}, which knows what this one does not"
            f" ({', '.join(unknown[:5])}): update first."
        )
    _database(manifest.database).check(backup.database)


def _database(kind: Kind) -> ModuleType:
    return postgres if kind == "postgresql" else sqlite


def _restore_key(found: Path, *, force: bool) -> str:
    """Keep the backup's secret key where ``script/server`` and the settings look for one."""
    if not found.is_file():
        return "none"
    key, own = found.read_text("ascii").strip(), settings.DATA_DIR / SECRET_KEY
    if own.is_file() and not force and own.read_text("ascii").strip() != key:
        return "other"
    write_whole(own, f"{key}\n".encode())
    os.chmod(own, 0o600)
    return "used" if key == settings.SECRET_KEY else "stored"
