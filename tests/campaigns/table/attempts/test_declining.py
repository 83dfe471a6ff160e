"""Sides that spend nothing, on some dice or in a turn: it holds until they take it back."""

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
from django.utils import timezone

from accounts.models import User
from campaigns.models import Table
from campaigns.table import storage, taps
from campaigns.table.access import device_of_forms
from campaigns.table.attempts import views
from campaigns.table.attempts.roll import play_faces
from campaigns.table.calls import COOKIE
from campaigns.table.folded import fold_table
from campaigns.table.state import TableNow
from gangs.models import Gang
from rules.engine.playing import Missing, Played
from rules.library import load
from rules.odds.chances import Question
from tests.campaigns.table.attempts.test_answers import (
    end_turns,
    find,
    last_roll,
    offers_count,
    shoot,
    tap,
)
from tests.campaigns.table.attempts.test_answers import western as western
from tests.campaigns.table.attempts.test_views import fields
from tests.campaigns.table.test_alone import opened as opened_alone
from tests.world.gangs import make_gang, shipped

AsUser = Callable[[User], Client]


def now(western: Table) -> TableNow:
    return fold_table(Table.objects.get(pk=western.pk)).now


def asks(client: Client, western: Table) -> str:
    """The top of the table, where questions are."""
    page = client.get(western.get_absolute_url()).content.decode()
    return page[page.index('id="table-asks"') : page.index('id="table-due"')]


def answer(client: Client, western: Table, dice: str, **data: str) -> str:
    """Press a button of the question card; return the next address."""
    page = client.get(western.get_absolute_url()).content.decode()
    found = re.search(rf'formaction="{dice}\?([^"]*)"', page)
    assert found
    return client.post(f"{dice}?{unescape(found[1])}", fields(page) | data)["Location"]


def hit(asked: Question, _dice: Any) -> Played:
    """Dice of which one hits, and is not saved: a die more may save it."""
    faces: list[tuple[int, ...]] = []
    while True:
        try:
            return play_faces(asked, tuple(faces))
        except Missing as missing:
            first = 6 if missing.wanted.step == "hits" else 1
            faces.append((first, *(1,) * (missing.wanted.dice - 1)))


def throw(client: Client, western: Table) -> None:
    """Let a henchman of Alice shoot Dora's leader, on the form, with the site's dice."""
    by, at = find(western, 1, leads=False), find(western, 2, leads=True)
    path = reverse("campaigns:table-attempt", args=[western.pk, "shot"])
    page = client.get(f"{path}?by={by.key}&at={at.key}").content.decode()
    data = fields(page) | {"how": "throw", "by": by.key, "at": at.key, "token": uuid.uuid4().hex}
    assert "/dice/" in client.post(path, data)["Location"]


def send(client: Client, western: Table, tap: dict[str, Any], turn: int = 1) -> None:
    """Send a tap as the page's script does."""
    row = {
        "device": str(uuid.uuid4()),
        "n": 1,
        "after": 0,
        "at": int(timezone.now().timestamp() * 1000),
        "turn": turn,
        "act": str(uuid.uuid4()),
        "tap": tap,
    }
    address = reverse("campaigns:table-taps", args=[western.pk])
    sent = client.post(address, json.dumps([row]), content_type="application/json")
    assert sent.json()["refused"] == {}


def heal(western: Table) -> None:
    """Bring Dora's leader back, as at the beginning."""
    leader = find(western, 2, leads=True)
    numbers = leader.tracks.items()
    told: list[taps.AnyTap] = [
        taps.Back(figure=leader.key),
        *(taps.SetTo(figure=leader.key, track=key, to=number) for key, number in numbers),
    ]
    turn = now(western).turn
    storage.say(western, None, uuid.uuid4(), told, act=uuid.uuid4(), after=99, turn=turn)


def test_answer_stays_at_the_table_at_ones_own_gang(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    home = f"{western.get_absolute_url()}#side-2"
    for data in ({"stand": "2"}, {"spend": "luck_die_save"}, {"decline": "2"}):
        dice = shoot(western, alice)
        assert answer(as_user(dora), western, dice, **data) == home
        # Too late, it only shows the new state.
        assert as_user(dora).post(f"{dice}?seen=1&back=table", data)["Location"] == home
        heal(western)


def test_side_that_spends_nothing_this_turn_is_not_asked(
    as_user: AsUser,
    western: Table,
    alice: User,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "throw", hit)
    tap(western, dora)
    throw(as_user(alice), western)
    assert last_roll(western).open
    dice = reverse("campaigns:table-dice", args=[western.pk, storage.log_of(western)[-1].act])
    answer(as_user(dora), western, dice, decline="2")
    assert now(western).declined == {2}
    assert not last_roll(western).open
    end_turns(as_user(alice), western, 0)
    before = storage.log_of(western)[-1].act
    throw(as_user(alice), western)
    assert storage.log_of(western)[-1].act != before and not last_roll(western).open
    assert 'name="spend"' not in asks(as_user(dora), western)


def test_choice_for_a_turn_ends_with_it(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    send(as_user(dora), western, {"kind": "declined", "side": 2})
    assert now(western).declined == {2}
    end_turns(as_user(alice), western, 1)
    assert now(western).declined == frozenset()
    shoot(western, alice, turn=2)
    assert 'name="spend"' in asks(as_user(dora), western)


def test_dice_count_when_the_last_side_that_was_asked_declines_by_a_tap(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    """As a phone that had no network sends it."""
    tap(western, dora)
    shoot(western, alice)
    assert last_roll(western).open
    send(as_user(dora), western, {"kind": "declined", "side": 2})
    rolled = last_roll(western)
    assert not rolled.open
    target = now(western).figures[find(western, 2, leads=True).key]
    assert target.out is not None or target.tracks != find(western, 2, leads=True).tracks
    # A late one, of a turn that is over, declines nothing.
    end_turns(as_user(alice), western, 1)
    heal(western)
    shoot(western, alice, turn=2)
    send(as_user(dora), western, {"kind": "declined", "side": 2}, turn=1)
    assert last_roll(western).open


def test_other_dice_wait_for_the_side_that_may_still_spend(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    shoot(western, alice, leads=True)
    send(as_user(dora), western, {"kind": "declined", "side": 2})
    assert last_roll(western).open
    card = asks(as_user(alice), western)
    assert 'name="spend"' in card and "Waiting for" not in card
    assert "Spending nothing" in asks(as_user(dora), western)


def test_choice_for_some_dice_holds_after_the_other_side_has_spent(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice, leads=True)
    answer(as_user(dora), western, dice, stand="2")
    assert last_roll(western).passed == (2,)
    card = asks(as_user(alice), western)
    spent = re.search(r'name="spend" value="(\w[^"]*)"', card)
    assert spent
    answer(as_user(alice), western, dice, spend=spent[1])
    rolled = last_roll(western)
    assert len(rolled.spent) == 1 and (rolled.passed == (2,) or not rolled.open)
    assert 'name="stand"' not in asks(as_user(dora), western)


@pytest.mark.parametrize("choice", ["stand", "decline"])
def test_one_press_at_the_table_takes_it_back(
    as_user: AsUser, western: Table, alice: User, dora: User, choice: str
) -> None:
    tap(western, dora)
    dice = shoot(western, alice, leads=True)
    answer(as_user(dora), western, dice, **{choice: "2"})
    card = asks(as_user(dora), western)
    assert 'name="stand"' not in card and 'name="again" value="2"' in card
    assert answer(as_user(dora), western, dice, again="2").endswith("#side-2")
    assert now(western).declined == frozenset() and last_roll(western).passed == ()
    assert 'name="stand" value="2"' in asks(as_user(dora), western)


def test_own_side_has_the_choice_and_its_withdrawal_as_taps(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    client, address = as_user(dora), reverse("campaigns:table-taps", args=[western.pk])

    def press(words: str) -> None:
        page = client.get(western.get_absolute_url()).content.decode()
        assert 'data-declines="2"' in page and 'data-declines="1"' not in page
        [taps] = re.findall(rf'name="taps" value="([^"]*declined[^"]*)"[^>]*>{words}<', page)
        client.post(address, fields(page) | {"taps": unescape(taps)})

    press("Spend nothing this turn")
    assert now(western).declined == {2}
    press("Ask me again")
    assert now(western).declined == frozenset()
    story = client.get(reverse("campaigns:table-story", args=[western.pk])).content.decode()
    assert "spending nothing this turn" in story and "to be asked again" in story


def test_undone_choice_does_not_hold_and_restored_one_does(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    send(as_user(dora), western, {"kind": "declined", "side": 2})
    act = storage.log_of(western)[-1].act
    send(as_user(dora), western, {"kind": "undone", "act": str(act)})
    assert now(western).declined == frozenset()
    shoot(western, alice)
    undo = storage.log_of(western)[-2]
    struck = taps.strike_tap(western.pk, undo.key).model_dump(mode="json", exclude_none=True)
    send(as_user(dora), western, struck)
    assert now(western).declined == {2} and not last_roll(western).open


def test_attacker_who_has_answered_sees_only_that_their_page_waits(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice, leads=True)
    client = as_user(alice)
    page = client.get(dice).content.decode()
    assert (
        client.post(dice, fields(page) | {"stand": "1", "seen": "1"})["Location"] == f"{dice}#spend"
    )
    page = client.get(dice).content.decode()
    assert "may still spend something" in page and 'name="again" value="1"' in page
    assert not offers_count(page) and 'name="stand"' not in page
    shown = page.partition("data-wakes")[0]
    assert 'class="btn btn-outline-primary attempt-offer"' in shown
    # Only their own.
    assert "luck_die_save" not in shown


def test_one_phone_that_plays_both_sides_answers_for_both_with_one_press(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    Gang.objects.update(owner=alice)
    dice = shoot(western, alice, leads=True)
    card = asks(as_user(alice), western)
    assert 'name="stand" value="1 2"' in card and 'name="decline" value="1 2"' in card
    answer(as_user(alice), western, dice, stand="1 2")
    assert not last_roll(western).open
    dice = shoot(western, alice, leads=True)
    answer(as_user(alice), western, dice, decline="1 2")
    assert not last_roll(western).open and now(western).declined == {1, 2}


def test_game_without_anything_to_spend_offers_no_such_choice(as_user: AsUser, alice: User) -> None:
    client, gang = as_user(alice), make_gang(alice, "blackwater-gulch")
    Gang.objects.update(book_version=load(shipped("blackwater-gulch").changed(spends=()))[0])
    table = opened_alone(client, Gang.objects.get(pk=gang.pk))
    assert "data-declines" not in client.get(table.get_absolute_url()).content.decode()


def test_phone_remembers_how_it_calls_its_player(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    client, address = as_user(dora), reverse("campaigns:table-calls", args=[western.pk])
    dice = shoot(western, alice)

    def calls(where: str) -> list[str]:
        return re.findall(r'data-calls="(\w*)"', client.get(where).content.decode())

    assert calls(western.get_absolute_url()) == calls(dice) == ["vibration"]
    assert client.post(address, {"calls": "sound"})["Location"] == western.get_absolute_url()
    client.post(address, {"calls": "fireworks"})
    assert calls(western.get_absolute_url()) == calls(dice) == ["sound"]
    client.cookies[COOKIE] = "fireworks"
    assert calls(dice) == ["vibration"]


def test_question_is_another_one_only_after_something_was_spent(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice, leads=True)

    def question(user: User) -> list[str]:
        return re.findall(r'data-question="([^"]*)"', asks(as_user(user), western))

    [asked] = question(dora)
    answer(as_user(alice), western, dice, stand="1")
    assert question(dora) == [asked] and question(alice) == []
    answer(as_user(alice), western, dice, again="1")
    act = storage.log_of(western)[-1].act
    seen = sum(one.act == act for one in storage.log_of(western))
    device = device_of_forms(western.pk, f"user {alice.pk}")
    spent = last_roll(western).model_copy(update={"spent": ("gambler_hit",)})
    storage.say(western, alice, device, [spent], act=act, after=0, turn=1, seen=seen)
    [other] = question(dora)
    assert other != asked
