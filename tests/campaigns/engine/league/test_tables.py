"""Tables of stages: absences, byes, opponents and tie-breaks; both editions of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.how import DEFAULTS, Manner, ResultRules
from campaigns.engine.league.facts import Entered, Match, Outcome
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.ranking import Results, rank, rate_opponents
from campaigns.engine.league.swiss import draw_swiss, swiss_field
from campaigns.engine.league.tables import NOTHING_AROUND, Around, TableLine, stage_table
from campaigns.engine.report import Report
from campaigns.statistics.season_facts import SeasonGame, SeasonSide
from campaigns.statistics.standings import season_rows
from rules.book.model import Book
from rules.book.season import SideKind
from tests.random_cases import random_cases
from tests.world.gangs import shipped
from tests.world.pasts import a_gang, a_past, moment_of

GANGS = "abcdef"
MANNERS: list[Manner] = ["played", "recorded", "no-show", "walk-over", "conceded"]


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("du-sang-sur-la-lame")


def entrants(gangs: Sequence[str] = GANGS) -> list[Entered]:
    return [Entered(gang, seed) for seed, gang in enumerate(gangs, start=1)]


def match(
    number: int,
    sides: str,
    outcome: Outcome = "home",
    how: Manner = "played",
    round_number: int = 1,
) -> Match:
    """A fixture: "ab" of a against b, "a" of a bye."""
    home, away = sides[0], sides[1:] or None
    return Match(number, round_number, number, home, away, outcome, how=how)


def table(
    matches: list[Match], around: Around = NOTHING_AROUND, **options: Any
) -> dict[str, TableLine]:
    found = stage_table(entrants(), matches, StageOptions(**options), around)
    return {line.gang: line for line in found}


def record(gang: str, won: int, lost: int, level: int) -> list[list[tuple[str, SideKind]]]:
    """Games against gangs that play only these."""
    kinds: list[tuple[SideKind, SideKind]] = [
        *[("winner", "loser")] * won,
        *[("loser", "winner")] * lost,
        *[("level", "level")] * level,
    ]
    return [
        [(gang, mine), (f"{gang}{number}", theirs)] for number, (mine, theirs) in enumerate(kinds)
    ]


@st.composite
def stages(draw: st.DrawFn) -> list[Match]:
    """Fixtures as a club might have them, in up to three rounds."""
    sides = st.one_of(
        st.sampled_from(GANGS), st.permutations(GANGS).map(lambda order: "".join(order[:2]))
    )
    made = []
    for number in range(draw(st.integers(0, 12))):
        outcome = draw(st.sampled_from(["open", "home", "away", "level", "void", "off"]))
        manners = MANNERS if outcome in ("home", "away") else ["played", "recorded"]
        if outcome == "void":
            manners = ["void", "abandoned", "no-show"]
        how = draw(st.sampled_from(manners))
        made.append(match(number, draw(sides), outcome, how, draw(st.integers(1, 3))))
    return made


class TestOpponents:
    @pytest.mark.parametrize(
        ("won", "lost", "level", "share"),
        [
            (5, 2, 1, Fraction(16, 24)),
            # 3 of 12 points are less than a third.
            (1, 3, 0, Fraction(1, 3)),
            (6, 2, 0, Fraction(18, 24)),
            (4, 2, 2, Fraction(14, 24)),
        ],
    )
    def test_share_is_that_of_the_published_examples(
        self, won: int, lost: int, level: int, share: Fraction
    ) -> None:
        """The records and points are examples of Magic Tournament Rules, Appendix C (tie-breakers:
        match points, match-win percentage). Only a bye is counted in another way: not at all."""
        games = record("x", won, lost, level)
        games.append([("me", "loser"), ("x", "winner")])
        # The game against me is one more win of its own.
        rest = record("x", won - 1, lost, level)
        rest.append(games[-1])
        assert rate_opponents(["me"], rest)["me"] == share

    def test_mean_of_eight_opponents(self) -> None:
        records = [(4, 4, 0), (7, 1, 0), (1, 3, 1), (3, 3, 1), (6, 2, 0), (5, 2, 1), (4, 3, 1)]
        games: list[list[tuple[str, SideKind]]] = []
        for number, (won, lost, level) in enumerate(records):
            games += record(f"x{number}-", won - 1, lost, level)
            games.append([("me", "loser"), (f"x{number}-", "winner")])
        shares = [(12, 24), (21, 24), (1, 3), (10, 21), (18, 24), (16, 24), (13, 24)]
        mean = sum((Fraction(*share) for share in shares), Fraction(0)) / 7
        assert rate_opponents(["me"], games)["me"] == mean

    def test_opponent_who_is_met_twice_counts_twice(self) -> None:
        games: list[list[tuple[str, SideKind]]] = [
            [("a", "winner"), ("b", "loser")],
            [("a", "winner"), ("b", "loser")],
            [("a", "winner"), ("c", "loser")],
            [("c", "winner"), ("d", "loser")],
        ]
        found = rate_opponents("abcde", games)
        assert found["a"] == (Fraction(1, 3) * 2 + Fraction(1, 2)) / 3
        assert (found["b"], found["e"]) == (1, Fraction(1, 3))

    @given(stages())
    def test_both_tables_of_a_campaign_have_the_same_number(self, matches: list[Match]) -> None:
        fought = [one for one in matches if one.is_decided]
        past = a_past(
            shipped("du-sang-sur-la-lame"),
            *(a_game_of(one) for one in fought if one.is_fought),
            unfought=tuple(a_game_of(one) for one in fought if not one.is_fought),
            gangs=tuple(map(a_gang, GANGS)),
        )
        lines = table(matches)
        assert {row.gang: row.strength for row in season_rows(past)} == {
            gang: line.strength for gang, line in lines.items()
        }

    @given(stages(), st.lists(st.sampled_from(GANGS)))
    def test_byes_and_unfought_games_neither_cost_nor_bring_anything(
        self, matches: list[Match], byes: list[str]
    ) -> None:
        fought = [one for one in matches if one.is_fought]
        lines, plain = table([*matches, *(match(99, gang) for gang in byes)]), table(fought)
        assert {gang: line.strength for gang, line in lines.items()} == {
            gang: line.strength for gang, line in plain.items()
        }


def a_game_of(one: Match) -> SeasonGame:
    sides = [SeasonSide(gang, gang, kind, Report(), 100) for gang, kind in one.kinds]
    result = "" if one.how in ("recorded", "no-show", "walk-over", "conceded") else "crushing"
    return SeasonGame(
        id=str(one.key),
        day=date(2026, 1, 1),
        at=moment_of(1),
        result=result,
        sides=tuple(sides),
        how=one.how,
    )


class TestAbsence:
    @pytest.mark.parametrize("how", ["no-show", "walk-over", "conceded"])
    def test_gang_that_did_not_play_gets_nothing_where_defeats_pay(self, how: Manner) -> None:
        lines = table([match(1, "ab", how=how)], loss=1)
        absent = lines["b"]
        assert (absent.points, absent.lost, absent.played) == (0, 0, 0)
        assert (lines["a"].points, lines["a"].won) == (3, 1)

    def test_points_are_those_that_the_club_gives_without_a_battle(self) -> None:
        terms = ResultRules(winner_points=2, loser_points=-1, each_points=1, counts_loss=True)
        around = Around(special={**DEFAULTS, "no-show": terms})
        matches = [match(1, "ab", how="no-show"), match(2, "cd", "void", "no-show")]
        lines = table(matches, around, loss=1)
        # Nobody came to the second game: the standings count it as lost by both.
        assert {gang: lines[gang].points for gang in "abcd"} == {"a": 2, "b": -1, "c": -1, "d": -1}
        assert (lines["b"].lost, lines["c"].lost) == (1, 1)

    def test_void_and_abandoned_games_bring_nothing(self) -> None:
        lines = table([match(1, "ab", "void", "void"), match(2, "cd", "void", "abandoned")], draw=2)
        assert {line.points for line in lines.values()} == {0}

    def test_walk_over_counts_among_the_games_against_each_other(self) -> None:
        matches = [match(1, "ba", how="walk-over"), match(2, "ac", round_number=2)]
        lines = table(matches, ranking=("head_to_head",))
        assert (lines["b"].place, lines["a"].place) == (1, 2)

    def test_gangs_that_have_not_fought_may_be_paired_again(self) -> None:
        """b and d won without a battle, and are the only ones with points."""
        missed = [match(1, "ba", how="no-show"), match(2, "dc", how="no-show")]
        again = [*missed, match(3, "bd", how="walk-over", round_number=2)]
        field = swiss_field(entrants("abcd"), again, StageOptions())
        assert not +field.met
        fought = [replace(one, how="played") for one in again]
        assert len(+swiss_field(entrants("abcd"), fought, StageOptions()).met) == 3


class TestByes:
    def test_bye_counts_once_its_round_is_over(self) -> None:
        matches = [match(1, "ab", "open"), match(2, "c")]
        line = table(matches)["c"]
        assert (line.points, line.byes) == (0, 0)
        line = table([match(1, "ab"), match(2, "c")])["c"]
        assert (line.points, line.byes) == (3, 1)

    def test_bye_counts_in_a_stage_that_has_ended(self) -> None:
        line = table([match(1, "ab", "open"), match(2, "c")], Around(has_ended=True))["c"]
        assert line.points == 3

    def test_gang_with_a_bye_is_level_with_a_gang_that_beat_a_weak_one(self) -> None:
        lines = table([match(1, "ab"), match(2, "c")], ranking=("strength",))
        assert (lines["a"].place, lines["c"].place) == (1, 1)


class TestTieBreaks:
    def test_games_against_each_other_are_compared_again_after_a_split(self) -> None:
        """a, b and c beat each other in a circle; strength separates c, and a has beaten b."""
        wins = {("a", "b"): Results(won=1), ("b", "a"): Results(lost=1)}
        wins |= {("b", "c"): Results(won=1), ("c", "b"): Results(lost=1)}
        wins |= {("c", "a"): Results(won=1), ("a", "c"): Results(lost=1)}
        values: dict[str, Any] = {
            gang: {"strength": strength} for gang, strength in zip("bac", (1, 1, 2), strict=True)
        }
        groups, seams = rank(values, ["head_to_head", "strength"], wins)
        assert groups == [["c"], ["a"], ["b"]]
        assert [(seam.by, seam.more, seam.less) for seam in seams] == [
            ("strength", 2, 1),
            ("head_to_head", 1, -1),
        ]
        # A season that ended before keeps its places.
        assert rank(values, ["head_to_head", "strength"], wins, again=False)[0] == [
            ["c"],
            ["b", "a"],
        ]

    def test_bonus_counts_if_the_organiser_says_so(self) -> None:
        around = Around(bonuses={"a": -2, "b": 5, "gone": 9})
        assert table([match(1, "ab")], around)["a"].place == 1
        lines = table([match(1, "ab")], around, bonus=True)
        assert (lines["a"].points, lines["a"].bonus) == (1, -2)
        assert (lines["b"].points, lines["b"].bonus, lines["b"].place) == (5, 5, 1)

    def test_measures_of_the_games_break_ties(self) -> None:
        around = Around(measures={"a": {"taken_out": 1}, "b": {"taken_out": 4}})
        lines = table([match(1, "ab", "level")], around, ranking=("taken_out",))
        assert (lines["b"].place, lines["a"].place) == (1, 2)
        assert lines["b"].seam is not None and lines["b"].seam.by == "taken_out"

    def test_lots_stay_the_same_and_leave_nobody_level(self) -> None:
        lots = {"ranking": ("lots",), "seed": "0" * 32}
        first, again = table([], **lots), table([], **lots)
        assert first == again
        assert sorted(line.place for line in first.values()) == [1, 2, 3, 4, 5, 6]

    @pytest.mark.parametrize("ranking", [("wins", "wins"), ("points",), ("lots",)])
    def test_ranking_without_sense_is_refused(self, ranking: tuple[str, ...]) -> None:
        with pytest.raises(ValueError):
            StageOptions.model_validate({"ranking": ranking})


class TestFirstRound:
    def pairs(self, count: int, **options: Any) -> list[str]:
        field = entrants("abcdefgh"[:count])
        drawn = draw_swiss(swiss_field(field, [], StageOptions(**options)))
        return sorted("".join(sorted((one.home.gang, one.away.gang))) for one in drawn.pairs)

    def test_top_half_meets_the_bottom_half(self) -> None:
        assert self.pairs(8) == ["ae", "bf", "cg", "dh"]
        # The last gang has the bye.
        assert self.pairs(7) == ["ad", "be", "cf"]

    def test_neighbours_meet_if_the_organiser_says_so(self) -> None:
        assert self.pairs(6, first="neighbours") == ["ab", "cd", "ef"]

    def test_lots_decide_if_the_organiser_says_so(self) -> None:
        drawn = {tuple(self.pairs(6, first="lots", seed=f"{number:032x}")) for number in range(20)}
        assert len(drawn) > 5
        assert self.pairs(6, first="lots", seed="1" * 32) == self.pairs(
            6, first="lots", seed="1" * 32
        )

    def test_later_rounds_pair_neighbours(self) -> None:
        matches = [match(1, "ac", "level"), match(2, "bd", "level")]
        drawn = draw_swiss(swiss_field(entrants("abcd"), matches, StageOptions()))
        found = {frozenset((one.home.gang, one.away.gang)) for one in drawn.pairs}
        assert found == {frozenset("ab"), frozenset("cd")}


class TestFirstEdition:
    @random_cases(40, 1000)
    @given(stages(), st.integers(0, 2))
    def test_places_are_those_of_the_earlier_releases(
        self, matches: list[Match], loss: int
    ) -> None:
        options = StageOptions(edition=1, loss=loss)
        lines = stage_table(entrants(), matches, options)
        assert [(line.gang, line.points, line.strength, line.place) for line in lines] == earlier(
            matches, options
        )


def earlier(matches: list[Match], options: StageOptions) -> list[tuple[str, int, int, int]]:
    """The table as release 1.0 made it."""
    points, won = dict.fromkeys(GANGS, 0), dict.fromkeys(GANGS, 0)
    met: dict[str, list[str]] = {gang: [] for gang in GANGS}
    for one in matches:
        if one.away is None:
            points[one.home] += 0 if one.outcome == "off" else options.bye
        elif one.outcome == "level":
            points[one.home] += options.draw
            points[one.away] += options.draw
        elif one.outcome in ("home", "away"):
            pair = (one.home, one.away) if one.outcome == "home" else (one.away, one.home)
            points[pair[0]] += options.win
            points[pair[1]] += options.loss
            won[pair[0]] += 1
        if one.away is not None and one.outcome in ("home", "away", "level"):
            met[one.home].append(one.away)
            met[one.away].append(one.home)
    merits = {gang: (points[gang], sum(points[o] for o in met[gang]), won[gang]) for gang in GANGS}
    order = sorted(GANGS, key=lambda gang: [-merit for merit in merits[gang]])
    ranked = [merits[gang] for gang in order]
    return [(gang, *merits[gang][:2], ranked.index(merits[gang]) + 1) for gang in order]
