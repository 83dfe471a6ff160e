"""The invented games that lists are drawn from."""

from __future__ import annotations

from collections.abc import Iterator

from tests.rules.catalogues.lists import kites, lamplighters, phalenes, smugglers
from tests.rules.catalogues.lists.building import FORMATS, Game

ALL = (lamplighters.GAME, smugglers.GAME, phalenes.GAME, kites.GAME)
GAMES = {game.key: game for game in ALL}


def files_of(game: Game, form: str = "") -> list[tuple[str, bytes]]:
    """Return a game's files in one of its formats; without a name, in its first."""
    return FORMATS[form or game.formats[0]](game.trees)


def every_form() -> Iterator[tuple[str, str]]:
    """Every game with every format that can say it."""
    for key, game in GAMES.items():
        for form in game.formats:
            yield key, form
