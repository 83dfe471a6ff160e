"""Restoring a backup: check it completely, replace the site's data, prove the result."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from pydantic import ValidationError

from accounts.models import User
from administration import runs
from administration.archives import postgres, sqlite
from administration.archives.extracting import extract
from administration.archives.manifest import (
    DATABASES,
    MANIFEST,
    PICTURE,
    SECRET_KEY,
    BadArchive,
    Kind,
    Manifest,
    Part,
)
from administration.archives.tables import tables_after
from administration.archives.workspace import workspace
from administration.models import Run
from campaigns.models import Campaign
from common.files import keep_names, write_whole
from common.storages import store
from common.text import is_fit
from gangs.ledger.replay import prove
from gangs.models import Gang
from outbound.push.keys import PUSH_KEY, is_key


@dataclass(frozen=True)
class Restored:
    """The result of a restore.

    ``key``: "used" if the site uses the backup's secret key; "stored" if the key is in the site's
    folder but another one is set; "other" if the folder has kept another key; "none" if the backup
    has none.
    """

    manifest: Manifest
    gangs: int
    key: str


@dataclass
class Unpacked:
    """A backup unpacked into a folder and checked against its manifest.

    ``key`` is its secret key, ``push_key`` the one for push messages; "" if it has none.
    """

    folder: Path
    manifest: Manifest
    pictures: list[str] = field(default_factory=list)
    key: str = ""
    push_key: str = ""

    @property
    def database(self) -> Path:
        """The path of the database's copy."""
        return self.folder / DATABASES[self.manifest.database]


def restore(archive: Path, *, force: bool = False) -> Restored:
    """Replace the site's data by a backup, and migrate it to this release.

    ``force`` allows replacing a site that is not empty, whose data are lost. Raises BadArchive if
    the file is damaged or of another kind of database, or if the site is not empty; then nothing
    has changed. Raises Different if everything is restored but a gang differs from its replay.
    """
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with unpack(archive) as backup:
        _check_kind(backup)
        if not force and (there := occupants()):
            raise BadArchive(
                f"This site is not empty: {there}. Restore to a new site, or use --force"
                " and lose everything on this one."
            )
        # Pictures first: nothing refers to them until the database is replaced.
        pictures = store("pictures")
        for name in backup.pictures:
            pictures.write(name, (backup.folder / "pictures" / name).read_bytes())
        _database(backup.manifest.database).replace(backup.database)
        key = _restore_key(backup, force=force)
        if backup.push_key:
            # The devices of the backup get messages with this key only.
            _write_key(backup, PUSH_KEY, backup.push_key)
    ContentType.objects.clear_cache()
    # Bring a backup of an older release up to date.
    call_command("migrate", verbosity=0, interactive=False)
    with runs.remember_run(Run.Kind.RESTORE) as values:
        values["bytes"] = archive.stat().st_size
        if spoiled := runs.spoiled_versions():
            raise BadArchive(
                f"The site is restored, but stored rulebooks are damaged: {', '.join(spoiled)}"
            )
        proof = prove()
        values["gangs"] = proof.gangs
        runs.check(proof)
    return Restored(backup.manifest, proof.gangs, key)


def occupants() -> str:
    """Describe in English the data already on this site; "" if it is empty."""
    tables = set(connection.introspection.table_names())
    counts = {
        "accounts": User.objects.count() if User._meta.db_table in tables else 0,
        "gangs": Gang.objects.count() if Gang._meta.db_table in tables else 0,
        "campaigns": Campaign.objects.count() if Campaign._meta.db_table in tables else 0,
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def verify(archive: Path) -> Manifest:
    """Check a whole backup as a restore does, beside it and without changing the site.

    Raises BadArchive or OSError.
    """
    with unpack(archive, archive.parent) as backup:
        _check_kind(backup)
        return backup.manifest


@contextmanager
def unpack(archive: Path, parent: Path | None = None) -> Iterator[Unpacked]:
    """Unpack a backup into a temporary folder in ``parent``, and check it.

    ``parent`` is the site's data folder if it is None. Every file must be there with the length and
    sum of the manifest. Raises BadArchive.
    """
    with workspace(parent or settings.DATA_DIR, "restore") as folder:
        parts = extract(archive, folder)
        manifest = _read_manifest(archive, folder, parts)
        names = (match[1] for name in manifest.parts if (match := PICTURE.fullmatch(name)))
        key = _read_key(archive, folder / SECRET_KEY)
        push_key = _read_key(archive, folder / PUSH_KEY)
        if push_key and not is_key(push_key):
            raise BadArchive(f"{archive} is damaged: its key for push messages is invalid.")
        yield Unpacked(folder, manifest, list(names), key, push_key)


def _read_manifest(archive: Path, folder: Path, parts: dict[str, Part]) -> Manifest:
    known = parts.pop(MANIFEST, None)
    if known is None:
        raise BadArchive(f"{archive} is not a complete backup of a site: it has no manifest.")
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except ValidationError as error:
        raise BadArchive(
            f"The manifest of {archive} cannot be read: it is damaged, or from a newer release"
            f" ({error.error_count()} mistakes)."
        ) from None
    for name in sorted({*manifest.parts, *parts}):
        if manifest.parts.get(name) != parts.get(name):
            raise BadArchive(f"{archive} is damaged: {name} does not match the manifest.")
    if DATABASES[manifest.database] not in parts:
        raise BadArchive(f"{archive} is damaged: it has no database.")
    return manifest


def _check_kind(backup: Unpacked) -> None:
    """Raise BadArchive if this release or this site's kind of database cannot take the backup."""
    manifest = backup.manifest
    if manifest.database != connection.vendor:
        raise BadArchive(
            f"This is a backup of {manifest.database}, and this site uses {connection.vendor}: a"
            " backup can only be restored to the same kind of database."
        )
    tables_after(manifest.migrations)
    database = _database(manifest.database)
    database.check(backup.database)
    database.check_tables(backup.database, manifest.migrations)


def _database(kind: Kind) -> ModuleType:
    return postgres if kind == "postgresql" else sqlite


def _read_key(archive: Path, file: Path) -> str:
    """Return a key of a backup; "" if it has none. Raises BadArchive if it is invalid."""
    if not file.is_file():
        return ""
    key = file.read_bytes().decode(errors="replace").strip()
    if not key or not is_fit(key) or "\ufffd" in key or len(key.splitlines()) != 1:
        raise BadArchive(f"{archive} is damaged: its secret key is invalid.")
    return key


def _restore_key(backup: Unpacked, *, force: bool) -> str:
    """Store the backup's secret key where ``script/server`` and the settings look for it."""
    key, own = backup.key, settings.DATA_DIR / SECRET_KEY
    if not key:
        return "none"
    if own.is_file() and not force and own.read_text("utf-8").strip() != key:
        return "other"
    _write_key(backup, SECRET_KEY, key)
    return "used" if key == settings.SECRET_KEY else "stored"


def _write_key(backup: Unpacked, name: str, key: str) -> None:
    """Store a key in the data folder, readable only by the site's own user."""
    # Written to the temporary folder, so that nothing remains if this process is killed.
    new = backup.folder / "new_key"
    write_whole(new, f"{key}\n".encode())
    os.chmod(new, 0o600)
    os.replace(new, settings.DATA_DIR / name)
    keep_names(settings.DATA_DIR)
