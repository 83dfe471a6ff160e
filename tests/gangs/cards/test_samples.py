"""Ready-made gangs: those of every rulebook in the project are legal."""

import pytest

from gangs.engine.computed import ComputedGang
from gangs.engine.validation import findings
from rules.book.model import Book
from tests.gangs.rosters import ready_made
from tests.rules.conftest import BOOKS
from tests.world.gangs import shipped

FOLDERS = sorted(folder for folder in BOOKS.iterdir() if folder.is_dir())


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def book(request: pytest.FixtureRequest) -> Book:
    """Return each shipped rulebook in turn."""
    return shipped(request.param.name)


def test_samples_have_no_error(book: Book) -> None:
    for sample in book.samples:
        said = findings(book, ready_made(book, sample))
        assert not [one.translated("en") for one in said if one.severity == "error"], sample.key


def test_samples_fit_their_purse_and_spend_their_points(book: Book) -> None:
    for sample in book.samples:
        gang = ready_made(book, sample)
        left = ComputedGang.of(book, gang).left
        assert left is None or left >= 0, sample.key
        kinds = {limit.code for limit in book.limits if limit.kind == "points_left"}
        assert not kinds & {one.code for one in findings(book, gang)}, sample.key


def test_every_finding_has_a_text_in_both_languages(book: Book) -> None:
    """The texts and their values fit, whatever a gang looks like."""
    for sample in book.samples:
        gang = ready_made(book, sample)
        poor = gang.model_copy(update={"members": gang.members[:1] * 2})
        for one in (*findings(book, gang), *findings(book, poor)):
            assert "{" not in one.translated("en") + one.translated("fr")
