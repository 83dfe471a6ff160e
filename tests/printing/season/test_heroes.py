"""The heroes of a season."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gangs.engine.timeline import Person
from printing.season.heroes import HIGH, LARGEST, OTHERS, heroes
from rules.book.model import Book
from tests.world.gangs import GOLD, shipped
from tests.world.pasts import a_game, a_gang, a_past, a_side


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped(GOLD)


def person(number: int, name: str = "", **more: object) -> Person:
    rank = shipped(GOLD).ranks[0].key
    return Person.model_validate({"id": number, "name": name, "rank": rank, "games": 1, **more})


def test_hero_took_out_the_most_in_the_campaigns_games(book: Book) -> None:
    """Deeds elsewhere do not count; equals are ordered by experience; heroes have at least a
    deed."""
    games = (
        a_game(1, a_side("crows", out={1: 1, 2: 2}), a_side("otters", "loser", out={1: 2})),
        a_game(2, a_side("crows", out={1: 1}), a_side("herons", "loser")),
    )
    gangs = (
        a_gang("crows", people=(person(1, "Ada", taken_out=9), person(2, "Bel", experience=1))),
        a_gang("otters", people=(person(1, "Cid", experience=3, taken_out=2, fate="dead"),)),
        a_gang("herons", people=(person(1, "Dot"),)),
    )
    found = heroes(a_past(book, *games, gangs=gangs))
    assert [(hero.name, hero.gang.name, hero.fallen) for hero in found] == [
        ("Cid", "Otters", True),
        ("Bel", "Crows", False),
    ]
    assert found[0].figures == [(1, "game"), (2, "enemies out"), (3, "Experience")]
    assert found[0].key == ("otters", 1)
    assert found[0].deeds[0] == "Took 2 enemies out of action, more than anybody else in Otters."


def test_hero_counts_each_game_once(book: Book) -> None:
    """Also where a report names them twice, and in the sentences below the figures."""
    side = a_side("crows", out={1: 1})
    twice = replace(side, report=side.report.model_copy(update={"fielded": (1, 1, 2)}))
    games = (a_game(1, twice, a_side("otters", "loser")), a_game(2, side))
    # The member has played elsewhere, too.
    gangs = (a_gang("crows", people=(person(1, "Ada", games=9, taken_out=9),)),)
    [hero] = heroes(a_past(book, *games, gangs=gangs))
    assert hero.figures[:2] == [(2, "games"), (2, "enemies out")]
    assert "Fought in 2 games, 2 of them won." in hero.deeds
    assert hero.deeds[0].startswith("Took 2 enemies")


def test_season_without_deeds_has_no_heroes(book: Book) -> None:
    gangs = (a_gang("crows", people=(person(1, "Ada"),)), a_gang("otters"))
    game = a_game(1, a_side("crows"), a_side("otters", "loser"))
    assert heroes(a_past(book, game, gangs=gangs)) == []
    assert heroes(a_past(book)) == []


def test_heroes_are_the_best_of_many_gangs(book: Book) -> None:
    names = [f"gang{number}" for number in range(12)]
    games = [a_game(number, a_side(name, out={1: number + 1})) for number, name in enumerate(names)]
    gangs = tuple(a_gang(name, people=(person(1),)) for name in names)
    found = heroes(a_past(book, *games, gangs=gangs))
    assert [hero.gang.id for hero in found] == [f"gang{at}" for at in range(11, 10 - OTHERS, -1)]
    # A nameless member is called by their rank.
    assert {(hero.name, hero.rank) for hero in found} == {(book.ranks[0].name["en"], "")}


def test_picture_fills_the_rest_of_the_page(book: Book) -> None:
    game = a_game(1, a_side("crows", out={1: 1}))
    [short] = heroes(a_past(book, game, gangs=(a_gang("crows", people=(person(1, "Ada"),)),)))
    lengthy = "Maximilienne-Alexandrine de la Tour du Pin Montauban the Third of her Name"
    [long] = heroes(a_past(book, game, gangs=(a_gang("crows", people=(person(1, lengthy),)),)))
    assert short.size > long.size
    for paper in HIGH:
        assert short.picture(paper, 0) == LARGEST
        assert LARGEST > short.picture(paper, OTHERS) > 45
        assert short.picture(paper, OTHERS) > long.picture(paper, OTHERS) > 40
