"""Files that are written whole or not at all, tell when they are spoiled, and take room."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

SEAL_LENGTH = hashlib.sha256().digest_size


def write_whole(file: Path, content: bytes) -> None:
    """Write a file, and the folder it lies in: who reads it meanwhile finds all or nothing.

    It is on the disk when this returns. Where there is no room for it, the file stays what it was,
    and nothing else is left behind. Raises OSError.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = NamedTemporaryFile(dir=file.parent, suffix=".new", delete=False)  # noqa: SIM115
    try:
        with new:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        os.replace(new.name, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(new.name)
        raise
    keep_names(file.parent)


def keep_names(folder: Path) -> None:
    """Put the names in a folder on the disk. Without this a new file is safe, but not its name."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def seal(content: bytes) -> bytes:
    """The content with a seal at its end, by which ``unsealed`` tells whether it is still whole.

    Readers of JPEG and PDF take no notice of what follows the end that these have of their own.
    """
    return content + hashlib.sha256(content).digest()


def unseal(stored: bytes) -> bytes | None:
    """What was sealed; None if it is not what it was, or never was sealed."""
    content, seal = stored[:-SEAL_LENGTH], stored[-SEAL_LENGTH:]
    return content if hashlib.sha256(content).digest() == seal else None


@dataclass(frozen=True)
class Size:
    """How many files there are, and how many bytes they take."""

    files: int = 0
    bytes: int = 0


def size_of(folder: Path) -> Size:
    """What the files that lie in a folder take; nothing if there is no such folder."""
    count = total = 0
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in found:
            # Others may clear files away meanwhile.
            with suppress(FileNotFoundError):
                if entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
                    count += 1
    return Size(count, total)
