"""Weapons on cards, sheets, prints and in the picker: their values are computed for their
bearer.
"""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import override

from accounts.models import User
from gangs.cards.render import render
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.ledger import writer
from gangs.models import Gang
from printing.press import layout as press
from printing.press.jobs import Job
from printing.sheets import cards as prints_cards
from printing.sheets import roster as prints_sheet
from printing.sheets.cards import CardsOrder
from printing.sheets.roster import SheetOrder
from tests.gangs.rosters import member, roster
from tests.printing.reading import text_of
from tests.world.gangs import GOLD, POINTS, make_version, shipped


def strong() -> ComputedGang:
    book = shipped(POINTS)
    one = member("henchman", points={"str": 5}, items=["tomahawk", "bowie_knife"])
    return ComputedGang.of(book, roster(book, one))


def test_card_shows_and_explains_a_weapon_s_values_for_its_bearer() -> None:
    page = render(strong(), "en")
    tomahawk, knife = page.cards[0].items
    assert dict(tomahawk.cells)["Short range"] == '6+1D6"'
    assert dict(tomahawk.cells)["Str"] == "7"
    assert tomahawk.how == 'Short range 6+1D6": Str + 1D6", Str = 6 · Str 7: M+1, M = 6'
    assert (dict(knife.cells)["Short range"], dict(knife.cells)["Str"]) == ("–", "7")
    # An item that everybody has is once below the members, with its written values.
    assert dict(page.innate[0].cells)["Str"] == "M"


def test_card_shows_a_plain_number_that_is_another_for_its_bearer() -> None:
    book = shipped(GOLD)
    one = member("leader", traits=["shooter"], items=["pistol"])
    [pistol] = render(ComputedGang.of(book, roster(book, one)), "en").cards[0].items
    assert [value for _name, value in pistol.cells] == ['3"', "1"]
    assert pistol.how == "Act. 1 instead of 2"


def test_condition_of_the_bearer_changes_the_weapon() -> None:
    book = shipped(POINTS)
    one = member("henchman", points={"str": 5}, items=["bowie_knife"], conditions=["weak_str"])
    page = render(ComputedGang.of(book, roster(book, one)), "fr")
    assert dict(page.cards[0].items[0].cells)["Str"] == "6"


def hurled() -> ComputedGang:
    """A strong member with a tomahawk that is stronger when it is thrown."""
    book = shipped(POINTS)
    tomahawk = book.item["tomahawk"]
    [thrown] = tomahawk.modes
    so = thrown.model_copy(update={"columns": {"strength": "M+2"}})
    items = tuple(
        one.model_copy(update={"modes": (so,)}) if one.key == "tomahawk" else one
        for one in book.items
    )
    one = member("henchman", points={"str": 5}, items=["tomahawk", "bowie_knife"])
    return ComputedGang.of(book.changed(items=items), roster(book, one))


def test_card_shows_values_that_differ_when_a_weapon_is_thrown() -> None:
    tomahawk, knife = render(hurled(), "en").cards[0].items
    assert tomahawk.text.endswith("Thrown (Str 8).") and "(" not in knife.text
    # A mode whose columns say the same is not mentioned again.
    assert "Thrown" not in render(strong(), "en").cards[0].items[0].text


def test_card_shows_both_modes_of_a_weapon_in_other_games() -> None:
    blade, cran = shipped("du-sang-sur-la-lame"), shipped("cran")
    spears = ComputedGang.of(blade, roster(blade, member(blade.ranks[0].key, items=["spear"])))
    assert render(spears, "fr").cards[0].items[0].text == 'Lancée (Portée 3").'
    guns = ComputedGang.of(cran, roster(cran, member("veteran", items=["lemat"])))
    told = render(guns, "en").cards[0].items[0].text
    # Words that mean the same for everybody stay.
    assert told.endswith('As a sawn-off shotgun (Short 6" corridor · Medium – · Long –).')


def test_prints_show_every_mode_of_a_weapon_as_a_row() -> None:
    with override("en"):
        small = prints_sheet.markup(hurled(), SheetOrder("en"))
        large = prints_sheet.markup(hurled(), SheetOrder("en", style="accessible"))
        cards = prints_cards.markup(hurled(), CardsOrder("en"))
    # Names are lines of one paragraph, values those of another.
    assert "\n– Thrown\n" in small and "\n4\t1\t6+1D6&quot;\t–\t8\n" in small
    for page in (large, cards):
        row = re.search(r"– Thrown</b></th>(.*)</tr>", page)
        assert row is not None and row[1].endswith("<td>8</td>")
        assert "Thrown (" not in page


@pytest.mark.long
@pytest.mark.papers
def test_prints_show_the_same_computed_values() -> None:
    computed = strong()
    for language in ("en", "fr"):
        with override(language):
            cards = prints_cards.markup(computed, CardsOrder(language))
            sheet = prints_sheet.markup(computed, SheetOrder(language))
        assert "6+1D6″" in text_of(press.pdf(Job(cards, styles=("fonts", "cards"))))
        assert "6+1D6&quot;" in sheet


def made(alice: User) -> Gang:
    entries = [
        kinds.Founded(name="Axes", settings=shipped(POINTS).default_settings()),
        kinds.Recruited(rank="henchman", name="Ann"),
        kinds.PointsSpread(member=2, characteristic="str", amount=5),
        kinds.Bought(item="bowie_knife", member=2),
    ]
    return writer.found(make_version(), entries, owner=alice)


def test_only_an_open_card_explains_computed_values(client: Client, alice: User) -> None:
    home = made(alice).get_absolute_url()
    client.force_login(alice)
    assert "(Str 7: M+1, M = 6)" in client.get(f"{home}?open=2").content.decode()
    for page in ("stash/", "sheet/", "members/2/items/"):
        assert "M+1, M" not in client.get(f"{home}{page}").content.decode()
