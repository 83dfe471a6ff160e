"""Generated uploads: every shape is read or refused in words, quickly."""

from __future__ import annotations

import time
import warnings
from random import Random

import pytest

from rules.catalogues.reading import read_files, read_roster
from rules.catalogues.refusals import BadCatalogue, describe
from tests.hostile.catalogues import SHAPES, army_list, upload

# Seconds of the processor for one upload.
SECONDS = 5


def attack(name: str, count: int) -> set[str]:
    """Read uploads of a shape; return the codes of refusals, and "ok"."""
    found = set()
    for number in range(count):
        files = SHAPES[name](Random(f"{name} {number}"))
        before = time.process_time()
        try:
            read_files(files)
            found.add("ok")
        except BadCatalogue as bad:
            assert "%(" not in describe(bad)
            found.add(bad.code)
        assert time.process_time() - before < SECONDS
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_upload_of_any_shape_is_read_or_refused(name: str) -> None:
    with warnings.catch_warnings():
        # The library warns of the second file of one name.
        warnings.simplefilter("ignore")
        assert attack(name, 30)


@pytest.mark.long
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_get_behind_the_first_check(name: str) -> None:
    """A shape that is always refused for the same reason attacks nothing behind it."""
    found = attack(name, 200)
    assert found == {"doctype"} if name == "definitions" else "ok" in found or len(found) > 2


def test_list_of_any_shape_is_read_or_refused() -> None:
    read = 0
    for number in range(200):
        try:
            read_roster(*army_list(Random(f"list {number}")))
            read += 1
        except BadCatalogue as bad:
            assert "%(" not in describe(bad)
    assert 20 < read < 180


@pytest.mark.long
def test_upload_draws_every_shape() -> None:
    assert {upload(Random(f"draw {number}"))[1] for number in range(400)} == set(SHAPES)
