"""Places for the daily backups: a folder, or a part of a bucket."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from django.conf import settings

from administration.archives.manifest import BadArchive
from common.files import keep_names

if TYPE_CHECKING:
    from common.bucket import Bucket

# The part of a bucket that is used if the address names none: not that of pictures or prints.
USUAL_PART = "backups"


class Place(Protocol):
    """A place that keeps finished backups by name. All operations raise OSError."""

    # Where a backup is written and checked before the place gets it.
    workshop: Path

    def keep(self, archive: Path, name: str) -> None:
        """Keep an archive from the workshop under a name, and prove that it arrived whole.

        Raises BadArchive if it did not.
        """

    def delete(self, name: str) -> None:
        """Delete a backup if it exists."""

    def names(self) -> list[str]:
        """Return the names of all files there."""


class Folder:
    """A folder of this machine. It must exist: a missing one may be on a disk that is not mounted,
    and a new one in its place would be lost with the site."""

    def __init__(self, path: Path) -> None:
        self.workshop = self.path = path
        if not path.is_dir():
            raise FileNotFoundError(
                f"BACKUP_DAILY names a folder that does not exist: {path}."
                " Mount its disk, or create it."
            )
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(
                f"BACKUP_DAILY names a folder that the site may not write to: {path}."
            )

    def keep(self, archive: Path, name: str) -> None:
        """See ``Place``."""
        # A move within the folder: the content is on the disk already.
        os.replace(archive, self.path / name)
        keep_names(self.path)

    def delete(self, name: str) -> None:
        """See ``Place``."""
        (self.path / name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        """See ``Place``."""
        return sorted(entry.name for entry in os.scandir(self.path) if entry.is_file())


class BucketPart:
    """A part of a bucket, on the server that has the site's pictures, or on Amazon's."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.bucket, self.part = parts.netloc, parts.path.strip("/") or USUAL_PART
        self.workshop: Path = settings.DATA_DIR
        self.workshop.mkdir(mode=0o700, parents=True, exist_ok=True)

    @cached_property
    def _files(self) -> Bucket:
        # Imported late, since most sites have no bucket and not its library.
        from common.bucket import Bucket

        return Bucket(bucket=self.bucket, location=self.part, endpoint=settings.S3_ENDPOINT)

    def keep(self, archive: Path, name: str) -> None:
        """See ``Place``. Reads the file back, since only that proves it."""
        with archive.open("rb") as file:
            wanted = hashlib.file_digest(file, "sha256").digest()
        self._files.send(name, archive)
        found = hashlib.sha256()
        for piece in self._files.receive(name):
            found.update(piece)
        if found.digest() != wanted:
            self._files.delete(name)
            raise BadArchive(f"The bucket returns another file than it was sent: {name}.")

    def delete(self, name: str) -> None:
        """See ``Place``."""
        self._files.delete(name)

    def names(self) -> list[str]:
        """See ``Place``."""
        return sorted(name for name, _at in self._files.written())


def daily_place() -> Place:
    """Return the place named by BACKUP_DAILY. Raises OSError if its folder cannot be used."""
    address = str(settings.BACKUP_DAILY)
    return BucketPart(address) if address.startswith("s3://") else Folder(Path(address))
