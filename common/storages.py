"""Where files lie that are no rows: one folder of the site's data, or one part of a bucket.

``STORAGES`` in the settings says which kind a storage is. Both kinds are Django's, and have beside
that what files of ours need: names without folders, written and read whole, and listed with the
time at which they were written.
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
    """What a storage of ours can do. Everything raises OSError if it cannot be reached."""

    def read(self, name: str) -> bytes | None:
        """What lies there under this name, None if nothing does."""

    def write(self, name: str, content: bytes) -> None:
        """Put something there, in the place of what has the name; whole or not at all."""

    def delete(self, name: str) -> None:
        """Take something away, if it is there."""

    def written(self) -> Iterator[tuple[str, float]]:
        """All names, each with the time at which it was written (seconds of the epoch)."""


def store(alias: str) -> FileStore:
    """The storage of this name in ``STORAGES``."""
    return cast(FileStore, storages[alias])


@deconstructible
class DataFolder(FileSystemStorage):
    """A folder in ``DATA_DIR``, whose files no web server hands out."""

    def __init__(self, folder: str) -> None:
        super().__init__(allow_overwrite=True)
        self._folder = folder

    @property
    def base_location(self) -> str:
        """The folder, wherever the data lie by now."""
        return os.fspath(settings.DATA_DIR / self._folder)

    @property
    def location(self) -> str:
        """The same as an absolute path."""
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
                # Another process has just taken it away.
                continue

    def _save(self, name: str, content: File[bytes]) -> str:
        self.write(name, content.read())
        return name
