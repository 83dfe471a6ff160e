"""Packs a rulebook into a zip of TOML files, and reads the files from such a zip.

Anybody may have made a zip (``common.zips``).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from common.measuring import BadData, Limits, parse
from common.zips import BadZip, is_of_a_computer, list_files, open_zip, read_entry
from rules.book.model import Book
from rules.loading.reader import BIGGEST_FILE, BIGGEST_FOLDER
from rules.packages.writing import write_files

FORMAT = "skirmish-rulebook"
FORMAT_VERSION = 1
# The file with the book's name and digest; all others are for the author or the reader.
LABEL = "package.json"
BIGGEST_LABEL = Limits(size=10_000, depth=4, values=100)
# Bytes of the zip, files in it, and bytes of all TOML files together.
BIGGEST_ZIP = 1_000_000
MOST_FILES = 200
BIGGEST_TOGETHER = 2 * BIGGEST_FILE
# The same book makes the same zip.
MOMENT = (1980, 1, 1, 0, 0, 0)


class BadPackage(Exception):
    """Raised for a file that is not a package.

    ``code``: too_big, no_zip, too_many, path, locked, no_toml, folders, twice or text; ``detail``:
    the name of the file in it, if there is one.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        self.detail = detail[:80]
        super().__init__(f"{code} {self.detail}".strip())


@dataclass(frozen=True)
class Package:
    """The files of a package.

    ``folder``: the name of the folder that they are in, or ""; ``texts``: its TOML files by name;
    ``digest``: the digest that it says its book has, or "".
    """

    folder: str
    texts: dict[str, str]
    digest: str = ""


def pack(book: Book, translations: Mapping[str, bytes] | None = None) -> bytes:
    """The zip of a rulebook: a folder with its files and its label.

    ``translations``: files of its words by language, for a site that loads the folder. A state of a
    variant becomes a rulebook like any other, with a digest of its own.
    """
    book = book.changed(variant=None) if book.variant else book
    label = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "slug": book.slug,
        "name": book.name.first,
        "version": book.edition,
        "author": book.author,
        "licence": book.licence or "",
        "digest": book.digest,
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        files = {LABEL: json.dumps(label, ensure_ascii=False, indent=1) + "\n", **write_files(book)}
        words = {f"words/{code}.po": file for code, file in (translations or {}).items()}
        for name, content in (files | words).items():
            entry = zipfile.ZipInfo(f"{book.slug}/{name}", MOMENT)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def unpack(content: bytes) -> Package:
    """Read a package. Raises BadPackage."""
    if len(content) > BIGGEST_ZIP:
        raise BadPackage("too_big")
    try:
        with open_zip(content) as packed:
            return _read(packed)
    except BadZip as bad:
        raise BadPackage(bad.code, bad.detail) from None


def _read(packed: zipfile.ZipFile) -> Package:
    named = list_files(packed, MOST_FILES)
    paths = [path for path in named if path.suffix == ".toml" and not is_of_a_computer(path)]
    folders = {path.parent for path in paths}
    if not paths:
        raise BadPackage("no_toml")
    if len(folders) > 1:
        raise BadPackage("folders")
    if len(paths) > BIGGEST_FOLDER:
        raise BadPackage("too_many")
    folder = folders.pop()
    texts, room = {}, BIGGEST_TOGETHER
    for path in sorted(paths):
        read = read_entry(packed, named[path], min(room, BIGGEST_FILE))
        room -= len(read)
        try:
            texts[path.name] = read.decode("utf-8")
        except UnicodeDecodeError:
            raise BadPackage("text", path.name) from None
    label = named.get(folder / LABEL)
    digest = _digest(read_entry(packed, label, BIGGEST_LABEL.size)) if label else ""
    return Package(folder.name, texts, digest)


def _digest(content: bytes) -> str:
    """The digest on a label, "" if it is none of ours."""
    try:
        label = parse(content, BIGGEST_LABEL)
    except BadData:
        return ""
    is_ours = isinstance(label, dict) and label.get("format") == FORMAT
    return str(label.get("digest", ""))[:64] if is_ours else ""
