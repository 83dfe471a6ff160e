"""The table of games that the site writes for spreadsheets (games.csv), and reading it again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.club.old_results.reading import MOST_ROWS, Grid, fold_name, read_grid
from campaigns.engine.report import SideKind
from campaigns.models import Game
from common.errors import Refusal
from common.spreadsheets import read_cell
from common.text import fold_letters

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

# Its rows in a table of old results: a game has two, or one for each of its sides.
MOST_SIDE_ROWS = 4 * MOST_ROWS
NEEDED = ("game", "day", "gang", "outcome")
# The headings of the joined table, which ``guess_columns`` understands.
JOINED = ("Date", "A", "B", "Result", "Scenario", "Note")
BETWEEN = " · "


def read_table(text: str) -> Grid:
    """The cells of a table with a row for each game; the site's own table of games is joined to
    one. Raises Refusal as ``read_grid``."""
    grid = read_grid(text, MOST_SIDE_ROWS)
    grid = join_sides(grid) or grid
    if len(grid.rows) > MOST_ROWS + 1:
        raise Refusal("too_many_results", most=MOST_ROWS)
    return grid


def join_sides(grid: Grid) -> Grid | None:
    """Join the rows of each game in the site's own table; None for any other table. A game has the
    number of its first row."""
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            heads = {fold_letters(str(words)): key for key, words in GAME_COLUMNS.items()}
            found = [heads.get(fold_letters(head), "") for head in grid.rows[0]]
            if set(NEEDED) <= {*found}:
                return _join(grid, found)
    return None


def _join(grid: Grid, heads: Sequence[str]) -> Grid:
    """Join the rows below the headings, in the active language."""
    games: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for number, cells in list(zip(grid.numbers, grid.rows, strict=True))[1:]:
        row = dict.fromkeys(GAME_COLUMNS, "")
        row |= {key: read_cell(cell) for key, cell in zip(heads, cells, strict=False) if key}
        # A row without a game is not joined to another.
        games.setdefault(row["game"] or f"row {number}", []).append((number, row))
    players: dict[str, set[str]] = {}
    for sides in games.values():
        for _number, row in sides:
            players.setdefault(fold_name(row["gang"]), set()).add(fold_name(row["player"]))
    rows, numbers, several = [JOINED], [grid.numbers[0]], set()
    for sides in games.values():
        number, first = sides[0]
        names = [_side_name(row, players) for _number, row in sides]
        if len(sides) > 2:
            several.add(number)
        result = first["result"] if first["result"] != str(Game.How.RECORDED.label) else ""
        rows.append(
            (
                first["day"],
                names[0],
                BETWEEN.join(names[1:]),
                _result([row["outcome"] for _number, row in sides]),
                first["scenario"],
                BETWEEN.join(filter(None, (result, first["stage"], first["round"]))),
            )
        )
        numbers.append(number)
    return Grid(tuple(rows), tuple(numbers), grid.empty, frozenset(several))


def _side_name(row: Mapping[str, str], players: Mapping[str, Collection[str]]) -> str:
    """The name of a gang, with its player's if another player's gang has the same."""
    has_namesake = len(players[fold_name(row["gang"])]) > 1 and row["player"]
    return f"{row['gang']} ({row['player']})" if has_namesake else row["gang"]


def _result(outcomes: Sequence[str]) -> str:
    """The score that the words of two sides stand for; without one, those words."""
    kinds = {fold_letters(str(words)): kind for kind, words in OUTCOMES.items()}
    found = tuple(kinds.get(fold_letters(outcome)) for outcome in outcomes)
    scores: Mapping[tuple[SideKind | None, ...], str] = {
        ("winner", "loser"): "1:0",
        ("loser", "winner"): "0:1",
        ("level", "level"): "0:0",
    }
    # Only games that nobody fought have a side that neither won nor lost.
    unfought = "walk-over" if len(outcomes) == 2 and None in found else ""
    return scores.get(found) or unfought or BETWEEN.join(outcomes)
