"""Storage for files outside the database: a folder of the site's data, or part of a bucket.

``STORAGES`` in the settings selects the kind. Both kinds extend Django's storages with the
operations our files need: flat names, reading and writing whole files, and listing them with their
times.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, cast

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, storages
from django.utils.deconstruct import deconstructible

from common.files import write_whole


class FileStore(Protocol):
    """The operations of our storages. All raise OSError if the storage cannot be reached."""

    def read(self, name: str) -> bytes | None:
        """Return the content of this file; None if it does not exist."""

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a file, atomically."""

    def delete(self, name: str) -> None:
        """Delete a file if it exists."""

    def written(self) -> Iterator[tuple[str, float]]:
        """Yield all names with their modification times (seconds of the epoch)."""


def store(alias: str) -> FileStore:
    """Return the storage with this name in ``STORAGES``."""
    return cast(FileStore, storages[alias])


@deconstructible
class DataFolder(FileSystemStorage):
    """A folder in ``DATA_DIR`` that no web server serves."""

    def __init__(self, folder: str) -> None:
        super().__init__(allow_overwrite=True)
        self._folder = folder

    @property
    def base_location(self) -> str:
        """The folder below the current ``DATA_DIR``."""
        return os.fspath(settings.DATA_DIR / self._folder)

    @property
    def location(self) -> str:
        """The folder as an absolute path."""
        return os.path.abspath(self.base_location)

    def read(self, name: str) -> bytes | None:
        """See ``FileStore``."""
        try:
            return Path(self.path(name)).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """See ``FileStore``."""
        write_whole(Path(self.path(name)), content)

    def delete(self, name: str) -> None:
        """See ``FileStore``."""
        Path(self.path(name)).unlink(missing_ok=True)

    def written(self) -> Iterator[tuple[str, float]]:
        """See ``FileStore``."""
        try:
            found = list(os.scandir(self.location))
        except FileNotFoundError:
            return
        for file in found:
            try:
                yield file.name, file.stat().st_mtime
            except FileNotFoundError:
                # Another process has just deleted it.
                continue

    def _save(self, name: str, content: File[bytes]) -> str:
        self.write(name, content.read())
        return name
