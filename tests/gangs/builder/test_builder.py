"""The builder as players use it, with and without htmx."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from gangs.engine import actions
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.models import BookVersion
from tests.rules.small import row, with_more
from tests.world.gangs import GOLD, make_gang, played

HTMX = {"HX-Request": "true"}


class Player:
    """Presses buttons of a gang's page, in its forms as they are rendered."""

    def __init__(self, client: Client, gang: Gang) -> None:
        self.client = client
        self.base = gang.get_absolute_url()
        self.gang = gang

    def form_state(self) -> dict[str, str]:
        page = self.client.get(self.base).content.decode()
        version = re.search(r'name="version" value="(\d+)"', page)
        token = re.search(r'name="token" value="(\w+)"', page)
        assert version and token
        return {"version": version[1], "token": token[1]}

    def press(
        self,
        where: str,
        htmx: bool = False,
        state: dict[str, str] | None = None,
        options: dict[str, Any] | None = None,
        **data: Any,
    ) -> Any:
        headers = HTMX if htmx else {}
        state = {**(state or self.form_state()), **(options or {})}
        return self.client.post(self.base + where, {**state, **data}, headers=headers)

    def roster(self) -> Any:
        self.gang.refresh_from_db()
        return self.gang.roster


@pytest.fixture
def player(client: Client, alice: User) -> Player:
    client.force_login(alice)
    return Player(client, make_gang(alice, sample=None))


def leader(player: Player) -> int:
    player.press("members/", rank="leader", name="Ada")
    return int(player.roster().members[0].id)


def test_recruiting_without_scripts_returns_to_the_page(player: Player) -> None:
    response = player.press("members/", rank="leader", name="Ada")
    assert response.status_code == 302
    page = player.client.get(response["Location"]).content.decode()
    assert "Ada" in page and 'id="rating">100 ' in page


def test_recruiting_answers_with_the_roster_and_the_summary(player: Player) -> None:
    leader(player)
    answer = player.press("members/", htmx=True, rank="henchman", name="Bo", count="2")
    text = answer.content.decode()
    assert text.count("<article") == 3 and "Bo 1" in text
    assert f"?open={player.roster().members[1].id}#" in text.partition('id="done"')[2][:400]
    assert 'id="counts"' in text and 'id="tasks"' in text and 'id="rating">200 ' in text
    assert "<html" not in text


def test_name_is_trimmed_and_profession_is_stored(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/", name="  Ada   Wolfe ", profession="gambler", notes="x")
    ada = player.roster().members[0]
    assert (ada.name, ada.profession, ada.notes) == ("Ada Wolfe", "gambler", "x")


def test_points_go_up_and_down_in_the_answer(player: Player) -> None:
    member = leader(player)
    for _ in range(3):
        answer = player.press(f"members/{member}/points/", htmx=True, change="str:1")
    assert player.roster().members[0].points == {"str": 3}
    text = answer.content.decode()
    assert f'id="member-{member}"' in text and "Brute Strength" in text
    player.press(f"members/{member}/points/", change="str:-1")
    assert player.roster().members[0].points == {"str": 2}


def test_typed_value_is_undone_in_one_step(player: Player) -> None:
    member = leader(player)
    names = ("str", "qui", "sta", "int", "rc", "mc")
    typed = {f"spread-{name}": "1" for name in names} | {"spread-str": "4", "spread-rc": "3"}
    assert player.press(f"members/{member}/points/", htmx=True, **typed).status_code == 200
    assert player.roster().members[0].points == {"str": 3, "rc": 2}
    player.press("undo/")
    assert player.roster().members[0].points == {}


def test_remaining_points_are_spread_evenly(player: Player) -> None:
    member = leader(player)
    for _ in range(3):
        player.press(f"members/{member}/points/", change="str:1")
    player.press(f"members/{member}/points/", evenly="1")
    points = player.roster().members[0].points
    assert points == {"str": 5, "qui": 3, "sta": 3, "int": 3, "rc": 3, "mc": 3}
    answer = player.press(f"members/{member}/points/", htmx=True, evenly="1")
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"spread-str": "99"}, "At most 6."),
        ({"spread-str": "0"}, "At least 1."),
        ({"spread-str": ""}, "Enter a number."),
        ({"spread-str": "two"}, "Enter a number."),
    ],
)
def test_wrong_value_is_refused_beside_its_field_and_kept(
    player: Player, typed: dict[str, str], told: str
) -> None:
    member = leader(player)
    names = ("str", "qui", "sta", "int", "rc", "mc")
    values = {f"spread-{name}": "1" for name in names} | {"spread-qui": "3"} | typed
    answer = player.press(f"members/{member}/points/", htmx=True, **values)
    text = answer.content.decode()
    assert answer.status_code == 422 and f"Strength: {told}" in text
    assert f'value="{typed["spread-str"]}"' in text and 'value="3"' in text
    assert player.roster().members[0].points == {}


def test_value_above_the_remaining_points_is_refused_and_kept(player: Player) -> None:
    member = leader(player)
    values = {f"spread-{name}": "5" for name in ("str", "qui", "sta", "int", "rc", "mc")}
    answer = player.press(f"members/{member}/points/", htmx=True, **values)
    text = answer.content.decode()
    assert answer.status_code == 422 and "All points are assigned" in text
    assert text.count('value="5"') == 6
    assert player.roster().members[0].points == {}


def test_refusal_is_shown_on_the_card_and_changes_nothing(player: Player) -> None:
    member = leader(player)
    before = player.roster()
    answer = player.press(f"members/{member}/points/", htmx=True, change="str:-1")
    assert answer.status_code == 422
    assert "Strength is where it started." in answer.content.decode()
    page = player.press(f"members/{member}/points/", change="nonsense")
    assert page.status_code == 422
    assert player.roster() == before


def test_items_are_bought_moved_and_returned(player: Player) -> None:
    member = leader(player)
    player.press("members/", rank="henchman", name="Bo")
    bo = player.roster().members[1].id
    player.press(f"members/{member}/items/", buy="knife")
    knife = player.roster().members[0].items[0].id
    player.press(f"items/{knife}/", to=str(bo))
    assert [owned.key for owned in player.roster().members[1].items] == ["knife"]
    player.press(f"items/{knife}/", to="stash")
    assert [owned.key for owned in player.roster().stash] == ["knife"]
    player.press(f"items/{knife}/", to="away")
    assert player.roster().stash == ()


def test_server_refuses_items_that_the_member_cannot_carry(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    answer = player.press(f"members/{member}/items/", htmx=True, buy="knife")
    assert answer.status_code == 422
    assert "No place left: Strength 1" in answer.content.decode()
    assert len(player.roster().members[0].items) == 1


def test_picker_lists_available_items_first_and_explains_the_others(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    text = player.client.get(f"{player.base}members/{member}/items/").content.decode()
    offered = text.index('value="mule"')
    assert offered < text.index("No place left") < text.index('value="winchester"') + 2000
    assert text.index('value="mule"') < text.index('value="winchester"')


def test_picker_searches_in_the_reader_s_language(player: Player) -> None:
    member = leader(player)
    address = f"{player.base}members/{member}/items/?q=couteau"
    english = player.client.get(address).content.decode()
    assert "Nothing of that name." in english
    french = player.client.get(address, headers={"Accept-Language": "fr"}).content.decode()
    assert 'value="bowie_knife"' in french and 'value="winchester"' not in french


def test_members_are_duplicated_reordered_and_dismissed(player: Player) -> None:
    member = leader(player)
    player.press("members/", rank="henchman", name="Bo")
    bo = player.roster().members[1].id
    player.press(f"members/{bo}/points/", change="str:1")
    player.press(f"members/{bo}/items/", buy="bowie_knife")
    player.press(f"members/{bo}/double/")
    double = player.roster().members[2]
    assert (double.name, double.points) == ("Bo 2", {"str": 1})
    assert [owned.key for owned in double.items] == ["bowie_knife"]
    answer = player.press(f"members/{bo}/place/", htmx=True, to="up")
    assert [member.id for member in player.roster().members] == [bo, member, double.id]
    assert 'id="roster"' in answer.content.decode()
    answer = player.press(f"members/{double.id}/dismissal/", htmx=True)
    assert f'id="member-{double.id}"' not in answer.content.decode()
    assert len(player.roster().members) == 2


@pytest.mark.long
def test_member_moves_to_the_chosen_place(player: Player) -> None:
    player.press("members/", rank="henchman", name="Bo", count="4")
    ids = [member.id for member in player.roster().members]

    def order() -> list[int]:
        return [ids.index(member.id) + 1 for member in player.roster().members]

    player.press("members/order/", member=str(ids[0]), to="2")
    assert order() == [2, 3, 1, 4]
    player.press("members/order/", member=str(ids[3]), to="0")
    assert order() == [4, 2, 3, 1]
    player.press("members/order/", member=str(ids[2]), to="99")
    assert order() == [4, 2, 1, 3]
    player.press("undo/")
    assert order() == [4, 2, 3, 1]
    for wrong in ({"member": "999", "to": "0"}, {"member": str(ids[0]), "to": "up"}, {}):
        assert player.press("members/order/", **wrong).status_code == 422
    assert order() == [4, 2, 3, 1]


@pytest.mark.long
def test_more_than_six_members_are_rows_unless_the_reader_chooses_cards(player: Player) -> None:
    def in_rows(page: str) -> bool:
        return 'class="members as-rows" id="roster"' in page

    def page() -> str:
        return player.client.get(player.base).content.decode()

    player.press("members/", rank="henchman", name="Bo", count="6")
    assert not in_rows(page())
    # While a player recruits, nothing is folded under the finger: a page sends how it shows its
    # members, and only the next page folds them.
    player.press("members/", htmx=True, rank="henchman", name="Al")
    assert in_rows(page())
    shown = {"rows": True, "cards": False}
    for wanted, rows in shown.items():
        sent = {"rank": "henchman", "name": "Cy", "roster": wanted}
        answer = player.press("members/", htmx=True, **sent)
        assert in_rows(answer.content.decode()) is rows
    for wanted, rows in (("cards", False), ("rows", True), ("neither", True)):
        assert player.client.get(player.base, {"roster": wanted}).url == player.base
        assert in_rows(page()) is rows
    bo = player.roster().members[0].id
    for _ in range(7):
        player.press(f"members/{player.roster().members[-1].id}/dismissal/")
    assert bo in [member.id for member in player.roster().members] and in_rows(page())


def test_recruits_with_the_same_name_are_numbered(player: Player) -> None:
    player.press("members/", rank="henchman", name="Bo", count="2")
    player.press(f"members/{player.roster().members[0].id}/double/")
    player.press("members/", rank="henchman", name="Bo", count="2")
    names = [member.name for member in player.roster().members]
    assert names == ["Bo 1", "Bo 2", "Bo 3", "Bo 4", "Bo 5"]
    player.press("members/", rank="henchman", name="x" * 80, count="2")
    assert player.roster().members[-1].name == "x" * 75 + " 2"
    player.press("members/", rank="henchman", name="")
    player.press(f"members/{player.roster().members[-1].id}/double/")
    assert [member.name for member in player.roster().members[-2:]] == ["", ""]


def test_double_click_recruits_once(player: Player) -> None:
    state = player.form_state()
    first = player.press("members/", state=state, rank="leader", name="Ada")
    second = player.press("members/", state=state, rank="leader", name="Ada")
    assert (first.status_code, second.status_code) == (302, 302)
    assert len(player.roster().members) == 1


def test_second_tab_gets_a_message_and_overwrites_nothing(player: Player) -> None:
    tab = player.form_state()
    player.press("members/", rank="leader", name="Ada")
    answer = player.press("members/", state=tab, rank="henchman", name="Bo", count="1")
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "changed elsewhere" in text and "Ada" in text
    assert len(player.roster().members) == 1
    answer = player.press("members/", htmx=True, state=tab, rank="henchman", name="Bo")
    assert answer.status_code == 409 and "changed elsewhere" in answer.content.decode()


def test_typed_text_is_kept_when_it_cannot_be_stored(player: Player) -> None:
    member = leader(player)
    long_name = "x" * 81
    answer = player.press(f"members/{member}/", htmx=True, name=long_name, profession="gambler")
    text = answer.content.decode()
    assert answer.status_code == 422 and long_name in text and "invalid-feedback" in text
    tab = player.form_state()
    player.press("members/", rank="henchman", name="Bo")
    answer = player.press(f"members/{member}/", state=tab, name="Typed", profession="", notes="n")
    assert answer.status_code == 409 and 'value="Typed"' in answer.content.decode()


def test_undo_undoes_only_the_last_change(player: Player) -> None:
    leader(player)
    player.press("members/", rank="henchman", name="Bo", count="3")
    assert len(player.roster().members) == 4
    player.press("undo/")
    assert [member.name for member in player.roster().members] == ["Ada"]
    player.press("undo/")
    answer = player.press("undo/")
    assert answer.status_code == 422 and player.roster().name == "The Test Gang"


@pytest.mark.long
def test_change_is_announced_without_scripts_too(player: Player) -> None:
    def said(where: str, **data: str) -> str:
        player.press(where, **data)
        page = player.client.get(player.base).content.decode()
        found = re.search(r"message-success.*?<span>(.*?)</span>", page, re.DOTALL)
        return found[1] if found else ""

    assert said("members/", rank="leader", name="Ada") == "Ada added."
    member = player.roster().members[0].id
    assert said(f"members/{member}/items/", buy="knife") == "Ada got Knife (1 gold)."
    assert said(f"members/{member}/points/", change="str:1") == ""
    assert said("undo/") == "Undone: Ada: Strength +1."
    player.press("members/", rank="henchman", name="Bo", count="3")
    assert said("undo/").endswith("Bo 1 was recruited as Henchman (50 gold). And 2 more.")
    assert said(f"members/{member}/dismissal/") == "Ada was dismissed."


def test_redo_restores_what_undo_took_back_one_after_the_other(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    player.press("members/", rank="henchman", name="Bo", count="2")
    before = player.roster()

    def may_redo() -> bool:
        return 'id="redo"' in player.client.get(player.base).content.decode()

    assert not may_redo()
    answer = player.press("undo/", htmx=True)
    assert 'id="redo"' in answer.content.decode() and may_redo()
    player.press("undo/")
    assert [item.key for item in player.roster().members[0].items] == []
    answer = player.press("redo/", htmx=True)
    assert "Ada got Knife" in answer.content.decode() and may_redo()
    player.press("redo/")
    assert player.roster() == before and not may_redo()
    assert player.press("redo/").status_code == 422
    # A redone change can be undone and redone again.
    player.press("undo/")
    player.press("redo/")
    assert player.roster() == before


def test_another_change_ends_redo(player: Player) -> None:
    leader(player)
    player.press("members/", rank="henchman", name="Bo")
    player.press("undo/")
    tab = player.form_state()
    player.press("members/", rank="henchman", name="Cy")
    assert 'id="redo"' not in player.client.get(player.base).content.decode()
    # An older page may still offer it.
    assert player.press("redo/", state=tab).status_code == 409
    assert player.press("redo/").status_code == 422
    assert [member.name for member in player.roster().members] == ["Ada", "Cy"]


def test_undo_keeps_an_open_card_open(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    text = player.press("undo/", htmx=True, opened=str(member), q="").content.decode()
    assert f'id="offers-{member}"' in text and "is-open" in text


def test_refused_recruit_keeps_the_typed_name(client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = make_gang(alice, GOLD, None)
    player = Player(client, gang)
    for htmx in (False, True):
        answer = player.press("members/", htmx=htmx, rank="henchman", name="Typed", count="99")
        assert answer.status_code == 422 and 'value="Typed"' in answer.content.decode()
        old = {"version": "1", "token": "x"} if player.roster().members else player.form_state()
        player.press("members/", rank="leader", name="Ada")
        answer = player.press("members/", htmx=htmx, state=old, rank="henchman", name="Typed")
        assert answer.status_code == 409
        panel = answer.content.decode().partition('id="recruit"')[2]
        assert 'value="Typed"' in panel and "changed elsewhere" in panel.partition("</section>")[0]


def test_history_shows_sentences_and_strikes_and_restores_entries(player: Player) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    page = player.client.get(player.base + "history/").content.decode()
    assert "Ada was recruited as Leader (100 gold)." in page and "Ada got Knife (1 gold)." in page
    recruited = player.gang.entries.get(kind="recruited").batch
    answer = player.press(f"history/{recruited}/")
    text = answer.content.decode()
    assert "These would no longer fit" in text and "the member is no longer there" in text
    assert len(player.roster().members) == 1
    bought = player.gang.entries.get(kind="bought")
    player.press(f"history/{recruited}/", sure="1", **{f"entry-{bought.seq}": "strike"})
    assert player.roster().members == ()
    act = player.gang.strikes.get()
    player.press(f"history/strikes/{act.pk}/")
    assert [owned.key for owned in player.roster().members[0].items] == ["knife"]


def test_name_notes_and_options_are_stored(player: Player) -> None:
    answer = player.press(
        "about/", name="The Other Gang", notes="n", options={"option-fame_level": 500}
    )
    assert answer.status_code == 302
    roster = player.roster()
    assert (roster.name, roster.notes, roster.settings["fame_level"]) == (
        "The Other Gang",
        "n",
        500,
    )
    answer = player.press("about/", name="", notes="typed")
    assert answer.status_code == 422 and "typed" in answer.content.decode()
    answer = player.press("about/", name="X", options={"option-fame_level": 10**9})
    assert answer.status_code == 422


def test_name_and_notes_typed_on_an_old_page_can_be_sent_again(player: Player) -> None:
    tab = player.form_state()
    player.press("members/", rank="leader", name="Ada")
    answer = player.press("about/", state=tab, name="Typed", notes="n")
    text = answer.content.decode()
    assert answer.status_code == 409 and 'value="Typed"' in text
    version = re.search(r'name="version" value="(\d+)"', text)
    assert version and version[1] != tab["version"]
    player.press("about/", state={**tab, "version": version[1]}, name="Typed", notes="n")
    assert player.roster().name == "Typed"


def test_traits_are_taken_up_to_their_limit_and_dropped(client: Client, alice: User) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice, GOLD, None))
    member = leader(player)
    player.press(f"members/{member}/traits/", take="shooter")
    player.press(f"members/{member}/traits/", take="weapon-master")
    answer = player.press(f"members/{member}/traits/", htmx=True, take="lucky")
    assert answer.status_code == 422 and "Leader: 2 at most" in answer.content.decode()
    page = client.get(player.base).content.decode()
    assert 'id="rating">6 ' in page and "5k2" in page
    player.press(f"members/{member}/traits/", drop="shooter")
    assert player.roster().members[0].traits == ("weapon-master",)


def test_picker_of_traits_explains_first_when_none_is_available(
    client: Client, alice: User
) -> None:
    client.force_login(alice)
    player = Player(client, make_gang(alice, GOLD, None))
    member = leader(player)
    player.press("members/", rank="henchman", name="Bo")
    bo = player.roster().members[1].id

    def listed(number: int) -> tuple[str, str]:
        page = client.get(f"{player.base}?open={number}").content.decode()
        assert "<h4>Traits</h4>" in page, "what the game calls them"
        head, _, rest = page.partition(f'id="learn-{number}"')[2].partition(">")
        return head, rest.partition("</summary>")[0]

    head, summary = listed(member)
    assert "open" in head and "at this rank" not in summary
    head, summary = listed(bo)
    assert "open" not in head and "Henchman: none at this rank" in summary


def test_items_cannot_be_returned_after_the_first_game(player: Player, alice: User) -> None:
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    address = f"{player.base}?open={member}"
    assert "for a refund" in player.client.get(address).content.decode()
    gang = player.gang
    gang.refresh_from_db()
    writer.append(gang, [played(gang.book)], expected_version=gang.version, actor=alice)
    page = player.client.get(address).content.decode()
    assert "without a refund" in page and "for a refund" not in page
    treasury = player.roster().treasury
    player.press(f"items/{player.roster().members[0].items[0].id}/", to="away")
    assert not player.roster().members[0].items and player.roster().treasury == treasury


def test_card_opens_in_place_or_as_a_page(player: Player) -> None:
    member = leader(player)
    address = f"{player.base}members/{member}/"
    fragment = player.client.get(address, headers=HTMX).content.decode()
    assert "<html" not in fragment and 'name="profession"' in fragment
    assert (
        'name="profession"'
        not in player.client.get(address + "?closed", headers=HTMX).content.decode()
    )
    assert player.client.get(address)["Location"].endswith(f"?open={member}#member-{member}")
    assert (
        "has left the gang"
        in player.client.get(f"{player.base}members/999/", headers=HTMX).content.decode()
    )
    assert player.client.get(f"{player.base}?open=999&x=é").status_code == 200


def test_stash_can_be_handed_to_a_new_member(player: Player) -> None:
    """Its lists name all members, so an answer includes them when a member joins or is renamed."""
    member = leader(player)
    player.press(f"members/{member}/items/", buy="knife")
    player.press("members/", rank="henchman", name="Bo")
    knife = player.roster().members[0].items[0].id
    player.press(f"items/{knife}/", to="stash")
    answer = player.press("members/", htmx=True, rank="henchman", name="Cy")
    assert "→ Cy" in answer.content.decode()


def test_picker_on_its_own_page_leads_back_to_the_gang(player: Player) -> None:
    member = leader(player)
    address = f"{player.base}members/{member}/items/"
    for said, level in (("Ada got Knife", "success"), ("No place left", "error")):
        headers = HTMX | {"HX-Target": f"goods-{member}"}
        answer = player.client.post(
            address, player.form_state() | {"buy": "knife"}, headers=headers
        )
        assert answer["HX-Redirect"].endswith(f"?open={member}#member-{member}")
        page = player.client.get(answer["HX-Redirect"]).content.decode()
        assert said in page.partition("message-" + level)[2][:400]


@pytest.mark.parametrize(("more", "is_list"), [(27, False), (28, True)])
def test_many_ranks_are_a_list_to_choose_from(
    client: Client, alice: User, more: int, is_list: bool
) -> None:
    book = with_more(ranks=[row(f"rank-{number}", price=1) for number in range(more)])
    load(book)
    version = BookVersion.objects.get(digest=book.digest)
    gang = writer.found(version, actions.found(book, "The crowd", {}), owner=alice)
    client.force_login(alice)
    page = client.get(gang.get_absolute_url()).content.decode()
    assert ('<select name="rank"' in page) == is_list
    assert page.count('type="radio" class="form-check-input" name="rank"') == (
        0 if is_list else len(book.ranks)
    )
    player = Player(client, gang)
    player.press("members/", rank="rank-3", name="Ada")
    assert [one.rank for one in player.roster().members] == ["rank-3"]
    refused = player.press("members/", htmx=True, rank="nobody", name="Eve")
    assert "Eve" in refused.content.decode() and len(player.roster().members) == 1
