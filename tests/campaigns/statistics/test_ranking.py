"""Ranking: every criterion with an example worked out by hand, and properties of all rankings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from campaigns.engine.league.ranking import Meetings, draw, rank
from campaigns.engine.league.standings_rules import CRITERIA, Criterion, StandingsRules
from campaigns.statistics.records import meetings
from campaigns.statistics.season_facts import PastAdjustment, SeasonGame
from campaigns.statistics.standings import (
    Row,
    draw_lots,
    rank_season,
    rate_schedules,
    season_rows,
)
from rules.book.model import Book
from tests.world.gangs import GOLD, shipped
from tests.world.pasts import a_game, a_gang, a_past, a_side, moment_of


class Met(NamedTuple):
    won: int
    lost: int

    @property
    def games(self) -> int:
        return self.won + self.lost


def beat(*pairs: str) -> Meetings:
    """Return meetings: "ab" means that a beat b once."""
    found: dict[tuple[str, str], Met] = {}
    for winner, loser in pairs:
        won = found.get((winner, loser), Met(0, 0))
        lost = found.get((loser, winner), Met(0, 0))
        found[winner, loser] = Met(won.won + 1, won.lost)
        found[loser, winner] = Met(lost.won, lost.lost + 1)
    return found


def duel(number: int, winner: str, loser: str, result: str = "crushing") -> SeasonGame:
    return a_game(number, a_side(winner), a_side(loser, "loser"), result=result)


def test_rank_compares_level_gangs_by_the_next_criterion_only() -> None:
    values = {"a": {"wins": 2, "money": 1}, "b": {"wins": 2, "money": 5}, "c": {"wins": 3}}
    groups, seams = rank(values, ["wins", "money"], {})  # type: ignore[arg-type]
    assert groups == [["c"], ["b"], ["a"]]
    assert [(seam.by, seam.high, seam.low) for seam in seams] == [
        ("wins", "c", "b"),
        ("money", "b", "a"),
    ]
    assert [(seam.more, seam.less) for seam in seams] == [(3, 2), (5, 1)]


def test_head_to_head_counts_only_games_among_the_level_gangs() -> None:
    level: dict[str, dict[Criterion, int]] = {gang: {"wins": 2} for gang in "abc"}
    # c beat both others; its loss to d, who is not level, does not count.
    groups, seams = rank(
        {"d": {"wins": 9}, **level},
        ["wins", "head_to_head"],
        beat("ab", "ca", "cb", "dc", "dc", "dc", "dc"),
    )
    assert groups == [["d"], ["c"], ["a"], ["b"]]
    assert [(seam.more, seam.less) for seam in seams] == [(9, 2), (2, 0), (0, -2)]


def test_head_to_head_leaves_a_circle_level() -> None:
    level: dict[str, dict[Criterion, int]] = {gang: {"wins": 1} for gang in "abc"}
    groups, seams = rank(level, ["wins", "head_to_head"], beat("ab", "bc", "ca"))
    assert groups == [["a", "b", "c"]]
    assert seams == []


def test_opponents_are_the_mean_share_of_points_that_they_won(gold: Book) -> None:
    # a beat b twice and c once; b beat c. Shares: a 9/9, b 3/9, c 0/6, which counts as a third.
    past = a_past(
        gold,
        duel(1, "a", "b"),
        duel(2, "a", "b"),
        duel(3, "a", "c"),
        duel(4, "b", "c"),
        gangs=tuple(map(a_gang, "abcd")),
    )
    assert {row.gang: row.strength for row in season_rows(past)} == {
        "a": Fraction(1, 3),
        "b": Fraction(7, 9),  # (1 + 1 + 1/3) / 3
        "c": Fraction(2, 3),  # (1 + 1/3) / 2
        "d": Fraction(1, 3),
    }
    # A season that ended by the first edition keeps the share of games.
    before = replace(past, table=StandingsRules(edition=1))
    rows = season_rows(before)
    assert {row.gang: row.strength for row in rows} == {
        "a": Fraction(2, 9),  # (1/3 + 1/3 + 0) / 3
        "b": Fraction(2, 3),  # (1 + 1 + 0) / 3
        "c": Fraction(2, 3),  # (1 + 1/3) / 2
        "d": Fraction(0),
    }
    assert rate_schedules(rows, meetings(before)) == {row.gang: row.strength for row in rows}


def test_level_game_counts_a_third_for_the_opponents(gold: Book) -> None:
    game = a_game(1, a_side("a", "level"), a_side("b", "level"), result="draw")
    past = a_past(gold, game, gangs=(a_gang("a"), a_gang("b")))
    assert [row.strength for row in season_rows(past)] == [Fraction(1, 3), Fraction(1, 3)]
    rows = season_rows(replace(past, table=StandingsRules(edition=1)))
    assert [row.strength for row in rows] == [Fraction(1, 2), Fraction(1, 2)]


def test_points_of_a_result_are_those_of_the_club(gold: Book) -> None:
    gangs = (a_gang("a"), a_gang("b"))
    table = StandingsRules(ranking=("points",), points={"crushing": (3, 1, 0)})
    rows = rank_season(a_past(gold, duel(1, "b", "a"), gangs=gangs, table=table))
    assert [(row.gang, row.points, row.place) for row in rows] == [("b", 3, 1), ("a", 1, 2)]
    by_the_book = rank_season(a_past(gold, duel(1, "b", "a"), gangs=gangs))
    assert [row.points for row in by_the_book] == [0, 0]


def an_adjustment(gang: str, points: int, *, back: bool = False) -> PastAdjustment:
    return PastAdjustment(
        id="1",
        at=moment_of(1),
        gang=gang,
        name=gang.title(),
        points=points,
        by="bob",
        why="late",
        back_at=moment_of(2) if back else None,
    )


def test_bonus_counts_as_points_until_it_is_taken_back(gold: Book) -> None:
    gangs = (a_gang("a"), a_gang("b"))
    table = StandingsRules(ranking=("points",), points={"crushing": (3, 0, 0)})
    games, bonus = duel(1, "b", "a"), (an_adjustment("a", 5), an_adjustment("b", -2))
    rows = rank_season(a_past(gold, games, gangs=gangs, table=table, adjustments=bonus))
    assert [(row.gang, row.points, row.bonus) for row in rows] == [("a", 5, 5), ("b", 1, -2)]
    back = (an_adjustment("a", 5, back=True),)
    rows = rank_season(a_past(gold, games, gangs=gangs, table=table, adjustments=back))
    assert [(row.gang, row.points, row.bonus) for row in rows] == [("b", 3, 0), ("a", 0, 0)]


def test_penalty_of_a_deleted_gang_stays_with_its_name(gold: Book) -> None:
    game = a_game(1, a_side("a"), a_side("", "loser", name="Lost"))
    table = StandingsRules(ranking=("points",))
    penalty = PastAdjustment("1", moment_of(1), "", "Lost", -1, "bob", "late")
    past = a_past(gold, game, gangs=(a_gang("a"),), table=table, adjustments=(penalty,))
    assert [(row.gang, row.points) for row in rank_season(past)] == [("a", 0), ("name:Lost", -1)]


def test_lots_stay_the_same_and_depend_on_the_seed(gold: Book) -> None:
    gangs = tuple(a_gang(gang, joined=-day) for day, gang in enumerate("abcdef", start=1))

    def order(seed: str) -> list[str]:
        table = StandingsRules(ranking=("lots",), seed=seed)
        return [row.gang for row in rank_season(a_past(gold, gangs=gangs, table=table))]

    seeds = [f"{number:032x}" for number in range(20)]
    assert all(order(seed) == order(seed) for seed in seeds)
    assert len({tuple(order(seed)) for seed in seeds}) > 10
    assert {order(seed)[0] for seed in seeds} >= set("abcd")


def test_lots_do_not_depend_on_the_keys_of_a_site(gold: Book) -> None:
    table = StandingsRules(ranking=("lots",), seed="5" * 32)
    here = tuple(a_gang(gang, joined=number // 2) for number, gang in enumerate("abcdef"))
    there = tuple(a_gang(gang, joined=number // 2) for number, gang in enumerate("uvwxyz"))
    lots = [
        [draw_lots(a_past(gold, gangs=gangs, table=table), [gang.id])[gang.id] for gang in gangs]
        for gangs in (here, there)
    ]
    assert lots[0] == lots[1]
    assert len(set(lots[0])) == 6


def test_rank_says_what_decided_the_first_and_the_last_place(gold: Book) -> None:
    gangs = (a_gang("a"), a_gang("b"))
    first, last = rank_season(a_past(gold, duel(1, "b", "a"), gangs=gangs))
    assert (first.gang, first.ahead, last.gang, last.ahead) == ("b", True, "a", False)
    assert first.seam == last.seam
    assert first.seam is not None
    assert (first.seam.by, first.seam.high, first.seam.low) == ("money", "b", "a")
    (alone,) = rank_season(a_past(gold, gangs=(a_gang("a"),)))
    assert alone.seam is None


@pytest.mark.parametrize(
    "data",
    [
        {"ranking": ["wins", "wins"]},
        {"columns": ["wins", "wins"]},
        {"ranking": ["lots"]},
        {"ranking": ["luck"]},
        {"points": {"victory": [1000, 0, 0]}},
        {"seed": "x"},
    ],
)
def test_standings_rules_reject_nonsense(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        StandingsRules.model_validate(data)


def test_columns_begin_with_what_ranks_gangs(points: Book) -> None:
    assert StandingsRules().columns_of(points)[:2] == points.campaign.standings[:2]
    table = StandingsRules(ranking=("strength", "head_to_head"), columns=("played", "wins"))
    assert table.columns_of(points) == ("strength", "played", "wins")


# Fields of random seasons: few gangs and few values, so that there are many ties.
GANGS = st.sampled_from("abcde")
GAMES = st.lists(st.tuples(GANGS, GANGS).filter(lambda pair: pair[0] != pair[1]), max_size=12)
RANKINGS = st.permutations(CRITERIA).flatmap(
    lambda order: st.integers(1, len(order)).map(lambda size: tuple(order[:size]))
)


def a_league(games: list[tuple[str, str]], ranking: tuple[Criterion, ...]) -> list[Row]:
    gold = shipped(GOLD)
    table = StandingsRules(ranking=ranking, points={"crushing": (3, 1, 1)}, seed="0" * 32)
    played = [duel(number, *pair) for number, pair in enumerate(games)]
    return rank_season(a_past(gold, *played, gangs=tuple(map(a_gang, "abcde")), table=table))


@given(games=GAMES, ranking=RANKINGS)
def test_ranking_is_a_total_order_that_agrees_with_a_pairwise_oracle(
    games: list[tuple[str, str]], ranking: tuple[Criterion, ...]
) -> None:
    rows = a_league(games, ranking)
    assert sorted(row.gang for row in rows) == list("abcde")
    places = [row.place for row in rows]
    assert places == sorted(places)
    for place, row in enumerate(rows, start=1):
        level = [other for other in rows if other.place == row.place]
        assert row.place <= place
        assert row.shared == (len(level) > 1)
    if "lots" in ranking:
        assert places == [1, 2, 3, 4, 5]
    # Up to head to head, the order is that of the tuples of values.
    plain = ranking[: ranking.index("head_to_head")] if "head_to_head" in ranking else ranking
    plain = tuple(key for key in plain if key != "lots")
    if plain and "lots" not in ranking[: len(plain)]:
        for better, worse in permutations(rows, 2):
            mine = [better.value(key) for key in plain]  # type: ignore[arg-type]
            theirs = [worse.value(key) for key in plain]  # type: ignore[arg-type]
            assert mine <= theirs or better.place < worse.place


@given(games=GAMES, ranking=RANKINGS)
def test_ranking_does_not_depend_on_the_order_of_games(
    games: list[tuple[str, str]], ranking: tuple[Criterion, ...]
) -> None:
    backwards = a_league(games[::-1], ranking)
    assert [(row.gang, row.place) for row in a_league(games, ranking)] == [
        (row.gang, row.place) for row in backwards
    ]


@given(games=GAMES, ranking=RANKINGS)
def test_every_place_names_a_criterion_that_separates_it(
    games: list[tuple[str, str]], ranking: tuple[Criterion, ...]
) -> None:
    rows = a_league(games, ranking)
    for row in rows:
        if row.seam is None:
            assert {other.place for other in rows} == {1}
            continue
        assert row.seam.more > row.seam.less
        by_gang = {other.gang: other for other in rows}
        high, low = by_gang[row.seam.high], by_gang[row.seam.low]
        assert high.place < low.place
        assert row.place == (high if row.ahead else low).place


def test_draw_gives_different_keys_different_lots() -> None:
    assert len({draw("0" * 32, str(number)) for number in range(100)}) == 100


def test_win_without_a_battle_counts_in_direct_comparison_but_not_in_the_schedule(
    gold: Book,
) -> None:
    no_show = a_game(1, a_side("b"), a_side("a", "loser"), result="", how="no-show")
    worth = {row.key: (2, 2, 0) for row in gold.campaign.results}
    table = StandingsRules(ranking=("points", "head_to_head"), points=worth)
    past = a_past(
        gold,
        duel(2, "a", "c"),
        duel(3, "c", "b"),
        unfought=(no_show,),
        gangs=tuple(map(a_gang, "abc")),
        table=table,
    )
    rows = {row.gang: row for row in rank_season(past)}
    # The club's points for a win count without a battle, too.
    assert {gang: row.points for gang, row in rows.items()} == {"a": 2, "b": 4, "c": 4}
    assert rows["b"].strength == rows["c"].share
    level = StandingsRules(ranking=("head_to_head",))
    direct = rank_season(
        a_past(gold, unfought=(no_show,), gangs=(a_gang("a"), a_gang("b")), table=level)
    )
    assert [(row.gang, row.place) for row in direct] == [("b", 1), ("a", 2)]
