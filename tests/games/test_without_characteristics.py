"""A game whose members have no characteristics, only a rank and what they carry: built, shown and
printed."""

from __future__ import annotations

import tomllib

import pytest
from django.test import Client

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.ledger import writer
from printing.reference import job as reference
from printing.sheets import blank, cards
from printing.sheets import roster as sheet
from rules.book.model import Book
from rules.library import load
from rules.loading.examining import examine_data
from rules.loading.reader import RawBook, parse
from rules.reference_pages import chapters

GAME = tomllib.loads(
    """
slug = "pawns"
languages = ["en"]
name = "Pawns"
summary = "Wooden pawns, all alike."
edition = "1"
author = "The project"
money = { name = "Pegs", unit = "pegs" }
rating = { name = "Worth", unit = "pegs" }
budgets = [{ amount = 20 }]
sources = { lid = { title = "The lid", text = "All there is." } }

[campaign]
text = "Board after board."
standings = ["wins"]

[[campaign.results]]
kind = "decided"
key = "won"
name = "Won"
text = "One side takes the king."
winner = 3
loser = 1
source = "lid"

[[campaign.marks]]
key = "taken"
name = "Taken"
text = "Off the board."
source = "lid"

[[campaign.steps]]
kind = "income"
key = "pegs"
name = "Pegs"
text = "For both sides."
source = "lid"

[[ranks]]
key = "king"
name = "King"
price = 8
leads = true
source = "lid"

[[ranks]]
key = "pawn"
name = "Pawn"
price = 3
source = "lid"

[[groups]]
key = "hats"
name = "Hats"
source = "lid"

[[items]]
key = "crown"
group = "hats"
name = "Crown"
price = 2
source = "lid"
"""
)


@pytest.fixture
def pawns() -> Book:
    """Return the game of pawns."""
    return parse(RawBook(GAME, "pawns"))


def test_checker_accepts_a_game_without_characteristics() -> None:
    found = examine_data("pawns", GAME)
    assert found.mistakes == ()


@pytest.mark.django_db
def test_gang_without_characteristics_is_built_shown_and_printed(
    client: Client, alice: User, pawns: Book
) -> None:
    entries = [
        kinds.Founded(name="White", settings={}),
        kinds.Recruited(rank="king", name="Otto"),
        kinds.Recruited(rank="pawn", name="Pim"),
        kinds.Bought(item="crown", member=2),
    ]
    gang = writer.found(load(pawns)[0], entries, owner=alice)
    client.force_login(alice)
    for address in ("?open=2", "members/2/items/", "sheet/", "history/"):
        page = client.get(f"{gang.get_absolute_url()}{address}")
        assert page.status_code == 200, address
        assert "Otto" in page.content.decode(), address
    assert "Otto" in sheet.job(gang, sheet.SheetOrder("en")).html
    assert "Otto" in cards.job(gang, cards.CardsOrder("en")).html
    assert "Crown" in blank.job(pawns, blank.BlankOrder("en")).html
    assert "Crown" in reference.job(pawns, reference.ReferenceOrder("en")).html
    for address in ["", *(f"{one.key}/" for one in chapters.render(pawns, "en").chapters)]:
        assert client.get(f"/rules/pawns/{address}").status_code == 200
