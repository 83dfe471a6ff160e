"""Taps whose number is already used: a tap counts as stored only if the log has it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import people, storage, taps
from campaigns.table.access import device_of_forms
from campaigns.table.storage import Pushed
from campaigns.table.taps import alias
from common.errors import Refusal
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed, why_refused
from tests.campaigns.table.test_views import pull_taps, send_taps

AsUser = Callable[[User], Client]
PHONE = uuid.uuid4()
TAKEN = "Something else was noted here under the same number."


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def said(text: str, n: int = 2, **more: Any) -> Pushed:
    return pushed(taps.Note(text=text), PHONE, n, **more)


def strike(n: int, at: int, device: uuid.UUID = PHONE) -> Pushed:
    return pushed(taps.Struck(device=device, device_seq=n), PHONE, at)


def texts(table: Table) -> list[str]:
    log = storage.log_of(table)
    return [one.tap.text for one in log if isinstance(one.tap, taps.Note)]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("first", ["forged", "real"])
def test_second_tap_under_a_number_is_refused_and_blocks_no_other(
    table: Table, alice: User, bob: User, first: str, together: bool
) -> None:
    forged, real = said("forged"), said("real")
    rows = [forged, real] if first == "forged" else [real, forged]
    behind = said("behind", 3)
    if together:
        answers = storage.push(table, alice, [*rows, behind])
    else:
        answers = storage.push(table, bob, rows[:1])
        answers += storage.push(table, alice, [rows[1], behind])
    assert (answers[0], why_refused(answers[1]), answers[2]) == (1, storage.TAKEN, 2)
    assert texts(table) == [first, "behind"]
    # Under another number it is stored, and keeps its place.
    again = rows[1].model_copy(update={"device": uuid.uuid4(), "n": 1})
    assert storage.push(table, alice, [again]) == [3]
    log = storage.log_of(table)
    assert (log[2].at, log[2].turn, log[2].act) == (rows[1].at, rows[1].turn, rows[1].act)


def different_rows(row: Pushed) -> Iterator[Pushed]:
    """The same row with a single change."""
    for name, value in (
        ("turn", 2),
        ("at", row.at + 1),
        ("after", 0),
        ("act", uuid.uuid4()),
        ("tap", taps.Note(text="other")),
        ("tap", taps.TurnEnded()),
    ):
        yield row.model_copy(update={name: value})


def test_tap_with_a_known_number_and_other_content_is_refused(table: Table, alice: User) -> None:
    storage.push(table, alice, [pushed(taps.Note(text="before"))])
    row = said("real", after=1)
    assert storage.push(table, alice, [row]) == [2]
    for other in different_rows(row):
        assert [why_refused(why) for why in storage.push(table, alice, [other])] == [storage.TAKEN]
    assert len(storage.log_of(table)) == 2


def test_lost_answer_is_repeated(table: Table, alice: User, bob: User) -> None:
    """To its own phone, and to a phone that has taken over the taps."""
    rows = [said("real", 1), said("more", 2, after=999), strike(1, 3)]
    for user in (alice, alice, bob):
        assert storage.push(table, user, rows) == [1, 2, 3]
    assert {one.actor for one in storage.log_of(table)} == {alice.pk}


def test_two_pages_of_one_phone_lose_nothing(table: Table, alice: User) -> None:
    """Both used the same number; the second page gives its tap another number."""
    one, other = said("one"), said("other")
    assert storage.push(table, alice, [one]) == [1]
    assert why_refused(storage.push(table, alice, [other])[0]) == storage.TAKEN
    assert storage.push(table, alice, [one, other.model_copy(update={"n": 3})]) == [1, 2]
    assert texts(table) == ["one", "other"]


def test_strike_never_hits_another_phones_tap_with_the_same_number(
    table: Table, alice: User, bob: User
) -> None:
    storage.push(table, bob, [said("forged")])
    answers = storage.push(table, alice, [said("real"), strike(2, 3), said("behind", 4)])
    assert [why_refused(answers[0]), why_refused(answers[1]), answers[2]] == [
        storage.TAKEN,
        storage.TAKEN,
        2,
    ]
    assert texts(table) == ["forged", "behind"]
    # The button on the page strikes that tap.
    assert storage.push(table, alice, [strike(2, 5, alias(table.pk, PHONE))]) == [3]
    [struck] = [one.tap for one in storage.log_of(table) if isinstance(one.tap, taps.Struck)]
    assert (struck.device, struck.device_seq) == (PHONE, 2)


def test_page_learns_which_taps_may_be_sent_again(
    as_user: AsUser, table: Table, alice: User, bob: User
) -> None:
    send_taps(as_user(bob), table, said("forged"))
    bad = said("bad", 7).model_copy(update={"turn": 100})
    heard = send_taps(as_user(alice), table, said("real"), bad, said("behind", 3)).json()
    assert (heard["logged"], heard["taken"]) == ([0, 0, 2], [0])
    assert heard["refused"] == {"0": TAKEN, "1": "That cannot be noted at a table."}


def test_ids_of_other_phones_are_never_shown(
    as_user: AsUser, table: Table, alice: User, bob: User
) -> None:
    other = uuid.uuid4()
    storage.push(table, alice, [said("one", 1), pushed(taps.TurnEnded(), PHONE, 2), strike(1, 3)])
    # A conflict: two phones that have not seen each other's taps.
    by, at = (people.start_of(table).figures[place].key for place in (0, -1))
    for device in (PHONE, other):
        storage.push(table, bob, [pushed(taps.Out(figure=at, by=by), device, 9)])
    client, watcher = as_user(bob), Client()
    assert table.game is not None
    watcher.get(reverse("campaigns:watch", args=[table.game.campaign.watch_key]))
    ids = (str(PHONE), str(other), PHONE.hex, other.hex)
    for reader in (client, watcher):
        for address in (
            table.get_absolute_url(),
            reverse("campaigns:table-story", args=[table.pk]),
            reverse("campaigns:table-since", args=[table.pk, 0]),
        ):
            page = reader.get(address).content.decode()
            assert [name for name in ids if name in page] == []
    page = client.get(table.get_absolute_url())
    assert str(alias(table.pk, PHONE)) in page.content.decode()
    assert page.context["questions"]


def test_alias_cannot_strike_or_push_for_another_phone(table: Table, alice: User) -> None:
    storage.push(table, alice, [said("one", 1)])
    forged = pushed(taps.Note(text="forged"), alias(table.pk, PHONE), 2)
    assert storage.push(table, alice, [forged]) == [2]
    assert storage.push(table, alice, [said("two", 2)]) == [3]


def test_buttons_of_the_story_undo_and_restore_their_own_act(
    as_user: AsUser, table: Table, alice: User
) -> None:
    storage.push(table, alice, [said("one", 1)])
    client = as_user(alice)
    [line] = client.get(table.get_absolute_url()).context["newest"]
    address = reverse("campaigns:table-taps", args=[table.pk])
    client.post(address, {"token": "one", "after": 1, "turn": 1, "taps": line.change.taps})
    [line] = client.get(table.get_absolute_url()).context["newest"]
    assert (line.text, line.is_struck) == ("“one”", True)
    client.post(address, {"token": "two", "after": 2, "turn": 1, "taps": line.change.taps})
    [line] = client.get(table.get_absolute_url()).context["newest"]
    assert (line.text, line.is_struck) == ("“one”", False)
    desk = device_of_forms(table.pk, f"user {alice.pk}")
    assert pull_taps(client, table, 1).json()["taps"][1]["tap"]["device"] == str(
        alias(table.pk, desk)
    )


def test_form_gets_a_free_number(table: Table, alice: User) -> None:
    """Even after a tap with the last number that its phone could use."""
    device = device_of_forms(table.pk, f"user {alice.pk}")
    storage.push(table, alice, [pushed(taps.Note(text="last"), device, taps.MOST_SEQ)])
    for n in (1, 2):
        tap = taps.Note(text=f"{n}")
        storage.say(table, alice, device, [tap], act=uuid.uuid4(), after=0, turn=1)
    assert texts(table) == ["last", "1", "2"]


def test_form_with_a_known_number_and_other_content_is_refused(table: Table, alice: User) -> None:
    act = uuid.uuid4()
    storage.push(table, alice, [said("forged", act=act)])
    with pytest.raises(Refusal, match=storage.TAKEN):
        tap = taps.Note(text="real")
        storage.say(table, alice, uuid.uuid4(), [tap], act=act, after=0, turn=1)


def test_one_person_cannot_fill_a_table(
    table: Table, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MOST_OF_ONE", 2)
    rows = [said(f"{n}", n) for n in range(1, 4)]
    *numbers, why = storage.push(table, alice, rows)
    assert (numbers, why_refused(why)) == ([1, 2], "table_share_full")
    assert storage.push(table, bob, [pushed(taps.TurnEnded()) for _tap in range(2)]) == [3, 4]
    for actor, room in ((alice, False), (bob, False), (None, True)):
        try:
            tap = taps.Note(text="more")
            storage.say(table, actor, uuid.uuid4(), [tap], act=uuid.uuid4(), after=0, turn=1)
        except Refusal as refusal:
            assert (refusal.code, room) == ("table_share_full", False)
        else:
            assert room
