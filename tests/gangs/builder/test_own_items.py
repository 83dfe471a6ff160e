"""Custom items: they are bought, carried, priced, printed and lost like any other."""

from __future__ import annotations

import html

import pytest
from django.test import Client

from accounts.models import User
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.own_items import extend_book
from gangs.engine.roster import OwnItem, Roster
from gangs.engine.validation import findings
from gangs.files import importing as files_importing
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.ledger import writer
from gangs.models import Gang
from tests.gangs.builder.test_builder import Player
from tests.world.gangs import make_gang, make_version, scene_of, shipped

PISTOL = {
    "name": "Colt Paterson",
    "price": "5",
    "hands": "1",
    "column-short": '9"',
    "column-long": '18"',
    "column-strength": "4",
    "text": "Five shots",
}


def declare(client: Client, alice: User, **values: str) -> Player:
    client.force_login(alice)
    player = Player(client, make_gang(alice, sample=None))
    player.press("members/", rank="leader", name="Ada")
    answer = player.press("own-items/?group=pistol", options={**PISTOL, **values})
    assert answer.status_code == 302, answer.content.decode()
    return player


@pytest.mark.long
def test_own_item_is_offered_bought_priced_and_recorded(client: Client, alice: User) -> None:
    player = declare(client, alice)
    own = player.roster().own_items[0]
    assert (own.name, own.price, own.level) == ("Colt Paterson", 5, 5)
    member = player.roster().members[0].id
    picker = client.get(f"{player.base}members/{member}/items/?q=paterson").content.decode()
    assert f'value="{own.key}"' in picker
    player.press(f"members/{member}/items/", buy=own.key)
    assert Gang.objects.get(pk=player.gang.pk).rating == 105
    page = client.get(f"{player.base}?open={member}").content.decode()
    assert "Colt Paterson" in page and "Five shots" in page
    assert "Colt Paterson" in client.get(f"{player.base}sheet/").content.decode()
    history = client.get(f"{player.base}history/").content.decode()
    assert "New custom item: Colt Paterson" in history
    assert "Ada got Colt Paterson (5 gold)." in history
    codes = [finding.code for finding in findings(scene_of(player.gang).book, player.roster())]
    assert "weapon_level" in codes


def test_own_item_takes_a_place_like_any_weapon(client: Client, alice: User) -> None:
    player = declare(client, alice)
    own = player.roster().own_items[0].key
    member = player.roster().members[0].id
    player.press(f"members/{member}/items/", buy=own)
    answer = player.press(f"members/{member}/items/", htmx=True, buy=own)
    assert answer.status_code == 422 and "No place left" in answer.content.decode()


def test_striking_an_own_item_also_strikes_its_purchase(client: Client, alice: User) -> None:
    player = declare(client, alice)
    member = player.roster().members[0].id
    player.press(f"members/{member}/items/", buy=player.roster().own_items[0].key)
    batch = player.gang.entries.get(kind="item_declared").batch
    answer = player.press(f"history/{batch}/")
    assert "These would no longer fit" in answer.content.decode()
    bought = player.gang.entries.get(kind="bought")
    player.press(f"history/{batch}/", sure="1", **{f"entry-{bought.seq}": "strike"})
    assert player.roster().own_items == () and player.roster().members[0].items == ()
    assert player.roster() == writer.replay_roster(player.gang)


def test_own_item_is_exported_with_the_gang(client: Client, alice: User) -> None:
    player = declare(client, alice)
    file = read_file(export_gang(player.gang).encode())
    copy = files_importing.write_gang(make_version(), file, owner=alice)
    assert copy.roster == player.roster()


def test_mistake_in_an_own_item_is_shown_beside_its_field(client: Client, alice: User) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice, sample=None))
    wrong = {**PISTOL, "price": "-1", "name": ""}
    answer = player.press("own-items/?group=pistol", options=wrong)
    text = answer.content.decode()
    assert answer.status_code == 422 and "invalid-feedback" in text and "Five shots" in text
    assert player.roster().own_items == ()
    assert "What kind" in text or "Add it" in text
    assert client.get(f"{player.base}own-items/?group=nothing").status_code == 200


def test_own_item_does_not_change_the_rulebook() -> None:
    assert "own-2" not in shipped("blackwater-gulch").item


def test_own_armour_changes_its_wearer(client: Client, alice: User) -> None:
    """“Resistance +2”: from the declaration to the card, the history, a file and another site."""
    client.force_login(alice)
    player = Player(client, make_gang(alice, slug="au-un-pour-un", sample=None))
    player.press("members/", rank="chef", name="Ada")
    book = player.gang.book
    row = next(row for row in book.characteristics if row.name["en"] == "Resistance")
    group = next(group.key for group in book.groups if group.key != "other")
    form = client.get(f"{player.base}own-items/?group={group}").content.decode()
    assert f"Adds to {row.name['en']}" in form
    options = {"name": "Oilskin", "price": "3", "text": "", f"adds-{row.key}": "2"}
    answer = player.press(f"own-items/?group={group}", options=options)
    assert answer.status_code == 302, answer.content.decode()
    [own] = player.roster().own_items
    assert own.adds == {row.key: 2}
    member = player.roster().members[0].id
    plain = scene_of(player.gang).profiles[member].number(row.key)
    player.press(f"members/{member}/items/", buy=own.key)
    gang = Gang.objects.get(pk=player.gang.pk)
    score = scene_of(gang).profiles[member].scores[row.key]
    assert (score.value, [change.cause["en"] for change in score.changes]) == (
        plain + 2,
        ["Oilskin"],
    )
    copy = files_importing.write_gang(
        make_version("au-un-pour-un"), read_file(export_gang(gang).encode()), owner=alice
    )
    assert copy.roster.own_items[0].adds == {row.key: 2}


def test_own_item_cannot_add_to_an_unknown_characteristic(client: Client, alice: User) -> None:
    gang = make_gang(alice, sample=None)
    item = kinds.ItemDeclared(name="Ring", group="pistol", price=1, adds={"magic": 3})
    with pytest.raises(Refusal, match="not_offered"):
        actions.declare_item(scene_of(gang), item)


@pytest.mark.parametrize("written", ["+2", "Resistance +2", "R+2", "résistance + 2"])
def test_column_of_an_own_item_counts_like_that_of_a_rulebook_item(written: str) -> None:
    """A rulebook's armour adds the value in that column to its wearer, and so does a custom
    item.
    """
    book = shipped("au-un-pour-un")
    own = OwnItem(
        key="own-1", name="Hide", group="armour", price=0, columns={"resistance": written}
    )
    [item] = [
        one for one in extend_book(book, Roster(own_items=(own,))).items if one.key == "own-1"
    ]
    leather = book.item["mailles"]
    assert [(one.kind, one.characteristic, one.amount) for one in item.effects] == [
        (one.kind, one.characteristic, one.amount) for one in leather.effects
    ]


def test_declared_addition_of_an_own_item_overrides_its_column() -> None:
    own = OwnItem(
        key="own-1",
        name="Hide",
        group="armour",
        price=0,
        columns={"resistance": "+2"},
        adds={"r": 1},
    )
    found = extend_book(shipped("au-un-pour-un"), Roster(own_items=(own,)))
    assert [one.amount for one in found.item["own-1"].effects] == [1]


def test_cell_that_no_roll_can_read_is_refused_beside_its_field(
    client: Client, alice: User
) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice, sample=None))
    wrong = {**PISTOL, "column-strength": "rather strong"}
    answer = player.press("own-items/?group=pistol", options=wrong)
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert "Rolls cannot use that. Write it like 4, +2, 3+1D6, or leave it empty." in page
    worded = {**PISTOL, "column-strength": "Strength +1", "column-short": "Str"}
    assert player.press("own-items/?group=pistol", options=worded).status_code == 302
