"""Files are written whole or not at all, even on a full disk; spoiled files are detected."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from common.files import seal, unseal, write_whole
from common.storages import store


def full(*_arguments: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_write_keeps_the_old_file(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "folder" / "file"
    write_whole(file, b"before")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, b"after")
    assert file.read_bytes() == b"before"
    assert [found.name for found in file.parent.iterdir()] == ["file"]


def test_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    """A resource limit on the size of files simulates the full disk."""
    import resource
    import signal

    file = tmp_path / "file"
    write_whole(file, b"before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError):
            write_whole(file, bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert file.read_bytes() == b"before"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_write_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits first for the content, then for the name."""
    done: list[str] = []
    really, move = os.fsync, os.replace

    def fsync(number: int) -> None:
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{number}") else "file")
        really(number)

    def replace(old: str, new: Path) -> None:
        done.append("name")
        move(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_whole(tmp_path / "file", b"content")
    assert done == ["file", "name", "folder"]


@pytest.mark.parametrize("content", [b"", b"x", bytes(1000)])
def test_seal_detects_spoiled_content(content: bytes) -> None:
    stored = seal(content)
    assert unseal(stored) == content
    assert unseal(content) is None
    for spoiled in (b"", stored[:-1], stored + b"x", bytes(len(stored)), stored[1:]):
        assert unseal(spoiled) is None


def test_data_folder_cannot_be_left(settings: Any, tmp_path: Path) -> None:
    """This is also true for Django's own functions."""
    settings.DATA_DIR = tmp_path
    pictures: Any = store("pictures")
    assert pictures.read("a") is None
    assert list(pictures.written()) == []
    pictures.write("a", b"first")
    pictures.write("a", b"second")
    assert (tmp_path / "pictures" / "a").read_bytes() == pictures.read("a") == b"second"
    with tempfile.TemporaryFile() as other:
        from django.core.files import File

        other.write(b"third")
        other.seek(0)
        assert pictures.save("a", File(other)) == "a"
    with pictures.open("a") as file:
        assert file.read() == b"third"
    [(name, at)] = pictures.written()
    assert name == "a"
    assert at == (tmp_path / "pictures" / "a").stat().st_mtime
    pictures.delete("a")
    pictures.delete("a")
    assert pictures.read("a") is None
    with pytest.raises(Exception, match="outside"):
        pictures.read("../secret")
