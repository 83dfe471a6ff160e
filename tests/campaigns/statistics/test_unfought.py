"""Properties of games without a battle: they count in the standings, and nowhere else."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.how import (
    CALLED_OFF,
    FORFEITS,
    FOUGHT,
    ClubResults,
    ResultRules,
    SidePay,
    pay_side,
    points_for_a_win,
)
from campaigns.statistics import records
from campaigns.statistics.charts import figures
from campaigns.statistics.season_facts import Season, SeasonGame
from campaigns.statistics.standings import Row, Totals, season_rows
from rules.book.season import Unfought
from rules.loading.check_building import check
from tests.world.gangs import shipped
from tests.world.pasts import a_game, a_gang, a_past, a_side

GANGS = ("crows", "dogs", "mules", "rats")
# A game of points.
BOOK = shipped("zombstone")
WIN = next(row.key for row in BOOK.campaign.results if row.kind == "decided")


@st.composite
def games(draw: st.DrawFn, number: int) -> SeasonGame:
    """Draw a game of two or three gangs, fought or not."""
    playing = draw(st.lists(st.sampled_from(GANGS), min_size=2, max_size=3, unique=True))
    how = draw(st.sampled_from(["played", "recorded", *FORFEITS, *CALLED_OFF]))
    if how in (*CALLED_OFF, "recorded"):
        kinds = ["level"] * len(playing)
    else:
        # Nobody may have come.
        first = "winner" if how == "played" or draw(st.booleans()) else "loser"
        kinds = [first, *["loser"] * (len(playing) - 1)]
    sides = [a_side(gang, kind) for gang, kind in zip(playing, kinds, strict=True)]
    game = a_game(number, *sides, result=WIN if how == "played" else "")
    return replace(game, how=how)


DEFAULT = ClubResults()


@st.composite
def played(draw: st.DrawFn) -> list[SeasonGame]:
    return [draw(games(number)) for number in range(draw(st.integers(0, 8)))]


def season_of(found: list[SeasonGame], club: ClubResults = DEFAULT) -> Season:
    fought = [game for game in found if game.how in FOUGHT]
    unfought = tuple(game for game in found if game.how not in FOUGHT)
    gangs = tuple(a_gang(gang) for gang in GANGS)
    return a_past(BOOK, *fought, gangs=gangs, unfought=unfought, club=club)


def rows_of(season: Season) -> dict[str, Row]:
    return {row.gang: row for row in season_rows(season)}


def totals_of(row: Row) -> dict[str, object]:
    """Return a row's totals, without those of its opponents."""
    return {part.name: getattr(row, part.name) for part in fields(Totals)}


def without_unfought(season: Season) -> Season:
    return a_past(BOOK, *season.games, gangs=season.gangs)


@given(played())
def test_only_the_side_that_came_gains_and_only_a_win(found: list[SeasonGame]):
    season = season_of(found)
    before, after = rows_of(without_unfought(season)), rows_of(season)
    for gang in GANGS:
        given_wins = sum(
            side.kind == "winner"
            for game in season.unfought
            for side in game.sides
            if side.gang == gang
        )
        gained = given_wins * points_for_a_win(season.rules)
        known = before[gang]
        assert totals_of(after[gang]) == totals_of(
            replace(known, won=known.won + given_wins, points=known.points + gained)
        )


@given(played())
def test_records_and_ratings_are_those_of_the_fought_games(found: list[SeasonGame]):
    season = season_of(found)
    fought = without_unfought(season)
    assert records.meetings(season) == records.meetings(fought)
    assert records.hall_of_fame(season).streaks == records.hall_of_fame(fought).streaks
    assert figures(season, "rating") == figures(fought, "rating")


@given(played())
def test_charts_of_wins_and_points_end_at_the_standings(found: list[SeasonGame]):
    season = season_of(found)
    rows = rows_of(season)
    for chart, measure in (("wins", "won"), ("points", "points")):
        ends = {row.who: row.last for row in figures(season, chart).series}
        for gang in GANGS:
            assert ends.get(gang, 0) == getattr(rows[gang], measure)


CLUB = ClubResults(
    results={
        "no-show": ResultRules(winner_points=2, loser_points=-1, counts_loss=True),
        "abandoned": ResultRules(each_points=1, counts_draw=True),
    }
)


@given(played())
def test_club_decides_what_each_kind_counts(found: list[SeasonGame]):
    season = season_of(found, CLUB)
    before, after = rows_of(without_unfought(season)), rows_of(season)
    for gang in GANGS:
        own = [
            (game.how, side.kind)
            for game in season.unfought
            for side in game.sides
            if side.gang == gang
        ]
        assert after[gang].lost - before[gang].lost == own.count(("no-show", "loser"))
        assert after[gang].level - before[gang].level == own.count(("abandoned", "level"))
        wins = [how for how, kind in own if kind == "winner"]
        win = points_for_a_win(season.rules)
        points = sum(2 if how == "no-show" else win for how in wins)
        points += own.count(("abandoned", "level")) - own.count(("no-show", "loser"))
        assert after[gang].points - before[gang].points == points


def test_rulebook_says_what_a_kind_brings_unless_the_club_does() -> None:
    row = Unfought.model_validate(
        {
            "key": "absent",
            "name": {"en": "Absent", "fr": "Absent"},
            "text": {"en": "They forfeit.", "fr": "Forfait."},
            "source": "house",
            "how": "no-show",
            "winner": 6,
            "points": (2, -1, 0),
            "loss": True,
        }
    )
    campaign = BOOK.campaign.model_copy(update={"unfought": (row,)})
    rules = BOOK.model_copy(update={"campaign": campaign}).under(BOOK.default_settings())
    assert pay_side(rules, DEFAULT, "no-show", "winner", None, 2) == SidePay("winner", 2, 6)
    assert pay_side(rules, DEFAULT, "no-show", "loser", None, 2) == SidePay("loser", -1, 0)
    assert pay_side(rules, DEFAULT, "walk-over", "loser", None, 2) == SidePay(None, 0, 0)
    assert pay_side(rules, CLUB, "no-show", "winner", None, 2) == SidePay("winner", 2, 0)


@pytest.mark.parametrize(
    "values, mistake",
    [
        ({"how": "no-show", "draw": True}, "is not used for a game that ends like this"),
        ({"how": "abandoned", "winner": 3}, "is not used for a game that ends like this"),
    ],
)
def test_row_that_brings_what_nobody_can_get_is_a_mistake(values, mistake) -> None:
    text = {"en": "x", "fr": "x"}
    data = {"key": "odd", "name": text, "text": text, "source": "house", **values}
    campaign = BOOK.campaign.model_copy(update={"unfought": (Unfought.model_validate(data),)})
    book = BOOK.model_copy(update={"campaign": campaign})
    assert mistake in [what for _path, what in check(book)]
