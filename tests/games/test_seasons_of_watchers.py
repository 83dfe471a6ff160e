"""Seasons of the watchers' game, against the book: one player alone, and three players together.

Beside each post-game is the sum of the gang's treasury. Everything else follows from the reports,
the dice and the rows of the game.
"""

from __future__ import annotations

from accounts.models import User
from campaigns.games import results
from campaigns.models import Game
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.loading import load_season
from campaigns.season.trophies.text import lines_of
from campaigns.story import story_of
from rules.book.model import Book
from tests.games.club import Club, Counts, Told, buy, describe_roster, recruit


def _shades(**banished: int) -> dict[str, Counts]:
    """Return the counts of a report in which members banished shades."""
    return {"banished": banished, "taken_out": banished}


def _games(club: Club) -> list[str]:
    """Return the chronicle's sentences about games, the oldest first."""
    season = load_season(club.campaign.pk).season
    lines = [line for line in chronicle_lines(season) if line.kind in ("won", "lost", "level")]
    return [plain(season.book, line) for line in reversed(lines)]


def test_watcher_alone_plays_a_season_to_the_expected_end(vigil: Book, alice: User) -> None:
    club = Club(vigil, alice, [alice])
    # 40 - 12 - 2 x 8 - 2 x 4 = 4.
    club.found(
        "Ash",
        recruit("warden", "Ada"),
        recruit("watcher", "Ben"),
        recruit("watcher", "Cy"),
        buy("Ada", "lantern"),
        buy("Ben", "lantern"),
    )
    told = Told({"Ben": "fled"}, _shades(Ada=2, Cy=1), {"clues": 1}, {"unease": {"Ada": 3}})
    game = club.stand_together(1, "laid", {"Ash": told}, "cellar")
    # 4 + 12 for the result + 2 for a clue - 2 for lodgings = 16.
    club.after(game, "Ash", {"mornings Ben": "5"})

    told = Told({"Ben": "fled", "Cy": "fled"}, _shades(Ada=1))
    game = club.stand_together(2, "driven", {"Ash": told}, "attic")
    # 16 + 2 - 1 - 8 for Dot = 9. Ada has had six lessons.
    club.after(
        game,
        "Ash",
        {"mornings Ben": "2", "mornings Cy": "1"},
        {"knacks Ada": "keen"},
        [("watcher", "Dot", None)],
    )

    told = Told(counts=_shades(Dot=2, Ada=1), tallies={"clues": 3}, at_home=["Ben"])
    game = club.stand_together(3, "quiet", {"Ash": told}, "cellar")
    # 9 + 6 + 6 - 2 - 8 for Eli = 11, and 4 for a lantern.
    club.after(game, "Ash", hired=[("watcher", "Eli", None)])
    club.change("Ash", buy("Dot", "lantern"))

    game = club.stand_together(4, "dawn", {"Ash": Told({"Ada": "fled"})})
    # 7 + 4 - 3 = 8.
    club.after(game, "Ash", {"mornings Ada": "4"}, {"knacks Ada": "steady", "knacks Dot": "keen"})

    told = Told(dict.fromkeys(("Ada", "Ben", "Dot", "Eli"), "fled"))
    game = club.stand_together(5, "kept", {"Ash": told})
    # 8 + 0 - 2 = 6.
    club.after(
        game,
        "Ash",
        {"mornings Ada": "6", "mornings Ben": "3", "mornings Dot": "4", "mornings Eli": "1"},
        {"knacks Ben": "steady"},
    )

    told = Told(
        counts=_shades(Dot=1),
        tallies={"clues": 2},
        tracks={"unease": {"Dot": 4}},
        at_home=["Ben"],
    )
    game = club.stand_together(6, "laid", {"Ash": told}, "attic")
    # 6 + 12 + 4 - 2 = 20.
    club.after(game, "Ash")

    # One lesson for each night, one for each morning seen, one for each shade.
    assert describe_roster(club.gang("Ash").roster) == [
        "Ada warden 13, keen, steady, lantern",
        "Ben watcher 5, steady, lantern",
        "Dot watcher 9, keen, lantern",
    ]
    assert int(club.gang("Ash").roster.treasury) == 20
    # Ada's three points were forgotten one after the other.
    uneasy = {one.name: one.tracks.get("unease", 0) for one in club.gang("Ash").roster.members}
    assert uneasy == {"Ada": 0, "Ben": 0, "Dot": 3}
    story = story_of(club.campaign)
    assert story is not None
    assert (story.next, story.open) == (("bells",), {"bells"})
    assert story.played == {"cellar", "attic"}
    assert club.departed("Ash") == [("Cy", "dead"), ("Eli", "dead")]
    assert club.numbers("Ash", "Ada") == {"sight": 4, "nerve": 5}
    assert club.standings() == [(0, "Ash", 3, 48)]
    assert _games(club) == [
        "Ash won in “The cellar”: Laid to rest.",
        "Ash lost in “The attic”: Driven out.",
        "Ash won in “The cellar”: Quiet until morning.",
        "Ash played: Dawn came first.",
        "Ash lost: The house keeps them.",
        "Ash won in “The attic”: Laid to rest.",
    ]
    assert lines_of(load_season(club.campaign.pk), str(club.keys["Ash"])) == ["The Brass Lamp"]


def test_three_watchers_together_play_a_season_to_the_expected_ends(
    vigil: Book, bob: User, players: list[User]
) -> None:
    club = Club(vigil, bob, players)
    # Each: 40 - 12 - 8 - 4 = 16.
    for gang, warden, watcher in (
        ("Ash", "Ann", "Abe"),
        ("Birch", "Bea", "Bob"),
        ("Cedar", "Cid", "Cora"),
    ):
        club.found(
            gang, recruit("warden", warden), recruit("watcher", watcher), buy(watcher, "lantern")
        )

    game = club.stand_together(
        1,
        "laid",
        {
            "Ash": Told(counts=_shades(Ann=1), tallies={"clues": 1}),
            "Birch": Told({"Bob": "fled"}),
            "Cedar": Told(counts=_shades(Cora=3)),
        },
    )
    # 16 + 12 + 2 - 1 - 8 for Art = 21.
    club.after(game, "Ash", hired=[("watcher", "Art", None)])
    # 16 + 12 - 8 for Bix = 20: nobody lodges who was never found.
    club.after(game, "Birch", {"mornings Bob": "1"}, hired=[("watcher", "Bix", None)])
    # 16 + 12 - 1 = 27.
    club.after(game, "Cedar", None, {"knacks Cora": "keen"})

    second = club.stand_together(
        2, "driven", {"Birch": Told(counts=_shades(Bix=1)), "Cedar": Told({"Cid": "fled"})}
    )
    # 20 + 2 - 1 = 21, and 27 + 2 - 1 = 28.
    club.after(second, "Birch")
    club.after(second, "Cedar", {"mornings Cid": "3"})

    game = club.stand_together(
        3, "quiet", {"Ash": Told(counts=_shades(Abe=2), tallies={"clues": 2})}
    )
    # 21 + 6 + 4 - 2 = 29.
    club.after(game, "Ash", None, {"knacks Ann": "steady", "knacks Abe": "keen"})

    game = club.stand_together(
        4,
        "kept",
        {
            "Ash": Told(dict.fromkeys(("Ann", "Abe", "Art"), "fled")),
            "Cedar": Told({"Cora": "fled"}, tallies={"clues": 1}, at_home=["Cid"]),
        },
    )
    # 29 + 0 - 1 = 28, and 28 + 2 - 1 = 29.
    club.after(game, "Ash", {"mornings Ann": "4", "mornings Abe": "1", "mornings Art": "2"})
    club.after(game, "Cedar", {"mornings Cora": "6"})

    assert {name: describe_roster(club.gang(name).roster) for name in club.keys} == {
        "Ash": ["Ann warden 6, steady", "Art watcher 3, sleepless"],
        "Birch": ["Bea warden 3", "Bix watcher 2"],
        "Cedar": ["Cid warden 3", "Cora watcher 7, keen, lantern"],
    }
    assert {name: int(club.gang(name).roster.treasury) for name in club.keys} == {
        "Ash": 28,
        "Birch": 21,
        "Cedar": 29,
    }
    assert club.standings() == [(0, "Ash", 2, 24), (0, "Birch", 1, 14), (0, "Cedar", 1, 16)]
    assert _games(club) == [
        "Ash, Birch and Cedar won: Laid to rest.",
        "Birch and Cedar lost: Driven out.",
        "Ash won: Quiet until morning.",
        "Ash and Cedar lost: The house keeps them.",
    ]

    # The house was quiet after all: four pennies more, and everybody has seen the morning. Cedar's
    # later post-game follows.
    second = Game.objects.get(pk=second.pk)
    account = results.account_of(second, list(second.sides.all()))
    won = {pk: results.SideAccount("winner", side.report) for pk, side in account.sides.items()}
    results.decide(
        second,
        account=account.model_copy(update={"result": "quiet", "sides": won}),
        actor=bob,
        expected_version=second.version,
        why="It was quiet.",
        replays=True,
    )
    assert {name: describe_roster(club.gang(name).roster) for name in ("Birch", "Cedar")} == {
        "Birch": ["Bea warden 4", "Bix watcher 3"],
        "Cedar": ["Cid warden 4", "Cora watcher 8, keen, lantern"],
    }
    assert {name: int(club.gang(name).roster.treasury) for name in ("Birch", "Cedar")} == {
        "Birch": 25,
        "Cedar": 33,
    }
    assert club.standings() == [(0, "Ash", 2, 24), (0, "Birch", 2, 18), (0, "Cedar", 2, 20)]
