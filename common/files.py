"""Files that are written whole or not at all, and how much room they take."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(file: Path, content: bytes) -> None:
    """Write a file, and the folder it lies in: who reads it meanwhile finds all or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, suffix=".new", delete=False) as new:
        new.write(content)
    os.replace(new.name, file)


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
