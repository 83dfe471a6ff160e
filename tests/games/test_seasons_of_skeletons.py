"""Seasons of the campaigns that the site ships, grafted onto a small game: three nights, two gangs,
and ends worked out by hand.

The game has twice the budget of the skeletons, so that all sums are doubled. Beside each post-game
is the sum of the gang's treasury.
"""

from __future__ import annotations

import pytest

from accounts.models import User
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows, standings
from rules.book.model import Book
from rules.skeletons.grafting import graft, guess_matches
from rules.skeletons.shipped import find_skeletons
from tests.games.club import Club, Told, describe_roster, recruit
from tests.rules.skeletons.ferry import make_ferry, read


def _found_club(key: str, organiser: User, players: list[User]) -> Club:
    """Start a campaign of the skeleton, with two gangs: 100 and 125 tolls are left."""
    game, donor = make_ferry(), find_skeletons()[key].data
    book: Book = read(graft(game, donor, guess_matches(game, donor)).data)
    club = Club(book, organiser, players)
    club.found(
        "Alder",
        recruit("captain", "Ada"),
        recruit("rower", "Ben"),
        recruit("rower", "Cid"),
        recruit("dog", "Rex"),
    )
    club.found("Birch", recruit("captain", "Bea"), recruit("rower", "Dan"), recruit("dog", "Fly"))
    return club


def _treasuries(club: Club) -> dict[str, int]:
    return {name: int(club.gang(name).roster.treasury) for name in club.keys}


@pytest.mark.django_db
def test_thresholds_play_a_season_to_the_expected_ends(bob: User, players: list[User]) -> None:
    club = _found_club("thresholds", bob, players)
    # Captains start with 10. Thresholds are 3, 6, 10, 15; a rating of 100 is a third above 75.
    game = club.meet(
        1,
        "Alder",
        "Birch",
        Told({"Rex": "out"}, counts={"taken_out": {"Ben": 2}}),
        Told({"Dan": "out", "Fly": "out"}, counts={"taken_out": {"Bea": 1}}),
    )
    # 100 + 40 - 3 x 2 = 134.
    club.after(game, "Alder", {"injuries Rex": "3", "advances Ben": "1 5"})
    # 125 + 24 - 2 - 25 for Eve = 122.
    club.after(
        game, "Birch", {"injuries Dan": "2 4", "injuries Fly": "1"}, None, [("rower", "Eve", None)]
    )
    assert _treasuries(club) == {"Alder": 134, "Birch": 122}

    game = club.meet(
        2,
        "Birch",
        "Alder",
        Told(counts={"taken_out": {"Dan": 1, "Eve": 1}}),
        Told({"Ada": "out", "Cid": "out"}, at_home=["Rex"]),
    )
    # Bea reaches 15. 122 + 40 - 2 for Dan; Eve is not paid and leaves = 160.
    club.after(
        game,
        "Birch",
        {"advances Bea": "4 5", "advances Dan": "3 4"},
        {"advances Dan": "1", "upkeep Eve": "unpaid"},
    )
    # Ada dies, Ben leads and is not paid any more: 134 + 24 - 2 x 2 = 154.
    club.after(
        game,
        "Alder",
        {"injuries Ada": "1 2", "injuries Cid": "6 2", "advances Cid": "6 6"},
        {"advances Cid": "swimmer"},
    )

    game = club.meet(3, "Alder", "Birch", Told({"Ben": "out"}), Told({"Bea": "out"}))
    # 154 + 40 - 2 x 2 = 190. Ben is robbed of 2 x 4 before: 182.
    club.after(game, "Alder", {"injuries Ben": ["3 1", "4"], "advances Ben": "5 6"})
    # 160 + 24 - 2 = 182. Bea misses the next game.
    club.after(game, "Birch", {"injuries Bea": "3 5"})

    assert describe_roster(club.gang("Alder").roster) == [
        "Ben captain 6, brawl +1, health +1",
        "Cid rower 4, swimmer",
        "Rex dog 0",
    ]
    assert describe_roster(club.gang("Birch").roster) == [
        "Bea captain 16, courage +1, recovering",
        "Dan rower 5, aim -1, hand",
    ]
    assert _treasuries(club) == {"Alder": 182, "Birch": 182}
    assert club.departed("Alder") == [("Ada", "dead")]
    assert club.departed("Birch") == [("Fly", "dead"), ("Eve", "unpaid")]
    # A hand that shakes makes aiming worse by one, an advance better by one.
    assert club.numbers("Birch", "Dan")["aim"] == 4
    assert club.numbers("Alder", "Ben") | {"brawl": 4, "health": 2} == club.numbers("Alder", "Ben")
    assert club.standings() == [(1, "Alder", 2, 104), (2, "Birch", 1, 88)]


@pytest.mark.django_db
def test_levels_play_a_season_to_the_expected_ends(bob: User, players: list[User]) -> None:
    club = _found_club("levels", bob, players)
    # Two for each game, one for each enemy, one for a victory; a level for every five.
    game = club.meet(
        1,
        "Alder",
        "Birch",
        Told(counts={"taken_out": {"Ben": 2}}),
        Told({"Dan": "out", "Fly": "out"}),
    )
    club.after(game, "Alder", None, {"advances Ben": "better_fighter"})
    club.after(game, "Birch", {"injuries Dan": "1 3", "injuries Fly": "1 1"})
    assert _treasuries(club) == {"Alder": 100 + 30, "Birch": 125 + 20}

    game = club.meet(
        2, "Alder", "Birch", Told(counts={"taken_out": {"Ben": 1}}), Told({"Bea": "out"})
    )
    club.after(game, "Alder", None, {"advances Ada": "swimmer", "advances Cid": "stronger"})
    club.after(game, "Birch", {"injuries Bea": "2 1"})

    game = club.meet(3, "Birch", "Alder", Told(), Told())
    club.after(game, "Birch", None, {"advances Bea": "tougher", "advances Dan": "better_shot"})
    club.after(game, "Alder", None, {"advances Ben": "better_fighter"})

    assert describe_roster(club.gang("Alder").roster) == [
        "Ada captain 8, swimmer",
        "Ben rower 11, better_fighter, better_fighter",
        "Cid rower 8, stronger",
        "Rex dog 0",
    ]
    assert describe_roster(club.gang("Birch").roster) == [
        "Bea captain 7, tougher, weak",
        "Dan rower 7, better_shot, leg",
    ]
    assert club.numbers("Alder", "Ben")["brawl"] == 5
    bea, dan = club.numbers("Birch", "Bea"), club.numbers("Birch", "Dan")
    assert (bea["might"], bea["resilience"]) == (2, 4)
    # A low number is better for aiming.
    assert (dan["pace"], dan["aim"]) == (4, 3)
    assert _treasuries(club) == {"Alder": 180, "Birch": 195}
    assert club.departed("Birch") == [("Fly", "dead")]
    assert club.standings() == [(1, "Alder", 2, 80), (2, "Birch", 1, 70)]


@pytest.mark.django_db
def test_league_leaves_gangs_as_they_are(bob: User, players: list[User]) -> None:
    club = _found_club("league", bob, players)
    before = {name: describe_roster(club.gang(name).roster) for name in club.keys}
    for night, winner, loser in (
        (1, "Birch", "Alder"),
        (2, "Birch", "Alder"),
        (3, "Alder", "Birch"),
    ):
        told = Told(counts={"taken_out": {"Ben" if winner == "Alder" else "Dan": 1}})
        game = club.meet(night, winner, loser, told, Told())
        club.after(game, winner)
        club.after(game, loser)
    assert {name: describe_roster(club.gang(name).roster) for name in club.keys} == before
    assert _treasuries(club) == {"Alder": 100, "Birch": 125}
    season = load_season(club.campaign.pk).season
    rows = standings(season.book, season_rows(season))
    assert [(row.place, row.name, row.points) for row in rows] == [
        (1, "Birch", 6),
        (2, "Alder", 3),
    ]
