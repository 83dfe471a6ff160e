"""Careers of players and the all-time table, with examples worked out by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.league.ranking import Results
from campaigns.statistics.all_time import PlayedSeason, all_time, careers, find_opponents
from campaigns.statistics.records import meetings
from campaigns.statistics.standings import rank_season
from tests.world.gangs import GOLD, shipped
from tests.world.pasts import a_game, a_gang, a_past, a_side

NAMES = {"1": "Ann", "2": "Ben", "3": "Cat"}


def a_season(
    number: int, players: dict[str, str], *games: tuple[str, str], is_over: bool = True
) -> PlayedSeason:
    """Return a season of games, each as (winner, loser)."""
    played = [a_game(n, a_side(won), a_side(lost, "loser")) for n, (won, lost) in enumerate(games)]
    past = a_past(shipped(GOLD), *played, gangs=tuple(map(a_gang, players)))
    return PlayedSeason(
        id=str(number),
        name=f"Season {number}",
        rows=rank_season(past),
        players={gang: player for gang, player in players.items() if player},
        met=meetings(past),
        is_over=is_over,
    )


FIRST = a_season(1, {"a": "1", "b": "2", "c": ""}, ("a", "b"), ("a", "c"), ("c", "b"))
# Ann has two gangs in the second season; Ben's old one went to Cat.
SECOND = a_season(2, {"a": "1", "d": "1", "b": "3", "e": "2"}, ("b", "a"), ("b", "d"), ("e", "d"))


def test_career_adds_up_seasons_and_gangs() -> None:
    ann = careers([FIRST, SECOND])["1"]
    assert (ann.won, ann.lost, ann.played) == (2, 3, 5)
    assert [(one.season.id, [row.gang for row in one.rows]) for one in ann.seasons] == [
        ("1", ["a"]),
        # Ranked by money, which losers earn, too.
        ("2", ["d", "a"]),
    ]
    assert [one.is_title for one in ann.seasons] == [True, False]
    assert [one.best for one in ann.seasons] == [1, 3]


def test_all_time_table_ranks_by_seasons_won_then_by_games_won() -> None:
    table = all_time([FIRST, SECOND], NAMES)
    # Ann won the first season, Cat the second; each won two games, Cat lost none.
    assert [(one.player, one.titles, one.won, one.place) for one in table] == [
        ("3", 1, 2, 1),
        ("1", 1, 2, 2),
        ("2", 0, 1, 3),
    ]


def test_season_that_is_not_over_has_no_winner() -> None:
    open_season = a_season(1, {"a": "1", "b": "2"}, ("a", "b"), is_over=False)
    assert [one.titles for one in all_time([open_season], NAMES)] == [0, 0]


def test_season_without_games_has_no_winner() -> None:
    assert [one.titles for one in all_time([a_season(1, {"a": "1", "b": "2"})], NAMES)] == [0, 0]


def test_equal_players_share_a_place() -> None:
    table = all_time([a_season(1, {"a": "2", "b": "1"})], NAMES)
    assert [(one.player, one.place, one.shared) for one in table] == [
        ("1", 1, True),
        ("2", 1, True),
    ]


def test_opponents_are_other_players_over_all_seasons() -> None:
    # The gang that nobody owns any more counts against nobody.
    assert find_opponents([FIRST, SECOND], "1") == {
        "2": Results(won=1, lost=1),
        "3": Results(lost=2),
    }


PLAYERS = st.fixed_dictionaries({gang: st.sampled_from(["1", "2", "3", ""]) for gang in "abcd"})
GAMES = st.lists(
    st.tuples(*[st.sampled_from("abcd")] * 2).filter(lambda pair: pair[0] != pair[1]), max_size=6
)


@given(seasons=st.lists(st.tuples(PLAYERS, GAMES), max_size=3))
def test_careers_share_out_every_game_of_a_players_gang(
    seasons: list[tuple[dict[str, str], list[tuple[str, str]]]],
) -> None:
    played = [a_season(n, players, *games) for n, (players, games) in enumerate(seasons)]
    found = careers(played)
    for player in ("1", "2", "3"):
        won = sum(players[won] == player for players, games in seasons for won, _lost in games)
        lost = sum(players[lost] == player for players, games in seasons for _won, lost in games)
        assert (player in found) == any(player in players.values() for players, _g in seasons)
        if player in found:
            assert (found[player].won, found[player].lost) == (won, lost)
