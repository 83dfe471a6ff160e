"""Consumables on the pages: a gang's, a post-game's and the rules'."""

from __future__ import annotations

import html
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from gangs.ledger import writer
from gangs.models import Gang
from printing.sheets.blank import BlankOrder
from printing.sheets.founding import founding
from rules.book.model import Book
from rules.library import load
from rules.reference_pages.words import BookWording
from tests.games.test_consumables import ANN, BEN, FOUNDING, INCENSE, SECOND, WARD
from tests.gangs.builder.test_builder import Player
from tests.world.campaigns import confirmed, make_game, reported, side_of
from tests.world.gangs import played


def make_circle(owner: User, book: Book, *games: str) -> Gang:
    return writer.found(
        load(book)[0], [*FOUNDING, *(played(book, game, ANN, BEN) for game in games)], owner=owner
    )


def test_card_and_stash_sell_and_use_items(client: Client, alice: User, circle: Book) -> None:
    client.force_login(alice)
    player = Player(client, make_circle(alice, circle, "g1"))
    page = html.unescape(client.get(f"{player.base}?open={ANN}").content.decode())
    assert "Uses: 3. Add 1 to a calling." in page
    assert page.count('value="used"') == 1 and page.count("Sell for 2 candles") == 1
    player.press(f"items/{INCENSE}/", to="used")
    page = html.unescape(client.get(f"{player.base}?open={ANN}").content.decode())
    assert "Uses left: 2 of 3." in page and page.count("Sell for 2 candles") == 1
    player.press(f"items/{SECOND}/", to="stash")
    player.press(f"items/{SECOND}/", to="sold")
    assert player.roster().treasury == 26 and not player.roster().stash
    refused = player.press(f"items/{INCENSE}/", to="sold")
    assert "Nobody buys something that has been used." in html.unescape(refused.content.decode())
    sheet = html.unescape(client.get(f"{player.base}sheet/").content.decode())
    assert "Uses left: 2 of 3." in sheet
    history = html.unescape(client.get(f"{player.base}history/").content.decode())
    assert "Incense was sold for 2 candles." in history and "Incense: 1 use." in history


def test_post_game_page_asks_how_often_an_item_was_used(
    client: Client, alice: User, bob: User, circle: Book
) -> None:
    version = load(circle)[0]
    campaign = joining.start(
        name="House to house",
        version=version,
        settings={},
        notes="",
        organiser=alice,
        token=uuid.uuid4(),
    )
    gangs = []
    for user in (alice, bob):
        gang = make_circle(user, circle)
        joining.join(campaign, gang, actor=user, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    game = confirmed(reported(make_game(campaign, alice, *gangs), alice, result="won"), bob)
    side = side_of(game, gangs[0])
    client.force_login(alice)
    address = [side.game_id, side.pk]
    page = html.unescape(client.get(reverse("campaigns:postgame", args=address)).content.decode())
    assert "How often was it used?" in page and "Incense" in page and "Ward of salt" in page
    for item, count in ((INCENSE, "2"), (SECOND, "0"), (WARD, "1")):
        side.refresh_from_db()
        client.post(
            reverse("campaigns:postgame-answer", args=address),
            {
                "act": "choose",
                "seen": side.draft_version,
                "key": f"burnt:{item}",
                "option": count,
                "step": "burnt",
            },
        )
    page = html.unescape(client.get(reverse("campaigns:postgame", args=address)).content.decode())
    assert "Incense: 2 uses." in page and "Ward of salt was used up." in page


@pytest.mark.django_db
def test_rules_say_the_prices_of_copies_resale_and_uses(client: Client, circle: Book) -> None:
    version = load(circle)[0]
    chapter = reverse("rules:version-chapter", args=[version.pk, "items"])
    page = html.unescape(client.get(chapter).content.decode())
    assert (
        "A member’s further copies: 6\N{NO-BREAK SPACE}candles, 9\N{NO-BREAK SPACE}candles. 3 uses."
        in page
    )
    assert "Sold for 1/2 of its price." in page and "Cannot be sold. 1 use." in page


def test_blank_form_lists_the_prices_of_further_copies(circle: Book) -> None:
    form = founding(BookWording(circle, "en"), circle.usual, BlankOrder(language="en"))
    prices = {entry.name: entry.text for one in form.lists for entry in one.entries}
    assert prices["Incense"] == "4 / 6 / 9" and prices["Ward of salt"] == "5"
