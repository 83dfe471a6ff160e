"""The figures of the charts."""

from __future__ import annotations

from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from campaigns.season.chart_text import charts_of, column
from campaigns.statistics.charts import Figures, Series, figures, thin_out
from campaigns.statistics.season_facts import Season
from tests.world.gangs import shipped
from tests.world.pasts import FIRST, a_game, a_gang, a_past, a_side

DEEP = "au-un-pour-un"


def season() -> Season:
    """Three days of games; the Greens join on the third, and one gang was deleted since."""
    return a_past(
        shipped(DEEP),
        a_game(1, a_side("reds"), a_side("blues", "loser")),
        a_game(2, a_side("reds", rating=104), a_side("", "loser", name="Gone", rating=90), day=1),
        a_game(3, a_side("reds", "loser", rating=110), a_side("blues", rating=98), day=5),
        a_game(4, a_side("greens", rating=77), a_side("blues", "loser", rating=120), day=9),
        gangs=(
            a_gang("reds", ratings={"g1": 104, "g2": 110, "g3": 111}),
            a_gang("blues", ratings={"g1": 98, "g3": 120, "elsewhere": 300}),
            a_gang("greens"),
        ),
    )


def values(season: Season, chart: str) -> dict[str, tuple[object, ...]]:
    return {row.name: row.values for row in figures(season, chart).series}  # type: ignore[arg-type]


def test_wins_add_up_from_day_to_day() -> None:
    assert figures(season(), "wins").columns[0] is None
    assert values(season(), "wins") == {
        "Reds": (0, 2, 2, 2),
        "Blues": (0, 0, 1, 1),
        "Gone": (0, 0, 0, 0),
        "Greens": (None, None, 0, 1),
    }


def test_points_of_the_standings_add_up() -> None:
    """This game gives three points for a win and one for a loss; other games count no points."""
    book = shipped("zombstone")
    result = next(row for row in book.campaign.results if row.points[0])
    season = a_past(
        book,
        a_game(1, a_side("reds"), a_side("blues", "loser"), result=result.key),
        a_game(2, a_side("reds", "loser"), a_side("blues"), day=3, result=result.key),
        a_game(3, a_side("reds"), a_side("blues", "loser"), day=5, result=result.key),
        gangs=(a_gang("reds"), a_gang("blues")),
    )
    won, lost, _level = result.points
    assert values(season, "points") == {
        "Reds": (0, won, won + lost, 2 * won + lost),
        "Blues": (0, lost, lost + won, 2 * lost + won),
    }
    assert charts_of(season) == ["points", "wins"]
    assert charts_of(a_past(shipped("cran"))) == ["rating", "wins"]


def test_income_from_games_adds_up() -> None:
    book = shipped("du-sang-sur-la-lame")
    result = next(row for row in book.campaign.results if row.winner)
    season = a_past(
        book,
        a_game(1, a_side("reds"), a_side("blues", "loser"), result=result.key),
        a_game(2, a_side("reds"), a_side("blues", "loser"), day=3, result=result.key),
        gangs=(a_gang("reds"), a_gang("blues")),
    )
    assert values(season, "money") == {
        "Reds": (0, result.winner, 2 * result.winner),
        "Blues": (0, result.loser, 2 * result.loser),
    }
    assert charts_of(season) == ["rating", "money", "wins"]


def test_chart_shows_ratings_after_the_post_game() -> None:
    """It shows the report's rating when the post-game is open or the gang is deleted."""
    assert values(season(), "rating") == {
        "Reds": (100, 110, 111, 111),
        "Blues": (100, 98, 120, 120),
        "Gone": (90, 90, 90, 90),
        "Greens": (None, None, 77, 77),
    }


def test_chart_is_empty_without_games() -> None:
    empty = figures(a_past(shipped(DEEP), gangs=(a_gang("reds"),)), "rating")
    assert empty == Figures((None,), ())
    assert empty.bounds == (0, 0)


@given(st.integers(1, 300), st.integers(2, 60))
def test_thinning_keeps_both_ends(count: int, most: int) -> None:
    days = tuple(FIRST.replace(year=1 + number) for number in range(count))
    whole = Figures((None, *days), (Series("a", "A", tuple(range(count + 1))),))
    some = thin_out(whole, most)
    assert len(some.columns) == min(most, count + 1)
    assert (some.columns[0], some.columns[-1]) == (None, days[-1])
    assert some.series[0].values == tuple(sorted(set(some.series[0].values)))
    assert some.series[0].last == count


def test_days_are_written_in_the_readers_format() -> None:
    with override("fr"):
        assert column(FIRST.replace(month=11, day=21)) == "21 nov. 26"
