"""The tests' own games as a whole: the checker finds no mistake in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.loading.examining import examine

FOLDERS = sorted(
    folder for folder in Path(__file__).parent.iterdir() if (folder / "book.toml").exists()
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_checker_finds_no_mistake(folder: Path) -> None:
    assert not examine(folder).mistakes


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_checker_knows_that_texts_of_behaviours_are_shown(folder: Path) -> None:
    assert "is never shown" not in str(examine(folder).notes)
