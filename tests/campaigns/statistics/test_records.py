"""Records: meetings, the most feared, the graveyard and the hall of fame."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.league.ranking import Results
from campaigns.engine.report import Credit, Report
from campaigns.statistics.records import graveyard, hall_of_fame, meetings, most_feared
from campaigns.statistics.season_facts import SeasonSide
from campaigns.statistics.standings import season_rows, standings
from gangs.engine.timeline import Person
from tests.world.gangs import shipped
from tests.world.pasts import FIRST, a_game, a_gang, a_happening, a_past, a_side, moment_of

DEEP = "au-un-pour-un"
WOLF = Person(id=1, name="Wolf", rank="chef", games=9, experience=30, taken_out=12)
FOX = Person(id=2, rank="sous_fifre", games=4, experience=0, taken_out=1)
CROW = Person(id=1, name="Crow", rank="chef", games=2, experience=5)


def test_meetings_count_the_games_of_each_pair() -> None:
    season = a_past(
        shipped(DEEP),
        a_game(1, a_side("reds"), a_side("blues", "loser")),
        a_game(2, a_side("reds", "level"), a_side("blues", "level")),
        a_game(3, a_side("reds", "loser"), a_side("blues", "loser"), a_side("greens")),
        a_game(4, a_side("reds"), a_side("", "loser", name="Gone")),
    )
    met = meetings(season)
    assert met["reds", "blues"] == Results(1, 2, 0)
    assert met["blues", "reds"] == Results(0, 2, 1)
    assert met["greens", "reds"] == Results(1, 0, 0)
    assert met["reds", "name:Gone"] == Results(1, 0, 0)
    assert ("greens", "name:Gone") not in met


def test_most_feared_counts_only_games_of_the_campaign() -> None:
    """Wolf took out twelve in a lifetime, but only three of them here."""
    gangs = (a_gang("reds", people=(WOLF, FOX)), a_gang("blues", people=(CROW,)))
    season = a_past(
        shipped(DEEP),
        a_game(1, a_side("reds", out={1: 2, 2: 3, 8: 9}), a_side("blues", "loser", out={1: 1})),
        a_game(2, a_side("reds", out={1: 1}), a_side("blues", "loser")),
        gangs=gangs,
    )
    feared = most_feared(season)
    assert [(leader.place, leader.gang, leader.member, leader.number) for leader in feared] == [
        (1, "reds", 1, 3),
        (1, "reds", 2, 3),
        (3, "blues", 1, 1),
    ]
    assert feared[0].name == "Wolf"
    assert feared[1].name == shipped(DEEP).rank["sous_fifre"].name


def test_graveyard_lists_the_dead() -> None:
    reds = a_gang(
        "reds",
        people=(WOLF,),
        events=(
            a_happening("died", 20, 1, name="Wolf", rank="chef", game="g1"),
            a_happening("died", 21, 5, at=moment_of(6)),
        ),
    )
    game = a_game(
        1,
        a_side("reds", "loser", credits={1: Credit(gang="blues", member=1)}),
        a_side("blues"),
    )
    season = a_past(shipped(DEEP), game, gangs=(reds, a_gang("blues", people=(CROW,))))
    nameless, wolf = graveyard(season)
    assert (wolf.name, wolf.member, wolf.day) == ("Wolf", 1, game.day)
    assert (wolf.slayer, wolf.slayer_gang, wolf.against) == ("Crow", "Blues", ("Blues",))
    assert (nameless.member, nameless.game, nameless.against, nameless.rank) == (0, "", (), "")


def test_hall_of_fame_lists_the_best() -> None:
    reds = a_gang(
        "reds",
        people=(WOLF, FOX),
        events=(
            a_happening("left", 20, 1, name="Wolf", rank="chef", key="legend", game="g3"),
            a_happening("left", 21, 2, key="blind", game="g3"),
        ),
    )
    wins = [a_game(number, a_side("reds"), a_side("blues", "loser")) for number in (1, 2, 3)]
    lost = a_game(4, a_side("reds", "loser"), a_side("blues"))
    again = a_game(5, a_side("reds"), a_side("blues", "loser"))
    season = a_past(
        shipped(DEEP), *wins, lost, again, gangs=(reds, a_gang("blues", people=(CROW,)))
    )
    found = hall_of_fame(season)
    assert [(leader.name, leader.what["en"], leader.number) for leader in found.legends] == [
        ("Wolf", "Living legend", 9)
    ]
    assert [(leader.member, leader.number) for leader in found.most_games] == [
        (1, 5),
        (2, 5),
        (1, 5),
    ]
    assert [(leader.name, leader.number) for leader in found.most_experience] == [
        ("Wolf", 30),
        ("Crow", 5),
    ]
    (streak,) = found.streaks
    assert (streak.name, streak.number) == ("Reds", 3)
    assert (streak.last - streak.first).days == 2
    assert streak.first > FIRST


def test_gang_that_left_or_was_deleted_keeps_its_line() -> None:
    gangs = (
        a_gang("reds", rating=150),
        a_gang("blues", rating=999, ratings={"g1": 120, "elsewhere": 999}, left=5),
        a_gang("greens", left=5),
    )
    game = a_game(1, a_side("reds"), a_side("blues", "loser"), a_side("", name="Gone", rating=80))
    rows = standings(shipped(DEEP), season_rows(a_past(shipped(DEEP), game, gangs=gangs)))
    told = {row.name: (row.won, row.lost, row.rating, row.gone) for row in rows}
    # The Greens left without a game, so they have no line.
    assert told == {
        "Reds": (1, 0, 150, False),
        "Blues": (0, 1, 120, True),
        "Gone": (1, 0, 80, True),
    }
    ended = a_past(shipped(DEEP), game, gangs=(a_gang("reds", rating=500, ratings={"g1": 130}),))
    (row, *_others) = season_rows(ended)
    assert row.rating == 500
    (row, *_others) = season_rows(
        a_past(shipped(DEEP), game, gangs=(a_gang("reds", rating=500, ratings={"g1": 130}),),
               ended_at=moment_of(9))
    )  # fmt: skip
    assert row.rating == 130


KINDS = st.sampled_from(["winner", "loser", "level"])
GANGS = ("reds", "blues", "greens", "")


@given(st.lists(st.dictionaries(st.sampled_from(GANGS), KINDS, min_size=2), max_size=8))
def test_records_of_random_games_add_up(played: list[dict[str, str]]) -> None:
    games = [
        a_game(
            number,
            *(
                SeasonSide(gang, gang or "Gone", kind, Report(fielded=(1,)), 100)  # type: ignore[arg-type]
                for gang, kind in sides.items()
            ),
        )
        for number, sides in enumerate(played)
    ]
    season = a_past(shipped(DEEP), *games, gangs=tuple(a_gang(gang) for gang in GANGS if gang))
    met = meetings(season)
    for (one, other), meeting in met.items():
        back = met[other, one]
        assert (meeting.won, meeting.level, meeting.lost) == (back.lost, back.level, back.won)
        assert meeting.games == sum(
            {side.who for side in game.sides} >= {one, other} for game in games
        )
    rows = standings(shipped(DEEP), season_rows(season))
    assert sum(row.played for row in rows) == sum(len(game.sides) for game in games)
    for streak in hall_of_fame(season).streaks:
        assert 2 <= streak.number <= len(games)
