"""A season of the households' game: six nights, three gangs, and ends worked out by hand.

Beside each post-game is the sum of the gang's treasury. Everything else follows from the reports,
the dice and the rows of the game.
"""

from __future__ import annotations

import pytest

from accounts.models import User
from rules.book.model import Book
from tests.games.club import (
    Club,
    Told,
    buy,
    describe_roster,
    learn,
    recruit,
    sell,
    take_holding,
    use,
)


@pytest.mark.long
def test_terraces_play_a_season_to_the_expected_ends(
    terraces: Book, bob: User, players: list[User]
) -> None:
    club = Club(terraces, bob, players)
    # 100 - 20 - 3 x 5 - 3 x 2 - 6 - 10 - 3 (cousins buy blades at 3) - 8 = 32.
    club.found(
        "Aubert",
        recruit("elder", "Odile"),
        recruit("picker", "Low row", 3),
        buy("Low row 2", "stave"),
        recruit("apprentice", "Zoé"),
        recruit("cousin", "Luc"),
        buy("Luc", "billhook"),
        take_holding("south"),
    )
    # 100 - 20 - 12 - 2 x 5 - 6 - 6 - 5 = 41.
    club.found(
        "Bertin",
        recruit("elder", "Bruno"),
        recruit("steward", "Serge"),
        recruit("picker", "Row", 2),
        recruit("pruner", "Paule"),
        take_holding("steep"),
        take_holding("press", "Old Screw"),
    )
    # 100 - 20 - 10 - 6 - 2 x 5 - 4 = 50.
    club.found(
        "Colin",
        recruit("elder", "Cora"),
        recruit("cousin", "Cyr"),
        recruit("apprentice", "Ada"),
        recruit("picker", "North", 2),
        buy("Cora", "billhook"),
    )
    assert [int(club.gang(name).roster.treasury) for name in club.keys] == [0, 0, 0]

    game = club.meet(
        1,
        "Aubert",
        "Bertin",
        Told({"Low row 2": "fled"}, tallies={"baskets": 3}),
        Told({"Row 2": "out"}, tallies={"baskets": 2}),
        captures="steep",
    )
    # 32 + 10 for the result + 5 for three baskets of six people + 2 x 3 for terraces + 1 for the
    # billhook - 3 x 2 - 1 for wages and the wall + 2 x 7 + 1 for two 2s = 62; 8 for the vintage.
    club.after(
        game,
        "Aubert",
        {"cellars Odile": "4 5", "gleaning": ["2 2 4 5 5", "3 4"], "lessons Zoé": "3"},
        {"cellars Odile": "offer:old_vintage", "gleaning": "Luc"},
    )
    club.change("Aubert", buy("Odile", "vintage"))
    # 41 + 4 + 5 for two baskets of four people - 2 for wages - 2 x 1 for two 1s + 4 for the sun
    # - 5 for a picker = 45.
    club.after(
        game,
        "Bertin",
        {
            "bruises Row 2": "1",
            "gleaning": "1 1 6",
            "weather": ["2", "5", "4"],
            "lessons Serge": "6",
        },
        {"weather": "1", "lessons Paule": "counting"},
        [("picker", "Remy", None)],
    )

    game = club.meet(
        2,
        "Colin",
        "Bertin",
        Told({"Ada": "out"}, tallies={"baskets": 5}),
        Told({"Bruno": "out"}),
    )
    # 50 + 10 + 9 for five baskets + 4 from the spring that Ada found + 1 - 2 x 2 - 12 for a steward
    # = 58; 3 for a blade.
    club.after(
        game,
        "Colin",
        {"bruises Ada": "6", "harvest": "4", "gleaning": "4 4 1", "lessons Ada": "1"},
        {"lessons Ada": "surefooted"},
        [("steward", "Simon", None)],
    )
    club.change("Colin", buy("Cyr", "billhook"))
    # 45 + 4 - 2 for Row 1, while Remy is not paid and leaves - 6 for an apprentice = 41.
    club.after(
        game,
        "Bertin",
        {"bruises Bruno": "3", "cellars Serge": "3 3", "gleaning": "6 6 2"},
        {"cellars Serge": "offer:old_vintage", "wages Remy": "unpaid"},
        [("apprentice", "Amand", None)],
    )

    game = club.meet(
        3,
        "Colin",
        "Aubert",
        Told(tallies={"baskets": 2}),
        Told({"Low row 1": "out", "Zoé": "out"}, tallies={"baskets": 1}),
        captures="south",
    )
    # 55 + 10 + 5 + 3 + 2 from the spring + 2 for blades - 3 x 2 = 71; 8 for the vintage.
    club.after(
        game,
        "Colin",
        {
            "harvest": "2",
            "cellars Cora": "6 5",
            "gleaning": ["3 3 5 5 1 2", "2"],
            "lessons Ada": ["5", "2"],
        },
        {
            "cellars Cora": "offer:old_vintage",
            "gleaning": "North 1",
            "lessons Ada": "surefooted",
        },
    )
    club.change("Colin", buy("Cora", "vintage"))
    # 54 + 4 + 3 + 3 + 1 - 7 - 2 for the nets - 6 for a pruner = 50.
    club.after(
        game,
        "Aubert",
        {"bruises Low row 1": "4", "bruises Zoé": "1", "gleaning": "1 2 3", "weather": "1"},
        {"weather": "0"},
        [("pruner", "Pia", None)],
    )
    club.change("Aubert", use("Odile", "vintage"))

    game = club.meet(
        4,
        "Bertin",
        "Aubert",
        Told({"Amand": "fled"}, tallies={"baskets": 4}),
        Told({"Luc": "out"}),
        captures="steep",
    )
    # 41 + 10 + 5 + 3 - 1 + 10 x 4 for three 6s - 2 x 5 for pickers = 88.
    club.after(
        game,
        "Bertin",
        {"gleaning": "6 6 6 1", "lessons Serge": "4", "lessons Amand": "6"},
        None,
        [("picker", "Tom", None), ("picker", "Tim", None)],
    )
    # 50 + 4 + 1 - 3 x 2 + 2 x 2 + 1 for two 2s = 54; 5 for a press.
    club.after(game, "Aubert", {"bruises Luc": "2", "gleaning": ["4 4 2 2", "1 1"]})
    club.change("Aubert", take_holding("press", "Grandmother"))

    game = club.meet(
        5,
        "Bertin",
        "Colin",
        Told({"Serge": "out"}, tallies={"baskets": 1}),
        Told({"North 2": "out"}, tallies={"baskets": 1}),
        captures="spring",
    )
    # 88 + 10 + 3 + 3 + 6 from the spring - 2 x 2 - 1 - 1 for a broken jar = 104.
    club.after(
        game,
        "Bertin",
        {
            "bruises Serge": "5",
            "harvest": "6",
            "gleaning": ["1 1 3 3 4", "1"],
            "lessons Amand": "3",
        },
        {"lessons Paule": "surefooted"},
    )
    # 63 + 4 + 3 + 3 + 4 for blades - 2 x 2 + 6 for the sun = 79.
    club.after(
        game,
        "Colin",
        {
            "bruises North 2": "1",
            "gleaning": "5 5 5 6 2",
            "weather": ["3", "6"],
            "lessons Ada": "4",
            "lessons Simon": "1",
        },
        {"gleaning": "Cyr", "lessons Simon": "counting"},
    )

    game = club.meet(
        6,
        "Colin",
        "Aubert",
        Told({"Cora": "out"}, tallies={"baskets": 3}),
        Told(tallies={"baskets": 5}),
    )
    # 79 + 10 + 5 + 3 + 4 - 2 x 2 = 97; half of 8 for the vintage. Bertin has the spring. Ada has
    # the most wind that an apprentice can have, and rolls again.
    club.after(
        game, "Colin", {"bruises Cora": "6", "gleaning": "1 2 3 4 5", "lessons Ada": ["5", "4"]}
    )
    club.change(
        "Colin", sell("Cora", "vintage"), learn("Cyr", "practice"), learn("Cyr", "practice")
    )
    # 49 + 4 + 9 + 1 - 4 x 2 + 2 + 5 for the sun = 62; 8 for another vintage.
    club.after(
        game,
        "Aubert",
        {
            "cellars Odile": "6 3",
            "gleaning": ["6 6 1 2 3 4", "2"],
            "weather": ["3", "1", "6", "2", "5"],
        },
        {
            "cellars Odile": "offer:old_vintage",
            "weather": "1",
            "lessons Pia": "surefooted",
        },
    )
    club.change("Aubert", buy("Odile", "vintage"))

    # Experience: one for each game; up to two more for an apprentice's baskets; one for steep
    # steps, and one for everybody who stood in the hail.
    assert describe_roster(club.gang("Aubert").roster) == [
        "Odile elder 5, keys, vintage (1 used), vintage",
        "Low row 1 picker 5, stave",
        "Low row 2 cousin 5, stave, stave",
        "Low row 3 picker 5, stave",
        "Luc cousin 6, arm +1, billhook",
        "Pia pruner 3, surefooted",
        "picker 2",
    ]
    assert describe_roster(club.gang("Bertin").roster) == [
        "Bruno elder 5, keys",
        "Serge steward 9, surefooted, arm +1",
        "Row 1 cousin 5, stave",
        "Paule pruner 5, counting, surefooted",
        "Amand apprentice 5, surefooted, arm +1",
        "Tom picker 1",
        "Tim picker 1",
    ]
    assert describe_roster(club.gang("Colin").roster) == [
        "Cora elder 4, billhook, keys",
        "Cyr cousin 5, practice, practice, arm +1, billhook",
        "Ada apprentice 11, surefooted, surefooted, arm +2, wind +1",
        "North 1 picker 5, arm +1",
        "picker 3",
        "Simon steward 7, counting",
    ]
    # Less a day's wage for each game of the pruners: Pia's two and Paule's four.
    assert {name: int(club.gang(name).roster.treasury) for name in club.keys} == {
        "Aubert": 52,
        "Bertin": 100,
        "Colin": 101,
    }
    assert {name: club.holdings(name) for name in club.keys} == {
        "Aubert": ["press Grandmother"],
        "Bertin": ["press Old Screw", "steep", "spring"],
        "Colin": ["south"],
    }
    assert {name: club.departed(name) for name in club.keys} == {
        "Aubert": [("Zoé", "dead")],
        "Bertin": [("Row 2", "dead"), ("Remy", "emigrated")],
        "Colin": [("North 2", "dead")],
    }
    # Terraces: 5 and 1 at the start. Ada has two inches for her knack; pickers of the steep terrace
    # have stronger arms.
    assert club.numbers("Colin", "Ada") == {"stride": 7, "arm": 3, "wind": 2}
    assert club.numbers("Colin", "Cyr") == {"stride": 5, "arm": 5, "wind": 2}
    assert club.numbers("Bertin", "Tom") == {"stride": 5, "arm": 2, "wind": 1}
    # The standings' money is that of results: 10 for each victory, 4 for each defeat.
    assert club.standings() == [
        (1, "Colin", 3, 34),
        (2, "Bertin", 2, 28),
        (3, "Aubert", 1, 22),
    ]
