"""A short evening at the forms of the pages; ``script/prove-table`` plays long ones."""

from __future__ import annotations

from itertools import batched, cycle, islice
from random import Random

import pytest

from tests.campaigns.table.form_nights import SCENES, FormNight
from tests.campaigns.table.nights import Club
from tests.random_cases import one_soon
from tests.world.gangs import POINTS, SLUGS

# The game with questions about open dice, and with a blast, comes first.
GAMES = [POINTS, *(slug for slug in SLUGS if slug != POINTS)]
# Each scene in at least one game.
SCENES_OF = zip(GAMES, batched(islice(cycle(SCENES), 15), 3), strict=True)


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "scenes"), one_soon(SCENES_OF))
def test_acts_at_forms_stand_where_they_happened_and_are_undone_with_all_that_followed(
    slug: str, scenes: tuple[str, ...]
) -> None:
    night = FormNight(Club.of(slug), Random(slug))
    # This scene may put a whole side out.
    night.play(1, sorted(scenes, key=lambda scene: scene == "settle_one_of_two_tests"))
    assert night.shown.total() >= 10
