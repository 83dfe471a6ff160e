"""The invented games that lists are drawn from."""

from __future__ import annotations

from collections.abc import Iterator

from tests.rules.catalogues.lists import lamplighters, phalenes, smugglers
from tests.rules.catalogues.lists.building import FORMATS, Game

GAMES = {game.key: game for game in (lamplighters.GAME, smugglers.GAME, phalenes.GAME)}


def files_of(game: Game, form: str = "2.03") -> list[tuple[str, bytes]]:
    """Return a game's files in one of its formats."""
    return FORMATS[form](game.trees)


def every_form() -> Iterator[tuple[str, str]]:
    """Every game with every format that can say it."""
    for key, game in GAMES.items():
        for form in game.formats:
            yield key, form
