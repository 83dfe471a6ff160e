"""Packages: the round trip of every shipped rulebook, and zips that are refused."""

from __future__ import annotations

import io
import json
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rules.book.model import Book
from rules.bounds import limits
from rules.library import SHIPPED, shipped_folders
from rules.loading.apart import read_files_apart
from rules.loading.reader import BIGGEST_FILE, BadBook, open_texts, parse
from rules.packages import archive
from rules.packages.archive import BadPackage, pack, unpack
from rules.packages.writing import write_files
from tests.rules.small import small
from tests.world.gangs import SLUGS, shipped

OWN = [SHIPPED.parent.parent / "tests" / "sixth" / "moor-ghosts"]


@pytest.mark.parametrize("slug", SLUGS)
def test_round_trip_of_a_shipped_book_gives_an_equal_digest(slug: str) -> None:
    book = shipped(slug)
    package = unpack(pack(book))
    raw = open_texts(package.texts)
    # The checker has passed this book: only its form is read here.
    assert parse(raw, examined={book.digest}).digest == book.digest == package.digest
    assert package.folder == slug


def test_round_trip_through_the_separate_process_gives_an_equal_digest() -> None:
    book = small(licence="CC BY 4.0")
    read, notes = read_files_apart(unpack(pack(book)).texts)
    assert read == book and read.digest == book.digest
    assert any("no row cites" in note.message or note.file for note in notes)


def test_files_name_every_table_once_and_explain_it() -> None:
    files = write_files(shipped(SLUGS[0]))
    names = [name for text in files.values() for name in tomllib.loads(text)]
    assert len(names) == len(set(names))
    assert {path.name for path in shipped_folders()[0].glob("*.toml")} & set(files)
    items = files["items.toml"].splitlines()
    assert items[items.index("[[items]]") - 1].startswith("# ")
    assert max(len(line) for line in items if line.startswith("#")) <= 100


def test_files_of_a_book_in_one_language_have_plain_texts() -> None:
    english = small(languages=["en"])
    text = "".join(write_files(english).values())
    assert 'name = "' in text and "fr = " not in text
    assert parse(open_texts(write_files(english))).digest == english.digest


@pytest.mark.parametrize("odd", ['say "no"', "it's", "a\\b", "two\nlines", 'it\'s "so"', "é’“”"])
def test_files_keep_every_sign_of_a_text(odd: str) -> None:
    book = small()
    changed = Book.model_validate({**book.model_dump(), "author": odd})
    assert parse(open_texts(write_files(changed))).author == changed.author


def zipped(files: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return written.getvalue()


@pytest.mark.parametrize(
    ("code", "content"),
    [
        ("no_zip", b"not a zip"),
        ("no_zip", b"PK\x03\x04" + b"\0" * 40),
        ("too_big", b"\0" * (archive.BIGGEST_ZIP + 1)),
        ("no_toml", zipped({"a/readme.txt": "x"})),
        ("no_toml", zipped({"__MACOSX/book.toml": "x", "a/._book.toml": "x"})),
        ("folders", zipped({"a/book.toml": "", "b/book.toml": ""})),
        ("path", zipped({"../book.toml": ""})),
        ("path", zipped({"/book.toml": ""})),
        ("path", zipped({"a\\book.toml": ""})),
        ("text", zipped({"a/book.toml": b"\xff\xfe"})),
        ("too_many", zipped({f"a/{number}.toml": "" for number in range(41)})),
        ("too_many", zipped({f"a/{number}.txt": "" for number in range(201)})),
        ("no_zip", zipped({"a/book.toml": "x = 1"}, zipfile.ZIP_LZMA)),
        # Bombs: one file that grows a thousandfold, and several that do so together.
        ("too_big", zipped({"a/book.toml": "#" * (BIGGEST_FILE + 1)})),
        ("too_big", zipped({f"a/{number}.toml": "#" * 900_000 for number in range(3)})),
        ("too_big", zipped({"a/book.toml": "", f"a/{archive.LABEL}": " " * 20_000})),
    ],
)
def test_unpack_refuses_what_is_no_package(code: str, content: bytes) -> None:
    with pytest.raises(BadPackage) as refused:
        unpack(content)
    assert refused.value.code == code


def test_unpack_refuses_a_zip_that_lies_about_its_sizes() -> None:
    content = bytearray(zipped({"a/book.toml": "#" * 1_500_000}))
    # The uncompressed size in the central directory and in the local header: 24 and 22 bytes in.
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = content.index(mark) + place
        content[start : start + 4] = (10).to_bytes(4, "little")
    with pytest.raises(BadPackage):
        unpack(bytes(content))


def test_unpack_refuses_a_zip_with_a_password() -> None:
    content = bytearray(zipped({"a/book.toml": "x = 1"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BadPackage, match="locked"):
        unpack(bytes(content))


def test_unpack_takes_files_without_a_folder_and_ignores_others() -> None:
    package = unpack(zipped({"book.toml": "x = 1", "README.txt": "hello", archive.LABEL: "odd"}))
    assert (package.folder, package.texts, package.digest) == ("", {"book.toml": "x = 1"}, "")


def test_label_names_version_author_licence_and_digest() -> None:
    book = small(licence="CC BY 4.0")
    with zipfile.ZipFile(io.BytesIO(pack(book))) as packed:
        label = json.loads(packed.read(f"{book.slug}/{archive.LABEL}"))
    assert label["digest"] == book.digest
    assert [label[name] for name in ("version", "author", "licence")] == [
        book.edition,
        book.author,
        "CC BY 4.0",
    ]


def test_mistakes_in_files_of_strangers_have_their_line() -> None:
    texts = write_files(small())
    texts["book.toml"] = "odd = 1\n" + texts["book.toml"]
    with pytest.raises(BadBook) as bad:
        read_files_apart(texts)
    assert [(one.file, one.path, one.line) for one in bad.value.mistakes] == [
        ("book.toml", "odd", 1)
    ]
    with pytest.raises(BadBook, match="is not TOML"):
        read_files_apart({"book.toml": "]"})


def test_shipped_books_fit_into_a_package() -> None:
    for slug in SLUGS:
        size = sum(len(text.encode()) for text in write_files(shipped(slug)).values())
        assert size * 2 < archive.BIGGEST_TOGETHER
        assert len(shipped(slug).canonical()) < limits.BIGGEST_TEXT


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    assert pack(small()) == pack(small())
