"""Opens the files that an author or a player uploads: plain, zipped, or zips in a zip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from common.zips import BadZip, is_of_a_computer, list_files, open_zip, read_entry
from rules.catalogues.bounds import BIGGEST_TOGETHER, MOST_IN_ZIPS
from rules.catalogues.refusals import BadCatalogue

type File = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Opened:
    """A plain file; ``is_zipped``: whether it was in a zip, perhaps by chance."""

    name: str
    content: bytes
    is_zipped: bool


ZIP = b"PK\x03\x04"
# The names of zips and of plain files end so. Other files in a zip are left out.
ZIPS = (".gstz", ".catz", ".bsr", ".zip", ".rosz")
PLAIN = (".gst", ".cat", ".json", ".ros", ".xml")
# Codes of a zip that have another name here.
CODES = {"too_many": "too_many_files", "twice": "same_path"}


class _Room:
    """The room that is left for files."""

    def __init__(self, most: int) -> None:
        self.most = self.bytes = most
        self.files = MOST_IN_ZIPS

    def take(self, content: bytes) -> None:
        self.bytes -= len(content)
        if self.bytes < 0:
            raise BadCatalogue("too_big", limit=self.most >> 20)


def open_files(files: Sequence[File], most: int = BIGGEST_TOGETHER) -> Iterator[Opened]:
    """Yield the plain files of an upload, at most ``most`` bytes together. Raises BadCatalogue."""
    room = _Room(most)
    for name, content in files:
        if content.startswith(ZIP):
            yield from _in_zip(name, content, room, depth=1)
        else:
            room.take(content)
            yield Opened(name, content, is_zipped=False)


def _in_zip(name: str, content: bytes, room: _Room, depth: int) -> Iterator[Opened]:
    found = False
    try:
        with open_zip(content) as packed:
            for path, entry in sorted(list_files(packed, room.files).items()):
                room.files -= 1
                if is_of_a_computer(path) or path.suffix.lower() not in ZIPS + PLAIN:
                    continue
                inner = read_entry(packed, entry, room.bytes)
                room.take(inner)
                if inner.startswith(ZIP):
                    if depth == 2:
                        raise BadCatalogue("nested", file=name)
                    for plain in _in_zip(path.name, inner, room, depth + 1):
                        found = True
                        yield plain
                elif path.suffix.lower() in ZIPS:
                    raise BadCatalogue("no_zip", file=path.name)
                elif not _is_index(path):
                    found = True
                    yield Opened(path.name, inner, is_zipped=True)
    except BadZip as bad:
        if bad.code == "too_big":
            raise BadCatalogue("too_big", limit=room.most >> 20) from None
        code = CODES.get(bad.code, bad.code)
        raise BadCatalogue(code, file=bad.detail or name, limit=MOST_IN_ZIPS) from None
    if not found:
        raise BadCatalogue("no_catalogue", file=name)


def _is_index(path: PurePosixPath) -> bool:
    """Whether a file is the table of contents of a repository, or of another program."""
    return path.suffix.lower() == ".xml"
