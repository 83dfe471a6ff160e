"""The names of a gang: one press names all, a die changes one, and each can be typed."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from tests.gangs.builder.test_changes import Player
from tests.world.gangs import make_gang

GAME = "blackwater-gulch"


def unnamed_gang(client: Client, alice: User) -> Player:
    client.force_login(alice)
    player = Player(client, make_gang(alice, GAME, sample=None))
    for archetype in ("two_guns", "hunter", "rifle", "rifle", "pick"):
        player.press("members/", archetype=archetype)
    return player


def names_of(player: Player) -> list[str]:
    return [one.name for one in player.roster().members]


@pytest.mark.long
def test_one_press_names_everybody_and_undo_takes_it_back(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    page = client.get(player.gang.get_absolute_url()).content.decode()
    assert "Name everybody" in page.split('id="findings"')[1]
    assert player.press("names/", all="1").status_code == 302
    listed = player.gang.book.names.root["en"]
    assert len(set(names_of(player))) == 5 and set(names_of(player)) <= set(listed)
    assert "5 named." in client.get(player.gang.get_absolute_url()).content.decode()
    player.press("undo/")
    assert names_of(player) == [""] * 5


def test_die_proposes_a_name_and_stores_nothing(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    ids = [one.id for one in player.roster().members]
    fields = {f"name-{key}": "" for key in ids} | {f"name-{ids[1]}": "Zed"}
    answer = player.press("names/", die=f"name-{ids[0]}", **fields)
    assert answer.status_code == 200
    values = dict(re.findall(r'name="(name-\d+)"\s+value="([^"]*)"', answer.content.decode()))
    assert values[f"name-{ids[0]}"] in player.gang.book.names.root["en"]
    assert values[f"name-{ids[1]}"] == "Zed"
    assert names_of(player) == [""] * 5


def test_names_page_tells_unnamed_members_of_a_rank_apart_by_their_gear(
    client: Client, alice: User
) -> None:
    player = unnamed_gang(client, alice)
    page = client.get(f"{player.gang.get_absolute_url()}names/").content.decode()
    book = player.gang.book
    for member in player.roster().members:
        [label] = re.findall(rf'<label for="id_name_name-{member.id}">(.*?)</label>', page, re.S)
        assert all(str(book.item[one.key].name["en"]) in label for one in member.items[:1]), label


def test_typed_names_are_saved_together(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    ids = [one.id for one in player.roster().members]
    fields = {f"name-{key}": f"Zed {key}" for key in ids}
    assert player.press("names/", **fields).status_code == 302
    assert names_of(player) == [f"Zed {key}" for key in ids]


def test_too_long_name_is_refused_beside_its_field(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    first = player.roster().members[0].id
    answer = player.press("names/", **{f"name-{first}": "Z" * 81})
    page = answer.content.decode()
    assert answer.status_code == 422 and f'id="id_name_name-{first}_error"' in page
    assert "Z" * 81 in page and names_of(player) == [""] * 5


def test_finished_gang_is_legal_and_leads_on(client: Client, alice: User) -> None:
    """Unspent money is a note; it is no longer a task."""
    player = unnamed_gang(client, alice)
    player.press("names/", all="1")
    page = client.get(player.gang.get_absolute_url()).content.decode()
    part = page.split('id="findings"')[1].split("</section>")[0]
    assert "is-legal" in part and "to do" not in part
    ready = page.split('id="ready"')[1].split("</div>")[0]
    for way in ("prints/", "/play/", "#sharing"):
        assert way in ready
    assert "finding-warning" not in part


def paste(
    player: Player, names: str, whom: str = "unnamed", **fields: str
) -> tuple[int, str, list[str]]:
    """Press the button that fills a list in: the status, the page, and the values of its fields."""
    answer = player.press("names/", paste="1", names=names, whom=whom, **fields)
    page = answer.content.decode()
    return answer.status_code, page, re.findall(r'name="name-\d+"\s+value="([^"]*)"', page)


def test_pasted_list_fills_the_fields_and_saves_nothing(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    status, page, values = paste(
        player, "1. Anna\r\n\r\n- Bert\u200b \n  Cleo  Jones\nDan\nEve\nFay"
    )
    assert status == 200
    assert values == ["Anna", "Bert", "Cleo Jones", "Dan", "Eve"]
    assert "5 names are filled in" in page and "1 is left over:" in page and "Fay" in page
    assert names_of(player) == [""] * 5
    ids = [one.id for one in player.roster().members]
    fields = {f"name-{key}": name for key, name in zip(ids, values, strict=True)}
    assert player.press("names/", **fields).status_code == 302
    assert names_of(player) == values
    player.press("undo/")
    assert names_of(player) == [""] * 5


def test_pasted_list_leaves_named_members_alone_unless_it_is_for_all(
    client: Client, alice: User
) -> None:
    player = unnamed_gang(client, alice)
    first = player.roster().members[0].id
    typed = {f"name-{first}": "Zed"}
    assert paste(player, "Anna", **typed)[2] == ["Zed", "Anna", "", "", ""]
    assert paste(player, "Anna", "all", **typed)[2] == ["Anna", "", "", "", ""]


def test_pasted_list_that_is_empty_or_too_long_is_refused_beside_it(
    client: Client, alice: User
) -> None:
    player = unnamed_gang(client, alice)
    for names in ("", "x" * 10_001):
        status, page, _values = paste(player, names)
        assert status == 422 and "_error" in page
    # A name that is too long is refused beside its field, in the preview already.
    status, page, values = paste(player, "x" * 81)
    assert values[0] == "x" * 81 and 'aria-invalid="true"' in page
