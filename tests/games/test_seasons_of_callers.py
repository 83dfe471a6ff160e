"""A season of the circles' game: six nights, three gangs, and ends worked out by hand.

Beside each post-game is the sum of the gang's treasury. Everything else follows from the reports,
the dice and the rows of the game.
"""

from __future__ import annotations

from accounts.models import User
from rules.book.model import Book
from tests.games.club import (
    Club,
    Told,
    buy,
    describe_roster,
    learn,
    recruit,
    take_holding,
    take_up,
)


def test_circle_plays_a_season_to_the_expected_ends(
    circle: Book, bob: User, players: list[User]
) -> None:
    club = Club(circle, bob, players)
    # 60 - 15 - 9 - 4 - 6 - 3 for the bell - 4 - 3 - 4 for callings - 4 for incense - 4 = 4.
    club.found(
        "Ninth",
        recruit("caller", "Vera"),
        recruit("medium", "Otto"),
        take_up("Otto", "seer"),
        recruit("hound", "Brack"),
        recruit("sitter", "Eve"),
        buy("Eve", "bell"),
        learn("Vera", "mist"),
        learn("Vera", "knocking"),
        learn("Otto", "mist"),
        buy("Vera", "incense"),
        take_holding("cellar"),
    )
    # 60 - 15 - 2 x (6 + 3) - 3 - 5 for the ward - 4 = 15.
    club.found(
        "Round",
        recruit("caller", "Rosa"),
        recruit("sitter", "Ed"),
        recruit("sitter", "Al"),
        buy("Ed", "bell"),
        buy("Al", "bell"),
        learn("Rosa", "knocking"),
        buy("Rosa", "ward"),
        take_holding("cellar", "Under the mill"),
    )
    # 60 - 15 - 9 - 4 - 6 - 4 - 3 - 4 - 6 for a second incense = 9.
    club.found(
        "Last",
        recruit("caller", "Lou"),
        recruit("medium", "Mia"),
        take_up("Mia", "listener"),
        recruit("hound", "Rex"),
        recruit("sitter", "Jo"),
        learn("Lou", "mist"),
        learn("Mia", "knocking"),
        buy("Lou", "incense"),
        buy("Lou", "incense"),
    )

    game = club.meet(
        1,
        "Ninth",
        "Round",
        Told(counts={"signs": {"Vera": 2, "Otto": 1}}, tallies={"noise": 5}),
        Told({"Ed": "out"}, tallies={"noise": 3}),
    )
    # 4 + 8 + 2 x 3 signs - 1 for the bell - 2 for the cellar - 9 for a medium = 6.
    club.after(
        game,
        "Ninth",
        {"seats Ida": ["2", "1"]},
        {"burnt Vera": "1"},
        [("medium", "Ida", "listener")],
    )
    # 15 + 3 - 2 - 2 = 14. Ed woke up in the house.
    club.after(game, "Round", {"frights Ed": "6"})

    game = club.meet(
        2,
        "Last",
        "Round",
        Told(counts={"signs": {"Mia": 1}}),
        Told({"Al": "out"}),
        captures="house",
    )
    # 9 + 8 + 2 + 7 from visitors - 6 for a sitter = 20. The first incense is used up.
    club.after(game, "Last", {"fees": "3 4"}, {"burnt Lou": ["3", "0"]}, [("sitter", "Kay", None)])
    # 14 + 3 - 1 - 2 = 14: Al is not paid, and sulks.
    club.after(
        game,
        "Round",
        {"frights Al": "2", "insights Ed": "2", "insights Al": "5"},
        {"burnt Rosa": "1", "insights Rosa": "knocking", "rent Al": "unpaid"},
    )

    game = club.meet(
        3,
        "Ninth",
        "Last",
        Told(counts={"signs": {"Otto": 2}}),
        Told({"Rex": "out"}),
        captures="house",
    )
    # 6 + 8 + 4 + 7 - 1 - 2 = 22; 4 for the mist and 5 for a ward.
    club.after(
        game,
        "Ninth",
        {"fees": "6 1", "insights Eve": "1"},
        {"burnt Vera": "2", "insights Vera": "mist", "insights Otto": "mist"},
    )
    club.change("Ninth", learn("Ida", "mist"), buy("Eve", "ward"))
    # 20 + 3 - 9 for a medium = 14.
    club.after(
        game,
        "Last",
        {"frights Rex": "1", "insights Jo": "4", "seats Zed": ["1", "2"]},
        {"burnt Lou": "1", "insights Lou": "mist", "insights Mia": "knocking"},
        [("medium", "Zed", "seer")],
    )

    game = club.meet(
        4,
        "Round",
        "Ninth",
        Told(counts={"signs": {"Rosa": 3}}, at_home=["Al"]),
        Told({"Eve": "out"}),
        captures="house",
    )
    # 14 + 8 + 6 + 4 - 2 - 2 - 4 for a hound = 24; 4 for the mist.
    club.after(game, "Round", {"fees": "2 2"}, None, [("hound", "Fang", None)])
    club.change("Round", learn("Rosa", "mist"))
    # 13 + 3 - 1 - 2 = 13. Eve wakes up in the house that the circle has until now.
    club.after(game, "Ninth", {"frights Eve": "6"}, {"burnt Eve": "1", "insights Ida": "mist"})

    game = club.meet(
        5,
        "Last",
        "Round",
        Told(counts={"signs": {"Mia": 2, "Zed": 1}}),
        Told({"Rosa": "out"}),
        captures="house",
    )
    # 14 + 8 + 6 + 10 = 38; 3 for a bell, 4 for incense, and 6 for a second one.
    club.after(game, "Last", {"fees": "5 5", "insights Kay": "6"})
    club.change("Last", buy("Kay", "bell"), buy("Kay", "incense"), buy("Lou", "incense"))
    # 20 + 3 - 2 - 2 = 19.
    club.after(game, "Round", {"frights Rosa": "3"}, {"insights Rosa": "mist"})

    game = club.meet(
        6,
        "Ninth",
        "Last",
        Told({"Brack": "out"}, counts={"signs": {"Vera": 1, "Ida": 2}}),
        Told({"Lou": "out"}),
        captures="house",
    )
    # 13 + 8 + 6 + 3 - 1 - 2 - 4 for a hound = 23.
    club.after(
        game,
        "Ninth",
        {"frights Brack": "1", "fees": "1 2"},
        {"insights Vera": "knocking", "insights Otto": "mist"},
        [("hound", "Bran", None)],
    )
    # 25 + 3 - 1 for Kay's bell = 27.
    club.after(
        game,
        "Last",
        {"frights Lou": "4"},
        {
            "burnt Lou": ["1", "0"],
            "burnt Kay": "1",
            "insights Lou": "knocking",
            "insights Mia": "mist",
            "insights Zed": "mist",
        },
    )

    # One lesson for each game. Callers and mediums learn a calling for every second lesson, and
    # sitters roll after two and five. Ida and Zed rolled will and nerve when they joined.
    assert describe_roster(club.gang("Ninth").roster) == [
        "Vera caller 4, knocking, knocking, mist, mist",
        "Otto medium 4, seer, mist, mist, mist",
        "Eve sitter 4, will +1, bell",
        "Ida medium 3, listener, mist, mist, nerve 2, will 3",
        "Bran hound 0",
    ]
    assert describe_roster(club.gang("Round").roster) == [
        "Rosa caller 4, knocking, knocking, mist, mist",
        "Ed sitter 4, will +1, bell",
        "Al sitter 3, nerve +1, bell",
        "Fang hound 1",
    ]
    assert describe_roster(club.gang("Last").roster) == [
        "Lou caller 4, knocking, mist, mist, incense (2 used), incense",
        "Mia medium 4, listener, knocking, knocking, mist",
        "Jo sitter 4, nerve +1",
        "Kay sitter 3, nerve +1, bell, incense (1 used)",
        "Zed medium 2, seer, mist, nerve 3, will 2",
    ]
    assert {name: int(club.gang(name).roster.treasury) for name in club.keys} == {
        "Ninth": 23,
        "Round": 19,
        "Last": 27,
    }
    assert {name: club.holdings(name) for name in club.keys} == {
        "Ninth": ["cellar", "house"],
        "Round": ["cellar Under the mill"],
        "Last": [],
    }
    assert {name: club.departed(name) for name in club.keys} == {
        "Ninth": [("Brack", "dead")],
        "Round": [],
        "Last": [("Rex", "dead")],
    }
    # The house makes a caller calm: will 4 + 1. The mist is worth 1 and rises by 1, the knocking 2
    # and rises by 2; a seer adds 1 to each, a listener 2 to the knocking.
    assert club.numbers("Ninth", "Vera") == {
        "pace": 5, "will": 5, "nerve": 4, "mist": 2, "knocking": 4,
    }  # fmt: skip
    assert club.numbers("Ninth", "Otto") == {"pace": 5, "will": 2, "nerve": 2, "mist": 4}
    assert club.numbers("Last", "Mia") == {
        "pace": 5, "will": 2, "nerve": 2, "knocking": 6, "mist": 1,
    }  # fmt: skip
    assert club.numbers("Ninth", "Bran") == {"pace": 5, "nerve": 2}
    # 8 for a victory, 3 for a defeat, and 2 for each sign.
    assert club.standings() == [
        (1, "Ninth", 3, 43),
        (2, "Last", 2, 30),
        (3, "Round", 1, 23),
    ]
