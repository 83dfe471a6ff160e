"""Pasts of campaigns for yearbooks, without a database."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations
from typing import Any

from campaigns.engine.report import Credit
from campaigns.games.game_story import Tale
from campaigns.models import Campaign, Night
from campaigns.season.loading import LoadedSeason
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonGang
from gangs.engine import entries as kinds
from gangs.engine.roster import Roster
from gangs.engine.timeline import Person
from printing.season.material import Material
from rules.book.model import Book
from tests.world.gangs import rostered
from tests.world.pasts import a_game, a_gang, a_happening, a_past, a_side

TALE = "We came by the river.\n\nNobody had thought of the mill; we had, and it burned for an hour."
# The first number of the entries about deaths.
DEATHS = 900


def roster(book: Book, name: str) -> Roster:
    """Two members with skills and kit; the second has no name."""
    made: list[kinds.Entry] = [kinds.Founded(name=name, settings=book.default_settings())]
    for called in (f"{name[:60]}’s first", ""):
        made.append(kinds.Recruited(rank=book.ranks[0].key, name=called))
        member = len(made)
        made.append(kinds.Bought(item=book.items[0].key, member=member))
        made.append(kinds.TraitTaken(member=member, trait=book.traits[0].key))
    return rostered(book, made)


def people(book: Book, name: str) -> tuple[Person, ...]:
    """A living person and a dead person."""
    rank = book.ranks[-1].key
    return (
        Person(id=1, name=f"{name[:60]} the Elder", rank=rank, games=3, taken_out=2, experience=5),
        Person(id=2, name=f"{name[:60]} the Younger", rank=rank, games=2, taken_out=1, fate="dead"),
    )


def season(
    book: Book,
    names: list[str],
    number_of_games: int,
    *,
    a_night: int = 1,
    tale: str = TALE,
    place: str = "The mill",
) -> Material:
    """Gangs of these names that meet in pairs, with this many games on each night; some games have
    a killing, and every other game has a tale."""
    pairs = list(combinations(range(len(names)), 2))
    ids = [f"gang{number}" for number in range(len(names))]
    result = book.campaign.results[0].key
    games: list[SeasonGame] = []
    happened: dict[int, list[Any]] = {number: [] for number in range(len(names))}
    for played in range(number_of_games):
        evening = played // a_night
        one, other = pairs[(played * 7) % len(pairs)]
        credits = {2: Credit(gang=ids[one], member=1)}
        sides = (
            a_side(ids[one], "winner", name=names[one], out={1: 1 + played % 3}, rating=100),
            a_side(ids[other], "loser", name=names[other], credits=credits, rating=90),
        )
        night = f"night{evening}"
        games.append(a_game(played, *sides, day=evening * 7, result=result, night=night))
        if played % 4 == 0:
            about = {"name": f"{names[other][:60]} the Younger", "rank": book.ranks[-1].key}
            happened[other].append(
                a_happening("died", DEATHS + played, 2, game=f"g{played}", **about)
            )
    gangs = tuple(
        a_gang(
            ids[number],
            ratings={game.id: 100 + 3 * place for place, game in enumerate(games)
                     if any(side.gang == ids[number] for side in game.sides)},
            events=tuple(happened[number]),
            people=people(book, name),
        )
        for number, name in enumerate(names)
    )  # fmt: skip
    named = tuple(
        SeasonGang(**{**vars(gang), "name": name, "owner": f"Player of {name}"[:40]})
        for gang, name in zip(gangs, names, strict=True)
    )
    season = a_past(book, *games, gangs=named)
    held = {
        game.night: Night(starts_at=datetime(2026, 3, 1, 19, tzinfo=UTC), place=place)
        for game in games
    }
    tales = [Tale(game.id, game.sides[1].name, tale) for game in games[::2]]
    rosters = {ids[number]: roster(book, name) for number, name in enumerate(names)}
    return Material(_loaded(season), held, tales, rosters)


def _loaded(season: Season) -> LoadedSeason:
    campaign = Campaign(name="The burning of the mills")
    campaign.seats = []
    return LoadedSeason(campaign, season)
