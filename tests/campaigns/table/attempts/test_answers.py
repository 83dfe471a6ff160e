"""Choices about open dice: whose phone shows them, who waits, and who may answer."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.models import Table, TableEntry
from campaigns.table import people, storage, taps
from campaigns.table.access import device_of_forms
from campaigns.table.attempts.answers import PATIENCE, describe_change
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import PendingRoll, find_offers, keep_dice, play_faces
from campaigns.table.folded import fold_table
from campaigns.table.state import FigureStart
from rules.book.model import Book
from rules.engine.playing import Missing
from tests.campaigns.table.attempts.test_roll import thrown
from tests.campaigns.table.attempts.test_views import fields
from tests.campaigns.table.test_storage import opened
from tests.world.attempts import Bout, figure, table
from tests.world.campaigns import make_campaign, make_player

AsUser = Callable[[User], Client]


def test_choice_says_what_it_would_change(blackwater: Book) -> None:
    bout = Bout(
        table(
            blackwater,
            [figure("henchman", "winchester")],
            [figure("leader", "navy_revolver")],
        )
    )
    shot = bout.attempt("shot", "1.1", "2.1", "winchester")
    bout.tap("set", figure="2.1", track="hp", to=2)
    pending = thrown(bout, shot, lambda wanted: 6 if wanted.step == "hits" else 1)
    asked = pending.attempt.question(bout.start, pending.before)
    changes = {
        offer.spend.key: describe_change(asked, pending.rolled, offer)
        for offer in find_offers(bout.folded, pending)
    }
    assert changes.keys() == {"luck_die_save", "luck_again_save"}
    # Two hits on two points of life: one save of 4 or more is enough to stay.
    assert set(changes.values()) == {"Out of action: 100% → 50%"}
    bout.tap("set", figure="2.1", track="hp", to=3)
    pending = replace(pending, before=bout.now)
    asked = pending.attempt.question(bout.start, pending.before)
    [change, _again] = [
        describe_change(asked, pending.rolled, offer) for offer in find_offers(bout.folded, pending)
    ]
    assert change == "HP lost: 2 → 1.50"


def test_choice_names_only_outcomes_that_are_still_possible(blackwater: Book) -> None:
    leader = figure("leader", "navy_revolver")
    bout = Bout(table(blackwater, [figure("henchman", "navy_revolver")], [leader]))
    shot = bout.attempt("shot", "1.1", "2.1", "navy_revolver")
    bout.tap("set", figure="2.1", track="hp", to=3)
    pending = thrown(bout, shot, lambda wanted: 6 if wanted.step == "hits" else 1)
    asked = pending.attempt.question(bout.start, pending.before)
    offers = find_offers(bout.folded, pending)
    # The shooter hopes for “out of action”, too, but one hit can only hurt.
    changes = {describe_change(asked, pending.rolled, offer) for offer in offers}
    assert changes == {"Hurt: 100% → 33%"}


@pytest.fixture
def western(bob: User, alice: User, dora: User) -> Table:
    """A table of the western: side 1 is Alice's, side 2 Dora's."""
    campaign = make_campaign(bob, "blackwater-gulch")
    return opened(campaign, alice, make_player(campaign, alice), make_player(campaign, dora))


def test_roll_of_the_whole_table_is_made_for_the_readers_side(
    western: Table, alice: User, dora: User, as_user: AsUser
) -> None:
    """Otherwise “the enemy chooses” would mean the reader."""
    for user, side in ((alice, 1), (dora, 2)):
        page = as_user(user).get(western.get_absolute_url()).content.decode()
        assert f"?by={side}&amp;alarm=initiative" in page


def find(western: Table, side: int, *, leads: bool) -> FigureStart:
    found = people.start_of(western).figures
    return next(one for one in found if one.side == side and one.leads == leads)


def shoot(western: Table, alice: User, *, leads: bool = False, turn: int = 1) -> str:
    """Let a henchman or the leader of Alice hit Dora's leader, who has luck like every leader;
    return the address of the dice. The henchman takes the last point of life, and one save is
    enough against it; the leader leaves one, and has luck to take it, too."""
    start, now = people.start_of(western), fold_table(western).now
    by, at = find(western, 1, leads=leads), find(western, 2, leads=True)
    gun = next(
        item
        for item in by.figure.items
        if start.book.item[item].group in ("pistol", "longarm", "shotgun", "repeater")
    )
    made = Attempt(by.key, "shot", at.key, gun)
    asked, faces = made.question(start, now), list[tuple[int, ...]]()
    while True:
        try:
            played = play_faces(asked, tuple(faces))
            break
        except Missing as missing:
            wanted, hits = missing.wanted, now.figures[at.key].tracks["hp"] - leads
            good = hits if wanted.step == "hits" else 0
            faces.append((6,) * good + (1,) * (wanted.dice - good))
    rolled = keep_dice(made, played, thrown=True, is_open=True)
    assert find_offers(fold_table(western), PendingRoll(made, now, rolled, False, 0))
    act = uuid.uuid4()
    device = device_of_forms(western.pk, f"user {alice.pk}")
    after = 0 if turn == 1 else storage.log_of(western)[-1].seq
    storage.say(western, alice, device, [rolled], act=act, after=after, turn=turn)
    return reverse("campaigns:table-dice", args=[western.pk, act])


def tap(western: Table, user: User) -> None:
    """Let somebody tap, so that their phone is known at the table."""
    device = device_of_forms(western.pk, f"user {user.pk}")
    note = taps.Note(text="Hello")
    storage.say(western, user, device, [note], act=uuid.uuid4(), after=0, turn=1)


def pass_time(seconds: int) -> None:
    """Make every tap so much older."""
    for entry in TableEntry.objects.all():
        TableEntry.objects.filter(pk=entry.pk).update(at=entry.at - 1000 * seconds)


def last_roll(western: Table) -> taps.Rolled:
    return [one.tap for one in storage.log_of(western) if isinstance(one.tap, taps.Rolled)][-1]


def offers_count(page: str) -> bool:
    """Whether the button that counts the dice for everybody can be seen, and not only later."""
    at_once, _wakes, later = page.partition("data-wakes")
    assert 'name="spend" value=""' in at_once + later and "disabled" not in page
    return 'name="spend" value=""' in at_once


def test_question_is_at_the_top_of_the_targets_table(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice)
    hers = as_user(dora).get(western.get_absolute_url()).content.decode()
    asks = hers[hers.index('id="table-asks"') : hers.index('id="table-due"')]
    assert f'formaction="{dice}?seen=1&amp;back=table" name="spend" value="luck_die_save"' in asks
    assert 'name="stand" value="2"' in asks and " → " in asks
    theirs = as_user(alice).get(western.get_absolute_url()).content.decode()
    asks = theirs[theirs.index('id="table-asks"') : theirs.index('id="table-due"')]
    assert 'name="spend"' not in asks and "Waiting for" in asks and dice in asks


def test_phones_get_the_question_with_their_news(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    shoot(western, alice)
    news = as_user(dora).get(reverse("campaigns:table-since", args=[western.pk, 1])).json()
    assert 'value="luck_die_save"' in news["html"]["asks"]


def test_attacker_waits_half_a_minute(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice)
    client = as_user(alice)
    assert not offers_count(client.get(dice).content.decode())
    assert offers_count(as_user(dora).get(dice).content.decode())
    pass_time(PATIENCE)
    # The log in memory is as old as its last tap.
    tap(western, dora)
    assert offers_count(client.get(dice).content.decode())


def test_single_phone_answers_for_both_immediately(
    as_user: AsUser, western: Table, alice: User
) -> None:
    dice = shoot(western, alice)
    assert offers_count(as_user(alice).get(dice).content.decode())


def test_target_lets_the_dice_stand_and_they_count(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice)
    answer = as_user(dora).post(f"{dice}?seen=1", {"stand": "2", "turn": 1, "after": 2})
    assert answer["Location"] == f"{dice}#spend"
    rolled = last_roll(western)
    assert not rolled.open and rolled.answered_by == 2
    story = as_user(alice).get(reverse("campaigns:table-story", args=[western.pk]))
    assert "answered by" in story.content.decode()


def test_server_takes_an_answer_of_the_attacker_at_any_time(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice)
    as_user(alice).post(dice, {"spend": "", "seen": 1, "turn": 1, "after": 2})
    rolled = last_roll(western)
    assert not rolled.open and rolled.answered_by == 1


def test_dice_page_asks_for_news_until_they_count(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice)
    client = as_user(alice)
    page = client.get(dice).content.decode()
    found = re.search(r'data-waits="(\w+)"', page)
    assert found
    assert client.get(f"{dice}?since={found[1]}").status_code == 204
    as_user(dora).post(f"{dice}?seen=1", {"stand": "2", "turn": 1, "after": 2})
    news = client.get(f"{dice}?since={found[1]}")
    assert news.status_code == 200 and "data-waits" not in news.content.decode()


def test_phones_cannot_sign_an_answer(western: Table, dora: User) -> None:
    forged = {"kind": "rolled", "roll": "shot", "by": "1.1", "answered_by": 1, "passed": [1]}
    row = {
        "device": str(uuid.uuid4()),
        "n": 1,
        "after": 0,
        "at": int((timezone.now() - timedelta(seconds=1)).timestamp() * 1000),
        "turn": 1,
        "act": str(uuid.uuid4()),
        "tap": forged,
    }
    [pushed] = storage.read_pushed(json.dumps([row]).encode())
    assert pushed is not None and isinstance(pushed.tap, taps.Rolled)
    assert (pushed.tap.answered_by, pushed.tap.passed) == (None, ())


def test_form_of_another_attempt_says_that_a_choice_waits(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    client, by = as_user(dora), find(western, 2, leads=True).key
    form = f"{reverse('campaigns:table-attempt', args=[western.pk, 'run'])}?by={by}"
    page = client.get(form).content.decode()
    found = re.search(r'data-waits="(\w+)"', page)
    assert found and "your choice" not in page
    tap(western, alice)
    assert client.get(f"{form}&since={found[1]}").status_code == 204
    shoot(western, alice)
    assert "your choice" in client.get(f"{form}&since={found[1]}").content.decode()


def test_dice_count_once_both_sides_let_them_stand(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    tap(western, dora)
    dice = shoot(western, alice, leads=True)
    page = as_user(alice).get(dice).content.decode()
    assert 'name="stand" value="1"' in page and not offers_count(page)
    as_user(alice).post(dice, {"stand": "1", "seen": 1, "turn": 1, "after": 2})
    rolled = last_roll(western)
    assert rolled.open and rolled.passed == (1,)
    as_user(dora).post(f"{dice}?seen=2", {"stand": "2", "turn": 1, "after": 3})
    assert not last_roll(western).open


def end_turns(client: Client, western: Table, number: int) -> None:
    """End turns by the button of the table's page."""
    for _turn in range(number):
        page = fields(client.get(western.get_absolute_url()).content.decode())
        data = page | {"taps": '[{"kind": "turn"}]'}
        assert client.post(reverse("campaigns:table-taps", args=[western.pk]), data)["Location"]


@pytest.mark.parametrize("turn_ends", [False, True])
def test_answer_is_placed_in_the_turn_of_its_question(
    as_user: AsUser, western: Table, alice: User, dora: User, turn_ends: bool
) -> None:
    """The other phone has opened the table in turn 1, and has only watched since."""
    tap(western, dora)
    stale = fields(as_user(dora).get(western.get_absolute_url()).content.decode())
    end_turns(as_user(alice), western, 2)
    dice = shoot(western, alice, turn=3)
    act = storage.log_of(western)[-1].act
    end_turns(as_user(alice), western, turn_ends)
    as_user(dora).post(f"{dice}?seen=1", stale | {"stand": "2"})
    ours = [one for one in storage.log_of(western) if one.act == act]
    assert {one.turn for one in ours} == {3} and not last_roll(western).open
    assert ours[1].after == ours[0].seq
    now = fold_table(Table.objects.get(pk=western.pk)).now
    assert (now.turn, now.late, now.doubles) == (3 + turn_ends, (), ())
    out = now.figures[find(western, 2, leads=True).key].out
    assert out is not None and out.turn == 3


def test_late_tap_of_the_phone_that_answers_is_still_late(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    stale = fields(as_user(dora).get(western.get_absolute_url()).content.decode())
    end_turns(as_user(alice), western, 1)
    data = stale | {"text": "What a turn!"}
    assert as_user(dora).post(reverse("campaigns:table-taps", args=[western.pk]), data)
    [late] = fold_table(Table.objects.get(pk=western.pk)).now.late
    assert (late.actor, late.turn, late.number) == (dora.pk, 1, 1)


def test_throw_is_undone_and_restored_with_its_blast(
    as_user: AsUser, western: Table, alice: User, dora: User
) -> None:
    """Its victims were rolled one by one, on pages of their own."""
    tap(western, dora)
    by = find(western, 1, leads=True).key
    victims = [one.key for one in people.start_of(western).figures if one.side == 2][:3]
    device = device_of_forms(western.pk, f"user {alice.pk}")
    acts = [uuid.uuid4() for _victim in victims]
    for act, victim in zip(acts, victims, strict=True):
        roll = "explosive" if act == acts[0] else "blast"
        told: list[taps.AnyTap] = [
            taps.Rolled(roll=roll, by=by, at=victim, item="dynamite", outcome="out"),
            taps.Out(figure=victim, by=by),
            taps.Followed(roll="blast", who=by, item="dynamite", many=True)
            if act == acts[0]
            else taps.Dealt(roll="blast", who=by, act=acts[0], stays=True),
        ]
        after = storage.log_of(western)[-1].seq
        storage.say(western, alice, device, told, act=act, after=after, turn=1)

    def out() -> list[bool]:
        now = fold_table(Table.objects.get(pk=western.pk)).now
        assert now.contested == ()
        return [now.figures[key].out is not None for key in victims]

    def press(user: User, act: uuid.UUID, words: str) -> None:
        client = as_user(user)
        page = client.get(western.get_absolute_url()).content.decode()
        line = page[page.index(f'data-act="{act}"') :]
        found = re.search(r'name="taps"\s+value="([^"]*)">([^<]*)<', line)
        assert found and found[2].strip() == words
        data = fields(page) | {"taps": unescape(found[1])}
        client.post(reverse("campaigns:table-taps", args=[western.pk]), data)

    # The page of each victim leads to the next one.
    for act in acts:
        dice = as_user(alice).get(reverse("campaigns:table-dice", args=[western.pk, act]))
        page = dice.content.decode()
        assert "Nobody else" in page and f"cause={acts[0]}" in page
    assert out() == [True, True, True]
    press(dora, acts[2], "Undo this")
    assert out() == [True, True, False]
    press(dora, acts[2], "Restore it")
    press(dora, acts[0], "Undo this and what followed")
    assert out() == [False, False, False]
    assert list_own(as_user(alice), western) == []
    press(alice, acts[0], "Restore it")
    assert out() == [True, True, True]
    [throw] = [one for one in list_own(as_user(alice), western) if one["act"] == str(acts[0])]
    assert {*throw["led"]} == {*map(str, acts[1:])}


def list_own(client: Client, western: Table) -> list[dict[str, Any]]:
    """The acts that the page's script may undo, each with those to undo with it."""
    news = client.get(reverse("campaigns:table-since", args=[western.pk, 0])).json()
    return list(news["own"])
