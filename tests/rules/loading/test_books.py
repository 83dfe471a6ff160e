"""Every shipped rulebook is complete, bilingual and stable."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.book.model import Book
from rules.loading.check_building import check
from rules.loading.reader import read_folder
from tests.rules.conftest import BOOKS
from tests.work import calls
from tests.world.gangs import shipped

FOLDERS = sorted(folder for folder in BOOKS.iterdir() if folder.is_dir())


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    """Return each shipped rulebook in turn."""
    return request.param


def _texts(value: object, path: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every text of a dumped book with its place."""
    if isinstance(value, dict):
        if set(value) == {"en", "fr"} and isinstance(value["en"], str):
            yield path, value
        else:
            for key, inner in value.items():
                yield from _texts(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{path}.{index}")


def test_at_least_five_rulebooks_exist() -> None:
    assert len(FOLDERS) >= 5


@pytest.mark.long
def test_reading_a_rulebook_finds_no_mistake_and_takes_little_work(folder: Path) -> None:
    """The largest calls 280,000 functions, which take a third of a second here."""
    assert calls(lambda: read_folder(folder)) < 500_000
    book = shipped(folder.name)
    assert book.slug == folder.name
    assert not check(book)


def test_every_text_is_in_both_languages(folder: Path) -> None:
    texts = list(_texts(shipped(folder.name).model_dump(mode="json")))
    assert len(texts) > 50
    assert not [path for path, text in texts if not text["en"].strip() or not text["fr"].strip()]


def test_french_texts_use_french_typography(folder: Path) -> None:
    """Typographic apostrophes, and no-break spaces before the marks that need one."""
    texts = _texts(shipped(folder.name).model_dump(mode="json"))
    wrong = re.compile(r"\w'\w| [:;!?»]|« |\w[;!?»]|\w:(\s|$)")
    assert not [(path, text["fr"]) for path, text in texts if wrong.search(text["fr"])]


def test_every_row_cites_its_source(folder: Path) -> None:
    book = shipped(folder.name)
    assert all(source.title for source in book.sources.values())
    cited = {row.source.split()[0] for row in (*book.ranks, *book.traits, *book.items)}
    assert cited & set(book.sources)


@pytest.mark.long
def test_the_digest_does_not_depend_on_files_or_order(folder: Path, tmp_path: Path) -> None:
    book = shipped(folder.name)
    copy = tmp_path / folder.name
    copy.mkdir()
    for number, path in enumerate(sorted(folder.glob("*.toml"), reverse=True)):
        shutil.copy(path, copy / f"{number:02}.toml")
    again = read_folder(copy)
    assert again.digest == book.digest
    assert again == book


def test_the_digest_changes_with_the_data(folder: Path) -> None:
    book = shipped(folder.name)
    rank = book.ranks[0]
    dearer = rank.model_copy(update={"price": rank.price + 1})
    changed = Book.model_validate(book.model_copy(update={"ranks": (dearer, *book.ranks[1:])}))
    assert changed.digest != book.digest


@pytest.mark.long
def test_the_digest_is_the_same_in_every_process(folder: Path) -> None:
    """Sets have no order; the canonical form gives them one."""
    program = "import sys, pathlib; from rules.loading.reader import read_folder; "
    program += "print(read_folder(pathlib.Path(sys.argv[1])).digest)"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(BOOKS.parent.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == shipped(folder.name).digest


def test_the_canonical_form_keeps_the_whole_book(folder: Path) -> None:
    book = shipped(folder.name)
    stored = Book.model_validate_json(book.canonical())
    assert stored == book
    assert stored.digest == book.digest


def test_cites_house_finds_every_house_value(folder: Path) -> None:
    book = shipped(folder.name)
    for row in (*book.ranks, *book.traits, *book.items, *book.scenarios):
        assert book.cites_house(row) == (
            row.source.startswith("house") or bool(row.house) or "+ house" in row.source
        )


def test_sample_members_have_unique_names(folder: Path) -> None:
    book = shipped(folder.name)
    names = [member.name for sample in book.samples for member in sample.members]
    assert len(book.samples) >= 2
    assert len(set(names)) == len(names)
