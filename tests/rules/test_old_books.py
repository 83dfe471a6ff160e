"""The first two rulebooks as they were stored before the vocabulary grew: gangs are pinned to such
versions, so today's code must read every one of them as it was. The vocabulary only grows.
"""

import hashlib
import json
from pathlib import Path

import pytest

from gangs import acts, drawing
from gangs.scene import Scene
from rules.book import Book
from rules.reading import parse
from tests.make import rostered

OLD = Path(__file__).parent / "old_books"
DIGESTS = {
    "blackwater-gulch": "16e2788788f652de920e77c237dfdd17153a78069eea37b1df71322ac0e589eb",
    "du-sang-sur-la-lame": "76b00c2a0e895aa7b4ff7d943538e82d52b1b768b9de73be5f4353804f924471",
}
# What their ready-made gangs were worth then.
RATINGS = {
    "blackwater-gulch": {"dry-fork": 400, "harrow-claim": 400},
    "du-sang-sur-la-lame": {
        "red-tide": 12,
        "lantern-watch": 12,
        "three-roads": 12,
        "crossroads": 6,
    },
}


@pytest.fixture(params=sorted(DIGESTS))
def stored(request: pytest.FixtureRequest) -> str:
    """The canonical form of an old version, as it lies in a database."""
    return (OLD / f"{request.param}.json").read_text("utf-8").strip()


def test_nobody_has_touched_them(stored: str) -> None:
    assert hashlib.sha256(stored.encode()).hexdigest() == DIGESTS[json.loads(stored)["slug"]]


def test_they_are_read_as_they_were(stored: str) -> None:
    book = Book.model_validate_json(stored)
    assert book.canonical() == stored
    assert book.digest == DIGESTS[book.slug]


def test_they_still_make_sense(stored: str) -> None:
    assert (
        parse(json.loads(stored), {}, fallback="old").digest == DIGESTS[json.loads(stored)["slug"]]
    )


def test_gangs_that_are_pinned_to_them_live_on(stored: str) -> None:
    book = Book.model_validate_json(stored)
    ratings = {}
    for sample in book.samples:
        scene = Scene.of(book, rostered(book, acts.found_from_sample(book, sample)))
        for language in ("en", "fr"):
            page = drawing.draw(scene, language)
            assert not page.errors
        ratings[sample.key] = page.rating
    assert ratings == RATINGS[book.slug]
