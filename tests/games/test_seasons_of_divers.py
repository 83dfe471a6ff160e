"""Seasons of the divers' game, against the book: one player alone, and three players together.

Each result brings its points, each crate one more. Beside each game is the sum of the points; the
rest follows from the reports, the dice and the rows of the game.
"""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Game
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows, standings
from campaigns.story import story_of
from campaigns.table import people, storage
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import keep_dice, play_faces
from campaigns.table.folded import fold_table
from campaigns.table.luck.tries import luck_of
from campaigns.table.taps import NONPLAYERS
from rules.book.model import Book
from tests.games.club import Club, Told, describe_roster, recruit
from tests.world.campaigns import make_game

pytestmark = pytest.mark.django_db


def _eels(**torn: int) -> dict[str, dict[str, int]]:
    return {"taken_out": torn}


def _ranking(club: Club) -> list[tuple[int, str, int, int]]:
    """Return place, gang, points and victories."""
    season = load_season(club.campaign.pk).season
    rows = standings(season.book, season_rows(season))
    return [(row.place, row.name, int(row.points), row.won) for row in rows]


def _cold(club: Club, name: str) -> dict[str, int]:
    """Return how cold the members of a gang are, if they are at all."""
    members = club.gang(name).roster.members
    return {one.name: one.tracks["cold"] for one in members if one.tracks.get("cold")}


def test_diver_alone_plays_a_season_to_the_expected_end(drowned: Book, alice: User) -> None:
    club = Club(drowned, alice, [alice])
    club.found("Tin", recruit("foreman", "Ada"), recruit("diver", "Ben"), recruit("diver", "Cy"))

    told = Told(
        {"Ben": "drowned"},
        _eels(Ada=2, Cy=1),
        {"crates": 2},
        {"cold": {"Ada": 1, "Cy": 2}},
    )
    game = club.stand_together(1, "raised", {"Tin": told}, "gallery")
    # 3 + 2 = 5. Ada has four dives: one for the dive, one for the victory, two for eels.
    club.after(
        game, "Tin", {"pressure Ben": "2"}, {"crafts Ada": "fists"}, [("diver", "Dot", None)]
    )
    story = story_of(club.campaign)
    assert story is not None and (story.next, story.open) == (("shaft",), {"shaft"})

    told = Told({"Cy": "drowned"}, tracks={"cold": {"Cy": 4, "Dot": 3}}, at_home=["Ben"])
    game = club.stand_together(2, "flooded", {"Tin": told}, "shaft")
    # 5 - 1 = 4. Ben is not cold, so nobody rolls for him.
    club.after(game, "Tin", {"pressure Cy": "6"}, {"crafts Cy": "lungs"})
    story = story_of(club.campaign)
    assert story is not None and story.next == ("gallery",)

    told = Told(counts=_eels(Ben=3), tallies={"crates": 1}, at_home=["Cy", "Dot"])
    game = club.stand_together(3, "up", {"Tin": told}, "gallery")
    # 4 + 1 + 1 = 6.
    club.after(game, "Tin", {"stove Cy": "3", "stove Dot": "1"}, {"crafts Ben": "fists"})
    assert _cold(club, "Tin") == {"Ada": 1, "Cy": 1, "Dot": 2}

    told = Told({"Dot": "drowned"}, tracks={"cold": {"Ada": 2}})
    game = club.stand_together(4, "raised", {"Tin": told}, "shaft")
    # 6 + 3 = 9. Ada and Ben have nine dives each.
    club.after(game, "Tin", {"pressure Dot": "1"}, {"crafts Ada": "lungs", "crafts Ben": "lungs"})

    assert describe_roster(club.gang("Tin").roster) == [
        "Ada foreman 9, fists, lungs",
        "Ben diver 9, fists, lungs",
        "Cy diver 6, lungs",
    ]
    assert _cold(club, "Tin") == {"Ada": 2, "Cy": 1}
    assert club.departed("Tin") == [("Dot", "dead")]
    assert club.numbers("Tin", "Ada") == {"air": 5, "grip": 3}
    assert _ranking(club) == [(1, "Tin", 9, 3)]
    story = story_of(club.campaign)
    assert story is not None
    assert (story.next, story.open) == (("lake",), {"shaft", "lake"})


def test_three_divers_together_play_a_season_to_the_expected_ends(
    drowned: Book, bob: User, players: list[User]
) -> None:
    club = Club(drowned, bob, players)
    for gang, foreman, diver in (
        ("Tin", "Ann", "Abe"),
        ("Zinc", "Bea", "Bob"),
        ("Lead", "Cid", "Cora"),
    ):
        club.found(gang, recruit("foreman", foreman), recruit("diver", diver))

    game = club.stand_together(
        1,
        "raised",
        {
            "Tin": Told(counts=_eels(Ann=1), tallies={"crates": 1}),
            "Zinc": Told({"Bob": "drowned"}),
            "Lead": Told(counts=_eels(Cora=3), tallies={"crates": 2}),
        },
        "gallery",
    )
    # Tin 3 + 1 = 4, Zinc 3, Lead 3 + 2 = 5.
    club.after(game, "Tin")
    club.after(game, "Zinc", {"pressure Bob": "3"})
    club.after(game, "Lead", None, {"crafts Cora": "fists"})

    game = club.stand_together(
        2,
        "flooded",
        {"Tin": Told(tracks={"cold": {"Abe": 4}}), "Lead": Told({"Cid": "drowned"})},
        "shaft",
    )
    # Tin 4 - 1 = 3, Lead 5 - 1 = 4.
    club.after(game, "Tin", None, {"crafts Ann": "lungs"})
    club.after(game, "Lead", {"pressure Cid": "5"})

    game = club.stand_together(
        3, "up", {"Zinc": Told(tallies={"crates": 4}, at_home=["Bob"])}, "gallery"
    )
    # Zinc 3 + 1 + 4 = 8. Bob misses this dive, and no other.
    club.after(game, "Zinc", None, {"crafts Bea": "lungs"})

    game = club.stand_together(
        4, "flooded", {"Tin": Told(at_home=["Abe"]), "Zinc": Told({"Bob": "drowned"})}, "gallery"
    )
    # Tin 3 - 1 = 2, Zinc 8 - 1 = 7.
    club.after(game, "Tin", {"stove Abe": "2"})
    club.after(game, "Zinc", {"pressure Bob": "1"})

    assert {name: describe_roster(club.gang(name).roster) for name in club.keys} == {
        "Tin": ["Ann foreman 5, lungs", "Abe diver 3"],
        "Zinc": ["Bea foreman 5, lungs"],
        "Lead": ["Cid foreman 3", "Cora diver 6, fists"],
    }
    assert {name: _cold(club, name) for name in club.keys} == {
        "Tin": {"Abe": 2},
        "Zinc": {},
        "Lead": {},
    }
    assert _ranking(club) == [(1, "Zinc", 7, 2), (2, "Lead", 4, 1), (3, "Tin", 2, 1)]


def test_luck_is_that_of_gangs_not_of_eels(
    drowned: Book, client: Client, players: list[User]
) -> None:
    club = Club(drowned, players[0], players)
    for gang in ("Tin", "Zinc"):
        club.found(gang, recruit("foreman", f"{gang} foreman"), recruit("diver", f"{gang} diver"))
    gangs = [club.gang(name) for name in club.keys]
    game = make_game(club.campaign, players[0], *gangs)
    Game.objects.filter(pk=game.pk).update(scenario="gallery")
    game.refresh_from_db()
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    start = people.start_of(table)
    ann = next(one.key for one in start.figures if one.side == 1)
    eel = next(one.key for one in start.figures if one.side == NONPLAYERS)
    for roll, by, at, faces in (("haul", ann, eel, (5, 2)), ("bite", eel, ann, (6, 6))):
        made = Attempt(by, roll, at)
        played = play_faces(made.question(start, fold_table(table).now), (faces,))
        rolled = keep_dice(made, played, thrown=True, is_open=False)
        storage.say(
            table, players[0], uuid.uuid4(), [rolled], act=uuid.uuid4(), after=table.seq, turn=1
        )
    luck = luck_of(Game.objects.get(pk=game.pk))
    assert [(tries.side, tries.what) for tries in luck.tries] == [(0, "attempt")]
    client.force_login(players[1])
    page = client.get(reverse("campaigns:game-throws", args=[game.pk]))
    assert page.status_code == 200 and "Tin and Zinc" in page.content.decode()
