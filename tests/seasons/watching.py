"""What there is to watch of a campaign, by names: two that went alike look alike."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from campaigns.charts import figures
from campaigns.chronicle import Line, chronicle
from campaigns.models import Campaign
from campaigns.past import Past
from campaigns.recalling import recall
from campaigns.records import Hero, famous, graveyard, meetings, most_feared
from campaigns.standings import records, standings


def watched(campaign: Campaign, *, counts: bool = True, whole: bool = False) -> dict[str, Any]:
    """Standings, records, charts and chronicle.

    ``counts``: what was counted in the games belongs to the standings, and so does who is ahead.
    Unless it is the ``whole`` chronicle, it has no corrections and no games that were taken back,
    which say how it came to this, and nobody whose a gang is: that are other players each time.
    """
    past = recall(Campaign.objects.get(pk=campaign.pk)).past
    hall = famous(past)
    return {
        "standings": {
            row.name: (row.rating, row.won, row.level, row.lost, row.money, row.gone)
            + ((row.place, row.shared, row.taken_out, row.points) if counts else ())
            for row in standings(past.book, past.settings, records(past))
        },
        "meetings": {
            (past.names[one], past.names[other]): met
            for (one, other), met in meetings(past).items()
        },
        "most feared": _heroes(most_feared(past)),
        "graveyard": [
            (str(grave.name), grave.of, grave.day, grave.against, str(grave.hand), grave.hand_of)
            for grave in graveyard(past)
        ],
        "legends": _heroes(hall.legends),
        "most games": _heroes(hall.most_games),
        "most experience": _heroes(hall.most_experience),
        "streaks": hall.streaks,
        "ratings": _chart(past, "rating"),
        "wins": _chart(past, "wins"),
        "chronicle": [
            _line(line, whole)
            for line in chronicle(past, UTC)
            if whole or line.kind not in ("corrected", "taken_back")
        ],
    }


def _heroes(heroes: tuple[Hero, ...]) -> list[tuple[int, str, str, int]]:
    return [(hero.place, str(hero.name), hero.of, hero.number) for hero in heroes]


def _chart(past: Past, chart: Any) -> Any:
    shown = figures(past, chart)
    return shown.columns, {row.name: row.values for row in shown.series}


def _line(line: Line, whole: bool) -> tuple[str, str, dict[str, str]]:
    values = {key: str(value) for key, value in line.values.items() if whole or key != "owner"}
    return line.kind, str(line.day), values
