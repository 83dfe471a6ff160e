"""The bracket of a knock-out: a list of rounds for pages, and a tree of table cells for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from campaigns.engine.league.bracket import Place
from campaigns.engine.league.facts import Match
from campaigns.fixtures import FixtureLine, fixture_line, fixture_names
from campaigns.league.loading import LoadedStage
from campaigns.league.pages import name_round
from campaigns.models import Fixture

# A page has room for the last four rounds. The lists below the tree have the earlier ones.
MOST_ROUNDS_ON_PAPER = 4


@dataclass(frozen=True)
class BracketSide:
    """A gang in a fixture of the bracket. ``goes_on``: it has won, or an organiser decided so."""

    name: str
    goes_on: bool = False


@dataclass(frozen=True)
class BracketGame:
    """A place in the bracket. ``line``: None if it has no fixture: as long as its gangs are not
    known, or if it needs none; ``note``: its state in words, unless a battle decided it."""

    line: FixtureLine | None = None
    sides: tuple[BracketSide, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class BracketRound:
    """A column of the bracket: its games from top to bottom, each fed by two of the column before
    it."""

    title: str
    games: Sequence[BracketGame]


@dataclass(frozen=True)
class Bracket:
    """All rounds of a knock-out, those to come included. ``third``: the game for the third place,
    if there is one."""

    rounds: Sequence[BracketRound] = ()
    third: BracketGame | None = None


def load_bracket(loaded: LoadedStage) -> Bracket:
    """The bracket of a knock-out; an empty one before its first round is made."""
    state = loaded.bracket
    fixtures = {fixture.pk: fixture for fixture in loaded.fixtures}
    games = {
        (place.round, place.number): _game(fixtures[place.match.key], place.match)
        if place.match is not None
        else _empty_game(loaded, place)
        for place in state.places
    }
    rounds = [
        BracketRound(
            name_round(loaded, number),
            [games[number, place] for place in range(1, (1 << (state.rounds - number)) + 1)],
        )
        for number in range(1, state.rounds + 1)
    ]
    has_third = loaded.stage.rules.third and state.rounds > 1
    return Bracket(rounds, games[state.rounds, 2] if has_third else None)


def _empty_game(loaded: LoadedStage, place: Place) -> BracketGame:
    """A place without a fixture: it is to come, or it needs none, since nobody is left for it, or
    only one gang."""
    if not place.is_known or len(place.gangs) == 2:
        return BracketGame()
    sides = tuple(BracketSide(loaded.names[gang], goes_on=True) for gang in place.gangs)
    return BracketGame(None, sides, _("no opponent is left") if sides else _("Nobody is left"))


def _game(fixture: Fixture, match: Match) -> BracketGame:
    line, (home, away) = fixture_line(fixture), fixture_names(fixture)
    winner = match.winner
    sides = [BracketSide(home, winner == match.home)]
    if match.away is not None:
        sides.append(BracketSide(away, winner == match.away))
    fought = match.outcome in ("home", "away") and fixture.game is not None
    is_plain = fought and fixture.game is not None and fixture.game.is_fought
    return BracketGame(line, tuple(sides), "" if is_plain else line.state)


@dataclass(frozen=True)
class TreeCell:
    """A cell of the printed tree. ``rows``: its height; ``kind``: "game", or the lines that it
    draws: "down" and "up" lead from a game to the next column, "into" to the game there, "none"
    draws nothing."""

    rows: int
    kind: str
    game: BracketGame | None = None


@dataclass(frozen=True)
class Tree:
    """The last rounds of a bracket as a table: the titles of its columns, and its rows of cells."""

    titles: Sequence[str]
    rows: Sequence[Sequence[TreeCell]]


def draw_tree(bracket: Bracket) -> Tree:
    """The bracket as cells of a table, two rows for each game of the first column."""
    shown = bracket.rounds[-MOST_ROUNDS_ON_PAPER:]
    rows: list[list[TreeCell]] = [[] for _game in shown[0].games for _half in range(2)]
    for depth, column in enumerate(shown):
        half = 1 << depth
        for place, game in enumerate(column.games):
            rows[place * 2 * half].append(TreeCell(2 * half, "game", game))
        if column is shown[-1]:
            break
        for place in range(len(column.games)):
            kinds = ("up", "none") if place % 2 else ("none", "down")
            for number, kind in enumerate(kinds):
                rows[(2 * place + number) * half].append(TreeCell(half, kind))
        for place in range(len(column.games)):
            rows[place * 2 * half].append(TreeCell(2 * half, "none" if place % 2 else "into"))
    return Tree([column.title for column in shown], rows)
