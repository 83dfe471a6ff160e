"""Reading zips from anybody: nothing is unpacked to the disk, and sizes are counted while reading,
whatever a zip says of itself.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

LONGEST_PATH = 200
# Others can unpack small files to huge ones in a single step.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


class BadZip(Exception):
    """Raised for a zip that cannot be read.

    ``code``: no_zip, too_many, path, twice, locked or too_big; ``detail``: the name of the file in
    it, if there is one.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail


@contextmanager
def open_zip(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open a zip; raises BadZip for damage that its reader meets, too."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            yield packed
    except DAMAGE:
        raise BadZip("no_zip") from None


def list_files(packed: zipfile.ZipFile, most: int) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of a zip by path. Raises BadZip: too_many, path or twice."""
    entries = [entry for entry in packed.infolist() if not entry.is_dir()]
    if len(entries) > most:
        raise BadZip("too_many")
    named = {_path(entry): entry for entry in entries}
    if len(named) < len(entries):
        raise BadZip("twice")
    return named


def is_of_a_computer(path: PurePosixPath) -> bool:
    """Whether a file is one that computers add by themselves: its name or that of a folder starts
    with a point, or it is in a folder of theirs."""
    return any(part.startswith(".") for part in path.parts) or "__MACOSX" in path.parts[:1]


def read_entry(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return the content of a file of at most ``most`` bytes. Raises BadZip: locked, no_zip or
    too_big."""
    if entry.flag_bits & 1:
        raise BadZip("locked", entry.filename)
    if entry.compress_type not in METHODS:
        raise BadZip("no_zip", entry.filename)
    with packed.open(entry) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise BadZip("too_big", entry.filename)
    return content


def _path(entry: zipfile.ZipInfo) -> PurePosixPath:
    path = PurePosixPath(entry.filename)
    if (
        len(entry.filename) > LONGEST_PATH
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in entry.filename
        or ":" in entry.filename
    ):
        raise BadZip("path", entry.filename)
    return path
