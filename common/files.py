"""Files: writing them atomically, detecting damage with a seal, and measuring folders."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

SEAL_LENGTH = hashlib.sha256().digest_size


def write_whole(file: Path, content: bytes) -> None:
    """Write a file atomically and create its folder; a reader sees the old or the new content.

    The file is on the disk when this returns. If the disk is full, the file keeps its old content
    and nothing else remains. Raises OSError.
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
    """Flush a folder to the disk. Without this only a new file's content is safe, not its name."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def seal(content: bytes) -> bytes:
    """Return the content followed by a seal, with which ``unseal`` detects damage.

    JPEG and PDF readers ignore bytes after the end of the image or document.
    """
    return content + hashlib.sha256(content).digest()


def unseal(stored: bytes) -> bytes | None:
    """Return the content without its seal; None if it is damaged or has no seal."""
    content, seal = stored[:-SEAL_LENGTH], stored[-SEAL_LENGTH:]
    return content if hashlib.sha256(content).digest() == seal else None


@dataclass(frozen=True)
class Size:
    """A number of files and their total size."""

    files: int = 0
    bytes: int = 0


def size_of(folder: Path) -> Size:
    """Count the files in a folder and their bytes; zero if the folder does not exist."""
    count = total = 0
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in found:
            # Other processes may delete files meanwhile.
            with suppress(FileNotFoundError):
                if entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
                    count += 1
    return Size(count, total)
