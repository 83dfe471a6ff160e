"""Offers on the pages: a gang's picker and card, a post-game, the rules and the blank form."""

from __future__ import annotations

import html
import uuid

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from gangs.engine import entries as kinds
from gangs.engine.fold import fold, no_books
from gangs.files.exporting import export_gang
from gangs.files.format import BadFile, read_file, roster_of
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.ledger import writer
from gangs.models import Gang
from printing.sheets.blank import BlankOrder
from printing.sheets.founding import founding
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from rules.library import load
from rules.reference_pages.words import BookWording
from tests.games.test_offers import COUSIN, ELDER, FOUNDING, PICKER
from tests.gangs.builder.test_builder import Player
from tests.world.campaigns import confirmed, make_game, reported, side_of


def make_household(owner: User, book: Book) -> Gang:
    return writer.found(load(book)[0], FOUNDING, owner=owner)


def test_builder_shows_lists_prices_and_kits(client: Client, alice: User, terraces: Book) -> None:
    client.force_login(alice)
    player = Player(client, make_household(alice, terraces))

    def show(member: int) -> str:
        page = client.get(f"{player.base}members/{member}/items/")
        return html.unescape(page.content.decode())

    assert "Not among the items offered to this member" in show(PICKER)
    assert "Buy Billhook, 3 grapes" in show(COUSIN) and "Buy Billhook, 4 grapes" in show(ELDER)
    assert "Only after somebody found it (2D6 ≥ 9)" in show(ELDER)
    player.press("members/", rank="elder", name="Odo")
    odo = player.roster().members[-1]
    assert [(owned.key, owned.included) for owned in odo.items] == [("keys", True)]
    card = html.unescape(client.get(f"{player.base}?open={odo.id}").content.decode())
    item = card.partition(f'id="item-{odo.items[0].id}"')[2].partition("</li>")[0]
    assert "Keys" in item and 'value="stash"' not in item
    history = html.unescape(client.get(f"{player.base}history/").content.decode())
    assert "Odo joined with Keys." in history


def test_post_game_page_asks_what_members_look_for(
    client: Client, alice: User, bob: User, terraces: Book
) -> None:
    campaign = joining.start(
        name="The wet year",
        version=load(terraces)[0],
        settings={},
        notes="",
        organiser=alice,
        token=uuid.uuid4(),
    )
    gangs = []
    for user in (alice, bob):
        gang = make_household(user, terraces)
        joining.join(campaign, gang, actor=user, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    game = confirmed(reported(make_game(campaign, alice, *gangs), alice, result="won"), bob)
    side = side_of(game, gangs[0])
    client.force_login(alice)
    address = reverse("campaigns:postgame", args=[side.game_id, side.pk])
    answers = reverse("campaigns:postgame-answer", args=[side.game_id, side.pk])
    page = html.unescape(client.get(address).content.decode())
    assert "What do they look for?" in page and "The old vintage (2D6 ≥ 9)" in page
    for sent in (
        {"act": "choose", "key": f"cellars:{ELDER}", "option": "offer:old_vintage"},
        {"act": "choose", "key": f"cellars:{COUSIN}", "option": "nothing"},
        {"act": "typed", "key": f"cellars:{ELDER}:old_vintage", "faces": "5 4"},
    ):
        side.refresh_from_db()
        client.post(answers, {**sent, "seen": side.draft_version, "step": "cellars"})
    page = html.unescape(client.get(address).content.decode())
    assert "Ada found The old vintage: 5 + 4 (rolled at the table)." in page


@pytest.mark.django_db
def test_rules_show_the_offers(client: Client, terraces: Book) -> None:
    version = load(terraces)[0]
    chapter = reverse("rules:version-chapter", args=[version.pk, "building"])
    page = html.unescape(client.get(chapter).content.decode())
    for words in (
        "Who can buy what",
        "A picker’s tools",
        "they can buy nothing else",
        "they join with these",
        "found with 2D6 ≥ 9 after a game, until the next",
    ):
        assert words in page
    steps = reverse("rules:version-chapter", args=[version.pk, "campaign"])
    assert "The old vintage" in html.unescape(client.get(steps).content.decode())


def test_blank_form_lists_kits_and_closed_lists(terraces: Book) -> None:
    form = founding(BookWording(terraces, "en"), terraces.usual, BlankOrder(language="en"))
    assert {"A picker’s tools: Stave (1 per member)", "An elder’s keys: Keys"} <= set(form.rules)


def test_file_is_refused_when_a_search_has_other_dice(alice: User, terraces: Book) -> None:
    version = load(terraces)[0]
    for dice, is_right in (("2d6", True), ("1d6", False)):
        roll = DiceRoll(dice=dice, faces=(6,) * int(dice[0]), thrown_by="table")
        searched = kinds.Searched(member=ELDER, offer="old_vintage", roll=roll)
        gang = writer.found(version, [*FOUNDING, searched], owner=alice)
        file = read_file(export_gang(gang).encode())
        if is_right:
            assert roster_of(terraces, file, no_books).found == ("old_vintage",)
        else:
            with pytest.raises(BadFile):
                roster_of(terraces, file, no_books)


def test_file_is_refused_when_the_price_has_other_dice(alice: User, terraces: Book) -> None:
    version = load(terraces)[0]
    found = DiceRoll(dice="2d6", faces=(6, 6), thrown_by="table")
    for dice, is_right in (("1d6", True), ("1d3", False)):
        price = DiceRoll(dice=dice, faces=(3,), thrown_by="table")
        searched = kinds.Searched(
            member=ELDER, offer="grafting_knife", roll=found, price_roll=price
        )
        gang = writer.found(version, [*FOUNDING, searched], owner=alice)
        file = read_file(export_gang(gang).encode())
        if is_right:
            assert roster_of(terraces, file, no_books).found_prices == {"grafting_knife": 6}
        else:
            with pytest.raises(BadFile):
                roster_of(terraces, file, no_books)


def test_history_corrects_the_dice_for_a_price(terraces: Book) -> None:
    found = DiceRoll(dice="2d6", faces=(4, 4), thrown_by="table")
    price = DiceRoll(dice="1d6", faces=(3,), thrown_by="table")
    searched = kinds.Searched(member=ELDER, offer="grafting_knife", roll=found, price_roll=price)
    moment = EntryMoment(terraces, fold(terraces, enumerate(FOUNDING, start=1)), 20)
    asked = EntryForm(moment, "searched", searched)
    assert list(asked.fields) == ["member", "offer", "roll", "plus", "price_roll"]
    data = QueryDict(mutable=True)
    data.update({key: str(asked.initial[key]) for key in asked.fields})
    data.update({"price_roll": "5", "plus": "-1"})
    form = EntryForm(moment, "searched", searched, data)
    assert form.is_valid(), form.errors
    corrected = form.new_entry
    assert isinstance(corrected, kinds.Searched)
    assert corrected.plus == -1 and corrected.price_roll is not None
    assert corrected.price_roll.faces == (5,)
