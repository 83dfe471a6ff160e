"""The comparison finds what an import gets wrong, with an import made by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from rules.catalogues.results import Answers, Imported, Note
from tests.rules.catalogues.lists.by_hand import parse
from tests.rules.catalogues.lists.compare import book_of, compare
from tests.rules.catalogues.lists.evaluator import Data, Evaluated
from tests.rules.catalogues.lists.games import GAMES, files_of
from tests.rules.small import changed, limit, row, told

GAME = GAMES["phalenes"]
DATA = Data.read(files_of(GAME))
ANSWERS = Answers(money="points", worth="points")
PRICES = {"filet": 4, "arbalete": 9, "carreaux": 2, "coutelas": 5, "cor": 6, "grelot": 1}
LIMITS = [limit("count", of={"ranks": ["traqueur"]}, minimum=2, maximum=7, code="many")]


def imported(notes: tuple[Note, ...] = (), **changes: Any) -> Imported:
    """Return the game without its modifiers: a dog never makes the chef dearer."""
    rows: dict[str, Any] = {
        "ranks": [
            row("chef", price=25, leads=True),
            row("traqueur", price=12),
            row("chien", price=7),
        ],
        "items": [
            row("baton", group="arms", price=0),
            row("appat", group="goods", price=3),
            *(row(key, group="arms", price=price) for key, price in PRICES.items()),
        ],
        "traits": [told("piste", price=4), told("garde", price=3)],
        "limits": LIMITS,
        "budgets": [],
    }
    ids = {
        one["key"]: (table, one["key"])
        for table in ("ranks", "items", "traits")
        for one in rows[table]
    }
    return Imported(data=changed(**{**rows, **changes}), ids=ids, notes=notes)


def compared(game: Imported, words: str) -> Any:
    """Compare a list of the game."""
    found = Evaluated(DATA, "pha-lisiere", parse(words))
    return compare(game, book_of(game), ANSWERS, found)


SMALLEST = "chef\ntraqueur x2\n  baton"
WITH_DOG = f"{SMALLEST}\nchien"
NETS = "chef\n  filet x2\ntraqueur x2\n  baton\n  coutelas"


def test_equal_list_costs_the_same_and_is_allowed() -> None:
    found = compared(imported(), f"{SMALLEST}\n  arbalete\n    carreaux x3")
    assert found.costs_the_same and found.is_allowed_alike
    assert found.price == (Decimal(79), Decimal(79))
    assert not found.broken and not found.refused and not found.left


def test_difference_is_found_in_the_member_that_has_it() -> None:
    found = compared(imported(), WITH_DOG)
    assert not found.costs_the_same and not found.covers_costs
    assert [share.name for share in found.shares if not share.is_equal] == ["Chef d’équipage"]
    assert found.shares[0].price == (Decimal(26), Decimal(25))


@pytest.mark.parametrize(("place", "covers"), [("Chef d’équipage", True), ("Traqueur", False)])
def test_note_covers_the_member_that_it_names(place: str, covers: bool) -> None:
    game = imported((Note("modifier", ("Gens de la lisière", place)),))
    assert compared(game, WITH_DOG).covers_costs == covers


def test_selection_without_a_row_is_named() -> None:
    game = imported()
    ids = {key: place for key, place in game.ids.items() if key != "coutelas"}
    found = compared(replace(game, ids=ids), NETS)
    assert found.left == ("Coutelas",)
    assert not found.costs_the_same


def test_worth_is_compared_too() -> None:
    ranks = [row("chef", price=25, worth=25), row("traqueur", price=12), row("chien", price=7)]
    rating = {**changed()["rating"], "counts": "worth"}
    found = compared(imported(ranks=ranks, rating=rating), SMALLEST)
    assert found.shares[0].is_equal
    assert found.shares[1].worth == (Decimal(12), Decimal(0))
    assert not found.costs_the_same


@pytest.mark.parametrize(
    ("words", "broken", "refused"),
    [
        ("chef\ntraqueur\n  baton", True, True),
        (f"{SMALLEST}\n  coutelas\n  filet x2", True, False),
        (SMALLEST, False, False),
    ],
)
def test_refusals_are_compared(words: str, broken: bool, refused: bool) -> None:
    found = compared(imported(), words)
    assert (bool(found.broken), bool(found.refused)) == (broken, refused)
    assert found.is_allowed_alike == (broken == refused)


def test_list_that_the_imported_game_refuses_is_found() -> None:
    few = limit("items", groups=["arms"], per="member", maximum=1, code="arms")
    found = compared(imported(limits=[*LIMITS, few]), NETS)
    assert not found.broken
    assert "limit arms" in found.refused
    assert not found.is_allowed_alike and not found.covers_limits


def test_item_that_the_imported_game_does_not_offer_is_found() -> None:
    offers = [row("few", of={"ranks": ["traqueur"]}, items=["baton"], only=True)]
    found = compared(imported(offers=offers), NETS)
    assert found.refused == ("item coutelas: not_listed",)


def test_trait_that_the_imported_game_does_not_offer_is_found() -> None:
    traits = [told("piste", price=4, ranks=["chef"]), told("garde", price=3)]
    found = compared(imported(traits=traits), f"{WITH_DOG}\n  piste")
    assert "trait piste" in found.refused


def test_kit_of_a_rank_is_not_bought_twice() -> None:
    offers = [row("kit", of={"ranks": ["traqueur"]}, items=["baton"], included=True)]
    found = compared(imported(offers=offers), SMALLEST)
    assert found.costs_the_same and not found.refused
