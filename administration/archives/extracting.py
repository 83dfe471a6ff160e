"""Extracting a backup safely: only files that a backup has, and only if there is room.

An archive may be damaged, truncated or malicious, so nothing in it is trusted: each file's size is
checked before it is written, and the archive must end exactly where tarfile ends one.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from administration.archives.manifest import DATABASES, MANIFEST, BadArchive, Part, is_part
from administration.archives.workspace import create

CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
# A manifest has a line for each picture; this is enough for far more pictures than any site has.
BIGGEST_MANIFEST = 256 << 20
# Pictures and secret keys are far smaller.
BIGGEST_OTHER = 16 << 20
# At least two empty blocks follow the last file, and pad the last record.
END = 2 * tarfile.BLOCKSIZE


def extract(archive: Path, folder: Path) -> dict[str, Part]:
    """Write every file of an archive to the folder; return each one's length and sum, by name.

    Writes only regular files with names that a backup has. Raises BadArchive.
    """
    try:
        with _opened(archive) as stream:
            return _extract(archive, stream, folder)
    # ValueError for invalid numbers, OverflowError for huge ones, RecursionError for endless
    # headers; the others are the modules' own errors.
    except (
        tarfile.TarError,
        gzip.BadGzipFile,
        zlib.error,
        EOFError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:
        raise BadArchive(f"{archive} is damaged or incomplete: {error}") from None
    except OSError as error:
        raise BadArchive(f"{archive} cannot be read: {error}") from None


@contextmanager
def _opened(archive: Path) -> Iterator[_Bounded]:
    """Open an archive and decompress it if necessary.

    Raises EOFError if it is longer than its last bytes state.
    """
    with archive.open("rb") as file:
        compressed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if not compressed:
            yield _Bounded(file)
            return
        with gzip.GzipFile(fileobj=file, mode="rb") as plain:
            stream = _Bounded(plain)
            yield stream
        # The last bytes state the length of the content; gzip ignores zeros after them.
        file.seek(-4, 2)
        if int.from_bytes(file.read(4), "little") != stream.end % (1 << 32):
            raise EOFError("something follows its end")


class _Bounded:
    """A file that is read in small pieces only: tarfile reads a long name whole."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile) -> None:
        self.file = file
        self.last = b""
        # The position after the last read.
        self.end = 0

    def read(self, size: int) -> bytes:
        if not 0 <= size <= CHUNK:
            raise tarfile.ReadError("a name in it is too long")
        self.last = self.file.read(size)
        self.end = self.file.tell()
        return self.last

    def seek(self, place: int) -> int:
        return self.file.seek(place)

    def tell(self) -> int:
        return self.file.tell()


def _extract(archive: Path, stream: _Bounded, folder: Path) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    (folder / "pictures").mkdir(0o700)
    # tarfile needs only these methods of a file.
    with tarfile.open(fileobj=stream, mode="r:") as found:  # type: ignore[call-overload]
        for member in found:
            # The manifest is the last file.
            if not _is_expected(member) or member.name in parts or MANIFEST in parts:
                raise BadArchive(f"{archive} has something in it that no backup has.")
            _check_size(archive, member, folder)
            parts[member.name] = _write(found, member, folder / member.name)
        _check_end(stream, found.offset)
    return parts


def _is_expected(member: tarfile.TarInfo) -> bool:
    return is_part(member.name) and member.isreg() and not member.issparse()


def _check_size(archive: Path, member: tarfile.TarInfo, folder: Path) -> None:
    """Raise BadArchive if a file is larger than its kind may be, or than the free space."""
    if member.name == MANIFEST:
        most = BIGGEST_MANIFEST
    elif member.name in DATABASES.values():
        most = shutil.disk_usage(folder).free
    else:
        most = min(BIGGEST_OTHER, shutil.disk_usage(folder).free)
    if not 0 <= member.size <= most:
        raise BadArchive(
            f"{member.name} in {archive} has {member.size} bytes, and there is room for {most}."
        )


def _write(found: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> Part:
    content, total = hashlib.sha256(), 0
    source = found.extractfile(member)
    assert source is not None
    with source, create(target) as file:
        while chunk := source.read(CHUNK):
            content.update(chunk)
            total += len(chunk)
            file.write(chunk)
    if total != member.size:
        raise EOFError(f"{member.name} is too short")
    return Part(bytes=total, sha256=content.hexdigest())


def _check_end(stream: _Bounded, offset: int) -> None:
    """Raise EOFError unless the archive ends here as tarfile ends one.

    ``offset`` is the end of the last file. The block after it was the last one read.
    """
    is_empty = not any(stream.last)
    while is_empty and (rest := stream.read(CHUNK)):
        is_empty = not any(rest)
    nothing = stream.end - offset
    if not is_empty or stream.end % tarfile.RECORDSIZE:
        raise EOFError("it does not end as it was written")
    if not END <= nothing < END + tarfile.RECORDSIZE:
        raise EOFError("it does not end as it was written")
