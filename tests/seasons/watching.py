"""The public pages of a campaign, by names: two equal campaigns look the same."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from campaigns.models import Campaign
from campaigns.season.loading import load_season
from campaigns.statistics.charts import figures
from campaigns.statistics.chronicle import Line, Slayer, chronicle
from campaigns.statistics.records import Leader, graveyard, hall_of_fame, meetings, most_feared
from campaigns.statistics.season_facts import Season
from campaigns.statistics.standings import season_rows, standings


def watched(campaign: Campaign, *, counts: bool = True, whole: bool = False) -> dict[str, Any]:
    """Return standings, records, charts and chronicle.

    ``counts``: include the counts of the games and their leaders. Only the ``whole`` chronicle has
    corrections, undone games and the players of gangs, who differ each time.
    """
    season = load_season(campaign.pk).season
    hall = hall_of_fame(season)
    return {
        "standings": {
            row.name: (row.rating, row.won, row.level, row.lost, row.money, row.gone)
            + ((row.place, row.shared, row.taken_out, row.points) if counts else ())
            for row in standings(season.book, season_rows(season))
        },
        "meetings": {
            (season.names[one], season.names[other]): met
            for (one, other), met in meetings(season).items()
        },
        "most feared": _leaders(most_feared(season)),
        "graveyard": [
            (
                str(grave.name),
                grave.gang_name,
                grave.day,
                grave.against,
                str(grave.slayer),
                grave.slayer_gang,
            )
            for grave in graveyard(season)
        ],
        "legends": _leaders(hall.legends),
        "most games": _leaders(hall.most_games),
        "most experience": _leaders(hall.most_experience),
        "streaks": hall.streaks,
        "ratings": _chart(season, "rating"),
        "wins": _chart(season, "wins"),
        "chronicle": [
            _line(line, whole)
            for line in chronicle(season, UTC)
            if whole or line.kind not in ("corrected", "taken_back")
        ],
    }


def _leaders(leaders: tuple[Leader, ...]) -> list[tuple[int, str, str, int]]:
    return [(leader.place, str(leader.name), leader.gang_name, leader.number) for leader in leaders]


def _chart(season: Season, chart: Any) -> Any:
    shown = figures(season, chart)
    return shown.columns, {row.name: row.values for row in shown.series}


def _line(line: Line, whole: bool) -> tuple[str, str, dict[str, str]]:
    words = {key: word for key, word in vars(line.event).items() if whole or key != "owner"}
    if isinstance(slayer := words.get("hand"), Slayer):
        words |= {"hand": slayer.name, "hand_gang": slayer.gang_name}
    return line.kind, str(line.day), {key: str(word) for key, word in words.items()}
