"""The table of games that the site writes for spreadsheets (games.csv), and reading it again."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.engine.report import SideKind

# The headings of the table, which has a row for each side of a game.
GAME_COLUMNS: Mapping[str, Promise] = {
    "game": _("Game"),
    "day": _("Day"),
    "scenario": _("Scenario"),
    "result": _("Result"),
    "gang": _("Gang"),
    "player": _("Player"),
    "outcome": _("Won or lost"),
    "rating": _("Rating"),
    "fielded": _("Took part"),
    "taken_out": _("Enemies taken out of action"),
    "points": _("Points"),
    "stage": _("Stage"),
    "round": _("Round of the stage"),
}
# A side's words in the column "outcome" of a game that was fought.
OUTCOMES: Mapping[SideKind, Promise] = {"winner": _("won"), "loser": _("lost"), "level": _("drawn")}
# The word for a loser that nobody fought against.
ABSENT = _("did not play")
