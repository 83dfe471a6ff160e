"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(file: Path, content: bytes) -> None:
    """Write a file, and the folder it lies in: who reads it meanwhile finds all or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, suffix=".new", delete=False) as new:
        new.write(content)
    os.replace(new.name, file)
