"""A short evening of each game over a bad network; ``script/prove-table`` plays long ones."""

from __future__ import annotations

from collections import Counter
from itertools import batched, cycle, islice
from random import Random

import pytest

from tests.campaigns.table.nights import FATES, SCENES, Club, Night
from tests.world.gangs import SLUGS

TAPS = 100


@pytest.mark.long
@pytest.mark.django_db
def test_bad_network_loses_and_doubles_nothing_and_shows_every_conflict() -> None:
    fates, told = Counter[str](), 0
    # Two conflicts an evening, and each conflict in at least one game.
    for slug, scenes in zip(SLUGS, batched(islice(cycle(SCENES), 10), 2), strict=True):
        night = Night(Club.of(slug), Random(slug), fates)
        night.play(TAPS, scenes)
        night.check()
        told += night.told
    assert told >= 1_000
    assert fates.keys() == FATES.keys()
