"""Currencies beside money on the pages of a gang."""

from __future__ import annotations

import html

from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.ledger import writer
from rules.book.limits import HoldingsLimit
from rules.book.model import Book
from rules.library import load
from tests.api.test_api import reader
from tests.games.test_currencies import ANN, FOUNDING
from tests.gangs.builder.test_builder import Player


def test_builder_shows_spends_and_refuses(client: Client, alice: User, circle: Book) -> None:
    client.force_login(alice)
    player = Player(client, writer.found(load(circle)[0], FOUNDING, owner=alice))
    page = html.unescape(client.get(f"{player.base}members/{ANN}/items/").content.decode())
    assert "2 candles + 1 favours" in page
    for left in (1, 0):
        player.press(f"members/{ANN}/items/", buy="clapper")
        assert f"{left} favours" in html.unescape(client.get(player.base).content.decode())
    refused = player.press(f"members/{ANN}/items/", buy="clapper")
    assert refused.status_code == 422
    assert "Favours: 1 short" in html.unescape(refused.content.decode())
    player.press("undo/")
    page = html.unescape(client.get(f"{player.base}sheet/").content.decode())
    assert "Favours" in page and "1 favours" in page
    rules = client.get(reverse("rules:version-chapter", args=[load(circle)[0].pk, "building"]))
    assert "Favours" in html.unescape(rules.content.decode())


def test_task_of_a_holding_leads_to_the_holdings(client: Client, alice: User, circle: Book) -> None:
    wanted = HoldingsLimit.model_validate(
        {
            "kind": "holdings",
            "code": "HOME",
            "severity": "error",
            "minimum": 1,
            "text": {"en": "{count} holdings."},
            "task": {"en": "Somewhere to sit"},
            "source": "ledger",
        }
    )
    book = circle.changed(limits=(*circle.limits, wanted), edition="homeless")
    client.force_login(alice)
    gang = writer.found(load(book)[0], FOUNDING, owner=alice)
    base = reverse("gangs:builder", args=[gang.pk])
    page = html.unescape(client.get(base).content.decode())
    assert "Somewhere to sit" in page and f"{base}#holdings" in page


def test_sheet_in_the_api_has_currencies(alice: User, circle: Book) -> None:
    clapper = kinds.Bought(item="clapper", member=ANN, costs={"favour": 1})
    gang = writer.found(load(circle)[0], [*FOUNDING, clapper], owner=alice)
    sheet = reader(alice).ask(f"/gangs/{gang.pk}")
    assert sheet["purses"] == [{"key": "favour", "name": "Favours", "amount": 1}]
    [ann] = sheet["members"]
    assert ann["costs"] == [{"key": "favour", "name": "Favours", "amount": 1}]
