"""Random seasons: any acts in any order keep the campaign consistent.

After every step each gang equals its entries, no game counts twice, no dice were thrown twice, and
the money equals a second computation from the rulebook and the games' reports. ``script/prove``
plays many new seasons for each rulebook; other runs play a few fixed ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from accounts.models import User
from gangs.engine.first_gangs import find_first_gang
from rules.book.model import Book
from rules.catalogues.mapping import guess_answers, make_game
from rules.catalogues.reading import read_files
from rules.loading.reader import RawBook, parse
from rules.skeletons.grafting import graft, guess_matches
from rules.skeletons.shipped import find_skeletons
from tests.campaigns.random_seasons import bargaining, building, correcting, playing
from tests.campaigns.random_seasons.season import Season
from tests.random_cases import cases
from tests.rules.catalogues.lists.games import GAMES, files_of
from tests.world import gangs as world
from tests.world.gangs import SLUGS, shipped

SEASONS = cases(2, 60)
seasons = settings(
    max_examples=SEASONS,
    database=None,
    # A failing season prints its steps; shrinking it would take minutes.
    phases=[Phase.generate],
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
# Each deed with its relative frequency and the condition under which it is possible.
When = Callable[[Season], object]
DEEDS: list[tuple[int, Callable[[Season], None], When]] = [
    (2, playing.play, lambda season: True),
    (6, playing.settle, lambda season: season.sides(done=False)),
    (1, playing.answer, lambda season: season.sides(done=False)),
    (2, playing.claim, lambda season: season.games("planned", *playing.OPEN)),
    (5, playing.agree, lambda season: season.games(*playing.OPEN)),
    (1, playing.decide, lambda season: season.games(*playing.OPEN, "confirmed")),
    (1, playing.quarrel, lambda season: True),
    (1, building.build, lambda season: True),
    (2, building.spend, lambda season: True),
    (1, building.leave, lambda season: len(season.here()) > 2),
    (2, building.come_back, lambda season: season.restless()),
    (4, bargaining.capture, bargaining.may_capture),
    (1, bargaining.offer, lambda season: season.prisoners()),
    (1, bargaining.release, lambda season: season.prisoners()),
    (12, bargaining.answer, lambda season: season.bargains("open")),
    (4, bargaining.take_back, lambda season: season.bargains("agreed")),
    (1, correcting.strike, lambda season: True),
    (1, correcting.strike_and_restore, lambda season: True),
    (2, correcting.restore, lambda season: season.corrections()),
    (2, correcting.strike_entries, lambda season: True),
    (2, correcting.edit_entry, lambda season: True),
    (2, correcting.replay_postgame, lambda season: season.sides(done=True)),
    (2, correcting.strike_game, lambda season: season.games("confirmed")),
    (5, correcting.restore_game, lambda season: season.games("struck")),
]


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.random(cases=SEASONS)
@seasons
@given(data=st.data())
def test_random_seasons_stay_consistent(
    slug: str, data: Any, alice: User, bob: User, charlie: User, dora: User
) -> None:
    play_randomly(shipped(slug), data, [bob, alice, dora, charlie])


@pytest.mark.long
@pytest.mark.parametrize(("game", "campaign"), [*product(GAMES, find_skeletons())])
@pytest.mark.random(cases=SEASONS)
@seasons
@given(data=st.data())
def test_random_seasons_of_imported_games_stay_consistent(
    game: str, campaign: str, data: Any, alice: User, bob: User, charlie: User, dora: User
) -> None:
    book = import_with_campaign(game, campaign)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world, "shipped", lambda slug: book)
        patch.setattr(world, "_canonical", lambda slug: book.canonical())
        play_randomly(book, data, [bob, alice, dora, charlie])


@cache
def import_with_campaign(game: str, campaign: str) -> Book:
    """Return a game made from catalogues, with a campaign to start with and a ready-made gang."""
    system = read_files(files_of(GAMES[game]))
    made = make_game(system, guess_answers(system)).data
    donor = find_skeletons()[campaign].data
    data = graft(made, donor, guess_matches(made, donor)).data
    book = parse(RawBook({**data, "slug": f"{game}-{campaign}"}, game))
    sample = find_first_gang(book)
    assert sample is not None
    return book.changed(samples=(sample,))


def play_randomly(book: Book, data: Any, people: Sequence[User]) -> None:
    """Play a season of random deeds; people: the organiser and the players."""
    organiser, *players = people
    seeds = random.Random(data.draw(st.integers(0, 2**32 - 1), "seeds"))
    with transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        # The site's dice decide what can be drawn later, so the same season has the same dice.
        drawn = SimpleNamespace(token_hex=lambda length: seeds.randbytes(length).hex())
        patch.setattr("campaigns.models.seeds.secrets", drawn)
        # So do random keys, by which rows without another order are drawn.
        patch.setattr("os.urandom", seeds.randbytes)
        edith = User.objects.create_user("edith", "edith@example.org")
        season = Season(data, book, organiser, [*players, edith])
        season.check()
        # Draws by Hypothesis itself prefer the first choice.
        lot = random.Random(data.draw(st.integers(0, 2**32 - 1), "lot"))
        for deed in [playing.play, playing.settle, playing.settle, *[None] * lot.randint(8, 14)]:
            chosen = deed or lot.choice(possible(season))
            note(f"{chosen.__module__}.{chosen.__name__}")
            chosen(season)
            season.check()
        transaction.set_rollback(True)


def possible(season: Season) -> list[Callable[[Season], None]]:
    """Return the deeds that are possible now."""
    return [deed for weight, deed, when in DEEDS if when(season) for _ in range(weight)]
