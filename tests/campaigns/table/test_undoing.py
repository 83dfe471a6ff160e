"""Dice of the site are undone when somebody else agrees, and every page marks them as undone."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table, TableThrow
from campaigns.table import asking, people, storage, taps
from campaigns.table.access import TableSeat
from campaigns.table.fold import fold
from campaigns.table.state import TableNow
from gangs.models import Gang
from tests.campaigns.club.people.test_joining import settings_data
from tests.campaigns.table.attempts.test_views import duel_address, fields, figures
from tests.campaigns.table.nights import buttons
from tests.campaigns.table.test_alone import opened as opened_alone
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import make_player
from tests.world.gangs import GOLD, become_guest, make_gang

AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def throw(client: Client, table: Table) -> uuid.UUID:
    """Make a test with dice of the site."""
    address = reverse("campaigns:table-attempt", args=[table.pk, "any_quality"])
    query = {"by": figures(table, 1)[0]}
    data = fields(client.get(address, query).content.decode()) | {"how": "throw"}
    assert client.post(address, data | query).status_code == 302
    return TableThrow.objects.latest("pk").act


def now(table: Table) -> TableNow:
    return fold(people.start_of(table), storage.log_of(table))


def keys(table: Table, act: uuid.UUID) -> set[taps.TapKey]:
    return {one.key for one in storage.log_of(table) if one.act == act}


def is_undone(table: Table, act: uuid.UUID) -> bool:
    """Whether no tap of an act counts; asserts that all of them count, or none."""
    gone = keys(table, act) & now(table).struck
    assert gone in (set(), keys(table, act))
    return bool(gone)


def press(client: Client, table: Table, told: Any) -> int:
    """Press a button without scripts."""
    form = {"taps": json.dumps(told), "token": uuid.uuid4(), "after": 99, "turn": 1}
    return client.post(reverse("campaigns:table-taps", args=[table.pk]), form).status_code


def push(client: Client, table: Table, *told: taps.AnyTap) -> dict[str, str]:
    """Push taps as a page of an older version does; return the reasons of refusals."""
    rows = [pushed(tap, device=uuid.uuid4()).model_dump(mode="json") for tap in told]
    address = reverse("campaigns:table-taps", args=[table.pk])
    answer = client.post(address, json.dumps(rows), content_type="application/json")
    return answer.json()["refused"]  # type: ignore[no-any-return]


def page(client: Client, table: Table) -> str:
    return unescape(client.get(table.get_absolute_url()).content.decode())


def undo_button(client: Client, table: Table, act: uuid.UUID) -> Any:
    """The taps of the story's button that undoes an act with dice of the site."""
    html = client.get(table.get_absolute_url()).content.decode()
    undone = {"kind": "undone", "act": str(act)}
    return next(told for told in buttons(html) if told == [undone])


def answers(client: Client, table: Table) -> list[Any]:
    """The answers that the page offers to a person who is asked."""
    html = client.get(table.get_absolute_url()).content.decode()
    return [told for told in buttons(html) if told[0]["kind"] == "undo_answered"]


def dice_page(client: Client, table: Table) -> str:
    """The readable text of the page that checks the dice."""
    html = client.get(reverse("campaigns:table-throws", args=[table.pk]), follow=True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", unescape(html.content.decode())))


@pytest.mark.long
def test_a_throw_is_undone_when_the_other_side_agrees(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    hers, theirs = as_user(alice), as_user(dora)
    act = throw(hers, table)
    assert "None of the rolls that the site made." in dice_page(hers, table)
    assert press(hers, table, undo_button(hers, table, act)) == 302
    assert not is_undone(table, act)
    assert "You ask to undo a roll of the site" in page(hers, table)
    assert "alice asks to undo a roll of the site" in page(theirs, table)
    assert "alice asked to undo it; nobody agreed, and it counts" in dice_page(hers, table)
    # The person who asks may only withdraw.
    assert [told[0]["agreed"] for told in answers(hers, table)] == [False]
    agree, refuse = answers(theirs, table)
    assert (agree[0]["agreed"], refuse[0]["agreed"]) == (True, False)
    assert press(hers, table, agree) == 302 and not is_undone(table, act)
    assert press(theirs, table, agree) == 302 and is_undone(table, act)
    assert answers(theirs, table) == [] and "asks to undo" not in page(theirs, table)
    assert "undone by alice (turn 1, dora agreed)" in dice_page(theirs, table)


@pytest.mark.long
def test_repeated_throws_undo_nothing(as_user: AsUser, table: Table, alice: User) -> None:
    """Six throws, undone by the page's button and by a page of an older version."""
    client, acts = as_user(alice), []
    for time in range(6):
        acts.append(act := throw(client, table))
        if time % 2:
            assert press(client, table, undo_button(client, table, act)) == 302
        else:
            strikes = [taps.Struck(device=one, device_seq=n) for one, n in keys(table, act)]
            assert push(client, table, *strikes) == {}
    assert not any(is_undone(table, act) for act in acts)
    assert dice_page(client, table).count("nobody agreed, and it counts") == 6


def test_declined_undo_leaves_the_throw(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    act = throw(as_user(alice), table)
    press(as_user(alice), table, undo_button(as_user(alice), table, act))
    [_agree, refuse] = answers(as_user(dora), table)
    assert press(as_user(dora), table, refuse) == 302
    assert not is_undone(table, act) and now(table).asked == ()


def test_nobody_agrees_for_somebody_else(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    """Fields that only the server may add are ignored when a phone sends them."""
    client, act = as_user(alice), throw(as_user(alice), table)
    [asking] = undo_button(client, table, act)
    forged = str(uuid.uuid4())
    assert push(client, table, taps.TAPS.validate_python({**asking, "asked_by": forged})) == {}
    [asked] = now(table).asked
    assert str(asked.by) != forged
    agreed = {"asked": asked.act, "agreed": True, "by": forged}
    assert push(client, table, taps.UndoAnswered.model_validate(agreed)) == {}
    assert len(now(table).asked) == 1


def test_phone_adds_nothing_to_dice_of_the_site(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    """Otherwise it would stand under these dice, and nobody else could undo it alone."""
    client, victim = as_user(alice), figures(table, 2)[0]
    act = throw(client, table)
    before = keys(table, act)
    row = pushed(taps.Out(figure=victim), device=uuid.uuid4(), act=act).model_dump(mode="json")
    more = pushed(taps.Note(text="Hello"), device=uuid.uuid4()).model_dump(mode="json")
    address = reverse("campaigns:table-taps", args=[table.pk])
    answer = client.post(address, json.dumps([row, more]), content_type="application/json").json()
    assert answer["refused"] == {"0": "That cannot be noted at a table."}
    assert answer["taken"] == [] and answer["logged"][1]
    assert keys(table, act) == before and now(table).figures[victim].out is None


def test_other_taps_are_undone_without_asking(as_user: AsUser, table: Table, alice: User) -> None:
    client = as_user(alice)
    throw(client, table)
    told = taps.Rolled(roll="jump", by=figures(table, 1)[0], faces=((3, 4),), outcome="failed")
    assert push(client, table, told) == {}
    last = storage.log_of(table)[-1]
    strike = taps.Struck(device=last.device, device_seq=last.device_seq)
    assert push(client, table, strike) == {} and last.key in now(table).struck


@pytest.mark.long
def test_duel_is_undone_with_all_its_effects(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "throw"}
    assert client.post(address.partition("?")[0], data).status_code == 302
    act = TableThrow.objects.get().act
    assert len(keys(table, act)) > 1
    press(client, table, undo_button(client, table, act))
    press(as_user(dora), table, answers(as_user(dora), table)[0])
    assert is_undone(table, act)


@pytest.mark.long
def test_one_player_of_both_sides_undoes_immediately_and_it_is_marked(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang
) -> None:
    table = opened(campaign, alice, hers, make_player(campaign, alice))
    client = as_user(alice)
    first = throw(client, table)
    press(client, table, undo_button(client, table, first))
    assert is_undone(table, first) and now(table).asked == ()
    throw(client, table)
    found = dice_page(client, table)
    assert "1 roll that the site made was undone" in found and "alice · 1" in found
    assert "undone by alice, then rolled again (turn 1)" in found


@pytest.mark.long
def test_undo_outside_a_campaign_asks_everybody_who_taps(
    as_user: AsUser, alice: User, client: Client
) -> None:
    """Here a visitor without an account who came by the link."""
    hers = as_user(alice)
    table = opened_alone(hers, make_gang(alice, GOLD))
    first = throw(hers, table)
    press(hers, table, undo_button(hers, table, first))
    assert is_undone(table, first)
    client.get(reverse("campaigns:table-join", args=[table.key]))
    assert push(client, table, taps.Note(text="Hello!")) == {}
    second = throw(hers, table)
    press(hers, table, undo_button(hers, table, second))
    assert not is_undone(table, second)
    press(client, table, answers(client, table)[0])
    assert is_undone(table, second)
    assert "a player without an account agreed" in dice_page(hers, table)


@pytest.mark.django_db
def test_single_visitor_undoes_dice_without_asking(client: Client) -> None:
    gang = make_gang(None, GOLD)
    become_guest(client, gang)
    table = opened_alone(client, gang)
    act = throw(client, table)
    strikes = [taps.Struck(device=one, device_seq=n) for one, n in keys(table, act)]
    rows = [pushed(strike, device=uuid.UUID(int=7)).model_dump(mode="json") for strike in strikes]
    address = reverse("campaigns:table-taps", args=[table.pk])
    client.post(address, json.dumps(rows), content_type="application/json")
    assert is_undone(table, act)
    assert "undone by a player without an account" in dice_page(client, table)


@pytest.mark.long
def test_dice_cannot_be_undone_when_the_campaign_forbids_it(
    as_user: AsUser, table: Table, campaign: Campaign, alice: User, dora: User
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(dice_stand=True)
    client, act = as_user(alice), throw(as_user(alice), table)
    why = "In this campaign, dice that the site rolled are never undone."
    strikes = [taps.Struck(device=one, device_seq=n) for one, n in keys(table, act)]
    said = taps.Note(text="Bad luck!")
    assert push(client, table, *strikes, said) == {str(n): why for n in range(len(strikes))}
    assert storage.log_of(table)[-1].tap == said
    assert press(client, table, [strikes[0].model_dump(mode="json")]) == 302
    assert why in page(client, table)
    assert not is_undone(table, act) and "Undo this roll" not in page(client, table)
    # A strike stored before the dice fell does not undo them either.
    desk = storage.log_of(table)[0].device
    coming = 1 + max(one.device_seq for one in storage.log_of(table) if one.device == desk)
    assert push(client, table, taps.Struck(device=desk, device_seq=coming)) == {}
    act = throw(client, table)
    [asked] = now(table).asked
    assert not is_undone(table, act)
    agreed = taps.UndoAnswered(asked=asked.act, agreed=True)
    assert push(as_user(dora), table, agreed) == {"0": why}


def test_organiser_forbids_undoing_dice(as_user: AsUser, campaign: Campaign, bob: User) -> None:
    client, address = as_user(bob), reverse("campaigns:settings", args=[campaign.pk])
    assert "Rolls are final" in client.get(address).content.decode()
    data = settings_data(client, campaign) | {"dice_stand": "on"}
    assert client.post(address, data).status_code == 302
    assert Campaign.objects.get(pk=campaign.pk).dice_stand
    data = settings_data(client, campaign)
    assert data.pop("dice_stand") and client.post(address, data).status_code == 302
    assert not Campaign.objects.get(pk=campaign.pk).dice_stand


def test_act_after_an_undo_that_was_seen_is_not_offered_to_be_undone(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    """Two phones: one undoes a hit, the other sees that and acts with the figure."""
    hers, theirs = as_user(alice), as_user(dora)
    by, at = figures(table, 1)[0], figures(table, 2)[0]
    assert press(hers, table, [{"kind": "out", "figure": at, "by": by}]) == 302
    hit = storage.log_of(table)[-1].act
    assert press(hers, table, [{"kind": "undone", "act": str(hit)}]) == 302
    page_fields = fields(theirs.get(table.get_absolute_url()).content.decode())
    told = json.dumps([{"kind": "rolled", "roll": "jump", "by": at}])
    taps_address = reverse("campaigns:table-taps", args=[table.pk])
    assert theirs.post(taps_address, page_fields | {"taps": told}).status_code == 302
    for client in (hers, theirs):
        assert "This depends on it" not in page(client, table)
    # A phone that had not seen the undo asks.
    stale = page_fields | {"after": 1, "token": "other"}
    assert theirs.post(taps_address, stale | {"taps": told}).status_code == 302
    for client in (hers, theirs):
        assert "This depends on it" in page(client, table)


@pytest.mark.long
def test_answers_about_an_undone_act_go_with_all_that_followed(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    """An attack led to a roll, and the return of its target to another one. The attack is undone
    by a player who could not know of the other's act."""
    clients = {alice: as_user(alice), dora: as_user(dora)}
    by, [at, other, *_rest] = figures(table, 1)[0], figures(table, 2)
    attack, roll, back, after_back = (uuid.uuid4() for _act in range(4))

    def say(user: User, act: uuid.UUID, *told: taps.AnyTap) -> None:
        seq = Table.objects.get(pk=table.pk).seq
        device = uuid.uuid5(table.pk, user.username)
        storage.say(table, user, device, told, act=act, after=seq, turn=1)

    led = [taps.Dealt(roll="any_quality", who=other, act=one) for one in (attack, back)]
    say(alice, attack, taps.Rolled(roll="duel", by=by, at=at), taps.Out(figure=at, by=by))
    say(alice, roll, taps.Rolled(roll="any_quality", by=by), led[0])
    say(dora, back, taps.Back(figure=at))
    say(dora, after_back, taps.Rolled(roll="any_quality", by=other), led[1])
    story = clients[alice].get(table.get_absolute_url()).content.decode()
    undone = next(told for told in buttons(story) if told[0].get("act") == str(attack))
    assert [one["act"] for one in undone] == [str(attack), str(roll)]
    assert press(clients[alice], table, undone) == 302
    assert now(table).figures[at].out is None
    html = clients[dora].get(table.get_absolute_url()).content.decode()
    card = html[html.index("table-questions") :]
    restore, more, _leave = buttons(card)[:3]
    assert [one["kind"] for one in restore] == ["struck", "struck"]
    assert {one["act"] for one in more} == {str(back), str(after_back)}
    assert press(clients[dora], table, more) == 302
    assert not any(one in {back, after_back} for one in standing(table))
    assert press(clients[dora], table, restore) == 302
    assert {attack, roll} <= standing(table)


def standing(table: Table) -> set[uuid.UUID]:
    """The acts of which something counts."""
    struck = now(table).struck
    return {one.act for one in storage.log_of(table) if one.key not in struck}


def test_tap_is_the_readers_by_account_and_without_one_by_device(
    table: Table, alice: User, dora: User
) -> None:
    forms, phone, other = (uuid.uuid4() for _number in range(3))
    signed_in = TableSeat(table, taps=True, device=forms, user=alice.pk, guest="")
    visitor = TableSeat(table, taps=True, device=forms, user=None, guest="key")

    def own(seat: TableSeat, device: uuid.UUID, actor: int | None) -> bool:
        said = taps.Note(text="Hello.")
        one = taps.Logged(1, device, 1, 0, 0, 1, uuid.uuid4(), said, actor)
        return asking.is_own(seat, one, [phone])

    assert own(signed_in, other, alice.pk) and not own(signed_in, forms, dora.pk)
    assert not own(signed_in, phone, None)
    assert own(visitor, forms, None) and own(visitor, phone, None)
    assert not own(visitor, other, None) and not own(visitor, forms, dora.pk)
