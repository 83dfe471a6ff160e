"""Trophies: holders by each count, worked out by hand."""

from __future__ import annotations

import pytest

from campaigns.statistics.season_facts import PastTrophy, PastTrophyAward, Season
from campaigns.statistics.trophies import find_best, list_trophies, trophies_of
from gangs.engine.timeline import Person
from rules.book.model import Book
from rules.book.season import Trophy
from tests.world.pasts import a_game, a_gang, a_happening, a_past, a_side, moment_of


def a_person(number: int, experience: int = 0) -> Person:
    return Person(id=number, name=f"P{number}", rank="sous_fifre", experience=experience, games=1)


@pytest.fixture
def season(gold: Book) -> Season:
    """Three games: a beat b twice, its member 1 took out three; b beat c, member 2 took out two
    and buried one."""
    people = (a_person(1, 4), a_person(2, 9))
    dead = a_happening("died", 1, 2, game="g3")
    return a_past(
        gold,
        a_game(1, a_side("a", out={1: 2}), a_side("b", "loser")),
        a_game(2, a_side("a", out={1: 1}), a_side("b", "loser")),
        a_game(3, a_side("b", out={2: 2}), a_side("c", "loser")),
        gangs=(
            a_gang("a", people=people, rating=90),
            a_gang("b", people=people, rating=120, events=(dead,)),
            a_gang("c", rating=120),
        ),
    )


@pytest.mark.parametrize(
    ("count", "holders"),
    [
        ("wins", [("a", 0, 2)]),
        ("games", [("b", 0, 3)]),
        ("taken_out", [("a", 0, 3)]),
        ("rating", [("b", 0, 120), ("c", 0, 120)]),
        ("points", []),
        ("graves", [("b", 0, 1)]),
        ("member_taken_out", [("a", 1, 3)]),
        ("member_games", [("b", 1, 3), ("b", 2, 3)]),
        ("member_experience", [("a", 2, 9), ("b", 2, 9)]),
    ],
)
def test_best_by_each_count(
    count: str, holders: list[tuple[str, int, int]], season: Season
) -> None:
    found = find_best(season, count)  # type: ignore[arg-type]
    assert sorted((one.gang, one.member, one.number) for one in found) == holders


def test_nobody_holds_a_trophy_before_the_first_game(gold: Book) -> None:
    empty = a_past(gold, gangs=(a_gang("a"), a_gang("b")))
    for count in ("wins", "games", "rating", "graves", "member_games", "member_experience"):
        assert find_best(empty, count) == ()  # type: ignore[arg-type]


def test_trophies_are_the_rulebooks_and_the_clubs(season: Season, gold: Book) -> None:
    row = Trophy.model_validate(
        {
            "key": "oar",
            "name": {"en": "Oar", "fr": "Rame"},
            "text": {"en": "For wins.", "fr": "Aux victoires."},
            "count": "wins",
            "source": "house",
        }
    )
    campaign = gold.campaign.model_copy(update={"trophies": (row,)})
    book = gold.model_copy(update={"campaign": campaign})
    own = PastTrophy("1", "Best host", "", "hand")
    award = PastTrophyAward("7", moment_of(3), "1", True, "b", "B", 2, "P2", "bob", "Cake")
    past = a_past(book, *season.games, gangs=season.gangs, trophies=(own,), awards=(award,))
    first, second = list_trophies(past)
    assert [(one.gang, one.number) for one in first.holders] == [("a", 2)]
    (host,) = second.holders
    assert (host.gang, host.member, host.name, host.why, host.number) == (
        "b",
        2,
        "P2",
        "Cake",
        None,
    )
    assert [trophy.key for trophy, _holder in trophies_of((first, second), "a")] == ["oar"]
    assert [trophy.key for trophy, _holder in trophies_of((first, second), "b")] == ["1"]
